// Adding items: pictures are sent as soon as they are chosen, and get a text each.

import { takePictures } from "./pictures.js";

const box = document.getElementById("items");
const root = document.documentElement.dataset.root || "";

takePictures(document.getElementById("add-form"), `${root}/desk/new/pictures`, (items) => {
  if (items) box.value = [box.value.trimEnd(), items].filter(Boolean).join("\n");
});
