// The pictures in a form of items: files are uploaded as soon as they are chosen, and become rows
// to edit.

import { _, many } from "../shared/words.js";

const el = (id) => document.getElementById(id);

/** Uploads chosen files at once; `added` is called with the texts that came with them, one per line. */
export function takePictures(form, address, added) {
  const field = el("pictures");
  field.addEventListener("change", async () => {
    if (!field.files.length) return;
    el("pictures-wrong")?.remove();
    const tooMuch = beyond(field);
    if (tooMuch) {
      field.value = "";
      return tell([tooMuch]);
    }
    el("pictures-told").textContent = _("Reading the files…");
    const body = new FormData();
    const all = new FormData(form);
    for (const name of ["form_token", "picture", "picture_text", "picture_gone", "pictures"]) {
      for (const value of all.getAll(name)) body.append(name, value);
    }
    field.disabled = true;
    try {
      const answer = await fetch(address, { method: "POST", body });
      if (!answer.ok) throw new Error("refused");
      const { rows, items, mistakes } = await answer.json();
      field.value = "";
      show(rows);
      tell(mistakes);
      added(items);
    } catch {
      el("pictures-told").textContent = _("The files could not be sent now. They are sent with the form.");
    }
    field.disabled = false;
  });
  form.addEventListener("submit", (event) => {
    if (!field.disabled) return;
    // The files that are still being uploaded would be missing.
    event.preventDefault();
    el("pictures-told").textContent = _("Still reading the files. Check their texts, then continue.");
  });
}

/** The pictures that become items, as the preview shows them. */
export function picturesOf() {
  const rows = [...document.querySelectorAll(".picture-row")];
  const left = rows.filter((row) => !row.querySelector('[name="picture_gone"]').checked);
  return left.map((row) => ({ text: row.querySelector("textarea").value.trim(), image: row.querySelector("img").getAttribute("src") }));
}

function beyond(field) {
  const { files, megabytes } = field.dataset;
  const size = [...field.files].reduce((sum, file) => sum + file.size, 0);
  if (field.files.length > Number(files)) return _("These are %(count)s files, and at most %(most)s can be sent at once. Choose some of them, then add the others.", { count: field.files.length, most: files });
  if (size > Number(megabytes) * 1e6) return _("These files have %(size)s MB, and at most %(most)s MB can be sent at once. Choose some of them, then add the others.", { size: Math.ceil(size / 1e6), most: megabytes });
  return "";
}

function show(rows) {
  const page = new DOMParser().parseFromString(`<ol>${rows}</ol>`, "text/html");
  const fresh = [...page.querySelectorAll(".picture-row")];
  el("picture-rows").append(...fresh);
  el("picture-box").hidden = !el("picture-rows").children.length;
  const words = many("%(count)s picture added. Check the text.", "%(count)s pictures added. Check the texts.", fresh.length, { count: fresh.length });
  el("pictures-told").textContent = fresh.length ? words : "";
}

function tell(mistakes) {
  if (!mistakes.length) return;
  const list = document.createElement("ul");
  for (const words of mistakes.slice(0, 20)) list.append(Object.assign(document.createElement("li"), { textContent: words, dir: "auto" }));
  if (mistakes.length > 20) list.append(Object.assign(document.createElement("li"), { textContent: _("… and %(count)s more like these.", { count: mistakes.length - 20 }) }));
  const box = Object.assign(document.createElement("div"), { className: "wrong" });
  box.append(list);
  el("pictures-told").append(box);
}
