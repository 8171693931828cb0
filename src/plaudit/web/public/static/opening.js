// Words for a contest that takes no answers right now.

import { _, dates } from "../shared/words.js";

/** A title and a sentence. */
export function openingMessage({ state, opens, closes }) {
  const now = Date.now();
  if (state === "closed" || state === "retired" || (closes && closes <= now)) {
    const said = closes && closes <= now
      ? _("This contest closed on %(time)s. Thank you for coming.", { time: moment(closes) })
      : _("This contest is closed. Thank you for coming.");
    return [_("Voting is over"), said];
  }
  if (opens && opens > now) {
    const said = _("Voting starts on %(time)s. This page will continue by itself.", { time: moment(opens) });
    return [_("Not started yet"), said];
  }
  if (state === "paused") {
    return [_("A short break"), _("Voting is paused. This page will continue by itself.")];
  }
  return [_("Not started yet"), _("Voting has not started. This page will continue by itself when it does.")];
}

function moment(ms) {
  return dates({ dateStyle: "full", timeStyle: "short" }).format(ms);
}
