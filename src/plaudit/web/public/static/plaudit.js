// A client for raters. The rater's page uses it, and so may the pages of other sites that the
// contest lists (its setting `embed`). It needs nothing else: no build, no framework, no cookies.
//
//   import { Contest } from "https://vote.example.org/static/public/plaudit.js";
//   const contest = new Contest("snowman");
//   await contest.comeIn();
//   const { items } = await contest.ask({ count: 3 });
//   await contest.vote(items[0], 2);
//
// The service is the one that this file was loaded from. Who a rater is says a token, which is kept
// in the storage of the page's own site: the same browser is another rater on another site.

import { Refusal, Unreachable, backOffMs, call, callIfChanged } from "../shared/requests.js";
import { Newcomer } from "./newcomer.js";
import * as shelf from "./shelf.js";

export { Refusal, Unreachable };

const SERVICE = new URL("../../", import.meta.url);
const IS_OWN = SERVICE.origin === window.location.origin;
const TRIES = 6;

export class Contest {
  /** `onWork(share)` is called while the browser works before it is let in, with the part that is done. */
  constructor(name, { onWork = () => undefined } = {}) {
    this.name = name;
    // A page of another site may show contests of several services.
    this.key = `plaudit:${IS_OWN ? "" : SERVICE.href}${name}:rater`;
    this.newcomer = new Newcomer(this.addressOf("raters"), { onWork });
  }

  /** The token that says who the rater is; null before `comeIn`. */
  get rater() {
    return shelf.get(this.key);
  }

  /** Forgets who the rater is: the next one who comes in is somebody else. */
  forget() {
    shelf.remove(this.key);
  }

  /** The contest as raters see it: title, scale, consent, whether it takes answers, its door. */
  about() {
    return call(this.addressOf());
  }

  /**
   * Lets the rater in, after some work if the service asks for it. At a door, the pass has what it
   * asks for: a `code`, or an `external` id, with its `signature` where links are signed. A rater
   * who is known stays the same. A door where people sign in is passed at `pageUrl` only.
   */
  async comeIn(pass = {}) {
    const token = await this.newcomer.comeIn(pass, pass.code ? null : this.rater);
    shelf.set(this.key, token);
    return token;
  }

  /**
   * The next items, each with its ticket; the same ones until they are answered. Where there are
   * none, `end` says why. A contest with a text about consent wants `consent: true`.
   */
  async ask(question = {}, { rater = this.rater } = {}) {
    const reply = await this.send("ask", question, { rater });
    for (const item of reply.items) item.image = this.imageUrl(item.image);
    return reply;
  }

  /** Votes on an item that was asked, by the place of the label on the scale, from 0. */
  vote(item, level, { responseMs } = {}) {
    return this.persist("votes", { ticket: item.ticket, level, response_ms: responseMs });
  }

  /** Passes over an item for good. */
  skip(item) {
    return this.persist("skips", { ticket: item.ticket });
  }

  /** Asks those who run the contest to look at an item: offensive, duplicate, unreadable or other. */
  flag(item, reason = "other") {
    return this.persist("flags", { ticket: item.ticket, reason });
  }

  /**
   * Proposes an item, where the contest lets raters do so (`about().proposals`) and this one has voted.
   * `standing` of the reply is `waiting`, `taken`, or `near`: then it was not sent, and `near` lists
   * what is like it; `anyway` sends it all the same.
   */
  propose(text, { anyway = false } = {}) {
    return this.persist("proposals", { text, anyway });
  }

  /** What this rater proposed, what became of it, and how many more they may propose. */
  ownProposals() {
    return call(this.addressOf("proposals/own"), { rater: this.rater });
  }

  /** The leaders; null where nothing has changed since `etag`, which comes with each reply. */
  results({ limit = 20, etag = null } = {}) {
    return callIfChanged(`${this.addressOf("results")}?limit=${limit}`, etag);
  }

  /** What the log has for the receipt of an answer. */
  checkReceipt(receipt) {
    return call(this.addressOf("receipts"), { body: { receipt } });
  }

  /** The page of the service where this contest is voted on. */
  get pageUrl() {
    return new URL(`c/${encodeURIComponent(this.name)}`, SERVICE).href;
  }

  /** One request, sent once: `ask`, `votes`, `skips` or `flags`. */
  send(kind, body, { rater = this.rater, keepalive = false } = {}) {
    return call(this.addressOf(kind), { body, rater, keepalive });
  }

  // An answer that is sent twice counts once: its ticket says which one it is.
  async persist(kind, body) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.send(kind, body, { keepalive: true });
      } catch (error) {
        if (!(error instanceof Unreachable) || tries === TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, backOffMs(tries, error)));
      }
    }
  }

  addressOf(resource = "") {
    const whole = new URL(`api/v1/contests/${encodeURIComponent(this.name)}`, SERVICE).href;
    return resource ? `${whole}/${resource}` : whole;
  }

  imageUrl(image) {
    return image && !IS_OWN ? new URL(image, SERVICE).href : image;
  }
}
