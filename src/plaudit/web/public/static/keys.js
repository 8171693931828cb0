// Single keys as a quick way to answer. They can be switched off, and do nothing while somebody
// types, holds a key down or presses it with Ctrl, Alt or the like.

import * as shelf from "./shelf.js";

const SWITCH = "plaudit:keys";

/** Whether single keys are on, which is the default. */
export function keysAreOn() {
  return shelf.get(SWITCH) !== "off";
}

/** Switches single keys on or off, for all contests in this browser. */
export function switchKeys(on) {
  shelf.set(SWITCH, on ? "on" : "off");
}

/** Calls `act.level(n)` (from 0), `act.skip()`, `act.flag()`, `act.undo()` or `act.help()`. */
export function listenForKeys(act) {
  document.addEventListener("keydown", (event) => {
    if (event.repeat || event.isComposing || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const deed = deedOf(event, act);
    if (deed && deed() !== false) event.preventDefault();
  });
}

function deedOf(event, act) {
  const key = event.key.toLowerCase();
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!plain) {
    const undo = key === "z" && !event.altKey && !event.shiftKey;
    return undo ? act.undo : null;
  }
  if (!keysAreOn()) return null;
  const level = levelOf(event);
  if (level !== null) return () => act.level(level);
  if (key === "?") return act.help;
  if (event.shiftKey) return null;
  return { s: act.skip, f: act.flag, u: act.undo }[key] ?? null;
}

// Some layouts need Shift for digits: there the position of the key counts.
function levelOf(event) {
  if (/^[1-9]$/.test(event.key)) return Number(event.key) - 1;
  const place = /^(?:Digit|Numpad)([1-9])$/.exec(event.code);
  return place && !event.shiftKey && event.key.length === 1 ? Number(place[1]) - 1 : null;
}

function isTyping(target) {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable]");
}
