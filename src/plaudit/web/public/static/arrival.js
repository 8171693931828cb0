// How a rater came here: the id or the code in the link, and where to report back.

const ID_NAMES = ["rater", "PROLIFIC_PID", "workerId"];
const NO_ASSIGNMENT = "ASSIGNMENT_ID_NOT_AVAILABLE";

/**
 * What the link has for the door: an id with its signature, or a code; each may be null. They are
 * removed from the address bar, so that a copied link makes nobody somebody else.
 */
export function takePass() {
  const address = new URL(window.location.href);
  const taken = (name) => {
    const value = address.searchParams.get(name);
    address.searchParams.delete(name);
    return value;
  };
  const [id] = ID_NAMES.map(taken).filter((value) => value !== null);
  const [code, signature] = ["code", "signature"].map(taken);
  if (address.href !== window.location.href) {
    window.history.replaceState(window.history.state, "", address.href);
  }
  return {
    external: id?.trim().slice(0, 200) || null,
    code: code?.trim().slice(0, 100) || null,
    signature: signature?.slice(0, 200) || null,
  };
}

/** Whether a Mechanical Turk worker is looking at the task without having accepted it. */
export function isPreview() {
  return parameter("assignmentId") === NO_ASSIGNMENT;
}

/** Where a Mechanical Turk worker submits, and the assignment; null for everybody else. */
export function turkAssignment() {
  const assignment = parameter("assignmentId");
  const host = allowedTurkHost(parameter("turkSubmitTo"));
  if (!assignment || assignment === NO_ASSIGNMENT || host === null) return null;
  return { assignment, action: `${host}/mturk/externalSubmit` };
}

/** The link, if it is a web address; null otherwise. */
export function webAddress(text) {
  try {
    const address = new URL(text);
    return ["https:", "http:"].includes(address.protocol) ? address.href : null;
  } catch {
    return null;
  }
}

// Anybody can write a link to this page, so only Mechanical Turk's own hosts are trusted.
function allowedTurkHost(text) {
  const address = webAddress(text);
  if (address === null) return null;
  const { protocol, hostname, origin } = new URL(address);
  return protocol === "https:" && /(^|\.)mturk\.com$/.test(hostname) ? origin : null;
}

function parameter(name) {
  return new URLSearchParams(window.location.search).get(name) ?? "";
}
