// The preview and the drawing, which the forms of a new contest and of its settings share.

const el = (id) => document.getElementById(id);

/** Shows the rater's page with the content of the form, while one types. */
export function livePreview(form, itemsOf) {
  const frame = el("preview-frame");
  let screen = "vote";
  let waiting = 0;
  const tell = () => {
    clearTimeout(waiting);
    waiting = 0;
    frame.contentWindow.postMessage({ about: aboutOf(form, itemsOf()), screen }, window.location.origin);
  };
  const soon = () => {
    if (!waiting) waiting = setTimeout(tell, 150);
  };
  window.addEventListener("message", ({ origin, source, data }) => {
    if (origin === window.location.origin && source === frame.contentWindow && data.preview === "ready") tell();
  });
  form.addEventListener("input", soon);
  form.addEventListener("change", soon);
  for (const button of document.querySelectorAll("[data-screen]")) {
    button.addEventListener("click", () => {
      screen = button.dataset.screen;
      for (const other of document.querySelectorAll("[data-screen]")) other.setAttribute("aria-pressed", other === button);
      tell();
    });
  }
  el("preview").hidden = false;
  // A frame that was ready before this script loaded is told again.
  tell();
}

function aboutOf(form, items) {
  const text = (name) => form.elements[name]?.value?.trim() ?? "";
  const ticked = (name) => form.elements[name]?.checked ?? false;
  const image = text("image") && !ticked("no_drawing") ? `${document.documentElement.dataset.root || ""}/assets/${text("image")}` : "";
  const code = text("code");
  return {
    title: text("title"),
    context: { text: text("context"), image, alt: text("alt") },
    scale: labelsOf(form).map((label) => ({ label })),
    items,
    instructions: text("instructions"),
    consent: text("consent"),
    skip: ticked("skip"),
    flag: ticked("flag"),
    votes_per_visit: Number(text("votes_per_visit")) || 0,
    thanks: text("thanks"),
    code: code === "own" ? text("completion_code") : code === "auto" ? "XXXX-XXXX" : "",
    return_url: text("return_url"),
    results: ["always", "after-visit"].includes(text("results")),
  };
}

function labelsOf(form) {
  const picked = form.querySelector('[name="scale"]:checked');
  if (picked?.dataset.labels) return picked.dataset.labels.split("|");
  const rows = form.elements.labels.value.split("\n").filter((row) => row.trim());
  return rows.map((row) => (row.includes("=") ? row.slice(0, row.lastIndexOf("=")) : row).trim());
}

/** Uploads a drawing as soon as it is chosen, and shows it. */
export function keepDrawing(form, address) {
  el("drawing").addEventListener("change", async () => {
    if (!el("drawing").files.length) return;
    const body = new FormData();
    body.append("form_token", form.elements.form_token.value);
    body.append("drawing", el("drawing").files[0]);
    el("drawing-wrong")?.remove();
    try {
      const answer = await fetch(address, { method: "POST", body });
      if (!answer.ok) return;
      const { image, name, wrong } = await answer.json();
      el("drawing").value = "";
      if (wrong) return tellWrong(wrong);
      el("image").value = image;
      el("image_name").value = name;
      showDrawing();
      el("no_drawing").checked = false;
      form.dispatchEvent(new Event("input"));
    } catch {
      // The drawing is then sent with the form.
    }
  });
}

/** Shows the drawing that the form has, if any. */
export function showDrawing() {
  const image = el("image").value;
  el("drawn").hidden = !image;
  if (!image) return;
  el("drawn-name").textContent = el("image_name").value;
  el("drawn-image").src = `${document.documentElement.dataset.root || ""}/assets/${image}`;
}

function tellWrong(words) {
  const told = Object.assign(document.createElement("p"), { id: "drawing-wrong", className: "wrong", textContent: words });
  told.setAttribute("role", "alert");
  el("drawing").before(told);
}
