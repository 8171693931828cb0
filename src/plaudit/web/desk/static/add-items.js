// Adding items: pictures are uploaded as soon as they are chosen, and each gets a text.

import { takePictures } from "./pictures.js";

const box = document.getElementById("items");
const root = document.documentElement.dataset.root || "";

takePictures(document.getElementById("add-form"), `${root}/desk/new/pictures`, (items) => {
  if (items) box.value = [box.value.trimEnd(), items].filter(Boolean).join("\n");
});
