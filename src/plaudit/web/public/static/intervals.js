// Interval strips: a line of SVG for each item, all on the same axis, so that the column reads as
// one chart and each row has its numbers beside it.

import { number } from "../shared/words.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const EDGE = 7;

/** An empty strip; `moveStrip` gives it its numbers. */
export function makeStrip() {
  const strip = make("svg", { class: "strip", "aria-hidden": "true", focusable: "false" });
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    strip.append(make("line", { class: "grid", x1: share(tick), x2: share(tick), y1: "0", y2: "100%" }));
  }
  strip.append(make("line", { class: "reach", y1: "50%", y2: "50%" }));
  strip.append(make("circle", { class: "mean", cy: "50%", r: "5.5" }));
  return strip;
}

/** Shows an item's mean, interval and standing on its strip. */
export function moveStrip(strip, { mean, lower, upper, standing }) {
  strip.dataset.standing = standing;
  const reach = strip.querySelector(".reach");
  const dot = strip.querySelector(".mean");
  reach.setAttribute("x1", share(lower));
  reach.setAttribute("x2", share(upper));
  dot.setAttribute("cx", share(mean ?? 0));
  dot.setAttribute("visibility", mean === null ? "hidden" : "visible");
}

/** The axis over the strips, from 0 to 1. */
export function makeAxis() {
  const axis = make("svg", { class: "axis", "aria-hidden": "true", focusable: "false" });
  for (const [tick, words, anchor] of [[0, number(0), "start"], [0.5, number(0.5, 1), "middle"], [1, number(1), "end"]]) {
    const text = make("text", { x: tick === 0.5 ? "50%" : share(tick), y: "0.85rem", "text-anchor": anchor });
    text.textContent = words;
    axis.append(text);
  }
  return axis;
}

// Lengths in per cent follow the width of the column; the edge leaves room for half a dot. The axis
// begins where lines of the page begin.
function share(value) {
  const inside = Math.min(1, Math.max(0, value));
  const bounded = document.documentElement.dir === "rtl" ? 1 - inside : inside;
  return `${(EDGE / 2 + (100 - EDGE) * bounded).toFixed(2)}%`;
}

function make(name, attributes) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
