// What the rater's page shows: elements and texts, without any requests.

import { _, many, number } from "../shared/words.js";
import { turkAssignment, webAddress } from "./arrival.js";

const SCREENS = ["message", "door", "start", "vote", "last", "end"];
const NOTE_MS = 8000;

export const el = (id) => document.getElementById(id);

let noteTimer = 0;
let noteAbout = "";

/** Shows one screen, and moves the focus to it if it is new. */
export function showScreen(name) {
  const target = name === "vote" ? el("item") : el(`screen-${name}`);
  const isNew = el(`screen-${name}`).hidden;
  for (const screen of SCREENS) el(`screen-${screen}`).hidden = screen !== name;
  el("bar").hidden = name !== "vote";
  el("about").hidden = name !== "vote";
  el("progress").hidden = ["message", "door", "start"].includes(name);
  document.body.dataset.screen = name;
  // A preview must not take the focus from the form beside it.
  if (isNew && !document.body.classList.contains("preview")) target.focus({ preventScroll: name === "vote" });
}

/** The name of the screen that is shown, or "" before the first. */
export function screen() {
  return document.body.dataset.screen ?? "";
}

/** Moves the focus to the item. */
export function focusItem() {
  el("item").focus({ preventScroll: true });
}

/** Puts text into an element, and hides it where there is none. */
export function fill(id, text) {
  el(id).textContent = text;
  el(id).hidden = !text;
}

/** Shows a short sentence for a while, or for good where `lasting`. An empty one clears it; `about` names it. */
export function note(text, { lasting = false, about = "" } = {}) {
  noteAbout = about;
  clearTimeout(noteTimer);
  if (el("note").textContent !== text) fill("note", text);
  if (text && !lasting) noteTimer = setTimeout(() => fill("note", ""), NOTE_MS);
}

/** Clears the note of this name; without a name, any note. */
export function clearNote(about = noteAbout) {
  if (about === noteAbout) note("");
}

/** Shows what the contest is about; resolves when its drawing has loaded, or takes too long. */
export async function showContext({ text, image, alt }) {
  el("context").hidden = !text && !image;
  el("screen-vote").classList.toggle("wordy", !image);
  fill("context-text", text);
  const picture = el("context-image");
  picture.hidden = !image;
  if (!image) return;
  picture.alt = alt || _("The drawing of this contest");
  picture.src = image;
  const late = new Promise((resolve) => setTimeout(resolve, 1500));
  await Promise.race([picture.decode().catch(() => undefined), late]);
}

// Five labels "1 star" to "5 stars" are shown as stars; their names stay for who hears the page.
const isStars = (scale) => scale.length === 5 && scale.every(({ label }, level) => label === (level ? `${level + 1} stars` : "1 star"));

/** Makes a button for each label of the scale. */
export function showScale(scale, onLevel) {
  const stars = isStars(scale);
  const buttons = scale.map(({ label }, level) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "level";
    button.dataset.level = level;
    const words = document.createElement("span");
    words.dir = "auto";
    words.textContent = stars ? "★".repeat(level + 1) : label;
    if (stars) button.setAttribute("aria-label", many("%(count)s star", "%(count)s stars", level + 1, { count: level + 1 }));
    button.append(words);
    if (level < 9) {
      const key = document.createElement("kbd");
      key.textContent = level + 1;
      key.setAttribute("aria-hidden", "true");
      button.append(key);
    }
    button.addEventListener("click", () => onLevel(level));
    return button;
  });
  el("scale").replaceChildren(...buttons);
  el("scale").classList.toggle("stars", stars);
  el("scale").dataset.size = scale.length <= 3 ? "few" : scale.length <= 5 ? "some" : "many";
}

/** Shows one item, or why there is none yet. */
export function showItem(item, waiting = _("One moment…")) {
  const box = el("item-box");
  for (const button of el("scale").children) button.setAttribute("aria-disabled", item === null);
  box.classList.remove("arrives");
  if (item === null) return showWaiting(waiting);
  const parts = [];
  if (item.image) parts.push(pictureOf(item));
  if (item.text) parts.push(textOf(item));
  box.replaceChildren(...parts);
  box.dataset.item = item.item;
  // Reading a size makes the browser notice the change, so that the animation starts again.
  void box.offsetWidth;
  box.classList.add("arrives");
  window.scrollTo({ top: 0 });
}

