// A newcomer's way in: registers the rater, and does the work that the service may ask for first.

import { Refusal, call } from "../shared/requests.js";
import { search, seedOf } from "./puzzle.js";

const TRIES = 4096;
const TICK_MS = 200;

export class Newcomer {
  /** `onWork(share)` is called again and again while there is work to do, with the part that is done. */
  constructor(address, { onWork }) {
    this.address = address;
    this.onWork = onWork;
    this.done = null;
    this.tried = [];
    this.share = 0;
  }

  /** The token of the rater with this pass (an id, a code); `rater` is the token that the browser keeps. */
  async comeIn(pass, rater) {
    for (;;) {
      try {
        const body = this.done === null ? pass : { ...pass, work: this.done };
        const reply = await call(this.address, { body, rater });
        this.done = null;
        return reply.rater;
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== "work_required") throw error;
        await this.work(error.details.work);
      }
    }
  }

  /** Solves the puzzles, or waits for a turn: whichever comes first. */
  async work({ challenge, puzzles, bits, wait_ms: waitMs }) {
    // What was found for the same challenge with fewer bits is where the search goes on.
    if (this.done?.challenge !== challenge) this.tried = Array(puzzles).fill(0);
    this.share = 0;
    const ticking = setInterval(() => this.onWork(this.share), TICK_MS);
    const end = new AbortController();
    const late = new Promise((resolve) => setTimeout(resolve, waitMs + 100, []));
    const nonces = await Promise.race([this.solve({ challenge, bits }, end.signal), late]);
    end.abort();
    clearInterval(ticking);
    this.done = { challenge, nonces };
  }

  async solve(task, signal) {
    const note = ({ tried, solved }) => {
      this.tried = tried;
      this.share = solved / tried.length;
      return solved === tried.length;
    };
    const given = { ...task, tried: this.tried };
    await inWorker(given, note, signal).catch(() => inSlices({ ...task, tried: this.tried }, note, signal));
    return this.tried;
  }
}

/** Lets a worker solve; fails where the browser gives none, as in some frames. */
function inWorker(given, note, signal) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./solver.js", import.meta.url), { type: "module" });
    const stop = (then) => () => then(worker.terminate());
    signal.addEventListener("abort", stop(resolve));
    worker.addEventListener("error", stop(reject));
    worker.addEventListener("message", ({ data }) => note(data) && stop(resolve)());
    worker.postMessage(given);
  });
}

/** Solves on the page itself, with a pause after every few thousand tries. */
async function inSlices({ challenge, bits, tried }, note, signal) {
  const seed = seedOf(challenge);
  for (let puzzle = 0; puzzle < tried.length; puzzle += 1) {
    let found = null;
    while (found === null && !signal.aborted) {
      found = search(seed, puzzle, tried[puzzle], bits, TRIES);
      tried[puzzle] = found ?? tried[puzzle] + TRIES;
      await new Promise((resolve) => setTimeout(resolve));
    }
    if (signal.aborted) return;
    note({ tried, solved: puzzle + 1 });
  }
}
