"""Calls of one rater: ask, vote, skip, flag, propose."""

from typing import Any, NamedTuple

from plaudit.client.plan import Plan, fetch, planned
from plaudit.client.service_calls import path_of


class Shown(NamedTuple):
    """An item to judge, and the ticket to answer it with.

    `item` is its position in the log, from 0; `id` is its id, such as `i8`.
    """

    item: int
    text: str
    image: str
    ticket: str
    id: str = ""


class RaterCalls:
    """What a rater does. An answer that is sent twice counts once: its ticket says so."""

    def __init__(self, contest: str, token: str) -> None:
        self._contest = contest
        self.token = token
        self.end: dict[str, Any] | None = None

    @planned
    def ask(self, count: int = 1, *, visit: int = 1, consent: bool = True) -> Plan[list[Shown]]:
        """The next items; no items if the visit or the contest has ended, and `end` says why."""
        asked = yield from self._post("ask", count=count, visit=visit, consent=consent)
        self.end = asked["end"]
        return [
            Shown(**{name: shown[name] for name in Shown._fields if name in shown})
            for shown in asked["items"]
        ]

    @planned
    def vote(
        self, shown: Shown, level: int, *, response_ms: int | None = None
    ) -> Plan[dict[str, Any]]:
        """Votes on an item, by the place of the label on the scale; returns once it is on disk."""
        return self._post("votes", ticket=shown.ticket, level=level, response_ms=response_ms)

    @planned
    def skip(self, shown: Shown) -> Plan[dict[str, Any]]:
        """Passes over an item for good."""
        return self._post("skips", ticket=shown.ticket)

    @planned
    def flag(self, shown: Shown, reason: str = "other") -> Plan[dict[str, Any]]:
        """Asks someone to look at an item."""
        return self._post("flags", ticket=shown.ticket, reason=reason)

    @planned
    def propose(self, text: str, *, anyway: bool = False) -> Plan[dict[str, Any]]:
        """Proposes an item, where the contest lets raters do so; they must have voted before.

        `standing` of the answer is `waiting`, `taken`, or `near`: then it was not sent, and `near`
        lists what is like it; `anyway` sends it all the same. Sent twice, it counts once.
        """
        return self._post("proposals", text=text, anyway=anyway)

    @planned
    def own_proposals(self) -> Plan[dict[str, Any]]:
        """What this rater proposed and what became of it, and how many more they may."""
        who = {"x-plaudit-rater": self.token}
        return fetch("GET", path_of(self._contest, "proposals", "own"), headers=who)

    def _post(self, part: str, **body: Any) -> Plan[dict[str, Any]]:
        who = {"x-plaudit-rater": self.token}
        return fetch("POST", path_of(self._contest, part), json=body, headers=who)
