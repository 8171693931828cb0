// Editing an item: a new picture is uploaded at once, and before and after are shown.

import { _ } from "../shared/words.js";
import { keepDrawing } from "./contest-form.js";

const el = (id) => document.getElementById(id);
const form = el("item-form");
const root = document.documentElement.dataset.root || "";
const old = { text: el("text").defaultValue, image: el("image").defaultValue };

function show() {
  const text = el("text").value;
  const image = el("no_drawing").checked ? "" : el("image").value;
  const parts = [Object.assign(document.createElement("span"), { dir: "auto", textContent: text })];
  if (image) parts.unshift(Object.assign(new Image(), { src: `${root}/assets/${image}`, alt: _("The new picture") }));
  el("after").replaceChildren(...parts);
  el("changes").hidden = el("changes").hidden && text === old.text && image === old.image;
}

keepDrawing(form, `${root}/desk/new/drawing`);
form.addEventListener("input", show);
