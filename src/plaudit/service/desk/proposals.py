"""Proposals of raters: written to the log, taken into the contest, refused."""

from collections.abc import Callable, Iterable, Mapping

from plaudit.errors import EpochMoved, InvalidInput, NotAllowed, VerdictStands
from plaudit.phrase import Phrase
from plaudit.service.accounts.roles import COMMAND_LINE, EDITOR, Actor
from plaudit.service.contest.events import ItemProposed, ItemsAdded, ProposalsRefused, to_log
from plaudit.service.contest.history import History, history_of
from plaudit.service.contest.proposals import AT_ONCE, LONGEST_NOTE, REFUSALS
from plaudit.service.contest.proposers import check_proposer
from plaudit.service.contest.settings import OPEN
from plaudit.service.desk.step import Stepping, added
from plaudit.service.desk.trail import PLAUDIT
from plaudit.service.intake.contest_file import checked_items
from plaudit.service.intake.fields import clean, fault_of
from plaudit.store.contract import Item
from plaudit.store.log import Entry
from plaudit.store.people import NOBODY
from plaudit.words import N_

# Writers of one contest take turns by its epoch: whoever comes second looks again.
ATTEMPTS = 20
# Who lets proposals in where no editor decides.
AT_THE_DOOR = Actor(NOBODY, PLAUDIT, EDITOR)


class ProposalSteps(Stepping):
    """Steps on proposals, which go by their positions in the log."""

    def propose(
        self,
        name: str,
        rater: int,
        text: str,
        *,
        check: Callable[[History], None] = lambda history: None,
    ) -> Entry:
        """Writes what a rater proposes, if the contest takes it; a rater goes by number.

        `check` raises an error if the text does not fit the contest as it is.

        The limits hold for all workers together, since each proposal is judged by the log that it
        is written to.
        """
        for attempt in range(ATTEMPTS):
            try:
                history = history_of(self._store, name)
                self.check_takes(history, rater)
                check(history)
                event = to_log(ItemProposed(rater, text), self._clock())
                return self._store.append_event(name, event, epoch=history.record.epoch)
            except EpochMoved:
                if attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError

    def let_in(self, name: str) -> Entry | None:
        """Takes in what waits where proposals join at once; None if there is nothing to take.

        What was proposed while an editor had to decide, and what an excluded rater proposed, goes
        on waiting. So does all of it once there is a verdict, which only an editor may take back.
        """
        for _ in range(ATTEMPTS):
            try:
                history = history_of(self._store, name)
                wanted = _to_let_in(history)
                if not wanted or history.record.state != OPEN:
                    return None
                epoch, texts = history.record.epoch, dict.fromkeys(wanted)
                return self.take_proposals(name, texts, by=AT_THE_DOOR, epoch=epoch)
            except EpochMoved:
                continue
            except VerdictStands:
                return None
        return None

    def take_proposals(
        self,
        name: str,
        texts: Mapping[int, str | None],
        *,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Lets proposals join as items, in one step; each with another text, if one is given."""
        history = self._changeable(name, by, epoch)
        waiting = _waiting(history, texts)
        first = history.contest.items
        wanted = [(texts[one] or history.contest.proposals[one].text, "") for one in waiting]
        given = checked_items(wanted, is_there=lambda image: False)
        new = [Item(first + k, item.text, item.image) for k, item in enumerate(given)]
        joined = added(new)
        event = ItemsAdded(joined.first, joined.count, joined.digest, proposals=tuple(waiting))
        return self._append(history, event, by=by, items=new)

    def refuse_proposals(
        self,
        name: str,
        proposals: Iterable[int],
        reason: str = "other",
        note: str = "",
        *,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Refuses proposals for one of the reasons; their authors read it, and the note."""
        history = self._changeable(name, by, epoch)
        if reason not in REFUSALS:
            text = N_("{reason!r} is no reason to refuse a proposal: choose one of {known}.")
            raise InvalidInput(Phrase(text, reason=reason, known=", ".join(REFUSALS)))
        note = clean(note)
        if fault := fault_of(note, LONGEST_NOTE, Phrase(N_("The note"))):
            raise InvalidInput(fault)
        waiting = _waiting(history, proposals)
        return self._append(history, ProposalsRefused(tuple(waiting), reason, note), by=by)

    def check_takes(self, history: History, rater: int) -> None:
        """Raises `ProposalRefused` if the contest takes no proposal of this rater now."""
        check_proposer(history.contest, rater, self._clock())


def _to_let_in(history: History) -> list[int]:
    """The proposals that may join without an editor: made since they join at once."""
    contest = history.contest
    if history.settings.proposals != AT_ONCE:
        return []
    since = history.touched.get(("field", "proposals"), 0)
    return [
        position
        for position in contest.proposals_waiting
        if position > since and contest.proposals[position].rater not in contest.excluded
    ]


def _waiting(history: History, proposals: Iterable[int]) -> list[int]:
    """The proposals, oldest first; an error if there is none, or one of them does not wait."""
    wanted, known = sorted({*proposals}), history.contest.proposals
    if not wanted:
        raise InvalidInput(Phrase(N_("No proposal was named: name at least one.")))
    for one in wanted:
        if one not in known:
            text = N_("There is no proposal {number}. `plaudit contest proposals` lists them.")
            raise InvalidInput(Phrase(text, number=str(one)))
        if not known[one].waits:
            text = N_("Proposal {number} was decided already. Undo that step first.")
            raise NotAllowed(Phrase(text, number=str(one)))
    return wanted
