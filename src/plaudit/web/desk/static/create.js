// The form of a new contest: counts and checks while one types, uploads files at once, and shows
// the preview.

import { followForecast, followReach } from "./forecast.js";
import { _, many } from "../shared/words.js";
import { keepDrawing, livePreview, showDrawing } from "./contest-form.js";
import { forgetForm, keepForm } from "./kept-form.js";
import { picturesOf, takePictures } from "./pictures.js";

const TYPING_MS = 500;
// Checking this many items takes the server a second or two, so it is asked less often.
const MANY = 3000;
const el = (id) => document.getElementById(id);
const form = el("contest-form");
const root = document.documentElement.dataset.root || "";

let timer = 0;
let busy = false;
let again = false;

/** The items in the box, one per line, as the server will count them. */
function linesOf(text) {
  return text.split(/\r\n|\r|\n/).map((line) => line.trim()).filter(Boolean);
}

function sending(...names) {
  const body = new FormData();
  const all = new FormData(form);
  for (const name of ["form_token", ...names]) for (const value of all.getAll(name)) body.append(name, value);
  return body;
}

function count() {
  const { length } = linesOf(el("items").value);
  const facts = { count: length.toLocaleString() };
  el("items-count").textContent = picturesOf().length
    ? many("%(count)s text item", "%(count)s text items", length, facts)
    : many("%(count)s item", "%(count)s items", length, facts);
}

/** Has the server check the items: one request at a time, and the last one counts. */
async function check() {
  const review = el("items-review");
  if (busy) return void (again = true);
  if (!el("items").value.trim() && !picturesOf().length) return review.replaceChildren();
  busy = true;
  review.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(`${root}/desk/new/items`, { method: "POST", body: sending("items", "shown", "merge", "picture", "picture_gone") });
    if (answer.ok && !again) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      review.replaceChildren(...page.body.childNodes);
      dress();
    }
  } catch {
    // Without a connection the form still works: it is checked when it is sent.
  }
  busy = false;
  review.setAttribute("aria-busy", "false");
  if (again) {
    again = false;
    await check();
  }
}

