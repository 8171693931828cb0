// The page for suggestions works without this. It says so if there is no connection, instead of losing
// what was typed, and puts the rater's token into the form where a frame gets no cookie.

import * as shelf from "./shelf.js";

const el = (id) => document.getElementById(id);
const form = el("suggest-form");

if (form) {
  el("rater").value = shelf.get(`plaudit:${el("main").dataset.contest}:rater`) ?? "";
  form.addEventListener("submit", (event) => {
    el("offline").hidden = navigator.onLine;
    if (!navigator.onLine) event.preventDefault();
  });
  window.addEventListener("online", () => {
    el("offline").hidden = true;
  });
}
