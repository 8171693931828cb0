"""What the desk does to raters: exclude, readmit and erase them, one or many in one step."""

from collections.abc import Iterable

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.service.accounts.roles import COMMAND_LINE, Actor, require_owner
from plaudit.service.contest import words
from plaudit.service.contest.state import ContestState
from plaudit.service.desk.step import Stepping
from plaudit.store.contract import Rater
from plaudit.store.log import Entry, Kind

_NOBODY = {
    Kind.EXCLUDE: "All of these raters were excluded already.",
    Kind.READMIT: "None of these raters is excluded, or they were erased, which is for good.",
    Kind.ERASE: "This rater was erased already.",
}


class RaterSteps(Stepping):
    """Steps on raters, each by number or by the keyed hash that exports show."""

    def exclude(
        self, name: str, *raters: str | int, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Lets none of these raters' votes count, past or future."""
        return self._moderate(name, raters, Kind.EXCLUDE, by, epoch)

    def readmit(
        self, name: str, *raters: str | int, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Lets the votes of excluded raters count again."""
        return self._moderate(name, raters, Kind.READMIT, by, epoch)

    def erase(
        self, name: str, rater: str | int, *, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Forgets who a rater was, for good; none of their votes counts any more.

        It cannot be undone, so that it takes an owner.
        """
        require_owner(by)
        return self._moderate(name, [rater], Kind.ERASE, by, epoch)

    def _moderate(
        self, name: str, raters: Iterable[str | int], kind: Kind, by: Actor, epoch: int | None
    ) -> Entry:
        history = self._history(name, by, epoch)
        found = {self.find_rater(name, rater).number for rater in raters}
        moved = sorted(number for number in found if _moves(history.contest, number, kind))
        if not found:
            raise InvalidInput("No rater was named: name at least one.")
        if not moved:
            raise NotAllowed(_NOBODY[kind])
        return self._append(
            history, kind, {"raters": moved}, by=by, what=words.moderated(kind, moved),
            erase=moved[0] if kind == Kind.ERASE else None,
        )  # fmt: skip

    def find_rater(self, name: str, rater: str | int) -> Rater:
        """The rater of this number, or whom an export shows by this keyed hash."""
        if isinstance(rater, int):
            if rater >= 0 and self._store.answers_of(name, rater):
                return Rater(rater, None)
            raise InvalidInput(f"There is no rater {rater} in {name!r}.")
        try:
            key = bytes.fromhex(rater)
        except ValueError:
            key = b""
        found = self._store.rater(name, key) if len(key) == 16 else None
        if found is None:
            raise InvalidInput(
                f"There is no rater {rater!r} in {name!r}: give the 32 characters that the export "
                "of votes shows in its column `rater`."
            )
        return found


def _moves(contest: ContestState, rater: int, kind: Kind) -> bool:
    """Whether a step changes anything for a rater."""
    if kind == Kind.READMIT:
        return rater in contest.excluded and rater not in contest.erased
    return rater not in (contest.erased if kind == Kind.ERASE else contest.excluded)
