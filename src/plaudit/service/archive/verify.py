"""Checks a certificate against an export: replays the log, and says what agrees and differs."""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta, Struct

from plaudit.errors import InvalidInput
from plaudit.race import Race, Verdict
from plaudit.service.archive.restore import restore_contest
from plaudit.service.contest.certificate import (
    FIRST_FORMAT,
    FORMAT,
    SECOND_FORMAT,
    SIGNED_FORMAT,
)
from plaudit.service.contest.changes import current_settings
from plaudit.service.contest.events import Exclusions
from plaudit.service.contest.exclusions import exclusion_words, exclusions_block
from plaudit.service.contest.races import race_of
from plaudit.service.contest.replay import PAGE, empty_state, read_batch
from plaudit.service.contest.settings import ContestSettings
from plaudit.service.contest.standings import intervals_overlap
from plaudit.service.contest.state import ContestState
from plaudit.store import open_store
from plaudit.store.contract import Store

# Bounds are computed again; another processor may round the last digits differently.
CLOSE = 1e-9
PRODUCTS = "products of evidence, as earlier versions stopped: proven for independent votes"
OVERLAP = "; some intervals overlap, as the votes on two items were judged together"


class Check(NamedTuple):
    """One thing that was compared."""

    what: str
    agrees: bool
    detail: str = ""


class _Form(Struct):
    """The fields that a certificate must have, so that it can be compared."""

    contest: str
    settings: dict[str, Any]
    lane: Annotated[int, Meta(ge=0)]
    judged_at: Annotated[int, Meta(ge=0)]
    digest: str
    items: int
    withdrawn: list[int]
    excluded: list[int]
    counts: list[list[Annotated[int, Meta(ge=0, le=2**62)]]]
    winners: list[int]
    delta: float | None
    epsilon: float
    top: int
    algorithm: str
    votes: int
    gap: float | None
    lower: list[float | None]
    upper: list[float | None]
    epoch: int
    initial_items: int
    absent: list[int]
    joined: list[int]
    pools: dict[str, list[int]]


class _SecondForm(_Form):
    """The same of a certificate that says what the race stopped by."""

    stopping: str


class _Excluded(Struct):
    """What a certificate says of excluded raters."""

    raters: int
    by_votes: int
    same: bool
    grounds: dict[str, list[int]]
    votes: dict[str, list[int]]


class _FormNow(_SecondForm):
    """The same of a certificate that says what a verdict withstands and owes to excluded raters."""

    exclusions: _Excluded
    tolerance: Annotated[int, Meta(ge=0)]
    withstands: int | None


_FORMS = {
    FIRST_FORMAT: _Form,
    SECOND_FORMAT: _SecondForm,
    FORMAT: _FormNow,
    SIGNED_FORMAT: _FormNow,
}
_EARLIER = (FIRST_FORMAT, SECOND_FORMAT)


def verify(certificate: dict[str, Any], export: Iterable[bytes]) -> list[Check]:
    """Every comparison between a certificate and the export of its contest."""
    if certificate.get("format") not in [*_FORMS]:
        raise InvalidInput(f"This is not a certificate: it does not say {FORMAT!r}.")
    try:
        msgspec.convert(certificate, _FORMS[certificate["format"]])
    except msgspec.ValidationError as error:
        raise InvalidInput(f"This is not a whole certificate: {error}.") from None
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder) / "replay.db"))
        try:
            # Restoring checks the whole chain of the log, and that no rater voted twice.
            record = restore_contest(store, export)
            if record.name != certificate["contest"]:
                return [Check("contest", False, f"the export is of {record.name!r}")]
            return _compare(certificate, store)
        finally:
            store.close()


def _compare(certificate: dict[str, Any], store: Store) -> list[Check]:
    name = certificate["contest"]
    record = store.contest(name)
    contest = replay(store, name, until=certificate["judged_at"])
    settings = current_settings(record.settings, contest.changes)
    plain = {
        "position": (contest.position, certificate["judged_at"]),
        "settings": (msgspec.json.decode(settings.to_json()), certificate["settings"]),
        "digest of the log": (contest.digest.hex(), certificate["digest"]),
        "events": (contest.epoch, certificate["epoch"]),
        "items": (contest.items, certificate["items"]),
        "items at the start": (contest.initial, certificate["initial_items"]),
        "algorithm": (
            [lane.algorithm for lane in settings.lanes][certificate["lane"] :][:1],
            [certificate["algorithm"]],
        ),
        "withdrawn items": (sorted(contest.withdrawn), certificate["withdrawn"]),
        "items out at the start": (sorted(contest.absent), certificate["absent"]),
        "items that joined": (contest.joined, certificate["joined"]),
        "merged items": (
            {str(n): list(members) for n, members in contest.pools.stand_ins.items()},
            certificate["pools"],
        ),
        "excluded raters": (sorted(contest.excluded), certificate["excluded"]),
    }
    checks = [
        Check(what, found == said, "" if found == said else f"the log says {found}, not {said}")
        for what, (found, said) in plain.items()
    ]
    if not all(check.agrees for check in checks):
        return checks
    return [*checks, *_merges(contest), *_judge(certificate, settings, contest)]


