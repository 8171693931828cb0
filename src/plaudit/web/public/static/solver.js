// Solves the puzzles of a challenge in a worker, so that the page stays alive meanwhile.

import { search, seedOf } from "./puzzle.js";

const TRIES = 32768;

self.addEventListener("message", ({ data: { challenge, bits, tried } }) => {
  const seed = seedOf(challenge);
  for (let puzzle = 0; puzzle < tried.length; puzzle += 1) {
    let found = null;
    while (found === null) {
      found = search(seed, puzzle, tried[puzzle], bits, TRIES);
      tried[puzzle] = found ?? tried[puzzle] + TRIES;
      self.postMessage({ tried, solved: puzzle + (found === null ? 0 : 1) });
    }
  }
});
