"""A notice as a mail for people: a subject and a few lines, from the facts of its body."""

from collections.abc import Mapping
from typing import Any

from plaudit.service.notices import kinds
from plaudit.words import N_, _

SUBJECTS: Mapping[str, str] = {
    kinds.VERDICT: N_("Decided: %(title)s"),
    kinds.OPENED: N_("Voting has begun: %(title)s"),
    kinds.CLOSED: N_("Voting is over: %(title)s"),
    kinds.FLAGGED: N_("Flagged: %(title)s"),
    kinds.PROPOSED: N_("Proposals wait: %(title)s"),
    kinds.SUSPICIOUS: N_("Suspicious raters: %(title)s"),
    kinds.STUCK: N_("No votes for a while: %(title)s"),
    kinds.TEST: N_("Notices about %(title)s will come here"),
}
# Which page of the desk is about it.
PAGES = {
    kinds.FLAGGED: "/moderate",
    kinds.PROPOSED: "/proposals",
    kinds.SUSPICIOUS: "/moderate",
    kinds.STUCK: "/run",
}


def mail_of(kind: str, data: Mapping[str, Any]) -> tuple[str, str]:
    """The subject and the text of a notice."""
    subject = _(SUBJECTS[kind], title=data["title"])
    link = data["desk"] + PAGES.get(kind, "")
    text = "\n\n".join([*_lines(kind, data), link, _footer(data)])
    return f"[Plaudit] {subject}", text + "\n"


def _footer(data: Mapping[str, Any]) -> str:
    told = _("You get this because somebody who runs the contest asked for it. To stop it:")
    return f"-- \n{told} {data['desk']}/notices"


def _lines(kind: str, data: Mapping[str, Any]) -> list[str]:
    if kind == kinds.VERDICT:
        winners = "\n".join(f"- {_shown(item)}" for item in data["winners"])
        return [_("After %(votes)s votes the contest is decided.", votes=data["votes"]), winners]
    if kind == kinds.FLAGGED:
        flagged = "\n".join(f"- {_shown(item)} ({item['flags']})" for item in data["items"])
        return [_("Raters flagged these items; in brackets, how many did:"), flagged]
    if kind == kinds.PROPOSED:
        texts = "\n".join(f"- {' '.join(text.split())}" for text in data["texts"])
        return [_("Raters proposed items, and nobody has decided about them yet:"), texts]
    if kind == kinds.SUSPICIOUS:
        given = {"new": data["new"], "all": data["raters"]}
        return [_("Suspicious raters: %(all)s, of them new: %(new)s.", **given)]
    if kind == kinds.STUCK:
        hours = round(data["quiet_ms"] / 3_600_000)
        return [_("The contest takes votes, and the last one came %(hours)s h ago.", hours=hours)]
    if kind == kinds.CLOSED:
        return [_("Votes: %(votes)s. Decided: %(decided)s.", votes=data["votes"],
                  decided=_("yes") if data["decided"] else _("no"))]  # fmt: skip
    if kind == kinds.TEST:
        return [_("This is a test. From now on you hear of this contest here.")]
    return [_("Items: %(items)s.", items=data["items"])]


def _shown(item: Mapping[str, Any]) -> str:
    text = " ".join(str(item["text"]).split()) or _("(a picture)")
    return f"{item['id']}: {text}"
