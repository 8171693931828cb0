"""The desk's steps at the door: codes made and revoked, the list, another key for links."""

from collections.abc import Iterable

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.phrase import Phrase
from plaudit.service.accounts.roles import COMMAND_LINE, Actor
from plaudit.service.contest.events import (
    CodesMade,
    CodesRevoked,
    LinkKeyChanged,
    ListChanged,
)
from plaudit.service.contest.guests import LISTED_DIGITS, MOST_CODES, MOST_LISTED
from plaudit.service.contest.history import History
from plaudit.service.desk.step import Stepping
from plaudit.store.log import Entry
from plaudit.words import N_


class GuestSteps(Stepping):
    """Steps on whom the door lets in. Codes go by number, ids of the list by their hashes."""

    def make_codes(
        self, name: str, count: int, *, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Makes so many codes more."""
        history = self._changeable(name, by, epoch)
        made = history.contest.codes
        if not 1 <= count <= MOST_CODES - made:
            text = N_(
                "A contest has at most {most} codes, and this one has {made}: make 1 to {left} "
                "more; got {given}."
            )
            left = MOST_CODES - made
            raise InvalidInput(
                Phrase(text, most=MOST_CODES, made=made, left=left, given=str(count))
            )
        return self._append(history, CodesMade(made + count), by=by)

    def revoke_codes(
        self, name: str, codes: Iterable[int], *, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Lets codes get nobody in any more. Votes that were given with them stay."""
        history = self._changeable(name, by, epoch)
        wanted = _known_codes(history, codes) - history.contest.revoked_codes
        if not wanted:
            raise NotAllowed(Phrase(N_("All of these codes are revoked already.")))
        return self._append(history, CodesRevoked(tuple(sorted(wanted))), by=by)

    def reinstate_codes(
        self, name: str, codes: Iterable[int], *, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Lets revoked codes work again."""
        history = self._changeable(name, by, epoch)
        wanted = _known_codes(history, codes) & history.contest.revoked_codes
        if not wanted:
            raise NotAllowed(Phrase(N_("None of these codes is revoked.")))
        return self._append(history, CodesRevoked(back=tuple(sorted(wanted))), by=by)

    def change_list(
        self,
        name: str,
        *,
        added: Iterable[str] = (),
        removed: Iterable[str] = (),
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Puts ids on the list and takes others off it, by their hashes."""
        history = self._changeable(name, by, epoch)
        listed = history.contest.listed
        more, fewer = {*added} - listed, listed.intersection(removed)
        assert all(map(LISTED_DIGITS.fullmatch, more))
        if not more and not fewer:
            text = N_("Nothing to change: the list has these ids already, or never had them.")
            raise NotAllowed(Phrase(text))
        if len(listed - fewer | more) > MOST_LISTED:
            text = N_("A list has at most {most} ids. Take some off it first.")
            raise NotAllowed(Phrase(text, most=MOST_LISTED))
        return self._append(history, ListChanged(tuple(sorted(more)), tuple(sorted(fewer))), by=by)

    def change_link_key(
        self, name: str, *, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Gives the contest another key to sign links with; what the old one signed is void."""
        history = self._changeable(name, by, epoch)
        return self._append(history, LinkKeyChanged(history.contest.link_key + 1), by=by)


def _known_codes(history: History, codes: Iterable[int]) -> set[int]:
    """The codes, if all of them were made; otherwise an error."""
    made, wanted = history.contest.codes, {*codes}
    unknown = sorted(number for number in wanted if not 1 <= number <= made)
    if not wanted:
        raise InvalidInput(Phrase(N_("No code was named: name at least one.")))
    if unknown and made:
        text = N_("There is no code {code}: codes are 1 to {made}.")
        raise InvalidInput(Phrase(text, code=str(unknown[0]), made=str(made)))
    if unknown:
        raise InvalidInput(Phrase(N_("There are no codes yet: make some first.")))
    return wanted
