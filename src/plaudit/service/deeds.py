"""Deeds: what people did, as the store keeps it. A deed is a code with its facts.

For a step on a contest the event says what was done, and the deed only who did it. All other deeds
have a code from the table below. Earlier editions stored sentences instead of codes; only
`_from_sentence` reads those.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from plaudit.phrase import Item, Items, Phrase
from plaudit.words import N_

# The text of a deed for a step on a contest: empty, since the event says what was done.
STEP = ""
FLAGS, RATER, GROUP = "flags", "rater", "group"
REVIEWED, AGAIN = "reviewed", "again"
WORDS: Mapping[str, str] = {
    "joined-first": N_("joined as {role} with the first link"),
    "joined": N_("joined as {role} with an invitation"),
    "reset-password": N_("set a new password with a link"),
    "new-password": N_("set a new password"),
    "provider-for-password": N_("chose the provider instead of a password, with a link"),
    "linked": N_("linked the account to the provider"),
    "linked-other": N_("said who {name} is at the provider"),
    "unlinked": N_("unlinked the account {name} from the provider"),
    "gave-role": N_("gave {name} the role {role}"),
    "removed": N_("removed {name}"),
    "first-link": N_("made a first link"),
    "invited": N_("invited a new {role}"),
    "password-link": N_("made a link for a new password for {name}"),
    "cancelled-link": N_("cancelled a link for {name}"),
    "made-key": N_("made the API key {name} ({scopes})"),
    "revoked-key": N_("revoked the API key {name}"),
    "signed-out": N_("signed out {count} other browsers"),
    "reviewed-flags": N_("reviewed the flags of item {item} and kept it (entry {position})"),
    "reviewed-rater": N_("reviewed rater {rater} and changed nothing (entry {position})"),
    "reviewed-group": N_("reviewed whether {items} are the same and kept all (entry {position})"),
    "again-flags": N_("wants to review the flags of item {item} again"),
    "again-rater": N_("wants to review rater {rater} again"),
    "added-destination": N_("sends notices ({kinds}) to {place} by {way}"),
    "removed-destination": N_("sends no notices to {place} any more"),
    "again-group": N_("wants to review again whether {items} are the same"),
}


class Did(NamedTuple):
    """A deed that was read: its code and facts."""

    code: str
    facts: dict[str, Any]

    @property
    def phrase(self) -> Phrase:
        """The deed in words."""
        facts = dict(self.facts)
        if "item" in facts:
            facts["item"] = Item(facts["item"])
        if "items" in facts:
            facts["items"] = Items(facts["items"])
        if "role" in facts:
            facts["role"] = Phrase(facts["role"])
        for name in ("rater", "position"):
            if name in facts:
                facts[name] = str(facts[name])
        return Phrase(WORDS[self.code], **facts)


def did(code: str, **facts: Any) -> str:
    """A deed as text for the store."""
    assert code in WORDS, code
    return json.dumps({"did": code, **facts})


def read(what: str) -> Did | None:
    """The deed from its stored text; None for a sentence without facts.

    >>> read(did("reviewed-flags", item=3, position=9))
    Did(code='reviewed-flags', facts={'item': 3, 'position': 9})
    """
    if not what.startswith("{"):
        return _from_sentence(what)
    facts = json.loads(what)
    code = facts.pop("did")
    return Did(code, facts) if code in WORDS else None


def worded(what: str) -> Phrase:
    """A deed in words; a stored sentence keeps its words, with its items as facts.

    >>> str(worded(did("removed", name="Ann"))), str(worded("opened the contest"))
    ('removed Ann', 'opened the contest')
    """
    found = read(what)
    return found.phrase if found is not None else _from_text(what)


# Sentences of earlier editions

_SUBJECTS = {
    FLAGS: re.compile(r"the flags of item ([0-9]+)"),
    RATER: re.compile(r"rater ([0-9]+)"),
    GROUP: re.compile(r"whether items ([0-9]+(?:, [0-9]+)*) are the same"),
}
_REVIEWED = re.compile(r"looked at (.+) and let it be \(entry ([0-9]+)\)")
_AGAIN = re.compile(r"wants to look at (.+) again")
_NUMBERS = re.compile(
    r"\bitems? (?:[0-9]+(?:, | and )?)+|\bitems (?:are |\()[0-9]+ to [0-9]+", re.IGNORECASE
)


def _from_sentence(what: str) -> Did | None:
    if review := _REVIEWED.fullmatch(what):
        return _about(review[1], REVIEWED, {"position": int(review[2])})
    again = _AGAIN.fullmatch(what)
    return _about(again[1], AGAIN, {}) if again else None


def _about(subject: str, code: str, more: dict[str, Any]) -> Did | None:
    for kind, pattern in _SUBJECTS.items():
        if found := pattern.fullmatch(subject):
            numbers = [int(number) for number in found[1].split(", ")]
            name = {FLAGS: "item", RATER: "rater", GROUP: "items"}[kind]
            return Did(f"{code}-{kind}", {name: numbers if kind == GROUP else numbers[0], **more})
    return None


def _from_text(what: str) -> Phrase:
    """A sentence with its item numbers as facts, written as ids from now on."""
    facts: dict[str, Item] = {}

    def fact(found: re.Match[str]) -> str:
        name = f"item_{len(facts)}"
        facts[name] = Item(int(found[0]))
        return f"{{{name}}}"

    plain = what.replace("{", "{{").replace("}", "}}")
    template = _NUMBERS.sub(lambda found: re.sub("[0-9]+", fact, found[0]), plain)
    return Phrase(template, **facts)
