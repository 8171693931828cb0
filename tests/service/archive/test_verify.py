"""Certificates of earlier versions, checked by this one.

`data/` has a certificate and its export, written by a version whose algorithm `plaudit` stopped
by products of evidence: three items, 134 raters, a verdict while two intervals overlap.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plaudit.errors import ArchiveDamaged, InvalidInput
from plaudit.service.archive.format import contest_lines
from plaudit.service.archive.restore import restore_contest
from plaudit.service.archive.verify import OVERLAP, PRODUCTS, replay, verify
from plaudit.service.contest.certificate import (
    FIRST_FORMAT,
    FORMAT,
    SECOND_FORMAT,
    make_certificate,
    verdict_in,
)
from plaudit.service.contest.events import to_log
from plaudit.service.contest.races import race_of
from plaudit.service.contest.settings import Lane
from plaudit.service.contest.standings import intervals_overlap, standings_of
from plaudit.service.desk.desk import Desk
from plaudit.service.live.loading import load_contest
from plaudit.store import Store, open_store
from plaudit.store.contract import Item
from plaudit.store.log import Answer, Event, Kind
from support.live_worker import NAME, START, Clock, create

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


def decided(tmp_path: Path) -> tuple[Store, Desk, dict[str, Any]]:
    """A contest whose verdict is in its log, with its certificate."""
    store = open_store(str(tmp_path / "decided.db"))
    create(store, 4, epsilon=0.3, delta=0.2, lanes=(Lane("plaudit"),), tolerance=1.0)
    cast(store, range(60))
    return store, Desk(store, clock=Clock()), reach_verdict(store)


def cast(store: Store, raters: range) -> None:
    votes = [(n, item, 2 if item == 0 else 0) for n in raters for item in range(4)]
    store.append_answers(
        NAME,
        [Answer(Kind.VOTE, n.to_bytes(16, "big"), i, v, 0, START, 900) for n, i, v in votes],
    )


def reach_verdict(store: Store) -> dict[str, Any]:
    live = load_contest(store, NAME)
    ((lane, verdict),) = live.verdict_due()
    made = make_certificate(
        NAME, live.settings, live.contest, live.races[lane], lane=lane, verdict=verdict
    )
    store.append_event(NAME, to_log(verdict_in(made), START), epoch=store.contest(NAME).epoch)
    body: dict[str, Any] = json.loads(json.dumps(made))
    return body


def test_a_verdict_stands_while_nothing_takes_it_back(tmp_path: Path) -> None:
    store, desk, body = decided(tmp_path)
    desk.change(NAME, {"title": "Another title"})
    cast(store, range(100, 105))
    desk.step(NAME, "close")
    report = verify(body, contest_lines(store, NAME))
    assert (report.agrees, report.holds, report.superseded) == (True, True, None)
    assert {check.what: check.detail for check in report}["the verdict in the log"] == ""
    store.close()


STEPS: dict[str, tuple[Callable[[Desk], object], str]] = {
    "excluded": (lambda desk: desk.exclude(NAME, 3, grounds="speed"), "excluded rater 3 because"),
    "erased": (lambda desk: desk.erase(NAME, 3), "erased rater 3"),
    "withdrawn": (lambda desk: desk.withdraw(NAME, [2]), "withdrew item i3"),
    "added": (lambda desk: desk.add_items(NAME, [Item(0, "late")]), "added item i5"),
    "merged": (lambda desk: desk.replace(NAME, [1, 2], "b", keep_votes=True), "merged items i2"),
    "tolerance": (lambda desk: desk.change(NAME, {"tolerance": 2.0}), "changed tolerance"),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_verdict_that_a_later_step_took_back_is_superseded(tmp_path: Path, step: str) -> None:
    store, desk, body = decided(tmp_path)
    take, words = STEPS[step]
    take(desk.revoking())
    entry = store.contest(NAME).position
    report = verify(body, contest_lines(store, NAME))
    assert (report.agrees, report.holds) == (True, False)
    gone = report.superseded
    assert gone is not None
    assert (gone.entry, gone.later) == (entry, None)
    assert str(gone.words).startswith(f"Superseded at entry {entry}, by a step that {words}")
    assert str(gone.words).endswith("No verdict stands now.")
    store.close()


def test_undoing_does_not_bring_a_verdict_back_and_a_later_one_is_named(tmp_path: Path) -> None:
    store, desk, body = decided(tmp_path)
    out = desk.revoking().exclude(NAME, 3, grounds="speed").position
    desk.undo(NAME, out)
    again = reach_verdict(store)
    entry = store.contest(NAME).position
    gone = verify(body, contest_lines(store, NAME)).superseded
    assert gone is not None
    assert (gone.entry, gone.later, gone.winners) == (out, entry, (0,))
    assert str(gone.words).endswith(f"The verdict at entry {entry} stands now.")
    assert verify(again, contest_lines(store, NAME)).holds
    store.close()


def test_unknown_fields_are_named(tmp_path: Path) -> None:
    store, _, body = decided(tmp_path)
    lied = body | {"note": "trust me", "settings": body["settings"] | {"prize": 1}}
    lied["exclusions"] = body["exclusions"] | {"why": "x"}
    (unknown,) = [c for c in verify(lied, contest_lines(store, NAME)) if "unknown" in c.what]
    assert unknown.detail == "the certificate has exclusions.why, note, settings.prize"
    event = Event(Kind.STATE, START, '{"state":"open","mood":"good"}')
    store.append_event(NAME, event, epoch=store.contest(NAME).epoch)
    report = verify(body, contest_lines(store, NAME))
    (unknown,) = [check for check in report if not check.agrees]
    assert unknown.detail == f"entry {store.contest(NAME).position} of the export has mood"
    store.close()


def test_a_verdict_that_the_log_has_otherwise_differs(tmp_path: Path) -> None:
    store, _, body = decided(tmp_path)
    lines = b"".join(contest_lines(store, NAME))
    _, _, other = lines.rpartition(b'\\"votes\\":')
    said = other[: other.index(b",")]
    wrong = lines.replace(b'\\"votes\\":' + said, b'\\"votes\\":7')
    assert wrong != lines
    with pytest.raises(ArchiveDamaged, match=r"differs|digest|chain"):
        verify(body, [wrong])
    store.close()
