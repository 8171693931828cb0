// The durable outbox: answers stay here until the server has saved them.
//
// Every answer has its own key in the browser's storage, so that two tabs never overwrite each
// other's answers. A new answer is held for a few seconds (for Undo), then sent, oldest first. It
// leaves the outbox only when the server has confirmed or refused it. Sending an answer twice is
// harmless: the server counts one answer per rater and item.

import { Refusal, backOffMs, inLine } from "../shared/api.js";
import * as shelf from "./shelf.js";

export const HOLD_MS = 5000;

export class Outbox {
  /** `onSent(entry, reply)`, `onRefused(entry, refusal)` and `onChange()` tell the page. */
  constructor(contest, { onSent, onRefused, onChange }) {
    this.contest = contest;
    this.beginning = `plaudit:${contest.name}:answer:`;
    this.tab = Math.random().toString(36).slice(2, 10);
    this.tell = { onSent, onRefused, onChange };
    this.sending = new Set();
    this.failures = 0;
    this.count = 0;
    this.pumping = false;
    this.timer = 0;
    this.listen();
  }

  /** All answers that are not confirmed yet, oldest first. */
  entries() {
    return shelf.keysLike(this.beginning).map((key) => this.read(key)).filter(Boolean);
  }

  /** Whether answers are waiting although sending them was tried. */
  get stuck() {
    return this.failures > 0 && this.entries().some((entry) => this.isDue(entry));
  }

  /** Adds an answer; the one that this tab held before is sent. */
  add(answer) {
    this.releaseOwn();
    this.count += 1;
    const moment = String(Date.now()).padStart(15, "0");
    const key = `${this.beginning}${moment}-${String(this.count).padStart(6, "0")}-${this.tab}`;
    const entry = { ...answer, tab: this.tab, heldUntil: Date.now() + HOLD_MS };
    shelf.set(key, JSON.stringify(entry));
    this.tell.onChange();
    this.pump();
    return { ...entry, key };
  }

  /** The answer that this tab can still undo, or null. */
  get held() {
    const mine = this.entries().filter((entry) => entry.tab === this.tab && !this.isDue(entry));
    return mine.at(-1) ?? null;
  }

  /** Undoes the held answer and returns it; null where it has been sent already. */
  undo() {
    const entry = this.held;
    if (entry === null || this.sending.has(entry.key)) return null;
    shelf.remove(entry.key);
    this.tell.onChange();
    return entry;
  }

  /** Sends the answer that this tab holds without waiting longer. */
  release() {
    this.releaseOwn();
    this.tell.onChange();
    return this.pump();
  }

  /** Sends answers that are due, one at a time, until none is left or the connection fails. */
  async pump() {
    if (this.pumping) return;
    this.pumping = true;
    clearTimeout(this.timer);
    let next = this.nextDue();
    while (next !== undefined && (await inLine(() => this.deliver(next)))) next = this.nextDue();
    this.pumping = false;
    this.wakeLater();
  }

  listen() {
    const kick = () => {
      this.pump();
      this.tell.onChange();
    };
    const hurry = () => {
      this.releaseOwn();
      for (const entry of this.entries()) if (this.isDue(entry)) this.deliver(entry);
      this.tell.onChange();
    };
    window.addEventListener("online", kick);
    window.addEventListener("pageshow", kick);
    window.addEventListener("pagehide", hurry);
    document.addEventListener("visibilitychange", () => (document.hidden ? hurry() : kick()));
  }

  /** Sends an answer; false after a failure, which is tried again later. */
  async deliver(entry) {
    if (this.sending.has(entry.key)) return false;
    this.sending.add(entry.key);
    this.tell.onChange();
    try {
      const reply = await this.contest.send(entry.kind, entry.body, { rater: entry.rater, keepalive: true });
      this.settle(entry);
      this.tell.onSent(entry, reply);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) return this.postpone(error);
      this.settle(entry);
      this.tell.onRefused(entry, error);
      return true;
    } finally {
      this.sending.delete(entry.key);
      this.tell.onChange();
    }
  }

  settle(entry) {
    this.failures = 0;
    shelf.remove(entry.key);
  }

  postpone(error) {
    this.failures += 1;
    this.retryAt = Date.now() + backOffMs(this.failures, error);
    return false;
  }

  wakeLater() {
    const entries = this.entries();
    if (entries.length === 0) return;
    const waits = entries.map((entry) => (this.isDue(entry) ? 0 : entry.heldUntil - Date.now()));
    const soonest = Math.max(Math.min(...waits), this.failures ? this.retryAt - Date.now() : 0);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.pump(), Math.max(soonest, 50));
  }

  releaseOwn() {
    for (const entry of this.entries()) {
      if (entry.tab !== this.tab || this.isDue(entry)) continue;
      const { key, ...rest } = entry;
      shelf.set(key, JSON.stringify({ ...rest, heldUntil: 0 }));
    }
  }

  nextDue() {
    return this.entries().find((entry) => this.isDue(entry) && !this.sending.has(entry.key));
  }

  // A hold that ends later than any hold can means that the clock was set back.
  isDue(entry) {
    const left = entry.heldUntil - Date.now();
    return left <= 0 || left > HOLD_MS;
  }

  read(key) {
    try {
      const entry = JSON.parse(shelf.get(key));
      return entry && entry.body && entry.kind ? { ...entry, key } : null;
    } catch {
      return null;
    }
  }
}