def _merges(contest: ContestState) -> list[Check]:
    """What the log says against condition (B) of merges, if there are merges."""
    if not contest.pools.stand_ins:
        return []
    rivals = contest.rival_sets()
    detail = "; ".join(
        f"items {', '.join(map(str, one))} and later items {', '.join(map(str, other))} were "
        "merged in one place, and the total error covers one of the two"
        for one, other in rivals
    )
    return [Check("one set of each size merged in a place", not rivals, detail)]


def _judge(
    certificate: dict[str, Any], settings: ContestSettings, contest: ContestState
) -> list[Check]:
    lane = certificate["lane"]
    same = contest.race_counts(lane).tolist() == certificate["counts"]
    old = _multiplied_evidence(certificate)
    race = race_of(settings, contest, lane, stopping="evidence" if old else None)
    stopping = race.engine.method.algorithm.stopping
    verdict, table = race.verdict(), race.intervals()
    # If the question is which items are good, their number is part of the answer.
    top = verdict.top if settings.wants_all_good else settings.top
    asked = (top, settings.epsilon, settings.lanes[lane].algorithm)
    said = (certificate["top"], certificate["epsilon"], certificate["algorithm"])
    overlap = old and intervals_overlap(table, verdict.items, contest.withdrawn, settings.epsilon)
    return [
        Check("votes of every item", same),
        Check("votes", verdict.votes == certificate["votes"], f"{verdict.votes:,}"),
        Check("question", asked == said, f"{asked}"),
        Check(
            "stopping",
            certificate.get("stopping", stopping) == stopping,
            PRODUCTS if old else stopping,
        ),
        Check("total error", verdict.delta == certificate["delta"], f"{verdict.delta}"),
        Check("lower bounds", _close(table.lower, certificate["lower"])),
        Check("upper bounds", _close(table.upper, certificate["upper"])),
        Check(
            "the evidence separates the winners" if old else "the bounds separate the winners",
            bool(verdict),
            f"gap {verdict.gap:.6g}{OVERLAP if overlap else ''}",
        ),
        Check("gap", _close(np.array([verdict.gap]), [certificate["gap"]])),
        Check("winners", sorted(verdict.items) == sorted(certificate["winners"])),
        *_check_dishonest(certificate, verdict),
        *_check_exclusions(certificate, contest, race, verdict.items),
    ]


def _check_dishonest(certificate: dict[str, Any], verdict: Verdict) -> list[Check]:
    """How many dishonest raters the verdict withstands, if the certificate says it."""
    if certificate["format"] in _EARLIER:
        return []
    said = (certificate["tolerance"], certificate["withstands"])
    found = (verdict.tolerance, verdict.withstands)
    return [Check("dishonest raters that it withstands", found == said, f"{found[1]}")]


def _check_exclusions(
    certificate: dict[str, Any], contest: ContestState, race: Race, winners: tuple[int, ...]
) -> list[Check]:
    """What the certificate says of excluded raters, if it does, compared with the log."""
    if certificate["format"] in _EARLIER:
        return []
    said = certificate["exclusions"]
    found = exclusions_block(contest, race, certificate["lane"], winners)
    kept = {"grounds": "why raters are excluded", "votes": "votes of those excluded by votes"}
    words = exclusion_words(msgspec.convert(found, Exclusions))
    return [
        *(Check(what, found[name] == said[name]) for name, what in kept.items()),
        Check(
            "what it owes to excluded raters",
            _without(found, kept) == _without(said, kept),
            "nobody was excluded" if words is None else str(words),
        ),
    ]


def _without(block: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name, value in block.items() if name not in names}


def _multiplied_evidence(certificate: dict[str, Any]) -> bool:
    """Whether a certificate is from a time when `plaudit` multiplied the evidence of two items."""
    kind = (certificate["algorithm"], certificate["format"])
    return kind == ("plaudit", FIRST_FORMAT)


def replay(store: Store, name: str, *, until: int) -> ContestState:
    """The contest after the first `until` entries of its log."""
    contest = empty_state(store.contest(name))
    while contest.position < until:
        limit = min(PAGE, until - contest.position)
        batch = read_batch(store, name, after=contest.position, items_from=None, limit=limit)
        if not batch.entries:
            break
        contest.apply(batch.entries, batch.answers_of, answers_on=batch.answers_on)
    return contest


def _close(found: np.ndarray[Any, Any], said: list[float | None]) -> bool:
    given = np.array([np.nan if bound is None else bound for bound in said], dtype=float)
    return found.shape == given.shape and bool(np.allclose(found, given, rtol=0.0, atol=CLOSE))
