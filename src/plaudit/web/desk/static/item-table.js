// The table of items: while one types, chooses or turns pages, only the table is replaced.
// Without this script the form and the links do the same by loading pages.

const WAIT_MS = 120;
const el = (id) => document.getElementById(id);
const form = el("finder");
let timer = 0;
let latest = 0;

function wanted() {
  const given = [...new FormData(form)].filter(([name, value]) => value && !(name === "lane" && value === "0"));
  const query = new URLSearchParams(given).toString();
  return form.action + (query && `?${query}`);
}

async function show(address) {
  clearTimeout(timer);
  const turn = ++latest;
  const url = new URL(address, location.href);
  history.replaceState(null, "", url);
  url.searchParams.set("part", "table");
  try {
    const response = await fetch(url, { cache: "no-store", redirect: "manual" });
    if (!response.ok) throw new Error(response.statusText);
    const text = await response.text();
    if (turn === latest) exchange(text);
  } catch {
    // The page itself can say what is wrong.
    if (turn === latest) location.assign(address);
  }
}

function exchange(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html").body;
  const focused = el("table").contains(document.activeElement) ? document.activeElement.id : "";
  const across = document.querySelector("#table .scroll").scrollLeft;
  el("table").replaceChildren(...fresh.childNodes);
  const box = document.querySelector("#table .scroll");
  box.scrollLeft = across;
  if (el("found").textContent !== box.dataset.found) el("found").textContent = box.dataset.found;
  if (focused) (el(focused) ?? box).focus({ preventScroll: true });
}

/** Copies the order from the address of a column's heading into the form, so that it is kept. */
function keepOrder(address) {
  const given = new URL(address).searchParams;
  for (const name of ["sort", "order"]) {
    form.querySelector(`input[name="${name}"]`)?.remove();
    if (!given.get(name)) continue;
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value: given.get(name) });
    form.append(field);
  }
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => show(wanted()), WAIT_MS);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  show(wanted());
});
el("table").addEventListener("click", (event) => {
  const link = event.target.closest("thead a, nav a:not([data-plain])");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  keepOrder(link.href);
  show(link.href);
});
