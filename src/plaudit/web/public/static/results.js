// The results page: asks every two seconds whether something has changed, and updates the rows.

import { Refusal, addressOf, call, callIfChanged } from "../shared/api.js";
import { _, dates, many, number } from "../shared/words.js";
import { makeAxis, makeStrip, moveStrip } from "./intervals.js";

const EVERY_MS = 2000;
const STALE_AFTER = 2;
const STATES = { draft: _("Not started"), open: _("Running"), decided: _("Decided"), paused: _("Paused"), closed: _("Closed"), retired: _("Retired") };
const STANDINGS = {
  in: ({ top, goal }) => (goal === "all-good" ? _("● good enough") : top === 1 ? _("● the best") : _("● in the top %(top)s", { top: number(top) })),
  open: () => _("○ undecided"),
  out: () => _("– ruled out"),
  chosen: ({ top, goal }) => (goal === "all-good" ? _("● good enough") : top === 1 ? _("● the winner") : _("● a winner")),
  rest: () => "",
};

const el = (id) => document.getElementById(id);
const contest = el("main").dataset.contest;
const still = window.matchMedia("(prefers-reduced-motion: reduce)");
const lanes = new Map();

let etag = null;
let failures = 0;
let timer = 0;
let lastHeard = null;
let busy = false;

async function look() {
  clearTimeout(timer);
  if (busy || document.hidden) return;
  busy = true;
  try {
    const found = await callIfChanged(`${addressOf(contest, "results")}?limit=20`, etag);
    heard();
    if (found !== null) {
      etag = found.etag;
      show(found.reply);
    }
  } catch (error) {
    failed(error);
  } finally {
    busy = false;
    timer = setTimeout(look, Math.min(EVERY_MS * 2 ** Math.min(failures, 3), 15000));
  }
}

function heard() {
  failures = 0;
  lastHeard = new Date();
  el("stale").hidden = true;
}

function failed(error) {
  failures += 1;
  if (!(error instanceof Refusal) && failures < STALE_AFTER) return;
  const since = lastHeard && dates({ timeStyle: "medium" }).format(lastHeard);
  const lost = since ? _("No connection. These numbers are from %(time)s.", { time: since }) : _("No connection. Trying again…");
  el("stale").textContent = error instanceof Refusal ? error.message : lost;
  el("stale").hidden = false;
}

function show(results) {
  for (const name of ["votes", "raters", "items", "skips", "flags"]) {
    el(name).textContent = number(results[name]);
  }
  const decided = results.state === "open" && results.lanes.every((lane) => lane.decided);
  const state = decided ? "decided" : results.state;
  // The page of a contest that has just been decided looks different: it is made by the server.
  if (decided && !("over" in el("main").dataset)) return window.location.reload();
  el("state").textContent = STATES[state] ?? state;
  el("state").className = `badge badge-${state}`;
  el("vote").hidden = state !== "open" && state !== "paused";
  for (const id of ["facts", "legend", "state"]) el(id).hidden = false;
  el("main").dataset.lanes = results.lanes.length > 1 ? "many" : "one";
  showClaims(results.lanes);
  for (const lane of results.lanes) laneOf(lane.algorithm, results.lanes.length).show(lane, results);
}

/** Shows what is proven, in a sentence for each algorithm. */
function showClaims(lanes) {
  const words = lanes.map(({ algorithm, sentence, exclusions, decided }) => {
    const claim = make("p", decided ? "claim decided" : "claim");
    if (lanes.length > 1) claim.append(make("b", "", `${algorithm}: `));
    claim.append(sentence);
    if (exclusions) claim.append(" ", make("small", "", exclusions.sentence));
    return claim;
  });
  const told = (claims) => claims.map((claim) => claim.textContent.trim()).join();
  // Replaced only where it differs, so that selected text stays selected.
  if (told([...el("claims").children]) !== told(words)) el("claims").replaceChildren(...words);
}

function laneOf(algorithm, count) {
  if (!lanes.has(algorithm)) {
    lanes.set(algorithm, new LaneView(algorithm, count));
    el("lanes").append(lanes.get(algorithm).section);
  }
  return lanes.get(algorithm);
}

/** One algorithm's table, with a strip in each row. */
class LaneView {
  constructor(algorithm, count) {
    this.rows = new Map();
    this.section = make("section", "lane");
    this.heading = make("h2", "", count > 1 ? algorithm : _("Leaders"));
    this.heading.id = `lane-${algorithm}`;
    this.section.setAttribute("aria-labelledby", this.heading.id);
    this.votes = make("small");
    this.lists = new ShortlistView();
    this.body = make("tbody");
    const header = make("header");
    this.heading.append(this.votes);
    header.append(this.heading);
    const table = make("table", "table");
    table.append(headOf(), this.body);
    this.section.append(header, table, this.lists.box);
  }

  show(lane, wish) {
    const { delta, epsilon, top, goal } = wish;
    this.votes.textContent = votesOf(lane, wish);
    const facts = { algorithm: lane.algorithm, top: number(top), delta: number(delta, 0, 12), epsilon: number(epsilon, 0, 12) };
    this.section.title = goal === "all-good"
      ? _("Algorithm %(algorithm)s, all good items, delta %(delta)s, epsilon %(epsilon)s", facts)
      : _("Algorithm %(algorithm)s, top %(top)s, delta %(delta)s, epsilon %(epsilon)s", facts);
    this.lists.show(lane.shortlists, delta);
    const before = this.places();
    const winners = new Set(lane.winners);
    const place = ({ item }) => (winners.has(item) ? "chosen" : "rest");
    const shown = (leader) => (lane.decided ? { ...leader, standing: place(leader) } : leader);
    this.fill(lane.leaders.map(shown), wish);
    this.slide(before);
  }

