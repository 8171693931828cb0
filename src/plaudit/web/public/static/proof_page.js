// The page of a contest's proof: a button that copies the checkpoint.

import { _ } from "../shared/words.js";

for (const button of document.querySelectorAll("button[data-copies]")) {
  const source = document.getElementById(button.dataset.copies);
  button.hidden = false;
  button.addEventListener("click", async () => {
    const writing = navigator.clipboard?.writeText(source.textContent) ?? Promise.reject();
    const copied = await writing.then(() => true, () => false);
    if (!copied) window.getSelection().selectAllChildren(source);
    button.textContent = copied ? _("Copied") : _("Press Ctrl+C");
  });
}
