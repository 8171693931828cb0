// Values of charts: on hover and touch the one nearest to the pointer, with arrow keys one after
// another. Charts come and go while the page updates, so all listening is done at the document.

const box = document.createElement("p");
box.className = "chart-told";
box.setAttribute("role", "status");
box.hidden = true;
document.body.append(box);

let marked = null;
// Where one was in each chart, by its name: a newer one may take its place while one reads it.
const places = new Map();
const PUT_AWAY = -1;

function spotsOf(chart) {
  return [...chart.querySelectorAll("[data-told]")];
}

function nameOf(chart) {
  return chart.getAttribute("aria-labelledby");
}

/** The part of a chart that is nearest to a point of the window; bars and rows by their edges. */
function nearest(chart, x, y) {
  let found = null;
  let least = Infinity;
  for (const spot of spotsOf(chart)) {
    const at = spot.getBoundingClientRect();
    const aside = Math.max(at.left - x, 0, x - at.right);
    const apart = Math.max(at.top - y, 0, y - at.bottom);
    // Along a line what counts is where the pointer is from left to right.
    const distance = spot.localName === "g" ? apart : aside + 0.05 * apart;
    if (distance < least) [found, least] = [spot, distance];
  }
  return found;
}

function tell(spot) {
  marked?.classList.remove("told-now");
  marked = spot;
  box.hidden = spot === null;
  if (spot === null) return;
  const chart = spot.closest(".plot");
  places.set(nameOf(chart), spotsOf(chart).indexOf(spot));
  spot.classList.add("told-now");
  const { told, instant } = spot.dataset;
  const words = instant ? `${new Date(Number(instant)).toLocaleString()}: ${told}` : told;
  if (box.textContent !== words) box.textContent = words;
  const at = spot.getBoundingClientRect();
  const left = Math.min(at.left + at.width / 2 + 10, document.documentElement.clientWidth - box.offsetWidth - 8);
  box.style.left = `${Math.max(8, left) + window.scrollX}px`;
  box.style.top = `${Math.max(8, at.top - box.offsetHeight - 8) + window.scrollY}px`;
}

function point(event) {
  const chart = event.target.closest?.(".plot");
  if (chart) tell(nearest(chart, event.clientX, event.clientY));
  else if (marked && !document.activeElement?.matches(".plot")) tell(null);
}

document.addEventListener("pointermove", point);
document.addEventListener("pointerdown", point);
document.addEventListener("focusin", ({ target }) => {
  if (!target.matches?.(".plot:focus-visible")) return;
  const spots = spotsOf(target);
  const place = places.get(nameOf(target)) ?? 0;
  if (place !== PUT_AWAY) tell(spots[place] ?? spots.at(-1) ?? null);
});
document.addEventListener("focusout", ({ target }) => target.matches?.(".plot") && tell(null));
document.addEventListener("keydown", (event) => {
  const chart = document.activeElement?.closest(".plot");
  if (!chart) return;
  if (event.key === "Escape") {
    places.set(nameOf(chart), PUT_AWAY);
    return tell(null);
  }
  const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!way) return;
  event.preventDefault();
  const spots = spotsOf(chart);
  const place = spots.indexOf(marked);
  tell(spots[Math.max(0, Math.min(spots.length - 1, place + way))] ?? null);
});
