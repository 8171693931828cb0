// An item as it is edited: a new picture is kept at once, and before and after are shown.

import { keepDrawing } from "./contest-form.js";

const el = (id) => document.getElementById(id);
const form = el("item-form");
const root = document.documentElement.dataset.root || "";
const old = { text: el("text").defaultValue, image: el("image").defaultValue };

function show() {
  const text = el("text").value;
  const image = el("no_drawing").checked ? "" : el("image").value;
  const parts = [Object.assign(document.createElement("span"), { dir: "auto", textContent: text })];
  if (image) parts.unshift(Object.assign(new Image(), { src: `${root}/assets/${image}`, alt: "The new picture" }));
  el("after").replaceChildren(...parts);
  el("changes").hidden = el("changes").hidden && text === old.text && image === old.image;
}

keepDrawing(form, `${root}/desk/new/drawing`);
form.addEventListener("input", show);
