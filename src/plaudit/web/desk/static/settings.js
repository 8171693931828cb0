// The settings of a contest: the preview and the drawing.

import { keepDrawing, livePreview } from "./contest-form.js";

const form = document.getElementById("contest-form");
const items = JSON.parse(form.dataset.items);

keepDrawing(form, `${document.documentElement.dataset.root || ""}/desk/new/drawing`);
livePreview(form, () => items);
document.getElementById("summary")?.focus();
