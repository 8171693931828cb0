// A rater's visit: asks for items, shows one at a time, and passes answers to the outbox.

import { Refusal, backOffMs, inLine } from "../shared/api.js";
import { _ } from "../shared/words.js";
import { isDoorShut } from "./door.js";
import { Outbox } from "./outbox.js";
import { Queue } from "./queue.js";
import { keepReceipt } from "./receipts.js";
import * as shelf from "./shelf.js";
import * as stage from "./stage.js";

const AHEAD = 5;
const FEW = 2;
const MOST = 10;
// A second click so soon after an item appeared was meant for the one before.
const TOO_SOON_MS = 250;
const IDLE_MS = 2500;
const REFUSALS = {
  stale_ticket: _("One answer came too late to count. The item will come again."),
  bad_ticket: _("One answer could not be counted, since its item was not meant for you."),
  not_open: _("One answer did not count: nobody could vote when it arrived."),
  rater_required: _("One answer did not count: this browser was no longer known."),
  skips_used_up: _("One skip did not count. Vote on some items; then you can skip again."),
};

// A vote earns the right to pass over one more item.
const gainOf = (kind) => (kind === "votes" ? 1 : -1);

export class Visit {
  /** `onRefused(refusal)` is called when the server does not give this rater items now. */
  constructor(contest, { onRefused }) {
    this.contest = contest;
    this.onRefused = onRefused;
    this.queue = new Queue();
    this.outbox = new Outbox(contest, {
      onSent: (entry, reply) => this.answerSent(entry, reply),
      onRefused: (entry, refusal) => this.answerRefused(entry, refusal),
      onChange: () => this.outboxChanged(),
    });
    this.about = null;
    this.rater = null;
    this.begun = false;
    this.counted = 0;
    this.passes = 0;
    this.limit = null;
    this.asking = false;
    this.exhausted = false;
    this.failures = 0;
    this.shown = null;
    this.shownAt = 0;
    this.last = null;
    this.timer = 0;
    this.listen();
  }

  /** Starts showing items, or goes on after a break. */
  begin() {
    this.begun = true;
    if (this.queue.first !== null) this.showNext();
    else this.ask();
    const empty = () => !this.queue.first && !["end", "message"].includes(stage.screen());
    setTimeout(() => empty() && this.showNext(), 600);
  }

  /** Stops showing items, while something else is on the screen. */
  rest() {
    this.begun = false;
    clearTimeout(this.timer);
  }

  /** Begins another visit after the end of one. */
  more() {
    shelf.set(this.visitKey, String(this.number + 1));
    this.limit = null;
    this.begun = true;
    this.ask();
  }

  /** Which visit of this rater it is, from 1. */
  get number() {
    return Number(shelf.get(this.visitKey)) || 1;
  }

  get visitKey() {
    return `plaudit:${this.contest.name}:visit`;
  }

  /** Asks for items; `afresh` also drops those that the server no longer gives. */
  async ask({ afresh = false } = {}) {
    if (this.asking) return;
    this.asking = true;
    clearTimeout(this.timer);
    try {
      const reply = await inLine(() => this.contest.ask(this.question(), { rater: this.rater }));
      this.asking = false;
      this.failures = 0;
      this.take(reply, afresh);
    } catch (error) {
      this.asking = false;
      this.askFailed(error);
    }
  }

  /** How many votes wait here to be sent; skips and flags are no votes. */
  get votesUnsent() {
    return this.outbox.entries().filter(({ kind }) => kind === "votes").length;
  }

  question() {
    const unsent = this.outbox.entries().length;
    const left = this.limit === null ? MOST : Math.max(1, this.limit - this.counted + unsent);
    const count = Math.min(MOST, AHEAD + unsent, left);
    return { count, visit: this.number, consent: true, holding: this.queue.tickets };
  }

  take(reply, afresh) {
    this.counted = reply.answered;
    this.passes = reply.passes;
    this.limit = reply.of;
    const before = this.queue.items.length;
    const unsent = new Set(this.outbox.entries().map((entry) => entry.item));
    this.queue.take(reply.items, { unsent, afresh });
    this.exhausted = this.queue.items.length <= before;
    if (reply.end === null) return this.showNext();
    // While answers are being sent, the end waits: the server says so again once it has them.
    if (unsent.size > 0) return this.showLast();
    this.finish(reply.end);
  }

  askFailed(error) {
    if (error instanceof Refusal) return this.onRefused(error);
    this.failures += 1;
    if (this.begun && this.queue.first === null) {
      stage.note(_("Waiting for the connection…"), { lasting: true, about: "waiting" });
      stage.showItem(null, _("You have rated all that was loaded. More comes when the connection is back."));
    }
    this.timer = setTimeout(() => this.ask(), backOffMs(this.failures, error));
  }

  /** Shows the first item of the queue, or the screen that fits if there is none. */
  showNext() {
    if (!this.begun) return;
    const unsent = this.outbox.entries().length;
    const done = this.counted + this.votesUnsent;
    this.showCount(done);
    const full = this.limit !== null && done >= this.limit;
    const empty = this.queue.first === null && this.exhausted;
    // Skips make room for other items, which the server gives once it knows of them.
    const skipped = empty && !full && this.limit !== null && unsent > this.votesUnsent;
    if (skipped && !this.outbox.stuck) this.outbox.release().then(() => this.ask());
    else if (unsent > 0 && (full || empty)) return this.showLast();
    stage.showScreen("vote");
    if (this.queue.first !== this.shown || this.shown === null) this.display(this.queue.first);
    stage.showPasses(this.shown !== null && this.passesLeft > 0);
    if (empty) this.timer = setTimeout(() => this.ask(), IDLE_MS);
    else if (this.queue.items.length <= FEW && !this.exhausted) this.ask();
  }

