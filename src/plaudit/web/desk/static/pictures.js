// Pictures of a form of items: files are sent as soon as they are chosen, and become rows to edit.

const el = (id) => document.getElementById(id);

/** Sends chosen files at once; `added` is called with the texts that came with them, one a line. */
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
    el("pictures-told").textContent = "Reading the files…";
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
      el("pictures-told").textContent = "The files could not be sent now. They are sent with the form.";
    }
    field.disabled = false;
  });
  form.addEventListener("submit", (event) => {
    if (!field.disabled) return;
    // The files that are on their way would be missing.
    event.preventDefault();
    el("pictures-told").textContent = "Still reading the files. Look over their texts, then go on.";
  });
}

/** The pictures that are to be items, as the preview shows them. */
export function picturesOf() {
  const rows = [...document.querySelectorAll(".picture-row")];
  const left = rows.filter((row) => !row.querySelector('[name="picture_gone"]').checked);
  return left.map((row) => ({ text: row.querySelector("textarea").value.trim(), image: row.querySelector("img").getAttribute("src") }));
}

function beyond(field) {
  const { files, megabytes } = field.dataset;
  const size = [...field.files].reduce((sum, file) => sum + file.size, 0);
  if (field.files.length > Number(files)) return `These are ${field.files.length} files; at most ${files} go at once. Choose some of them, then add the others.`;
  if (size > Number(megabytes) * 1e6) return `These files have ${Math.ceil(size / 1e6)} MB; at most ${megabytes} MB go at once. Choose some of them, then add the others.`;
  return "";
}

function show(rows) {
  const page = new DOMParser().parseFromString(`<ol>${rows}</ol>`, "text/html");
  const fresh = [...page.querySelectorAll(".picture-row")];
  el("picture-rows").append(...fresh);
  el("picture-box").hidden = !el("picture-rows").children.length;
  const words = `${fresh.length} picture${fresh.length === 1 ? "" : "s"} added. Look over the texts.`;
  el("pictures-told").textContent = fresh.length ? words : "";
}

function tell(mistakes) {
  if (!mistakes.length) return;
  const list = document.createElement("ul");
  for (const words of mistakes.slice(0, 20)) list.append(Object.assign(document.createElement("li"), { textContent: words, dir: "auto" }));
  if (mistakes.length > 20) list.append(Object.assign(document.createElement("li"), { textContent: `… and ${mistakes.length - 20} more like these.` }));
  const box = Object.assign(document.createElement("div"), { className: "wrong" });
  box.append(list);
  el("pictures-told").append(box);
}
