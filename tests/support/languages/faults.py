"""What can be wrong with a translation: facts, elements of HTML, signs that break it."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from babel.messages.catalog import Message

# Facts that are English words; another language writes the number beside them.
ENGLISH_WORDS = {"ordinal"}
# Facts that a form for a single number may have in its words.
COUNTS = {"all", "by_votes", "count", "raters", "some"}


def faults_of(message: Message, forms: Sequence[str], plural: Callable[[int], int]) -> list[str]:
    """What is wrong with the translations of a text, in words; `plural` is the language's rule."""
    sources = (message.id,) if isinstance(message.id, str) else message.id
    wanted, found = facts_in("".join(sources)), []
    numbers = Counter(plural(n) for n in range(200))
    for place, form in enumerate(forms):
        named = facts_in(form)
        lacking = wanted - named
        if "top" in named:
            lacking -= ENGLISH_WORDS
        if len(sources) > 1 and numbers[place] == 1:
            # "One item", "two items": the number is in the words.
            lacking -= COUNTS
        found += [f"{form!r} lacks the fact {name}" for name in sorted(lacking)]
        found += [f"{form!r} has an unknown fact {name}" for name in sorted(named - wanted)]
        if elements_in(form) != elements_in(sources[-1]):
            found.append(f"{form!r} has other elements of HTML than {sources[-1]!r}")
        found += _wrongly_filled(form, wanted)
    return found


def facts_in(text: str) -> set[str]:
    """The names of the facts in a text."""
    return {"".join(names) for names in re.findall(r"%\((\w+)\)s|\{(\w+)(?:!r)?\}", text)}


def elements_in(text: str) -> list[str]:
    """The elements of HTML in a text."""
    return sorted(re.findall(r"</?\w+[^>]*>", text))


def _wrongly_filled(form: str, names: set[str]) -> list[str]:
    """A sign that is not doubled breaks the page that fills the facts in."""
    facts = dict.fromkeys(names, "")
    try:
        if "%(" in form or "%%" in form:
            _ = form % facts
        elif "{" in form:
            form.format(**facts)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        return [f"{form!r} cannot be filled in: {error}"]
    return []
