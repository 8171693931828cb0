// Times in the reader's own zone. The server writes and reads UTC, which readers also see where
// this script does not run.

import { _, dates } from "./words.js";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const brief = dates({ day: "numeric", month: "short", year: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" });
const long = dates({ weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" });
const inUtc = dates({ weekday: "short", hour: "numeric", minute: "2-digit", timeZone: "UTC" });
const named = dates({ hour: "numeric", minute: "2-digit", timeZoneName: "short" });
const clock = dates({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const weekday = dates({ weekday: "short" });

/** Writes all times in a part of the page as they are where the reader is. */
export function inReadersZone(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    time.title ||= time.textContent;
    time.textContent = brief.format(moment);
  }
  for (const chart of root.querySelectorAll("svg:has(text[data-at])")) nameTicks(chart);
}

/** A tick says the hour; the first of another day says which day, too. */
function nameTicks(chart) {
  let before = "";
  for (const tick of chart.querySelectorAll("text[data-at]")) {
    const moment = new Date(Number(tick.dataset.at));
    const day = weekday.format(moment);
    tick.textContent = before && day !== before ? `${day} ${clock.format(moment)}` : clock.format(moment);
    before = day;
  }
  const name = chart.querySelector(".axis-end");
  if (name?.dataset.zoned) name.textContent = name.dataset.zoned.replace("{zone}", zone);
}

/** What a field for a local time holds at an instant. */
function localText(at) {
  const moment = new Date(at);
  const two = (number) => String(number).padStart(2, "0");
  const day = [String(moment.getFullYear()).padStart(4, "0"), two(moment.getMonth() + 1), two(moment.getDate())].join("-");
  const seconds = moment.getSeconds() ? `:${two(moment.getSeconds())}` : "";
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}${seconds}`;
}

/** The instants at which clocks here show this: none where they skip it, two where they go back over it. */
function instantsOf(text) {
  const plain = Date.parse(`${text}Z`);
  const offsets = new Set([plain - DAY, plain + DAY].map((at) => new Date(at).getTimezoneOffset()));
  const found = [...offsets].map((minutes) => plain + minutes * MINUTE);
  return found.filter((at) => localText(at) === text).sort((one, two) => one - two);
}

/** Lets a field of a time be typed in the reader's zone; a hidden one sends the instant. */
function useReadersZone(field) {
  const sent = Object.assign(document.createElement("input"), { type: "hidden", name: field.name });
  const told = Object.assign(document.createElement("p"), { className: "hint", id: `${field.id}-told` });
  told.setAttribute("role", "status");
  const which = document.createElement("select");
  which.setAttribute("aria-label", _("Which of the two: %(field)s", { field: field.labels[0]?.firstChild.textContent.trim() }));
  const known = field.value ? Date.parse(`${field.value}Z`) : Number.NaN;
  field.removeAttribute("name");
  field.after(sent, which, told);
  for (const label of field.labels) label.querySelector(".zone")?.replaceChildren(`(${zone})`);

  const tell = () => {
    const at = Number(sent.dataset.at);
    sent.value = sent.dataset.at ? new Date(at).toISOString() : "";
    const abroad = new Date(at).getTimezoneOffset() ? _("In UTC: %(time)s.", { time: inUtc.format(at) }) : "";
    told.textContent = sent.value ? `${long.format(at)}. ${abroad}`.trim() : "";
  };
  const take = (wanted) => {
    const found = field.value ? instantsOf(field.value) : [];
    const skipped = field.value && !found.length;
    field.setCustomValidity(skipped ? _("Clocks in %(zone)s skip this time when they are set forward that day. Choose an hour later.", { zone }) : "");
    which.hidden = found.length < 2;
    which.replaceChildren(...found.map((at, place) => new Option(place ? _("the second: %(time)s", { time: named.format(at) }) : _("the first: %(time)s", { time: named.format(at) }), at)));
    sent.dataset.at = found.includes(wanted) ? wanted : (found[0] ?? "");
    which.value = sent.dataset.at;
    tell();
    told.classList.toggle("wrong", Boolean(skipped));
    if (skipped) told.textContent = field.validationMessage;
    else if (found.length > 1) {
      const twice = _("That day clocks in %(zone)s go back and show this time twice.", { zone });
      told.textContent = `${twice} ${told.textContent}`;
    }
  };
  field.addEventListener("input", () => take(Number(sent.dataset.at)));
  which.addEventListener("change", () => take(Number(which.value)));
  if (!Number.isNaN(known)) field.value = localText(known);
  take(known);
}

for (const field of document.querySelectorAll("[data-moment]")) useReadersZone(field);
inReadersZone(document);
