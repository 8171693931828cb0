// The settings of a contest: the preview, the drawing, the zone of the times.

import { keepDrawing, livePreview, showZone } from "./contest-form.js";

const form = document.getElementById("contest-form");
const items = JSON.parse(form.dataset.items);

keepDrawing(form, `${document.documentElement.dataset.root || ""}/desk/new/drawing`);
showZone(["opens", "closes"]);
livePreview(form, () => items);
document.getElementById("summary")?.focus();
