// The page that runs a contest: copy buttons, the forecast, printing.

import { _ } from "../shared/words.js";
import "./forecast.js";
import { forgetForm } from "./kept-form.js";

if (new URLSearchParams(window.location.search).get("done") === "created") forgetForm();

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    const writing = navigator.clipboard?.writeText(source.value) ?? Promise.reject();
    const copied = await writing.then(() => true, () => false);
    if (!copied) source.select();
    button.textContent = copied ? _("Copied") : _("Press Ctrl+C");
  });
}
const print = document.getElementById("print");
if (print) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}
