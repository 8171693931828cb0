"""Checks a certificate against an export: replays the log, and says what agrees and differs."""

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET

from plaudit.proof.note import PublicKey
from plaudit.race import Race, Verdict
from plaudit.service.archive.certificate_forms import check_form, unknown_in_certificate
from plaudit.service.archive.report import Check, Report
from plaudit.service.archive.restore import restore_contest
from plaudit.service.archive.signatures import check_signatures
from plaudit.service.archive.superseded import recorded, superseded
from plaudit.service.archive.unknown_fields import unknown_in_export
from plaudit.service.contest.certificate import FIRST_FORMAT, SECOND_FORMAT, verdict_in
from plaudit.service.contest.events import ContestEvent, Exclusions, VerdictReached
from plaudit.service.contest.exclusions import exclusion_words, exclusions_block
from plaudit.service.contest.history import history_of
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


# Certificates from before they said what a verdict withstands and owes to excluded raters.
_EARLIER = (FIRST_FORMAT, SECOND_FORMAT)


def verify(
    certificate: dict[str, Any],
    export: Iterable[bytes],
    keys: Sequence[PublicKey] | None = None,
) -> Report:
    """Every comparison between a certificate and the export of its contest.

    `keys` are the public keys of the service; without, those that the export lists are taken.
    """
    check_form(certificate)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder) / "replay.db"))
        try:
            # Restoring checks the whole chain of the log, and that no rater voted twice.
            record = restore_contest(store, export)
            if record.name != certificate["contest"]:
                told = f"the certificate is of {certificate['contest']!r}, the export of "
                return Report((Check("contest", False, f"{told}{record.name!r}"),))
            return _compare(certificate, store, keys)
        finally:
            store.close()


def _compare(certificate: dict[str, Any], store: Store, keys: Sequence[PublicKey] | None) -> Report:
    name, lane, judged_at = (certificate[field] for field in ("contest", "lane", "judged_at"))
    history = history_of(store, name)
    contest = replay(store, name, until=judged_at)
    checks = _facts(certificate, contest)
    if all(check.agrees for check in checks):
        checks += [*_merges(contest), *_judge(certificate, contest.settings, contest)]
        checks.append(_in_the_log(certificate, recorded(history, lane, judged_at)))
    signed = check_signatures(certificate, store, keys)
    return Report(
        (_unknown(certificate, store), *checks, *signed.checks),
        superseded(history, lane, judged_at),
        signed_by=signed.signed_by,
        own_keys=bool(signed.signed_by) and keys is None,
    )


def _facts(certificate: dict[str, Any], contest: ContestState) -> list[Check]:
    """What the log says at the verdict, compared with what the certificate says."""
    settings = contest.settings
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
    return [
        Check(what, found == said, "" if found == said else f"the log says {found}, not {said}")
        for what, (found, said) in plain.items()
    ]


def _unknown(certificate: dict[str, Any], store: Store) -> Check:
    """The fields of the certificate and of the export that this version cannot check."""
    found = {"the certificate": unknown_in_certificate(certificate)} | unknown_in_export(
        store, certificate["contest"]
    )
    told = "; ".join(f"{where} has {', '.join(names)}" for where, names in found.items() if names)
    return Check("no unknown fields", not told, told)


def _in_the_log(certificate: dict[str, Any], found: ContestEvent | None) -> Check:
    """What the log itself says of the verdict, compared with what the certificate says."""
    what = "the verdict in the log"
    if found is None:
        return Check(what, True, "not in the export, which may have been written before it")
    said = verdict_in(certificate)
    if not isinstance(found, VerdictReached) or found.lane != said.lane:
        return Check(what, False, "the log goes on without such a verdict")
    wrong = [
        name
        for name in VerdictReached.__struct_fields__
        # Verdicts of early editions do not say where they were judged.
        if (name != "judged_at" or found.judged_at)
        and UNSET not in (getattr(said, name), getattr(found, name))
        and getattr(said, name) != getattr(found, name)
    ]
    return Check(what, not wrong, f"it has another {' and '.join(wrong)}" if wrong else "")


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
