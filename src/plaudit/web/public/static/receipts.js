// The receipts of this browser's answers in a contest, each under a key of its own, so that tabs do
// not overwrite each other's. The oldest make room for new ones.

import { readReceipt } from "./proof.js";
import * as shelf from "./shelf.js";

export const MOST_KEPT = 500;
const LONGEST_TEXT = 140;

const beginning = (contest) => `plaudit:${contest}:receipt:`;

/** Keeps the receipt in the reply to an answer, with what the rater would recognise it by. */
export function keepReceipt(contest, { kind, item, body, words }, reply) {
  const receipt = reply.receipt && readReceipt(reply.receipt);
  if (!receipt) return;
  const key = beginning(contest) + String(receipt.position).padStart(15, "0");
  const text = (words ?? "").slice(0, LONGEST_TEXT);
  const kept = { receipt: receipt.whole, kind, item, level: body.level ?? null, text };
  shelf.set(key, JSON.stringify(kept));
  const keys = shelf.keysLike(beginning(contest));
  for (const old of keys.slice(0, Math.max(0, keys.length - MOST_KEPT))) shelf.remove(old);
}

/** All receipts that are kept, the latest first. */
export function keptReceipts(contest) {
  const found = [];
  for (const key of shelf.keysLike(beginning(contest)).reverse()) {
    try {
      const kept = JSON.parse(shelf.get(key));
      const receipt = readReceipt(kept.receipt);
      if (receipt) found.push({ ...receipt, ...kept });
    } catch {
      // Something else wrote under this key.
    }
  }
  return found;
}

/** Forgets all receipts of a contest. */
export function forgetReceipts(contest) {
  for (const key of shelf.keysLike(beginning(contest))) shelf.remove(key);
}
