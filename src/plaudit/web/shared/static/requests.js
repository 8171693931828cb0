// Requests to Plaudit's JSON API. The outcome is a reply, a Refusal (the server said no) or
// Unreachable (no answer, or "try again"): only after Unreachable is it worth trying again.
//
// It knows nothing of the page that it is on: other sites use it too.

const PATIENCE_MS = 20000;

/** What errors say where the server says nothing; a page may put its own words here. */
export const texts = {
  away: "There is no connection.",
  cut: "The answer was cut off.",
  refused: (status) => `The server answered ${status}.`,
};

/** Headers of every request; a page may add its own, such as its language. */
export const usual = { Accept: "application/json" };

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

/** The reply to a GET, or to a POST where there is a body. */
export async function call(address, { body, rater, keepalive = false, headers = {} } = {}) {
  const response = await answerOf(address, {
    method: body === undefined ? "GET" : "POST",
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: {
      ...usual,
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
  const headers = { ...usual, ...(etag ? { "If-None-Match": etag } : {}) };
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
    throw new Unreachable(texts.away);
  } finally {
    clearTimeout(timer);
  }
}

async function readJson(response) {
  try {
    return await response.json();
  } catch {
    throw new Unreachable(texts.cut);
  }
}

async function refusalOf(response) {
  const error = await response.json().then((reply) => reply.error ?? {}, () => ({}));
  const message = error.message || texts.refused(response.status);
  const passing = response.status >= 500 || [408, 425, 429].includes(response.status);
  if (passing) return new Unreachable(message, secondsOf(response.headers.get("Retry-After")));
  return new Refusal(response.status, error.code || "", message, error);
}

function secondsOf(text) {
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}