  fill(leaders, wish) {
    const wanted = new Set(leaders.map((leader) => leader.item));
    for (const [item, row] of this.rows) {
      if (wanted.has(item)) continue;
      row.line.remove();
      this.rows.delete(item);
    }
    for (const [place, leader] of leaders.entries()) {
      if (!this.rows.has(leader.item)) this.rows.set(leader.item, makeRow(leader));
      const row = this.rows.get(leader.item);
      if (this.body.children[place] !== row.line) this.body.insertBefore(row.line, this.body.children[place] ?? null);
      fillRow(row, leader, wish);
    }
  }

  places() {
    return new Map([...this.rows].map(([item, row]) => [item, row.line.getBoundingClientRect().top]));
  }

  /** Lets rows slide from where they were to where they are. */
  slide(before) {
    if (still.matches) return;
    for (const [item, row] of this.rows) {
      const from = before.get(item);
      const way = from === undefined ? 0 : from - row.line.getBoundingClientRect().top;
      const frames = from === undefined
        ? [{ opacity: 0 }, { opacity: 1 }]
        : [{ transform: `translateY(${way}px)` }, { transform: "none" }];
      if (from === undefined || way !== 0) row.line.animate(frames, { duration: 450, easing: "ease" });
    }
  }
}

/** The smallest epsilon that is certified for the first k, for each k. */
class ShortlistView {
  constructor() {
    this.box = make("details", "fold shortlists");
    this.box.append(make("summary", "", _("How good the first few certainly are")));
    this.words = make("p");
    this.body = make("tbody");
    const head = make("tr");
    head.append(columnHead("number", _("The first")), columnHead("", _("The last of them")), columnHead("number", _("At most below")));
    const table = make("table", "table");
    const top = make("thead");
    top.append(head);
    table.append(top, this.body);
    this.box.append(this.words, table);
  }

  show(rows, delta) {
    this.box.hidden = rows.length === 0;
    const sure = number(100 * (1 - delta), 0, 9);
    this.words.textContent = _("If you took the first 3 items, or the first 10: how far could the worst of them be below the true third, or tenth? At most so far, with at least %(sure)s %% confidence for all rows at once. This is a separate proof, so its figures may differ from the sentence above.", { sure });
    this.body.replaceChildren(...rows.map(({ k, id, text, epsilon }) => {
      const line = make("tr");
      const name = make("th", "", text || _("Picture %(number)s", { number: id }));
      name.scope = "row";
      name.dir = "auto";
      line.append(make("td", "number", number(k)), name, make("td", "number", number(Math.ceil(epsilon * 1000) / 1000, 3)));
      return line;
    }));
  }
}

/** Some votes may not count: votes on withdrawn items, and a second vote on items that were merged. */
function votesOf({ votes }, results) {
  const some = number(votes);
  const all = number(results.votes);
  if (results.lanes.length > 1 || votes >= results.votes) return many("%(count)s vote", "%(count)s votes", votes, { count: some });
  return many("%(some)s of %(all)s vote counts", "%(some)s of %(all)s votes count", results.votes, { some, all });
}

function headOf() {
  const head = make("thead");
  const line = make("tr");
  const chart = columnHead("chart", "");
  chart.append(make("span", "unseen", _("Chart from 0 to 1")), makeAxis());
  line.append(columnHead("", _("Item")), chart, columnHead("number", _("Mean")), columnHead("number", _("Interval")), columnHead("number", _("Votes")));
  head.append(line);
  return head;
}

function columnHead(kind, words) {
  const cell = make("th", kind, words);
  cell.scope = "col";
  return cell;
}

function makeRow({ text, image, id }) {
  const line = make("tr");
  const head = make("th");
  head.scope = "row";
  const name = make("div", "name");
  if (image) {
    const picture = make("img");
    picture.src = image;
    picture.alt = "";
    name.append(picture);
  }
  // A picture without a text is called by its id.
  const words = make("div", "", text || _("Picture %(number)s", { number: id }));
  words.dir = "auto";
  const standing = make("span", "standing");
  const label = make("div");
  label.append(words, standing);
  name.append(label);
  head.append(name);
  const chart = make("td", "chart");
  const strip = makeStrip();
  chart.append(strip);
  const mean = make("td", "number mean-value");
  const range = make("td", "number range");
  const votes = make("td", "number votes");
  line.append(head, chart, mean, range, votes);
  return { line, strip, mean, range, votes, standing };
}

function fillRow(row, leader, wish) {
  moveStrip(row.strip, leader);
  row.mean.textContent = leader.mean !== null ? number(leader.mean, 2) : "–";
  row.range.textContent = `${number(leader.lower, 2)}–${number(leader.upper, 2)}`;
  const word = many("vote", "votes", leader.votes);
  const unit = make("span", "unit", ` ${word}`);
  row.votes.replaceChildren(number(leader.votes), unit);
  row.standing.textContent = STANDINGS[leader.standing]?.(wish) ?? leader.standing;
  row.standing.className = `standing standing-${leader.standing}`;
}

function make(name, kind = "", words = "") {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  if (words) element.textContent = words;
  return element;
}

async function showContext() {
  const { context } = await call(addressOf(contest));
  if (!context.image || "over" in el("main").dataset) return;
  el("context-image").src = context.image;
  el("context-image").alt = context.alt || _("The drawing of this contest");
  el("context-image").hidden = false;
}

document.addEventListener("visibilitychange", look);
window.addEventListener("online", look);
showContext().catch(() => undefined);
look();
