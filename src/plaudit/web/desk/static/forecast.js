// A forecast in progress: asks for it again and again until it is done.

import { _ } from "../shared/words.js";

const EVERY_MS = 700;
let latest = 0;

/** Shows the forecast for a query in `place`, with its progress; a later call takes over. */
export async function followForecast(place, query) {
  const address = `${document.documentElement.dataset.root || ""}/desk/forecast/part?${query}`;
  const mine = (latest += 1);
  for (let failures = 0; mine === latest && failures < 5; ) {
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine !== latest) return;
      if (!answer.ok) return void (place.textContent = page.querySelector(".lead")?.textContent ?? _("There is no forecast."));
      place.replaceChildren(...page.body.childNodes);
      if (place.querySelector('[data-done="yes"]')) return;
      failures = 0;
    } catch {
      failures += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

for (const form of document.querySelectorAll("form[data-forecast]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    followForecast(form.parentElement.querySelector(".told"), new URLSearchParams(new FormData(form)));
  });
}
