// Requests to Plaudit's JSON API from its own pages: their addresses, and errors in their language.

import { texts, usual } from "./requests.js";
import { _ } from "./words.js";

export { Refusal, Unreachable, backOffMs, call, callIfChanged, inLine } from "./requests.js";

// Sentences of the service come in the language of the page.
usual["Accept-Language"] = document.documentElement.lang;
texts.away = _("There is no connection.");
texts.cut = _("The answer was cut off.");
texts.refused = (status) => _("The server answered %(status)s.", { status });

const root = document.documentElement.dataset.root || "";

/** The address of a contest's resource. */
export function addressOf(contest, resource = "") {
  const name = encodeURIComponent(contest);
  const whole = `${root}/api/v1/contests/${name}`;
  return resource ? `${whole}/${resource}` : whole;
}
