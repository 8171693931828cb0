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
    """Why a rater gets no item, and whether they may have more.

    `visit`: it is complete. `all_seen`: there is no item that they have not answered. `enough`: the
    contest needs none of the others from them. `decided`: it has its verdict.
    """

    reason: str
    code: str
    more: bool


class Asked(NamedTuple):
    """The items for a rater with their tickets, and how far the visit has got, in votes."""

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
    votes, limit = memory.votes, _limit(live, rater, visit)
    wanted = min(count, MOST_AT_ONCE, count if limit is None else limit - votes)
    more = visit > 1 and not rater.is_external
    leases = live.ask(memory, wanted, now, limit=limit, more=more) if wanted > 0 else []
    # What is promised is what there is.
    of = limit and min(limit, votes + live.unseen(memory))
    if not leases:
        reason = "visit" if wanted <= 0 else _reason(live, memory)
        return Asked([], votes, of, _end(live, signer, rater, memory, reason), memory.passes)
    items = [(live.items[lease.item], _ticket(signer, rater, memory, lease)) for lease in leases]
    return Asked(items, votes, of, None, memory.passes)


def _ticket(signer: Signer, rater: RaterId, memory: Memory, lease: Lease) -> str:
    """The text of the ticket for a lease, made once."""
    known = memory.tickets.get(lease.item)
    if known is None or known[0] is not lease:
        text = signer.ticket(rater.key, Ticket(*lease))
        known = memory.tickets[lease.item] = (lease, text)
    return known[1]


def _reason(live: LiveContest, memory: Memory) -> str:
    # A verdict that was reached just now may not be in the log yet.
    stopped = len(live.contest.verdicts) + len(live.verdict_due()) == len(live.races)
    if stopped and not live.settings.votes_after_verdict:
        return "decided"
    return "enough" if live.unseen(memory) else "all_seen"


def _limit(live: LiveContest, rater: RaterId, visit: int) -> int | None:
    per_visit = live.settings.votes_per_visit
    if not per_visit:
        return None
    return per_visit * (1 if rater.is_external else max(1, visit))


def _end(live: LiveContest, signer: Signer, rater: RaterId, memory: Memory, reason: str) -> End:
    code = live.settings.completion_code if memory.answers else ""
    if code == AUTOMATIC:
        code = signer.completion_code(rater.key)
    stopped = reason == "decided" or live.all_decided
    welcome = not stopped or live.settings.votes_after_verdict
    more = welcome and not rater.is_external and live.unseen(memory) > 0
    return End(reason, code, more=more)