  display(item) {
    this.shown = item;
    this.shownAt = performance.now();
    stage.showItem(item);
    if (item !== null && this.failures === 0) stage.clearNote("waiting");
  }

  // The server counts all votes of a rater; the page shows those of this visit.
  showCount(done, { ended = false } = {}) {
    const earlier = this.limit === null ? 0 : (this.about.votes_per_visit || 0) * (this.number - 1);
    const mine = Math.max(0, done - earlier);
    const all = this.limit === null ? null : Math.max(mine, this.limit - earlier);
    stage.showProgress(mine, ended ? mine : all);
    return mine;
  }

  /** After the last answer: a chance to undo it, then the end. */
  showLast() {
    if (!this.begun) return;
    this.shown = null;
    stage.showScreen("last");
    this.outboxChanged();
  }

  finish(end) {
    this.shown = null;
    this.begun = false;
    const votes = this.showCount(this.counted, { ended: true });
    stage.note("");
    stage.showEnd(end, { results: end.results, votes, voted: this.counted > 0 });
  }

  /** Takes an answer to the item on the screen; false where there is none, or it has just appeared. */
  answer(kind, details) {
    if (this.shown === null || performance.now() - this.shownAt < TOO_SOON_MS) return false;
    this.shown.spentMs += performance.now() - this.shownAt;
    this.last = this.queue.finishFirst();
    this.exhausted = false;
    const { item, ticket, spentMs, text } = this.last;
    const body = { ticket, response_ms: Math.round(spentMs), ...details };
    this.outbox.add({ kind, item, rater: this.rater, body, words: text });
    this.showNext();
    return true;
  }

  vote(level) {
    if (!this.about?.scale[level]) return false;
    const given = this.answer("votes", { level });
    if (given) stage.flash(level);
    return given;
  }

  skip() {
    return this.about?.skip && this.mayPass() ? this.answer("skips", {}) : false;
  }

  flag(reason) {
    const given = this.about?.flag && this.mayPass() ? this.answer("flags", { reason }) : false;
    if (given) stage.note(_("Flagged. Thank you: the people who run the contest will look at it."));
    return given;
  }

  /** How many items may be skipped or flagged before the next vote, with the answers that wait here. */
  get passesLeft() {
    return this.outbox.entries().reduce((left, { kind }) => left + gainOf(kind), this.passes);
  }

  /** Whether the item on the screen may be skipped or flagged; says so if not. */
  mayPass() {
    if (this.shown === null || this.passesLeft > 0) return true;
    stage.note(_("You have skipped a lot. Please vote on this one, then you can skip again."));
    return false;
  }

  /** Undoes the last answer while it is held; false where it has been sent. */
  undo() {
    if (this.last === null || this.outbox.undo() === null) return false;
    this.queue.putBack(this.last);
    this.last = null;
    this.begun = true;
    stage.note(_("Undone. Answer again."));
    this.showNext();
    stage.focusItem();
    return true;
  }

  answerSent(entry, reply) {
    this.counted = Math.max(this.counted, reply.answered);
    keepReceipt(this.contest.name, entry, reply);
    this.passes += gainOf(entry.kind);
  }

  answerRefused(entry, refusal) {
    if (["stale_ticket", "skips_used_up"].includes(refusal.code)) this.queue.forgive(entry.item);
    stage.note(REFUSALS[refusal.code] ?? _("One answer did not count. %(reason)s", { reason: refusal.message }));
    if (refusal.code === "not_open" || isDoorShut(refusal)) this.onRefused(refusal);
    else if (this.begun) this.ask({ afresh: true });
  }

  outboxChanged() {
    if (this.about === null) return;
    const { held, stuck } = this.outbox;
    stage.showUndo(held !== null);
    const saved = _("Saved here. It will be sent when the connection is back.");
    if (stuck) stage.note(saved, { lasting: true, about: "saved" });
    else stage.clearNote("saved");
    if (stage.screen() === "last" && this.outbox.entries().length === 0) this.ask();
  }

  listen() {
    window.addEventListener("online", () => this.failures > 0 && this.ask());
    window.addEventListener("storage", (event) => this.otherTab(event));
    document.addEventListener("visibilitychange", () => {
      // Only time in view counts as time to answer.
      const now = performance.now();
      if (document.hidden && this.shown) this.shown.spentMs += now - this.shownAt;
      this.shownAt = now;
    });
  }

  /** An item was answered in another tab: it must not be asked here again. */
  otherTab({ key, newValue }) {
    if (!key?.startsWith(this.outbox.beginning) || !newValue) return;
    const entry = this.outbox.read(key);
    if (entry === null || entry.tab === this.outbox.tab) return;
    this.queue.answeredElsewhere(entry.item);
    if (this.shown?.item === entry.item) this.showNext();
  }
}
