// The rater's page: registers the rater, shows what must be read first, and connects keys and
// buttons.

import { Refusal, backOffMs } from "../shared/api.js";
import { _ } from "../shared/words.js";
import { isPreview, takePass, takeReturn } from "./arrival.js";
import { isDoorShut, prepareSignIn, waitAtDoor } from "./door.js";
import { keysAreOn, listenForKeys, switchKeys } from "./keys.js";
import { openingMessage } from "./opening.js";
import { Contest } from "./plaudit.js";
import * as shelf from "./shelf.js";
import * as stage from "./stage.js";
import { Visit } from "./visit.js";

const { el } = stage;
const RECHECK_MS = 20000;
const AWAY_MS = 30000;
// Work that is done sooner need not be mentioned; longer work needs a word more.
const UNSEEN_MS = 350;
const LONG_MS = 6000;

const contest = new Contest(el("main").dataset.contest, { onWork: (share) => showWork(share) });
const keyOf = (name) => `plaudit:${contest.name}:${name}`;
const visit = new Visit(contest, { onRefused: (refusal) => recover(refusal) });

let recheckTimer = 0;
let hiddenAt = Infinity;
let flagged = null;
let workSince = null;

async function arrive() {
  if (isPreview()) {
    return stage.showMessage(_("This is a preview"), _("Accept the task to see the items and vote."));
  }
  const pass = takePass();
  const { isSignedIn, isAnother } = takeReturn();
  prepareSignIn({ isAnother });
  // Whoever has just signed in is the rater of the cookie, and not who voted here before.
  if (isSignedIn) forgetRater();
  await untilDone(() => Promise.all([lookUp(), register(pass)]));
  // Answers left from an earlier visit are sent first, so that the server's count includes them.
  await visit.outbox.pump();
  await meet();
}

async function lookUp() {
  visit.about = await contest.about();
}

function forgetRater() {
  for (const name of ["rater", "visit", "started"]) shelf.remove(keyOf(name));
}

// The token is kept beside the cookie, since frames on other sites get no cookie.
async function register(pass) {
  const known = contest.rater;
  const isNamed = Boolean(pass.external || pass.code);
  const token = await contest.comeIn(pass);
  workSince = null;
  if (isNamed && token !== known) {
    for (const name of ["visit", "started"]) shelf.remove(keyOf(name));
  }
  visit.rater = token;
}

/** Says what the browser is busy with, if it takes long enough to be noticed. */
function showWork(share) {
  workSince ??= performance.now();
  const passed = performance.now() - workSince;
  if (passed < UNSEEN_MS) return;
  const short = _("Your browser is solving a small puzzle, which keeps robots out. Voting starts in a moment.");
  const long = _("Many people are coming in from your network. This may take a minute or two: please leave this page open. Voting starts by itself.");
  stage.showWork(_("One moment"), passed < LONG_MS ? short : long, share);
}

/** Tries again, waiting longer each time, until the server has answered. */
async function untilDone(job) {
  for (let tries = 1; ; tries += 1) {
    try {
      await job();
      return stage.clearNote();
    } catch (error) {
      if (error instanceof Refusal && isDoorShut(error)) return knock(error.code);
      if (error instanceof Refusal) return refuse(error);
      stage.note(_("There is no connection. Trying again…"), { lasting: true });
      await nap(backOffMs(tries, error));
    }
  }
}

function nap(ms) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    window.addEventListener("online", () => resolve(clearTimeout(timer)), { once: true });
  });
}

/** Says why the visit cannot go on; the promise stays open on purpose. */
function refuse(error) {
  visit.rest();
  if (error.status === 404) stage.showMessage(_("No such contest"), _("It may have been removed."));
  else stage.showMessage(_("This did not work"), error.message);
  return new Promise(() => undefined);
}

/** Waits at the door until somebody has been let in; while nobody may vote, it says that instead. */
async function knock(reason) {
  visit.rest();
  await untilDone(lookUp);
  if (!visit.about.taking_answers) {
    waitForOpening();
    return new Promise(() => undefined);
  }
  await waitAtDoor(reason, (code) => register({ code }));
}

/** Lets somebody else who has a code go on here. */
async function changeRater() {
  visit.rest();
  visit.outbox.release();
  await waitAtDoor("code_required", (code) => register({ code }));
  window.location.reload();
}

/** Shows what this rater should see first: a message, the start, or an item. */
async function meet() {
  const { about } = visit;
  if (!about.taking_answers) return waitForOpening();
  stage.showScale(about.scale, (level) => visit.vote(level));
  for (const name of ["skip", "flag"]) {
    el(name).hidden = !about[name];
    el(`about-${name}`).hidden = !about[name];
  }
  for (const id of ["about-door", "end-door"]) el(id).hidden = about.door !== "codes";
  for (const id of ["about-leave", "end-leave"]) el(id).hidden = about.door !== "sign-in";
  for (const id of ["suggest", "end-suggest"]) el(id).hidden = about.proposals === "off";
  stage.fill("about-instructions", about.instructions);
  const drawn = stage.showContext(about.context);
  if (mustRead() && shelf.get(keyOf("started")) !== mustRead()) return showStart();
  await drawn;
  visit.begin();
}

