"""How a rater proposes an item: what is wrong with it, what is like it, and where it goes."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import NamedTuple

from plaudit.errors import InvalidInput, ProposalRefused
from plaudit.phrase import Phrase, item_id
from plaudit.service.contest.history import History
from plaudit.service.contest.proposals import AT_ONCE, TAKEN, WAITING
from plaudit.service.contest.state import ContestState
from plaudit.service.desk.desk import Desk
from plaudit.service.intake.fields import clean, fault_of
from plaudit.service.intake.item_list import LONGEST_ITEM
from plaudit.service.intake.likeness import MOST_NEAR, Likeness
from plaudit.service.intake.near_duplicates import plain_text
from plaudit.store.contract import Store
from plaudit.store.log import NONE
from plaudit.words import N_

# Contests whose texts are kept for comparing, those used last.
MOST_KEPT = 16
# What becomes of a text that is like others: nothing, until its author wants it all the same.
NEAR = "near"


class NearText(NamedTuple):
    """A text that is near: an item, or (with the item `NONE`) a proposal of the same rater."""

    item: int
    text: str


class Proposed(NamedTuple):
    """What became of a text: `near` (not sent), `waiting` or `taken`; with what is near it.

    `logged` is the position of the last entry that was written for it.
    """

    standing: str
    proposal: int
    item: int
    near: list[NearText]
    logged: int = 0


class Proposing:
    """Takes proposals. It compares texts in memory, so that one of these serves all requests."""

    def __init__(self, store: Store, desk: Desk) -> None:
        self._store = store
        self._desk = desk
        self._lock = threading.Lock()
        self._texts: OrderedDict[str, tuple[Likeness, list[str]]] = OrderedDict()

    def propose(self, name: str, rater: int, text: str, *, anyway: bool = False) -> Proposed:
        """Sends a proposal of a rater, by number; or says what is near it, unless `anyway`.

        `ProposalRefused` if the contest does not take it, or has it already.
        """
        wanted = checked_text(text)
        history = self._desk.history(name)
        if (sent := _sent_before(history, rater, wanted)) is not None:
            return sent
        self._desk.check_takes(history, rater)
        self._check_new(history, wanted)
        near = self.near(history, rater, wanted)
        if near and not anyway:
            return Proposed(NEAR, 0, NONE, near)
        check = lambda later: self._check_new(later, wanted)  # noqa: E731
        entry = self._desk.propose(name, rater, wanted, check=check)
        return self._joined(name, entry.position, near)

    def _joined(self, name: str, position: int, near: list[NearText]) -> Proposed:
        """Where a proposal is, after those were let in that may join at once."""
        entry = self._desk.let_in(name)
        item = self._desk.history(name).contest.proposals[position].item
        standing = WAITING if item == NONE else TAKEN
        return Proposed(standing, position, item, near, entry.position if entry else position)

    def let_all_in(self, contests: Mapping[str, ContestState]) -> None:
        """Takes in what was proposed just before a worker went down, wherever that is allowed."""
        for name, contest in contests.items():
            if contest.settings.proposals == AT_ONCE and contest.proposals_waiting:
                self._desk.let_in(name)

    def near(self, history: History, rater: int, text: str) -> list[NearText]:
        """Items, and waiting proposals of the same rater, that are near a text."""
        items = [
            one for one in self.near_items(history, text) if history.contest.is_present(one[0])
        ]
        own = [one.text for one in history.contest.proposals_of(rater).values() if one.waits]
        compared = Likeness()
        for other in own:
            compared.add(other)
        mine = [NearText(NONE, own[one.number]) for one in compared.near(text)]
        return [*mine, *items][:MOST_NEAR]

    def near_items(self, history: History, text: str) -> list[NearText]:
        """The items that are near a text, withdrawn ones too."""
        with self._lock:
            known, texts = self._known(history)
            return [NearText(one.number, texts[one.number]) for one in known.near(text)]

    def _check_new(self, history: History, text: str) -> None:
        """Raises `ProposalRefused` if an item or a proposal says the same."""
        with self._lock:
            item = self._known(history)[0].same(text)
        if item is not None:
            told = N_("This is in the contest already, as item {id}.")
            if not history.contest.is_present(item):
                told = N_("This was in the contest already, as item {id}, and was taken out.")
            raise ProposalRefused("item_known", Phrase(told, id=item_id(item)))
        plain, known = plain_text(text), history.contest.proposals
        if any(one.waits and plain_text(one.text) == plain for one in known.values()):
            told = N_("Somebody has suggested this already, and it waits to be looked at.")
            raise ProposalRefused("proposal_known", Phrase(told))

    def _known(self, history: History) -> tuple[Likeness, list[str]]:
        """The texts of a contest's items; an item never changes, so that only new ones are read."""
        name = history.record.name
        found = self._texts.get(name)
        # A contest of this name may be another one, after a restore.
        if found is None or len(found[1]) > history.contest.items:
            found = self._texts[name] = (Likeness(), [])
        self._texts.move_to_end(name)
        while len(self._texts) > MOST_KEPT:
            self._texts.popitem(last=False)
        known, texts = found
        for item in self._store.items(name, first=len(texts)):
            known.add(item.text)
            texts.append(item.text)
        return found


def _sent_before(history: History, rater: int, text: str) -> Proposed | None:
    """What became of the same text if its rater sends it again, as after a lost answer."""
    for position, one in history.contest.proposals_of(rater).items():
        if one.text == text and not one.reason:
            return Proposed(history.contest.standing_of(one), position, one.item, [])
    return None


def checked_text(text: str) -> str:
    """A text as an item may have it; `InvalidInput` with the reason if it cannot be one."""
    wanted = clean(text)
    if not wanted:
        raise InvalidInput(Phrase(N_("Write something first.")))
    if fault := fault_of(wanted, LONGEST_ITEM, Phrase(N_("The text"))):
        raise InvalidInput(fault)
    return wanted
