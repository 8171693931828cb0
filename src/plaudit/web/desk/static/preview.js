// The preview of the rater's page: the same stage, filled by the form beside it. It sends nothing.

import { _ } from "../shared/words.js";
import { showContext, showEnd, showItem, showMessage, showProgress, showScale, showScreen, fill, el } from "../public/stage.js";

let about = null;
let screen = "vote";
let place = 0;

function show() {
  el("title").textContent = about.title || _("Your title");
  el("title").classList.toggle("long", about.title.length > 80);
  for (const name of ["skip", "flag"]) el(name).hidden = !about[name];
  fill("about-instructions", about.instructions);
  showScale(about.scale, next);
  showContext(about.context);
  if (screen === "start") return showStart();
  if (screen === "end") return showDone();
  showProgress(place, about.votes_per_visit || null);
  showScreen("vote");
  const at = place % Math.max(1, about.items.length);
  showItem({ item: at, id: `i${at + 1}`, ...(about.items[at] ?? { text: _("The items appear here."), image: "" }) });
}

function showStart() {
  if (!about.consent && !about.instructions) {
    return showMessage(_("No start screen"), _("Raters begin with the first item: there are no instructions and no consent text."));
  }
  fill("start-instructions", about.instructions);
  el("start-consent").hidden = !about.consent;
  el("start-consent-text").textContent = about.consent;
  el("start").textContent = about.consent ? _("I agree, start") : _("Start");
  showScreen("start");
}

function showDone() {
  const end = { reason: "visit", thanks: about.thanks, code: about.code, return_url: about.return_url, more: about.votes_per_visit > 0 };
  showEnd(end, { results: about.results, votes: about.votes_per_visit || 12, voted: true });
}

function next() {
  place += 1;
  show();
}

window.addEventListener("message", ({ origin, source, data }) => {
  if (origin !== window.location.origin || source !== window.parent || !data?.about) return;
  if (data.screen !== screen) place = 0;
  ({ about, screen } = data);
  show();
});
for (const id of ["skip", "more", "start"]) {
  el(id).addEventListener("click", () => {
    screen = "vote";
    next();
  });
}
// Links do nothing in a preview.
for (const link of document.querySelectorAll("a[href^='/']")) link.addEventListener("click", (event) => event.preventDefault());
el("end-return").addEventListener("click", (event) => event.preventDefault());
window.parent.postMessage({ preview: "ready" }, window.location.origin);
