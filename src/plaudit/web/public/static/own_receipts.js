// The page of a rater's receipts: lists those that this browser keeps, and checks them. The path
// and the signatures are checked here; the server only says what it has in its log.

import { Refusal, addressOf, call } from "../shared/api.js";
import { _, dates, many, number } from "../shared/words.js";
import { canHash, checkReceipt, isIncluded, readCheckpoint, readKeys, readReceipt } from "./proof.js";
import { forgetReceipts, keptReceipts } from "./receipts.js";

const el = (id) => document.getElementById(id);
const contest = el("main").dataset.contest;
const root = document.documentElement.dataset.root || "";
const KINDS = { skips: _("skipped"), flags: _("flagged") };
const WHY_NOT = {
  skip: _("It is a skip, which counts for no item."),
  flag: _("It is a flag, which counts for no item."),
  erased: _("It does not count: its rater was erased."),
  excluded: _("It does not count: its rater was excluded."),
  withdrawn: _("It does not count now: its item was withdrawn."),
  merged: _("It does not count: its item was merged with others, and an earlier vote of yours on one of them does."),
};

const NOT_THERE = _("YOUR ANSWER IS NOT IN THE LOG. The service signed this receipt, but its log says something else. Keep the receipt: it proves this.");

const moment = dates({ dateStyle: "medium", timeStyle: "medium" });

let keysHere = null;
let scale = [];

/** The public keys of the service, asked for once. */
async function keysOfService() {
  keysHere ??= fetch(`${root}/.well-known/plaudit-keys`, { cache: "no-store" }).then((answer) => {
    if (!answer.ok) throw new Error(_("The server answered %(status)s.", { status: answer.status }));
    return answer.text().then(readKeys);
  });
  return keysHere.catch((error) => {
    keysHere = null;
    throw error;
  });
}

/** What is found about a receipt: {good, sentence, more}. */
async function examine(receipt) {
  if (!canHash()) {
    const said = _("This browser checks proofs only over https. Nothing was checked.");
    return { good: null, sentence: said, more: "" };
  }
  const keys = await keysOfService();
  const { key, signed } = await checkReceipt(receipt, keys);
  if (!key) return wrong(_("No key of this service has signed this receipt."));
  if (signed === false) return wrong(_("The signature is not right: this receipt was changed."));
  const reply = await call(addressOf(contest, "receipts"), { body: { receipt: receipt.whole } });
  if (reply.in_log && !reply.checkpoint) {
    const more = _("No checkpoint covers it yet: so far this is only what the service says. Check again in a minute.");
    return { good: null, sentence: inTheLog(receipt, reply), more };
  }
  const checkpoint = await readCheckpoint(reply.checkpoint ?? "", keys);
  if (!reply.in_log) return wrong(NOT_THERE);
  if (!checkpoint || checkpoint.signed === false || checkpoint.origin !== `${key.name}/${contest}`) {
    return wrong(_("The service shows no signed checkpoint of this contest."));
  }
  if (!(await isIncluded(receipt, checkpoint, reply.path ?? []))) {
    return wrong(NOT_THERE);
  }
  const partly = signed === null || checkpoint.signed === null;
  return { good: partly ? null : true, sentence: inTheLog(receipt, reply), more: details(checkpoint, partly) };
}

function wrong(sentence) {
  return { good: false, sentence, more: "" };
}

function inTheLog(receipt, reply) {
  const place = number(receipt.position);
  if (reply.counts_for?.length) return _("Your vote is in the log at place %(place)s, unchanged, and counts.", { place });
  return _("Your answer is in the log at place %(place)s, unchanged. %(why)s", { place, why: WHY_NOT[reply.why_not] ?? "" });
}

function details(checkpoint, partly) {
  const time = moment.format(new Date(checkpoint.time));
  const entries = number(checkpoint.size - 1);
  const said = _("Checked against the log of %(entries)s entries that was signed at %(time)s.", { entries, time });
  const only = _("This browser cannot check Ed25519 signatures, so only the path was checked.");
  return partly ? `${said} ${only}` : said;
}

