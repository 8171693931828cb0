// The page that runs a contest: copy buttons, the zone of the times, the forecast, printing.

import { showZone } from "./contest-form.js";
import "./forecast.js";

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    const writing = navigator.clipboard?.writeText(source.value) ?? Promise.reject();
    const copied = await writing.then(() => true, () => false);
    if (!copied) source.select();
    button.textContent = copied ? "Copied" : "Press Ctrl+C";
  });
}
if (document.getElementById("zone")) showZone(["opens", "closes"]);
const print = document.getElementById("print");
if (print) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}
