// Words for a contest that takes no answers right now.

/** A title and a sentence. */
export function openingMessage({ state, opens, closes }) {
  const now = Date.now();
  if (state === "closed" || state === "retired" || (closes && closes <= now)) {
    const when = closes && closes <= now ? ` It closed on ${moment(closes)}.` : "";
    return ["Voting is over", `This contest is closed.${when} Thank you for coming.`];
  }
  if (opens && opens > now) {
    return ["Not open yet", `Voting starts on ${moment(opens)}. This page will go on by itself.`];
  }
  if (state === "paused") {
    return ["A short break", "Voting is paused. This page will go on by itself when it resumes."];
  }
  return ["Not open yet", "Voting has not started. This page will go on by itself when it does."];
}

function moment(ms) {
  return new Date(ms).toLocaleString(undefined, { dateStyle: "full", timeStyle: "short" });
}