/** Checks a receipt and shows what came of it in an element. */
async function check(receipt, place) {
  place.dataset.state = "busy";
  place.textContent = _("Checking…");
  let found;
  try {
    found = await examine(receipt);
  } catch (error) {
    const refused = error instanceof Refusal;
    found = { good: refused ? false : null, sentence: error.message, more: "" };
  }
  place.dataset.state = found.good === null ? "unsure" : found.good ? "good" : "bad";
  place.replaceChildren(found.sentence);
  if (found.more) {
    const small = document.createElement("small");
    small.textContent = found.more;
    place.append(" ", small);
  }
  return found.good;
}

function row(kept) {
  const made = el("receipt-row").content.firstElementChild.cloneNode(true);
  const part = (name) => made.querySelector(`[data-part="${name}"]`);
  const label = kept.level === null ? KINDS[kept.kind] : scale[kept.level]?.label;
  const id = `i${kept.item + 1}`;
  part("text").textContent = kept.text || _("Item %(number)s", { number: id });
  part("answer").textContent = label ?? "";
  part("time").textContent = moment.format(kept.at);
  part("time").dateTime = new Date(kept.at).toISOString();
  part("receipt").textContent = kept.receipt;
  part("check").addEventListener("click", () => check(kept, part("found")));
  return made;
}

function show() {
  const kept = keptReceipts(contest);
  el("none").hidden = kept.length > 0;
  for (const id of ["all", "save", "forget", "number"]) el(id).hidden = kept.length === 0;
  el("number").textContent = many("One receipt is kept in this browser.", "%(count)s receipts are kept in this browser.", kept.length, { count: number(kept.length) });
  el("list").replaceChildren(...kept.map(row));
  return kept;
}

async function checkAll() {
  el("all").disabled = true;
  const outcome = { good: 0, bad: 0, unsure: 0 };
  const rows = [...el("list").children];
  for (const [place, kept] of keptReceipts(contest).entries()) {
    const target = rows[place]?.querySelector('[data-part="found"]');
    if (!target) break;
    const good = await check(kept, target);
    outcome[good === null ? "unsure" : good ? "good" : "bad"] += 1;
  }
  el("all").disabled = false;
  el("summary").dataset.state = outcome.bad ? "bad" : outcome.unsure ? "unsure" : "good";
  el("summary").textContent = summary(outcome);
}

function summary({ good, bad, unsure }) {
  if (bad) return many("One receipt is not right. See below.", "%(count)s receipts are not right. See below.", bad, { count: number(bad) });
  if (unsure) return many("One receipt could not be checked in full.", "%(count)s receipts could not be checked in full.", unsure, { count: number(unsure) });
  return many("Your answer is in the log, unchanged.", "All %(count)s answers are in the log, unchanged.", good, { count: number(good) });
}

function checkPasted(event) {
  event.preventDefault();
  const receipt = readReceipt(el("pasted").value);
  const place = el("pasted-found");
  if (receipt?.contest === contest) return check(receipt, place);
  place.dataset.state = "bad";
  place.textContent = receipt
    ? _("This receipt is of another contest: %(name)s.", { name: receipt.contest })
    : _("This is not a receipt. Copy all of it.");
}

function save() {
  const lines = keptReceipts(contest).map((kept) => `${kept.receipt}\n`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(lines, { type: "text/plain" }));
  link.download = `${contest}-receipts.txt`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

el("all").addEventListener("click", checkAll);
el("save").addEventListener("click", save);
el("paste").addEventListener("submit", checkPasted);
el("forget").addEventListener("click", () => el("forget-dialog").showModal());
el("forget-dialog").addEventListener("close", () => {
  if (el("forget-dialog").returnValue !== "forget") return;
  forgetReceipts(contest);
  show();
});

call(addressOf(contest)).then((about) => (scale = about.scale), () => undefined).then(show);
