"""What every engine refuses in the same way, before it writes anything.

Engines differ in what they can hold: SQLite takes text with NUL, PostgreSQL does not. A contest
must be able to move from one to the other, so the narrower limit holds for both.
"""

from collections.abc import Iterable, Sequence

from plaudit.errors import InvalidInput
from plaudit.proof.digests import BLINDING_BYTES, MARK_BYTES, SALT_BYTES
from plaudit.store.contract import Certificate, Item, Rater
from plaudit.store.log import ANSWERS, Answer, Event, Kind

KEY_BYTES = 16
ORIGIN_BYTES = 8
LARGEST_DOOR = 127
# A salt, or the mark that is left of it.
LONGEST_SALT = max(SALT_BYTES, MARK_BYTES)
_EVENTS = frozenset(Kind) - ANSWERS
_LARGEST = 2**63 - 1


def check_text(what: str, *texts: str) -> None:
    """Returns if the store can keep these texts: no NUL character, nothing outside UTF-8."""
    for text in texts:
        if "\0" in text:
            raise InvalidInput(f"{what} has a NUL character: {_short(text)}. Take it out.")
        if not text.isascii():
            _check_encodes(what, text)


def can_hold(text: str) -> bool:
    """Whether the store can keep a text. A name that it cannot keep is not in it either."""
    try:
        check_text("It", text)
    except InvalidInput:
        return False
    return True


def check_whole(what: str, number: int) -> None:
    """Returns if a number is whole, not negative, and fits into 64 bits."""
    if not isinstance(number, int) or not 0 <= number <= _LARGEST:
        raise InvalidInput(f"{what} is {number!r}. Give a whole number from 0 to {_LARGEST}.")


def check_answers(answers: Sequence[Answer]) -> None:
    """Returns if each answer is a vote, skip or flag of a rater on an item."""
    for answer in answers:
        if answer.kind not in ANSWERS:
            raise InvalidInput(
                f"An answer's kind is {answer.kind!r}. Give 1 (vote), 2 (skip) or 3 (flag)."
            )
        check_key(answer.rater)
        check_whole("An answer's item", answer.item)
        if not isinstance(answer.door, int) or not 0 <= answer.door <= LARGEST_DOOR:
            raise InvalidInput(
                f"An answer's door is {answer.door!r}. Give a number from 0 to {LARGEST_DOOR}."
            )
        if answer.origin and len(answer.origin) != ORIGIN_BYTES:
            raise InvalidInput(
                f"An answer's origin is {answer.origin!r}. Give {ORIGIN_BYTES} bytes, or none."
            )


def check_key(key: bytes) -> None:
    """Returns if this can be a rater's key."""
    if not isinstance(key, bytes) or len(key) != KEY_BYTES:
        raise InvalidInput(f"A rater's key is {key!r}. Give {KEY_BYTES} bytes.")


def check_salt(rater: Rater) -> None:
    """Returns if this can be a rater's salt, or an erased one's mark; none is fine too."""
    wanted = MARK_BYTES if rater.key is None else SALT_BYTES
    if len(rater.salt) not in (0, wanted):
        raise InvalidInput(
            f"The salt or mark of rater {rater.number} has {len(rater.salt)} bytes. Give {wanted}."
        )


def check_blinding(blinding: bytes) -> None:
    """Returns if this can be the blinding of a contest; none is fine too."""
    if len(blinding) not in (0, BLINDING_BYTES):
        raise InvalidInput(f"A blinding has {len(blinding)} bytes. Give {BLINDING_BYTES}.")


def check_event(event: Event) -> None:
    """Returns if this is an event that the log can hold."""
    if event.kind not in _EVENTS:
        kinds = ", ".join(f"{kind.value} ({kind.name.lower()})" for kind in sorted(_EVENTS))
        raise InvalidInput(f"An event's kind is {event.kind!r}. Give one of {kinds}.")
    check_text("An event's payload", event.payload)


def check_items(items: Iterable[Item]) -> None:
    """Returns if the store can keep these items and no number comes twice."""
    seen: set[int] = set()
    for item in items:
        check_whole("An item's number", item.number)
        check_text(f"Item {item.number}", item.text, item.image)
        if item.number in seen:
            raise InvalidInput(f"Item {item.number} is given twice. Give each number once.")
        seen.add(item.number)


def check_certificate(certificate: Certificate) -> None:
    """Returns if the store can keep this certificate."""
    check_whole("A certificate's position", certificate.position)
    check_text("A certificate", certificate.body)


def _check_encodes(what: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{what} has half a character (a lone surrogate) at place {error.start}: "
            f"{_short(text)}. Give text that UTF-8 can hold."
        ) from None


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}…")
