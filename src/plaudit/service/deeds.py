"""What people did, as the store keeps it: a code with its facts, worded where it is shown.

A step on a contest is worded from its event; its deed says only who took it. Other deeds have a
code of the table below. Stores of earlier editions have sentences instead; `_from_sentence`
alone reads those.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from plaudit.phrase import Item, Items, Phrase
from plaudit.words import N_

# What the deed of a step on a contest says: nothing, since the event says it.
STEP = ""
FLAGS, RATER, GROUP = "flags", "rater", "group"
REVIEWED, AGAIN = "reviewed", "again"
WORDS: Mapping[str, str] = {
    "joined-first": N_("joined as {role} by the first link"),
    "joined": N_("joined as {role} by an invitation"),
    "reset-password": N_("set a new password by a link"),
    "new-password": N_("set a new password"),
    "gave-role": N_("gave {name} the role {role}"),
    "removed": N_("removed {name}"),
    "first-link": N_("made a first link"),
    "invited": N_("invited a new {role}"),
    "password-link": N_("made a link to a new password of {name}"),
    "cancelled-link": N_("took back a link for {name}"),
    "made-key": N_("made the API key {name} ({scopes})"),
    "revoked-key": N_("took back the API key {name}"),
    "signed-out": N_("signed out {count} other browsers"),
    "reviewed-flags": N_("looked at the flags of item {item} and let it be (entry {position})"),
    "reviewed-rater": N_("looked at rater {rater} and let it be (entry {position})"),
    "reviewed-group": N_("looked at whether {items} are the same and let it be (entry {position})"),
    "again-flags": N_("wants to look at the flags of item {item} again"),
    "again-rater": N_("wants to look at rater {rater} again"),
    "again-group": N_("wants to look at whether {items} are the same again"),
}


class Did(NamedTuple):
    """A deed as its code and facts."""

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
        for name in ("rater", "position"):
            if name in facts:
                facts[name] = str(facts[name])
        return Phrase(WORDS[self.code], **facts)


def did(code: str, **facts: Any) -> str:
    """A deed as the store keeps it."""
    assert code in WORDS, code
    return json.dumps({"did": code, **facts})


def read(what: str) -> Did | None:
    """The deed that the store keeps; None for a sentence that carries no facts.

    >>> read(did("reviewed-flags", item=3, position=9))
    Did(code='reviewed-flags', facts={'item': 3, 'position': 9})
    """
    if not what.startswith("{"):
        return _from_sentence(what)
    facts = json.loads(what)
    code = facts.pop("did")
    return Did(code, facts) if code in WORDS else None


def worded(what: str) -> Phrase:
    """A deed in words; a sentence of an earlier edition as it is, with its items as facts.

    >>> str(worded(did("removed", name="Ann"))), str(worded("opened the contest"))
    ('removed Ann', 'opened the contest')
    """
    found = read(what)
    return found.phrase if found is not None else _as_it_is(what)


# Sentences of earlier editions

_SUBJECTS = {
    FLAGS: re.compile(r"the flags of item ([0-9]+)"),
    RATER: re.compile(r"rater ([0-9]+)"),
    GROUP: re.compile(r"whether items ([0-9]+(?:, [0-9]+)*) are the same"),
}
_LEFT = re.compile(r"looked at (.+) and let it be \(entry ([0-9]+)\)")
_LOOK_AGAIN = re.compile(r"wants to look at (.+) again")
_NUMBERS = re.compile(
    r"\bitems? (?:[0-9]+(?:, | and )?)+|\bitems (?:are |\()[0-9]+ to [0-9]+", re.IGNORECASE
)


def _from_sentence(what: str) -> Did | None:
    if left := _LEFT.fullmatch(what):
        return _about(left[1], REVIEWED, {"position": int(left[2])})
    again = _LOOK_AGAIN.fullmatch(what)
    return _about(again[1], AGAIN, {}) if again else None


def _about(subject: str, code: str, more: dict[str, Any]) -> Did | None:
    for kind, pattern in _SUBJECTS.items():
        if found := pattern.fullmatch(subject):
            numbers = [int(number) for number in found[1].split(", ")]
            name = {FLAGS: "item", RATER: "rater", GROUP: "items"}[kind]
            return Did(f"{code}-{kind}", {name: numbers if kind == GROUP else numbers[0], **more})
    return None


def _as_it_is(what: str) -> Phrase:
    """A sentence whose item numbers are facts again, so that people see them from 1."""
    facts: dict[str, Item] = {}

    def fact(found: re.Match[str]) -> str:
        name = f"item_{len(facts)}"
        facts[name] = Item(int(found[0]))
        return f"{{{name}}}"

    plain = what.replace("{", "{{").replace("}", "}}")
    template = _NUMBERS.sub(lambda found: re.sub("[0-9]+", fact, found[0]), plain)
    return Phrase(template, **facts)
