"""The kinds of notices, and the ways they go."""

from collections.abc import Mapping, Sequence

from plaudit.errors import UnknownName, WrongField
from plaudit.phrase import Phrase
from plaudit.words import N_

VERDICT, OPENED, CLOSED = "verdict", "opened", "closed"
FLAGGED, SUSPICIOUS, STUCK = "flagged", "suspicious", "stuck"
PROPOSED = "proposed"
# The one that a new destination gets, to see that it works.
TEST = "test"
WEBHOOK, MAIL = "webhook", "mail"
WAYS = (WEBHOOK, MAIL)
# When each kind is sent, as forms say it.
KINDS: Mapping[str, str] = {
    VERDICT: N_("The contest is decided"),
    OPENED: N_("Voting begins"),
    CLOSED: N_("Voting is over, by a step or by the clock"),
    FLAGGED: N_("Raters flag an item"),
    PROPOSED: N_("Proposals of raters wait for an editor"),
    SUSPICIOUS: N_("Raters look suspicious"),
    STUCK: N_("Nobody has voted for a while"),
}


def checked_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """The kinds in their order, each once; an error if there is none, or an unknown one."""
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownName(N_("kind of notice"), kind, KINDS)
    if not kinds:
        raise WrongField("kinds", Phrase(N_("Choose at least one kind of notice.")))
    return tuple(kind for kind in KINDS if kind in kinds)
