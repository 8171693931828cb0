// Requests to Plaudit's JSON API. The outcome is a reply, a Refusal (the server said no) or
// Unreachable (no answer, or "try again"): only after Unreachable is it worth trying again.

import { _ } from "./words.js";

const PATIENCE_MS = 20000;
// Sentences of the service come in the language of the page.
const ACCEPTED = { Accept: "application/json", "Accept-Language": document.documentElement.lang };

/** The server understood and said no: asking again would not help. */
export class Refusal extends Error {
  constructor(status, code, message, details = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** No connection, no answer in time, or a server that asks to wait. */
export class Unreachable extends Error {
  constructor(message, waitMs = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}

const root = document.documentElement.dataset.root || "";

/** The address of a contest's resource. */
export function addressOf(contest, resource = "") {
  const name = encodeURIComponent(contest);
  const whole = `${root}/api/v1/contests/${name}`;
  return resource ? `${whole}/${resource}` : whole;
}

/** The reply to a GET, or to a POST where there is a body. */
export async function call(address, { body, rater, keepalive = false, headers = {} } = {}) {
  const response = await answerOf(address, {
    method: body === undefined ? "GET" : "POST",
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: {
      ...ACCEPTED,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(rater ? { "X-Plaudit-Rater": rater } : {}),
      ...headers,
    },
    cache: "no-store",
    keepalive,
  });
  if (response.ok) return await readJson(response);
  throw await refusalOf(response);
}

/** The reply and its ETag, or null where nothing has changed since `etag`. */
export async function callIfChanged(address, etag) {
  const headers = { ...ACCEPTED, ...(etag ? { "If-None-Match": etag } : {}) };
  const response = await answerOf(address, { headers, cache: "no-store" });
  if (response.status === 304) return null;
  if (!response.ok) throw await refusalOf(response);
  return { reply: await readJson(response), etag: response.headers.get("ETag") };
}

let line = Promise.resolve();

/** The job's outcome; jobs run one after another, so that counts in replies never overlap. */
export function inLine(job) {
  const outcome = line.then(job);
  line = outcome.catch(() => undefined);
  return outcome;
}

/** The wait before another try: 1, 2, 4, … 30 s, or longer where the server says so. */
export function backOffMs(failures, error) {
  const wait = Math.min(30000, 1000 * 2 ** Math.max(0, Math.min(failures - 1, 5)));
  return Math.max(wait, Math.min(error?.waitMs ?? 0, 120000));
}

async function answerOf(address, request) {
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(), PATIENCE_MS);
  try {
    return await fetch(address, { ...request, credentials: "same-origin", signal: clock.signal });
  } catch {
    throw new Unreachable(_("There is no connection."));
  } finally {
    clearTimeout(timer);
  }
}

async function readJson(response) {
  try {
    return await response.json();
  } catch {
    throw new Unreachable(_("The answer was cut off."));
  }
}

async function refusalOf(response) {
  const error = await response.json().then((reply) => reply.error ?? {}, () => ({}));
  const message = error.message || _("The server answered %(status)s.", { status: response.status });
  const passing = response.status >= 500 || [408, 425, 429].includes(response.status);
  if (passing) return new Unreachable(message, secondsOf(response.headers.get("Retry-After")));
  return new Refusal(response.status, error.code || "", message, error);
}

function secondsOf(text) {
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}
