// The next few items for a rater, loaded ahead so that nobody waits for the next one.

const ELSEWHERE_MS = 15000;

export class Queue {
  constructor() {
    this.items = [];
    this.answered = new Set();
    this.elsewhere = new Map();
  }

  /** The item to show, or null. */
  get first() {
    return this.items[0] ?? null;
  }

  /** The tickets held, which the server needs to know. */
  get tickets() {
    return this.items.map((item) => item.ticket);
  }

  /** Adds the items that the server gave; `afresh` also drops those that it no longer gives. */
  take(given, { unsent, afresh = false }) {
    const usable = given.filter((item) => !unsent.has(item.item) && !this.isAnswered(item.item));
    const known = new Map(this.items.map((item) => [item.item, item]));
    for (const item of usable) {
      const mine = known.get(item.item);
      if (mine) mine.ticket = item.ticket;
      else this.items.push({ ...item, spentMs: 0, picture: preload(item.image) });
    }
    if (!afresh) return;
    const current = new Set(usable.map((item) => item.item));
    this.items = this.items.filter((item) => current.has(item.item));
  }

  /** Marks the first item as answered here. */
  finishFirst() {
    const item = this.items.shift();
    this.answered.add(item.item);
    return item;
  }

  /** Puts an item back to the front, after Undo. */
  putBack(item) {
    this.answered.delete(item.item);
    this.items = [item, ...this.items.filter((other) => other.item !== item.item)];
  }

  /** Drops an item that was answered in another tab. */
  answeredElsewhere(number) {
    this.elsewhere.set(number, Date.now());
    this.items = this.items.filter((item) => item.item !== number);
  }

  /** Lets an item be asked again, since its answer did not count. */
  forgive(number) {
    this.answered.delete(number);
  }

  isAnswered(number) {
    const moment = this.elsewhere.get(number);
    const recent = moment !== undefined && Date.now() - moment < ELSEWHERE_MS;
    return recent || this.answered.has(number);
  }
}

function preload(address) {
  if (!address) return null;
  const picture = new Image();
  picture.src = address;
  return picture;
}
