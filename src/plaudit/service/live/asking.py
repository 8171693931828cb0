"""What a rater is given next: items with tickets, or why there are none.

Promises: the same items until they are answered, never more than the visit has room for, and
nothing is written. It changes the memory of one rater; whether the contest is open was checked.
"""

from collections.abc import Sequence
from typing import NamedTuple

from plaudit.service.contest.settings import AUTOMATIC
from plaudit.service.door.rater_ids import RaterId
from plaudit.service.live.contest import TICKET_MS, LiveContest
from plaudit.service.live.rater_memory import Lease, Memory
from plaudit.service.live.tickets import Signer, Ticket
from plaudit.store.contract import Item

MOST_AT_ONCE = 10


class End(NamedTuple):
    """Why a rater gets no item: visit complete, all items seen, or contest decided."""

    reason: str
    code: str
    more: bool


class Asked(NamedTuple):
    """The items for a rater with their tickets, and how far the visit has got."""

    items: list[tuple[Item, str]]
    answered: int
    of: int | None
    end: End | None
    passes: int


def next_items(
    live: LiveContest, signer: Signer, rater: RaterId, memory: Memory, now: int,
    *, count: int, visit: int = 1, holding: Sequence[str] = (),
) -> Asked:  # fmt: skip
    """The next items for a rater; `holding` are tickets that they have from before."""
    for text in holding:
        lease = Lease(*signer.read_ticket(rater.key, text))
        if now - lease.issued < TICKET_MS:
            live.adopt(memory, lease)
    answered, limit = len(memory.answers), _limit(live, rater, visit)

    def none(reason: str) -> Asked:
        end = _end(live, signer, rater, memory, reason)
        return Asked([], answered, limit, end, memory.passes)

    if limit is not None and answered >= limit:
        return none("visit")
    room = None if limit is None else limit - answered
    wanted = min(count, MOST_AT_ONCE, count if room is None else room)
    leases = live.ask(memory, wanted, now, room=room)
    if not leases:
        # A verdict that was reached just now may not be in the log yet.
        stopped = len(live.contest.verdicts) + len(live.verdict_due()) == len(live.races)
        return none("decided" if stopped else "all_seen")
    items = [(live.items[lease.item], signer.ticket(rater.key, Ticket(*lease))) for lease in leases]
    return Asked(items, answered, limit, None, memory.passes)


def _limit(live: LiveContest, rater: RaterId, visit: int) -> int | None:
    per_visit = live.settings.votes_per_visit
    if not per_visit:
        return None
    return per_visit * (1 if rater.is_external else max(1, visit))


def _end(live: LiveContest, signer: Signer, rater: RaterId, memory: Memory, reason: str) -> End:
    code = live.settings.completion_code if memory.answers else ""
    if code == AUTOMATIC:
        code = signer.completion_code(rater.key)
    return End(reason, code, more=reason == "visit" and not rater.is_external)