// The page remembers which text was read: a new text must be read again.
function mustRead() {
  const text = `${visit.about.consent}${visit.about.instructions}`;
  let hash = 7;
  for (const sign of text) hash = (hash * 31 + sign.codePointAt(0)) % 1_000_000_007;
  return text && `${text.length}.${hash}`;
}

function showStart() {
  const { consent, instructions } = visit.about;
  visit.rest();
  stage.fill("start-instructions", instructions);
  el("start-consent").hidden = !consent;
  el("start-consent-text").textContent = consent;
  el("start").textContent = consent ? _("I agree, start") : _("Start");
  stage.showScreen("start");
  if (!consent) visit.ask();
}

function waitForOpening() {
  const { opens, state, public_results: shown } = visit.about;
  visit.rest();
  const begun = state !== "draft" && !(opens > Date.now());
  stage.showMessage(...openingMessage(visit.about), { results: shown && begun });
  const untilOpen = opens ? opens - Date.now() + 500 : 0;
  clearTimeout(recheckTimer);
  recheckTimer = setTimeout(recheck, untilOpen > 0 ? Math.min(RECHECK_MS, untilOpen) : RECHECK_MS);
}

async function recheck() {
  if (!document.hidden) await lookUp().catch(() => undefined);
  if (visit.about.taking_answers) await meet();
  else waitForOpening();
}

async function recover(refusal) {
  if (refusal.code === "rater_required") {
    shelf.remove(keyOf("rater"));
    await untilDone(() => register({}));
    return visit.ask();
  }
  if (isDoorShut(refusal)) {
    await knock(refusal.code);
    return meet();
  }
  if (refusal.code === "consent_required") {
    shelf.remove(keyOf("started"));
    return showStart();
  }
  if (refusal.code !== "not_open") return refuse(refusal);
  await untilDone(lookUp);
  // The answer and the state may disagree for a moment, around the time of opening.
  if (visit.about.taking_answers) setTimeout(() => visit.ask(), 3000);
  else waitForOpening();
}

function openFlag() {
  if (!visit.about?.flag || visit.shown === null || !visit.mayPass()) return false;
  flagged = visit.shown;
  el("flag-dialog").returnValue = "";
  el("flag-dialog").showModal();
  return true;
}

function showHelp() {
  if (el("about").hidden) return false;
  el("keys-on").checked = keysAreOn();
  el("about-dialog").showModal();
  return true;
}

/** Goes to the page for suggestions once the last answer is sent; offline it says why not. */
async function goSuggest(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (!navigator.onLine) {
    stage.note(_("You are offline. You can suggest something once you are connected again."));
    return;
  }
  await visit.outbox.release();
  window.location.assign(event.target.href);
}

async function copyCode() {
  const writing = navigator.clipboard?.writeText(el("code").textContent) ?? Promise.reject();
  const copied = await writing.then(() => true, () => false);
  if (!copied) window.getSelection().selectAllChildren(el("code"));
  el("copy").textContent = copied ? _("Copied") : _("Press Ctrl+C");
}

el("start").addEventListener("click", () => {
  shelf.set(keyOf("started"), mustRead());
  visit.begin();
});
el("flag-dialog").addEventListener("close", () => {
  const reason = el("flag-dialog").returnValue;
  if (reason && visit.shown === flagged) visit.flag(reason);
});
el("about").addEventListener("click", showHelp);
el("keys-on").addEventListener("change", () => switchKeys(el("keys-on").checked));
for (const id of ["undo", "last-undo"]) el(id).addEventListener("click", () => visit.undo());
el("skip").addEventListener("click", () => visit.skip());
el("flag").addEventListener("click", openFlag);
el("finish").addEventListener("click", () => visit.outbox.release());
el("more").addEventListener("click", () => visit.more());
el("copy").addEventListener("click", copyCode);
for (const id of ["suggest", "end-suggest"]) el(id).addEventListener("click", goSuggest);
for (const id of ["about-door", "end-door"]) el(id).addEventListener("click", changeRater);
el("sign-out").addEventListener("submit", async (event) => {
  event.preventDefault();
  await visit.outbox.release();
  forgetRater();
  el("sign-out").submit();
});
listenForKeys({
  level: (level) => visit.vote(level),
  skip: () => visit.skip(),
  flag: openFlag,
  undo: () => visit.undo(),
  help: showHelp,
});

document.addEventListener("visibilitychange", () => {
  const now = performance.now();
  if (document.hidden) hiddenAt = now;
  else if (stage.screen() === "message" && visit.about && visit.rater) recheck();
  else if (now - hiddenAt > AWAY_MS && visit.begun) visit.ask({ afresh: true });
});

arrive();
