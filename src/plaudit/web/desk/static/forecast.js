// A forecast in progress: asks for it again and again until it is done.

import { _ } from "../shared/words.js";

const EVERY_MS = 700;
const latest = new Map();

/** Shows the forecast for a query in `place`, with its progress; a later call takes over. */
export async function followForecast(place, query) {
  await follow(place, `/desk/forecast/part?${query}`);
}

/** Shows what is within reach of a crowd, likewise. */
export async function followReach(place, query) {
  await follow(place, `/desk/reach/part?${query}`);
}

async function follow(place, path) {
  const address = `${document.documentElement.dataset.root || ""}${path}`;
  const mine = (latest.get(place) ?? 0) + 1;
  latest.set(place, mine);
  for (let failures = 0; mine === latest.get(place) && failures < 5; ) {
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine !== latest.get(place)) return;
      if (!answer.ok) return void (place.textContent = page.querySelector(".lead")?.textContent ?? _("There is no forecast."));
      place.replaceChildren(...page.body.childNodes);
      // Rows can be chosen where the form has their fields.
      for (const button of place.querySelectorAll("[data-choose]")) {
        button.hidden = !Object.keys(JSON.parse(button.dataset.choose)).every((name) => document.getElementById(name));
      }
      if (place.querySelector('[data-done="yes"]')) return;
      failures = 0;
    } catch {
      failures += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

for (const form of document.querySelectorAll("form[data-forecast]")) {
  const show = () => followForecast(form.parentElement.querySelector(".told"), new URLSearchParams(new FormData(form)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
  });
  // What was said of the crowd in the form of a new contest came along: its forecast is there.
  if ("now" in form.dataset) show();
}
