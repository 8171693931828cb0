// The API page: search, and an address that names a call opens it.

const search = document.getElementById("search");

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const one of document.querySelectorAll("[data-find]")) {
    const text = one.dataset.find.toLowerCase();
    one.hidden = !words.every((word) => text.includes(word));
  }
  let any = false;
  for (const group of document.querySelectorAll("[data-group]")) {
    group.hidden = !group.querySelector("[data-find]:not([hidden])");
    any ||= !group.hidden;
  }
  document.getElementById("nothing").hidden = any;
}

/** Opens what the address names. */
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let one = named?.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
  named?.scrollIntoView();
}

search.closest(".search").hidden = false;
search.addEventListener("input", show);
window.addEventListener("hashchange", openNamed);
openNamed();
