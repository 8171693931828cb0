"""What an event did, in words: one entry for each kind."""

from collections.abc import Callable
from typing import Any

from plaudit.phrase import Item, Items, Phrase, Raters, sentence
from plaudit.service.contest.events import (
    CodesMade,
    CodesRevoked,
    ContestEvent,
    ItemProposed,
    ItemsAdded,
    ItemsReplaced,
    ItemsRestored,
    ItemsWithdrawn,
    LinkKeyChanged,
    ListChanged,
    ProposalsRefused,
    RatersErased,
    RatersExcluded,
    RatersReadmitted,
    SettingsChanged,
    StateChanged,
    VerdictReached,
)
from plaudit.service.contest.grounds import DEEDS, UNKNOWN
from plaudit.service.contest.history import History, LoggedEvent
from plaudit.service.contest.settings import CLOSED, DELETED, DRAFT, OPEN, PAUSED, RETIRED
from plaudit.words import N_

# The change to each state; from two states it has a name of its own.
_LIFE = {
    OPEN: N_("started the contest"),
    PAUSED: N_("paused the contest"),
    CLOSED: N_("closed the contest"),
    RETIRED: N_("retired the contest"),
    DRAFT: N_("made the contest a draft"),
    DELETED: N_("deleted the draft"),
}
_LIFE_FROM = {
    (CLOSED, OPEN): N_("started the contest again"),
    (RETIRED, CLOSED): N_("brought the contest back from retirement"),
    (DELETED, DRAFT): N_("brought the deleted draft back"),
}
# Up to this many new items are named one by one.
_FEW = 2
# Of a proposal that is longer, only the beginning is quoted.
_SHORT = 80


def step_words(history: History, logged: LoggedEvent) -> Phrase:
    """What a step did; a step that undid another names it."""
    undone = logged.event.undone_position
    earlier = history.at(undone) if undone else None
    if earlier is None:
        return _effect(history, logged)
    # An undone step is described by its effect alone, even if it undid another: steps can be
    # undone and redone without end, and a sentence must not grow with them.
    what = _effect(history, earlier)
    return Phrase(N_("undid step {step}: {what}"), step=str(undone), what=what)


def _effect(history: History, logged: LoggedEvent) -> Phrase:
    if logged.position == history.first and isinstance(logged.event, ItemsAdded):
        text = N_("created the contest with {count} items")
        return Phrase(text, count=logged.event.count)
    return WORDS[type(logged.event)](logged.event, logged.before)


def _added(event: ItemsAdded, before: dict[str, Any]) -> Phrase:
    if event.proposals:
        return Phrase(N_("took in {items}, which raters proposed"), items=Items(event.new))
    if event.count <= _FEW:
        return Phrase(N_("added {items}"), items=Items(event.new))
    text = N_("added {count} items ({first} to {last})")
    return Phrase(text, count=event.count, first=Item(event.new[0]), last=Item(event.new[-1]))


def _withdrawn(event: ItemsWithdrawn, before: dict[str, Any]) -> Phrase:
    return Phrase(N_("withdrew {items}"), items=Items(event.items))


def _replaced(event: ItemsReplaced, before: dict[str, Any]) -> Phrase:
    if not event.votes:
        text = N_("replaced {items} by item {new}, which starts anew")
    elif len(event.items) == 1:
        text = N_("corrected {items}, now item {new}, with its votes")
    else:
        text = N_("merged {items} into item {new}")
    return Phrase(text, items=Items(event.items), new=Item(event.first))


def _restored(event: ItemsRestored, before: dict[str, Any]) -> Phrase:
    back = Phrase(N_("brought back {items}"), items=Items(event.items))
    out = Phrase(N_("withdrew {items}"), items=Items(event.without))
    return sentence([part for part, items in ((back, event.items), (out, event.without)) if items])


def _settings(event: SettingsChanged, before: dict[str, Any]) -> Phrase:
    names = ", ".join(name.replace("_", " ") for name in event.set)
    return Phrase(N_("changed {settings}"), settings=names)


def _state(event: StateChanged, before: dict[str, Any]) -> Phrase:
    text = _LIFE_FROM.get((before.get("state", ""), event.state)) or _LIFE.get(event.state)
    return Phrase(text or N_("made the contest {state}"), state=event.state)


