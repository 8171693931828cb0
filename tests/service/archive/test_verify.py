"""Certificates of earlier versions, checked by this one.

`data/` has a certificate and its export, written by a version whose algorithm `plaudit` stopped
by products of evidence: three items, 134 raters, a verdict while two intervals overlap.
"""

import json
from pathlib import Path

import pytest

from plaudit.errors import InvalidInput
from plaudit.service.archive.restore import restore_contest
from plaudit.service.archive.verify import OVERLAP, PRODUCTS, replay, verify
from plaudit.service.contest.certificate import (
    FIRST_FORMAT,
    FORMAT,
    SECOND_FORMAT,
    verdict_in,
)
from plaudit.service.contest.races import race_of
from plaudit.service.contest.standings import intervals_overlap, standings_of
from plaudit.store import open_store

DATA = Path(__file__).parent / "data"
CERTIFICATE = json.loads((DATA / "products_certificate.json").read_text(encoding="utf-8"))
EXPORT = (DATA / "products_export.jsonl").read_bytes()


def test_a_certificate_by_products_still_verifies_and_says_so() -> None:
    assert (CERTIFICATE["format"], "stopping" in CERTIFICATE) == (FIRST_FORMAT, False)
    assert CERTIFICATE["upper"][1] > CERTIFICATE["lower"][0]
    checks = verify(CERTIFICATE, [EXPORT])
    assert [check for check in checks if not check.agrees] == []
    details = {check.what: check.detail for check in checks}
    assert details["stopping"] == PRODUCTS
    # Two intervals overlap, and it is said why there is a verdict nevertheless.
    assert details["the evidence separates the winners"].endswith(OVERLAP)


def test_the_same_votes_do_not_verify_as_a_verdict_by_separation() -> None:
    checks = verify(CERTIFICATE | {"format": SECOND_FORMAT, "stopping": "separation"}, [EXPORT])
    failed = {check.what for check in checks if not check.agrees}
    assert "the bounds separate the winners" in failed


def test_what_is_said_of_the_stopping_must_be_so() -> None:
    for given in ({"format": SECOND_FORMAT, "stopping": "evidence"}, {"stopping": "separation"}):
        checks = verify(CERTIFICATE | given, [EXPORT])
        assert "stopping" in {check.what for check in checks if not check.agrees}
    with pytest.raises(InvalidInput, match="stopping"):
        verify(CERTIFICATE | {"format": SECOND_FORMAT}, [EXPORT])


def test_a_certificate_of_now_must_say_what_it_owes_to_excluded_raters() -> None:
    with pytest.raises(InvalidInput, match="exclusions"):
        verify(CERTIFICATE | {"format": FORMAT, "stopping": "separation"}, [EXPORT])


def test_the_results_say_why_a_verdict_stands_while_intervals_overlap(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "replay.db"))
    name = restore_contest(store, [EXPORT]).name
    contest = replay(store, name, until=10**9)
    contest.verdicts[0] = verdict_in(CERTIFICATE)
    race = race_of(contest.settings, contest, 0)
    said = str(standings_of(contest.settings, contest, race, 0).claim)
    assert "no other item is better than this one. Some intervals overlap now. The verdict" in said
    # A slack as large as the overlap needs no reason.
    table = race.intervals()
    overlap = float(table.upper[1:].max() - table.lower[0])
    assert intervals_overlap(table, (0,), (), overlap - 1e-6)
    assert not intervals_overlap(table, (0,), (), overlap)
    assert not intervals_overlap(table, (0,), (1, 2), 0.0)
    store.close()
