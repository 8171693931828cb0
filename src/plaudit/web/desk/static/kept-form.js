// What was typed in the form of a new contest stays in this browser until the contest is created,
// so that a reload or a closed tab loses nothing. Files are uploaded at once and kept by the server.

import * as shelf from "../public/shelf.js";

const KEY = "plaudit:desk:new-contest";
const SAVE_MS = 400;
const NEVER = ["form_token", "shown", "merge"];

/** Keeps a form while one types; `onBack()` is called after what was kept has been put back. */
export function keepForm(form, rows, onBack) {
  const kept = read();
  if ("fresh" in form.dataset && kept) {
    putBack(form, rows, kept);
    onBack();
  }
  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => save(form, rows), SAVE_MS);
  };
  form.addEventListener("input", later);
  form.addEventListener("change", later);
  new MutationObserver(later).observe(rows, { childList: true, subtree: true });
  window.addEventListener("pagehide", () => timer && save(form, rows));
}

/** Forgets what was kept: the contest was created, or one starts with an empty form. */
export function forgetForm() {
  shelf.remove(KEY);
}

function read() {
  try {
    return JSON.parse(shelf.get(KEY));
  } catch {
    return null;
  }
}

function fieldsOf(form, rows) {
  const mine = (field) => field.name && field.type !== "file" && field.type !== "submit";
  return [...form.elements].filter((field) => mine(field) && !NEVER.includes(field.name) && !rows.contains(field));
}

function save(form, rows) {
  const fields = {};
  for (const field of fieldsOf(form, rows)) {
    const values = (fields[field.name] ??= []);
    if (!["checkbox", "radio"].includes(field.type) || field.checked) values.push(field.value);
  }
  for (const field of rows.querySelectorAll("input")) {
    field.setAttribute("value", field.value);
    field.toggleAttribute("checked", field.checked);
  }
  shelf.set(KEY, JSON.stringify({ fields, rows: rows.innerHTML }));
}

function putBack(form, rows, kept) {
  for (const field of fieldsOf(form, rows)) {
    const values = kept.fields[field.name];
    if (!values) continue;
    if (["checkbox", "radio"].includes(field.type)) field.checked = values.includes(field.value);
    else field.value = values[0] ?? "";
  }
  const page = new DOMParser().parseFromString(kept.rows, "text/html");
  rows.replaceChildren(...page.body.childNodes);
}