/** Adds what only a script can do: go to a line, tick all boxes of a kind. */
function dress() {
  for (const entry of document.querySelectorAll("#items-review [data-line]")) {
    const way = document.createElement("button");
    way.type = "button";
    way.className = "quiet";
    way.textContent = _("Show");
    way.setAttribute("aria-label", _("Show line %(number)s", { number: entry.dataset.line }));
    way.addEventListener("click", () => goTo(Number(entry.dataset.line)));
    entry.append(" ", way);
  }
  for (const place of document.querySelectorAll(".all-of")) {
    if (place.children.length) continue;
    for (const [words, on] of [[_("Merge all"), true], [_("Keep all"), false]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button";
      button.textContent = words;
      button.addEventListener("click", () => tickAll(place.dataset.kind, on));
      place.append(button);
    }
  }
}

function tickAll(kind, on) {
  for (const box of document.querySelectorAll(`[name="merge"][data-kind="${kind}"]`)) box.checked = on;
  check();
}

function goTo(line) {
  const box = el("items");
  const rows = box.value.split("\n");
  const start = rows.slice(0, line - 1).reduce((sum, row) => sum + row.length + 1, 0);
  box.focus();
  box.setSelectionRange(start, start + (rows[line - 1]?.length ?? 0));
  box.scrollTop = (box.scrollHeight * Math.max(0, line - 3)) / Math.max(1, rows.length);
}

async function takeFile() {
  const told = el("file-told");
  if (!el("items_file").files.length) return;
  told.textContent = _("Reading the file…");
  try {
    const answer = await fetch(`${root}/desk/new/file`, { method: "POST", body: sending("items_file") });
    if (!answer.ok) throw new Error("refused");
    const { items, mistakes } = await answer.json();
    if (mistakes.length) return tellMistakes(told, mistakes);
    el("items").value = items;
    told.textContent = _("The items are in the box.");
    el("items_file").value = "";
    el("items").dispatchEvent(new Event("input", { bubbles: true }));
  } catch {
    told.textContent = _("The file could not be read now. It is read when you press Check.");
  }
}

function tellMistakes(told, mistakes) {
  const list = document.createElement("ul");
  for (const words of mistakes.slice(0, 20)) list.append(Object.assign(document.createElement("li"), { textContent: words }));
  const box = Object.assign(document.createElement("div"), { className: "wrong" });
  box.append(list);
  told.replaceChildren(box);
  // A file with mistakes is not sent again with the form.
  el("items_file").value = "";
}

function forecastQuery() {
  const fields = new FormData(form);
  const levels = levelsOf(fields);
  const items = Number(document.querySelector("#items-review [data-count]")?.dataset.count) || shownItems().length;
  const query = new URLSearchParams({ items, levels: levels.join(",") });
  for (const name of ["delta", "epsilon", "top", "goal"]) query.set(name, fields.get(name));
  for (const name of ["raters_a_day", "votes_a_rater"]) query.set(name, fields.get(name) || "1");
  for (const [algorithm, share] of sharesOf(fields)) {
    query.append("algorithm", algorithm);
    query.append("share", share.toPrecision(4));
  }
  return query;
}

function reachQuery() {
  const fields = new FormData(form);
  const query = forecastQuery();
  const reach = new URLSearchParams({ items: query.get("items"), levels: query.get("levels"), top: fields.get("winners") || "1" });
  for (const name of ["people", "minutes"]) reach.set(name, fields.get(name) || "1");
  return reach;
}

/** Fills in what was chosen from a forecast, and tells the form. */
function choose(fields) {
  for (const [name, value] of Object.entries(fields)) if (el(name)) el(name).value = value;
  el("top")?.closest("section").dispatchEvent(new Event("input", { bubbles: true }));
  el("top")?.focus();
}

/** The algorithms that are ticked, each with the share of all votes that it gets. */
function sharesOf(fields) {
  const number = (name) => Number(fields.get(name).replace(",", ".")) || 0;
  const lanes = fields.getAll("lane").map((name) => [name, number(`share-${name}`)]);
  const whole = lanes.reduce((sum, [, share]) => sum + share, 0);
  const uniform = number("uniform");
  return lanes.map(([name, share]) => [name, uniform + ((1 - uniform) * share) / whole]);
}

/** The items for the preview, pictures first. */
function shownItems() {
  const texts = linesOf(el("items").value).map((text) => ({ text: text.replaceAll("⏎", "\n"), image: "" }));
  return [...picturesOf(), ...texts];
}

function levelsOf(fields) {
  const picked = form.querySelector('[name="scale"]:checked');
  if (picked?.dataset.labels) {
    const { length } = picked.dataset.labels.split("|");
    return Array.from({ length }, (unused, level) => level / (length - 1));
  }
  return linesOf(fields.get("labels")).map((row) => Number(row.split("=").pop().replace(",", ".")));
}

el("items").addEventListener("input", () => {
  count();
  clearTimeout(timer);
  timer = setTimeout(check, linesOf(el("items").value).length > MANY ? 4 * TYPING_MS : TYPING_MS);
});
el("items-review").addEventListener("change", (event) => {
  if (event.target.name === "merge") check();
});
el("items_file").addEventListener("change", takeFile);
el("forecast-now").hidden = false;
for (const id of ["forecast-link", "forecast-none"]) if (el(id)) el(id).hidden = true;
el("forecast-now").addEventListener("click", () => followForecast(el("forecast-told"), forecastQuery()));
el("reach").hidden = false;
el("reach-now").addEventListener("click", () => followReach(el("reach-told"), reachQuery()));
form.addEventListener("click", ({ target }) => {
  const chosen = target.closest("[data-choose]");
  if (chosen) choose(JSON.parse(chosen.dataset.choose));
});
keepForm(form, el("picture-rows"), () => {
  showDrawing();
  el("picture-box").hidden = !el("picture-rows").children.length;
  el("kept").hidden = false;
  check();
});
el("start-over").addEventListener("click", () => {
  forgetForm();
  window.location.reload();
});
keepDrawing(form, `${root}/desk/new/drawing`);
livePreview(form, () => shownItems().slice(0, 20));
takePictures(form, `${root}/desk/new/pictures`, (items) => {
  if (items) el("items").value = [el("items").value.trimEnd(), items].filter(Boolean).join("\n");
  el("items").dispatchEvent(new Event("input", { bubbles: true }));
});
el("picture-rows").addEventListener("change", check);
count();
dress();
// What was pasted before this script was there, or put back by the browser, is checked too.
if (el("items").value.trim() && !el("items-review").childElementCount) check();
el("summary")?.focus();