function showWaiting(text) {
  const words = document.createElement("p");
  words.className = "waiting";
  words.textContent = text;
  el("item-box").replaceChildren(words);
}

/** Marks the button that was chosen, for a moment. */
export function flash(level) {
  const button = el("scale").children[level];
  button.classList.remove("chosen");
  void button.offsetWidth;
  button.classList.add("chosen");
}

/** Shows the progress of this visit. */
export function showProgress(done, of) {
  const limited = of !== null && of > 0;
  el("meter").hidden = !limited;
  el("meter").max = limited ? of : 1;
  el("meter").value = limited ? Math.min(done, of) : 0;
  el("count").textContent = limited
    ? _("%(done)s of %(all)s", { done: number(Math.min(done, of)), all: number(of) })
    : many("%(count)s rated", "%(count)s rated", done, { count: number(done) });
}

/** Shows whether the last answer can be undone. */
export function showUndo(possible) {
  el("undo").setAttribute("aria-disabled", !possible);
  el("last-undo").hidden = !possible;
  el("finish").hidden = !possible;
  el("last-text").textContent = possible ? _("You can still undo your last answer.") : _("One moment…");
}

/** Shows whether the item can be skipped or flagged. */
export function showPasses(possible) {
  for (const id of ["skip", "flag"]) el(id).setAttribute("aria-disabled", !possible);
}

/** Shows a message instead of items. */
export function showMessage(title, text, { results = false } = {}) {
  el("message-title").textContent = title;
  if (el("message-text").textContent !== text) fill("message-text", text);
  el("message-work").hidden = true;
  el("message-results").hidden = !results;
  showScreen("message");
}

/** Shows that the browser is busy, and how much of it is done. */
export function showWork(title, text, share) {
  showMessage(title, text);
  el("message-work").hidden = false;
  el("work-meter").value = share;
}

/** Shows the end of a visit: why it ended, thanks, code, the way back. */
export function showEnd({ reason, thanks, code, return_url: back, more }, { results, votes, voted }) {
  const titles = { decided: _("The crowd has decided"), all_seen: _("You have seen them all") };
  el("end-title").textContent = titles[reason] ?? _("Thank you");
  fill("end-why", voted ? whyEnded(reason, votes, more) : "");
  const saved = thanks || _("Your votes are saved. Thank you for voting.");
  const nothing = reason === "decided" ? _("The contest has its result. Thank you for coming.") : _("There is nothing left to vote on. Thank you for coming.");
  el("end-text").textContent = voted ? saved : nothing;
  el("end-code").hidden = !code;
  el("code").textContent = code || "";
  const address = webAddress(back);
  el("end-return").hidden = address === null;
  if (address !== null) el("end-return").href = address;
  el("more").hidden = !more;
  el("end-results").hidden = !results;
  const turk = turkAssignment();
  el("turk").hidden = turk === null;
  if (turk !== null) {
    el("turk").action = turk.action;
    el("turk-assignment").value = turk.assignment;
    el("turk-code").value = code || "done";
  }
  showScreen("end");
  el("progress").hidden = !voted;
}

/** What is true at the end of this visit, with the number of its votes. */
function whyEnded(reason, votes, more) {
  const count = number(votes);
  if (reason === "decided") return _("The contest has its result, so it needs no more votes. Yours count.");
  if (reason === "enough") {
    const rated = many("You rated %(count)s item, all that the contest needs from you for now.", "You rated %(count)s items, all that the contest needs from you for now.", votes, { count });
    return [rated, more ? _("There are others if you like.") : ""].join(" ").trim();
  }
  if (reason === "all_seen") {
    return many("You rated %(count)s item, and there is no other left for you.", "You rated %(count)s items, and there is no other left for you.", votes, { count });
  }
  return many("You rated %(count)s item in this visit.", "You rated %(count)s items in this visit.", votes, { count });
}

function pictureOf(item) {
  const picture = item.picture ?? new Image();
  if (!item.picture) picture.src = item.image;
  picture.alt = item.text ? "" : _("Picture %(number)s", { number: item.id });
  return picture;
}

function textOf(item) {
  const words = document.createElement("p");
  words.className = item.text.length > 220 ? "words long" : "words";
  words.dir = "auto";
  words.textContent = item.text;
  return words;
}
