// Turns the picture of a result into a PNG, in the browser: nothing is sent anywhere.

import { _ } from "./words.js";

const SCALE = 2;

for (const button of document.querySelectorAll("[data-card]")) {
  button.hidden = false;
  button.addEventListener("click", () => save(button));
}

async function save(button) {
  button.setAttribute("aria-busy", "true");
  try {
    const body = await png(button.dataset.card);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(body);
    link.download = button.dataset.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  } catch {
    button.textContent = _("This browser cannot make a PNG. Take the SVG.");
  } finally {
    button.removeAttribute("aria-busy");
  }
}

async function png(address) {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = SCALE * picture.naturalWidth;
  canvas.height = SCALE * picture.naturalHeight;
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((found) => (found ? resolve(found) : reject(new Error("no picture"))), "image/png");
  });
}
