// The dashboard: asks every few seconds whether something has changed, and replaces those parts.
// Focus, open tables and scroll positions stay as they are.

import { inReadersZone } from "../shared/times.js";
import { _ } from "../shared/words.js";

const EVERY_MS = 2500;
const LONGEST_MS = 20000;

const el = (id) => document.getElementById(id);
const board = el("board");

let etag = board.dataset.etag;
let failures = 0;
let timer = 0;
let paused = false;
let busy = false;

async function look() {
  clearTimeout(timer);
  if (busy || paused || document.hidden) return;
  busy = true;
  try {
    const response = await fetch(board.dataset.source, {
      headers: { "If-None-Match": etag },
      cache: "no-store",
      redirect: "manual",
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    await take(response);
  } catch {
    failures += 1;
    if (failures > 1) warn(_("No connection. These numbers may be old."));
  } finally {
    busy = false;
    timer = setTimeout(look, Math.min(EVERY_MS * 2 ** Math.min(failures, 3), LONGEST_MS));
  }
}

async function take(response) {
  if (response.type === "opaqueredirect") {
    failures += 1;
    return warn(_("You are signed out. Load the page again to sign in."));
  }
  if (response.status !== 304 && !response.ok) throw new Error(response.statusText);
  if (response.ok) {
    show(await response.text());
    etag = response.headers.get("ETag") ?? "";
  }
  failures = 0;
  el("stale").hidden = true;
  told();
}

function show(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html").body;
  // A contest that has just been decided begins with its result, which the server makes.
  const decided = fresh.querySelector(".verdict.decided") !== null;
  if (decided && document.querySelector(".moment") === null) return window.location.reload();
  inReadersZone(fresh);
  const names = (root) => [...root.querySelectorAll("[data-part]")].map((part) => part.dataset.part);
  const same = names(board).join() === names(fresh).join();
  if (!same) return exchange(board, fresh);
  for (const part of fresh.querySelectorAll("[data-part]")) {
    const shown = board.querySelector(`[data-part="${part.dataset.part}"]`);
    if (shown.innerHTML !== part.innerHTML) exchange(shown, part);
  }
}

/** Replaces the content of `shown` by that of `fresh`, and restores focus, open parts and scrolling. */
function exchange(shown, fresh) {
  const focused = document.activeElement;
  const place = stops(shown).indexOf(focused);
  const open = [...shown.querySelectorAll("details[open]")].map((one) => one.id);
  const scrolled = [...shown.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
  shown.replaceChildren(...fresh.childNodes);
  for (const id of open) if (el(id)) el(id).open = true;
  shown.querySelectorAll(".scroll").forEach((box, place) => { box.scrollLeft = scrolled[place] ?? 0; });
  if (place >= 0) (el(focused.id) ?? stops(shown)[place])?.focus({ preventScroll: true });
}

/** What the Tab key reaches in it, in order. */
function stops(part) {
  return [...part.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")];
}

function warn(words) {
  el("stale").textContent = words;
  el("stale").hidden = false;
}

function told() {
  el("updates").textContent = paused ? _("Updates are paused.") : _("This page updates by itself.");
}

el("pause").addEventListener("click", () => {
  paused = !paused;
  el("pause").setAttribute("aria-pressed", String(paused));
  told();
  look();
});
document.addEventListener("visibilitychange", look);
window.addEventListener("online", look);
el("pause").hidden = false;
told();
timer = setTimeout(look, EVERY_MS);