def _verdict(event: VerdictReached, before: dict[str, Any]) -> Phrase:
    return Phrase(N_("named {items} in a verdict"), items=Items(event.winners))


def _excluded(event: RatersExcluded, before: dict[str, Any]) -> Phrase:
    each = event.grounds_of_each
    parts = []
    for grounds in dict.fromkeys(each or (UNKNOWN,)):
        pairs = zip(event.named, each, strict=False)
        raters = Raters(rater for rater, why in pairs if why == grounds)
        parts.append(Phrase(DEEDS.get(grounds, N_("excluded {raters}")), raters=raters))
    return sentence(parts)


def _readmitted(event: RatersReadmitted, before: dict[str, Any]) -> Phrase:
    return Phrase(N_("readmitted {raters}"), raters=Raters(event.named))


def _erased(event: RatersErased, before: dict[str, Any]) -> Phrase:
    return Phrase(N_("erased {raters}"), raters=Raters(event.named))


def _codes_made(event: CodesMade, before: dict[str, Any]) -> Phrase:
    first, last = before.get("upto", 0) + 1, event.upto
    if first >= last:
        return Phrase(N_("made code {code}"), code=str(last))
    text = N_("made {count} codes ({first} to {last})")
    return Phrase(text, count=last - first + 1, first=str(first), last=str(last))


def _codes_revoked(event: CodesRevoked, before: dict[str, Any]) -> Phrase:
    revoked = _numbered(N_("revoked code {code}"), N_("revoked {count} codes"), event.codes)
    back = _numbered(N_("reinstated code {code}"), N_("reinstated {count} codes"), event.back)
    parts = [part for part, codes in ((revoked, event.codes), (back, event.back)) if codes]
    return sentence(parts or [revoked])


def _numbered(one: str, many: str, codes: tuple[int, ...]) -> Phrase:
    if len(codes) == 1:
        return Phrase(one, code=str(codes[0]))
    return Phrase(many, count=len(codes))


def _list_changed(event: ListChanged, before: dict[str, Any]) -> Phrase:
    put, took = N_("put an id on the list"), N_("took an id off the list")
    if len(event.added) != 1:
        put = N_("put {count} ids on the list")
    if len(event.removed) != 1:
        took = N_("took {count} ids off the list")
    added = Phrase(put, count=len(event.added))
    removed = Phrase(took, count=len(event.removed))
    parts = [part for part, ids in ((added, event.added), (removed, event.removed)) if ids]
    return sentence(parts or [added])


def _link_key(event: LinkKeyChanged, before: dict[str, Any]) -> Phrase:
    return Phrase(
        N_("changed the key that signs links (now key {number})"), number=str(event.number)
    )


def _proposed(event: ItemProposed, before: dict[str, Any]) -> Phrase:
    text = event.text if len(event.text) <= _SHORT else f"{event.text[:_SHORT]}…"
    return Phrase(N_("proposed “{text}”"), text=text)


def _refused(event: ProposalsRefused, before: dict[str, Any]) -> Phrase:
    if event.back:
        return _proposals(N_("let proposal {number} wait again"),
                          N_("let {count} proposals wait again"), event.back)  # fmt: skip
    return _proposals(N_("refused proposal {number}"), N_("refused {count} proposals"),
                      event.proposals)  # fmt: skip


def _proposals(one: str, many: str, positions: tuple[int, ...]) -> Phrase:
    if len(positions) == 1:
        return Phrase(one, number=str(positions[0]))
    return Phrase(many, count=len(positions))


WORDS: dict[type[ContestEvent], Callable[[Any, dict[str, Any]], Phrase]] = {
    ItemsAdded: _added,
    ItemsWithdrawn: _withdrawn,
    ItemsReplaced: _replaced,
    ItemsRestored: _restored,
    RatersExcluded: _excluded,
    RatersReadmitted: _readmitted,
    RatersErased: _erased,
    SettingsChanged: _settings,
    StateChanged: _state,
    VerdictReached: _verdict,
    CodesMade: _codes_made,
    CodesRevoked: _codes_revoked,
    ListChanged: _list_changed,
    LinkKeyChanged: _link_key,
    ItemProposed: _proposed,
    ProposalsRefused: _refused,
}
