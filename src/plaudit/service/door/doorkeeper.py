"""The doorkeeper of one contest: lets raters in, and checks on every request that they still may.

A token is not enough at a door: its rater must have passed the door that the contest has now. So a
token from before the door was closed, from a code that was revoked since, or of an id that was
taken off the list, gets nobody in.
"""

from enum import IntEnum

from plaudit.errors import NotAdmitted, PassRequired
from plaudit.phrase import Phrase
from plaudit.service.accounts.secret import Secret
from plaudit.service.contest.guests import Guests
from plaudit.service.contest.settings import CODES, LINKS, LIST, OPEN_DOOR, SIGN_IN
from plaudit.service.door.codes import Codes
from plaudit.service.door.guest_list import GuestList
from plaudit.service.door.links import LinkKeys
from plaudit.service.door.rater_ids import (
    CODE,
    EXTERNAL,
    KEY,
    LINK,
    SUBJECT,
    RaterId,
    RaterIds,
    tidy_id,
)
from plaudit.words import N_


class Way(IntEnum):
    """How a rater came in, as the store keeps it with the first answer."""

    UNKNOWN = 0
    ANYBODY = 1
    ID = 2
    CODE = 3
    LIST = 4
    LINK = 5
    SIGN_IN = 6
    KEY = 7

    @property
    def word(self) -> str:
        """What programs call it."""
        return self.name.lower().replace("_", "-")


# What to bring to each door, for those who come with nothing.
_REQUIRED = {
    CODES: (
        "code_required",
        N_("This contest is for people who have a code. Enter yours, or ask whoever runs it."),
    ),
    LIST: (
        "id_required",
        N_(
            "This contest is for people on a list. Use the link that you were sent, with your own "
            "id in it."
        ),
    ),
    LINKS: (
        "link_required",
        N_("This contest is for people who come from its site. Go there, and follow its link."),
    ),
    SIGN_IN: ("sign_in_required", N_("This contest is for people who sign in. Sign in first.")),
}
_REFUSED = {
    "code_unknown": N_(
        "This code does not work here. Check each sign: a code has 12 letters and digits."
    ),
    "code_revoked": N_("This code was revoked. Ask whoever gave it to you for another."),
    "not_listed": N_(
        "This id is not on the list of this contest. Use the link that you were sent, or ask "
        "whoever runs the contest."
    ),
    "link_refused": N_(
        "This link was not signed by the contest's site, or with a key that it no longer uses. Go "
        "back there, and follow its link again."
    ),
}


class Doorkeeper:
    """Lets raters into one contest; `guests` is whom the contest's log lets in."""

    def __init__(self, secret: Secret, contest: str) -> None:
        self.ids = RaterIds(secret, contest)
        self.codes = Codes(secret, contest)
        self.guest_list = GuestList(secret, self.ids)
        self.link_keys = LinkKeys(secret, contest)

    def with_code(self, text: str, guests: Guests) -> RaterId:
        """The rater with a code; `NotAdmitted` if there is no such code, or it was revoked."""
        number = self.codes.number(text)
        if number is None or number > guests.codes:
            raise refused("code_unknown")
        if number in guests.revoked_codes:
            raise refused("code_revoked")
        return self.ids.coded_rater(number)

    def with_listed(self, external: str, guests: Guests) -> RaterId:
        """The rater with an id that is on the list."""
        rater = self.ids.external_rater(tidy_id(external))
        if self.guest_list.hash(rater.id) not in guests.listed:
            raise refused("not_listed")
        return rater

    def with_signed(self, external: str, signature: str, guests: Guests) -> RaterId:
        """The rater with an id that the contest's site has signed."""
        if not self.link_keys.is_signed(external, signature, guests.link_key):
            raise refused("link_refused")
        return self.ids.external_rater(external).stamped_by(LINK, guests.link_key)

    def with_key(self, rater: RaterId, guests: Guests) -> RaterId:
        """A rater whom a program brings that has an API key for it."""
        return rater.stamped_by(KEY, guests.link_key)

    def check(self, rater: RaterId, door: str, guests: Guests) -> None:
        """Returns if a rater may vote now; `NotAdmitted` with the reason otherwise."""
        if door == OPEN_DOOR:
            return
        by, link_key = rater.stamped
        if by == KEY and link_key == guests.link_key:
            return
        if door == CODES and rater.kind == CODE:
            if rater.code in guests.revoked_codes or rater.code > guests.codes:
                raise refused("code_revoked")
        elif door == LIST and rater.kind == EXTERNAL:
            if self.guest_list.hash(rater.id) not in guests.listed:
                raise refused("not_listed")
        elif door == LINKS and by == LINK:
            if link_key != guests.link_key:
                raise refused("link_refused")
        elif not (door == SIGN_IN and rater.kind == SUBJECT):
            raise required(door)


def way_of(rater: RaterId, door: str) -> Way:
    """How a rater came in at this door."""
    by, _ = rater.stamped
    if by:
        return Way.LINK if by == LINK else Way.KEY
    if rater.kind == EXTERNAL:
        return Way.LIST if door == LIST else Way.ID
    return {CODE: Way.CODE, SUBJECT: Way.SIGN_IN}.get(rater.kind, Way.ANYBODY)


def required(door: str) -> PassRequired:
    """The error for somebody who comes with nothing."""
    code, words = _REQUIRED[door]
    return PassRequired(code, Phrase(words))


def refused(code: str) -> NotAdmitted:
    """The error for somebody whose code, id or signature does not do."""
    return NotAdmitted(code, Phrase(_REFUSED[code]))
