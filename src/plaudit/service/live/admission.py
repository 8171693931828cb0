"""Whether a contest takes answers now, and this answer of this rater.

Promises: an answer that is refused has changed nothing, and the error says what to do. It reads
one contest and the memory of one rater.
"""

from plaudit.errors import InvalidInput, NotOpen, SkipsUsedUp, TicketExpired
from plaudit.phrase import Phrase
from plaudit.service.contest.settings import CLOSED, DELETED, DRAFT, OPEN, PAUSED, RETIRED
from plaudit.service.live.contest import SKEW_MS, TICKET_MS, LiveContest
from plaudit.service.live.rater_memory import Memory
from plaudit.service.live.tickets import Ticket
from plaudit.store.log import Kind
from plaudit.words import N_

# What a contest is that takes no answers, by its state.
_SHUT = {
    DRAFT: N_("draft"),
    OPEN: N_("outside its hours"),
    PAUSED: N_("paused"),
    CLOSED: N_("closed"),
    RETIRED: N_("retired"),
    DELETED: N_("deleted"),
}


def check_open(live: LiveContest, now: int) -> None:
    """Returns if the contest accepts answers now; `NotOpen` otherwise."""
    if live.taking_answers(now):
        return
    state = Phrase(_SHUT[live.contest.state])
    text = N_("The contest {name!r} is {state} and accepts no answers now.")
    raise NotOpen(Phrase(text, name=live.name, state=state))


def check_answer(live: LiveContest, kind: Kind, ticket: Ticket, level: int, now: int) -> None:
    """Returns if the ticket is of this time, and the contest has such an answer."""
    if now - ticket.issued >= TICKET_MS or ticket.issued - now > SKEW_MS:
        text = N_("This ticket is too old, or from the future. Ask for new items.")
        raise TicketExpired(Phrase(text))
    if kind == Kind.VOTE and not 0 <= level < len(live.settings.scale):
        text = N_("There is no level {level}: levels are 0 to {last}.")
        last = len(live.settings.scale) - 1
        raise InvalidInput(Phrase(text, level=str(level), last=last))
    if kind == Kind.SKIP and not live.settings.skip:
        raise InvalidInput(Phrase(N_("Items cannot be skipped in this contest.")))
    if kind == Kind.FLAG and not live.settings.flag:
        raise InvalidInput(Phrase(N_("Items cannot be flagged in this contest.")))


def pass_over(memory: Memory, item: int) -> None:
    """Notes that a rater passes over an item; `SkipsUsedUp` if they did so too often."""
    if item in memory.passing:
        return
    if not memory.passes:
        text = N_(
            "You have skipped or flagged as many items as you can for now. Vote on some; then you "
            "can skip again."
        )
        raise SkipsUsedUp(Phrase(text))
    memory.passing.add(item)
