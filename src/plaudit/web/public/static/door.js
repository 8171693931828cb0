// The door of a contest: what somebody sees who has not been let in, and the form for a code.

import { _ } from "../shared/words.js";
import * as stage from "./stage.js";

const { el } = stage;
const INVITED = _("By invitation only");
// The title and the words for each reason; those in WITH_FORM come with the form for a code.
const REASONS = {
  code_required: [
    _("Enter your code"),
    _("This contest is for people who were given a code: 12 letters and digits."),
  ],
  code_unknown: [_("Enter your code"), _("This code does not work here. Check each sign: a code has 12 letters and digits.")],
  code_revoked: [_("Enter your code"), _("This code no longer works. Ask whoever gave it to you for another.")],
  id_required: [INVITED, _("This contest is for people on a list. Use the link that you were sent; it has your own id in it.")],
  not_listed: [INVITED, _("The id in your link is not on the list of this contest. Ask whoever sent it to you.")],
  link_required: [INVITED, _("This contest is for people who come from its own site. Go there, and follow its link.")],
  link_refused: [INVITED, _("Your link is incomplete or out of date. Go back to the site that it came from, and follow its link again.")],
  sign_in_required: [_("Sign in first"), _("This contest is for people who sign in.")],
};
const WITH_FORM = ["code_required", "code_unknown", "code_revoked"];

/** Whether a refusal says that the door did not let this rater in. */
export function isDoorShut(refusal) {
  return refusal.code in REASONS;
}

/** Shows what the door asks for; resolves once `enter(code)` has let the rater in. */
export function waitAtDoor(reason, enter) {
  const [title, text] = REASONS[reason];
  const wrong = ["code_unknown", "code_revoked"].includes(reason);
  el("door-title").textContent = title;
  el("door-text").textContent = wrong ? REASONS.code_required[1] : text;
  el("door-form").hidden = !WITH_FORM.includes(reason);
  sayWrong(wrong ? text : "");
  stage.clearNote();
  stage.showScreen("door");
  if (!el("door-form").hidden) el("door-code").focus();
  return new Promise((resolve) => {
    el("door-form").onsubmit = (event) => {
      event.preventDefault();
      tryCode(enter).then((entered) => entered && resolve());
    };
  });
}

async function tryCode(enter) {
  const code = el("door-code").value.trim();
  if (!code) return sayWrong(_("Type the code that you were given."));
  el("door-enter").disabled = true;
  try {
    await enter(code);
    el("door-code").value = "";
    sayWrong("");
    return true;
  } catch (error) {
    return sayWrong(REASONS[error.code]?.[1] ?? error.message);
  } finally {
    el("door-enter").disabled = false;
  }
}

function sayWrong(text) {
  stage.fill("door-wrong", text);
  if (text) el("door-code").setAttribute("aria-invalid", "true");
  else el("door-code").removeAttribute("aria-invalid");
  if (text) el("door-code").focus();
  return false;
}
