"""What a certificate says of excluded raters: made, checked against the log, and lies caught."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from plaudit.service.archive.format import contest_lines
from plaudit.service.archive.report import Check
from plaudit.service.archive.verify import verify
from plaudit.service.contest.certificate import FORMAT, SECOND_FORMAT, make_certificate, verdict_in
from plaudit.service.contest.events import Exclusions, payload_of, to_log
from plaudit.service.contest.exclusions import exclusion_words, exclusions_of
from plaudit.service.contest.settings import Lane
from plaudit.service.desk.desk import Desk
from plaudit.service.live.loading import load_contest
from plaudit.store import Store, open_store
from plaudit.store.log import Answer, Kind
from support.live_worker import NAME, START, Clock, create

HONEST, CHEATS = 60, 8
Body = dict[str, Any]


def key_of(rater: int) -> bytes:
    return rater.to_bytes(16, "big")


def vote(rater: int, item: int, level: int) -> Answer:
    return Answer(Kind.VOTE, key_of(rater), item, level, 0, START, 900)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Item 0 is best by far; eight raters vote the other way round. Nobody is excluded yet."""
    store = open_store(str(tmp_path / "exclusions.db"))
    create(store, 3, epsilon=0.3, delta=0.2, lanes=(Lane("plaudit"),))
    fair = [vote(n, item, 2 if item == 0 else 0) for n in range(HONEST) for item in range(3)]
    odd = [
        vote(HONEST + n, item, 0 if item == 0 else 2) for n in range(CHEATS) for item in range(3)
    ]
    store.append_answers(NAME, fair + odd)
    yield store
    store.close()


def certificate(store: Store) -> Body:
    """The certificate of the verdict that is due, as a file has it."""
    live = load_contest(store, NAME)
    ((lane, verdict),) = live.verdict_due()
    race = live.races[lane]
    made = make_certificate(NAME, live.settings, live.contest, race, lane=lane, verdict=verdict)
    body: Body = json.loads(json.dumps(made))
    return body


def checked(store: Store, body: Body) -> dict[str, Check]:
    return {check.what: check for check in verify(body, contest_lines(store, NAME))}


def few(store: Store, grounds: str = "votes") -> Body:
    """The certificate after two of the cheats were excluded."""
    Desk(store, clock=Clock()).exclude(NAME, HONEST, HONEST + 1, grounds=grounds)
    return certificate(store)


def test_few_excluded_votes_leave_the_same_verdict(store: Store) -> None:
    body = few(store)
    said = body["exclusions"]
    assert (said["raters"], said["by_votes"], said["same"]) == (2, 2, True)
    assert said["grounds"] == {"votes": [HONEST, HONEST + 1]}
    assert said["votes"] == {"0": [2, 0, 0], "1": [0, 0, 2], "2": [0, 0, 2]}
    checks = checked(store, body)
    assert all(check.agrees for check in checks.values())
    told = checks["what it owes to excluded raters"].detail
    assert told == "The same with or without the 2 excluded raters."


def test_a_verdict_that_needs_the_exclusion_rests_on_it(store: Store) -> None:
    more = [vote(500 + n, item, 0 if item == 0 else 2) for n in range(60) for item in range(3)]
    store.append_answers(NAME, more)
    assert load_contest(store, NAME).verdict_due() == []
    everyone = range(HONEST, HONEST + CHEATS + 60)
    Desk(store, clock=Clock()).exclude(NAME, *everyone)
    body = certificate(store)
    assert body["exclusions"]["same"] is False
    checks = checked(store, body)
    assert all(check.agrees for check in checks.values())
    told = checks["what it owes to excluded raters"].detail
    assert told == "Rests on excluding 68 raters because of how they voted."


@pytest.mark.parametrize("grounds", ["speed", "address", "robot"])
def test_other_grounds_cost_nothing(store: Store, grounds: str) -> None:
    body = few(store, grounds)
    said = body["exclusions"]
    assert (said["raters"], said["by_votes"], said["same"], said["votes"]) == (2, 0, True, {})
    told = checked(store, body)["what it owes to excluded raters"].detail
    assert told == "2 raters were excluded, none because of how they voted."


def test_nobody_excluded_and_somebody_erased(store: Store) -> None:
    told = checked(store, certificate(store))["what it owes to excluded raters"].detail
    assert told == "nobody was excluded"
    Desk(store, clock=Clock()).erase(NAME, HONEST)
    body = certificate(store)
    assert body["exclusions"]["grounds"] == {"erased": [HONEST]}
    assert checked(store, body)["what it owes to excluded raters"].detail == "nobody was excluded"


@pytest.mark.parametrize(
    ("lie", "caught"),
    [
        ({"same": False}, "what it owes to excluded raters"),
        ({"raters": 3}, "what it owes to excluded raters"),
        ({"by_votes": 1}, "what it owes to excluded raters"),
        ({"grounds": {"speed": [HONEST, HONEST + 1]}}, "why raters are excluded"),
        ({"grounds": {"votes": [HONEST]}}, "why raters are excluded"),
        ({"votes": {"0": [1, 0, 0]}}, "votes of those excluded by votes"),
        ({"votes": {}}, "votes of those excluded by votes"),
    ],
)
def test_a_lie_about_exclusions_is_caught(store: Store, lie: Body, caught: str) -> None:
    body = few(store)
    checks = checked(store, body | {"exclusions": body["exclusions"] | lie})
    assert {what for what, check in checks.items() if not check.agrees} == {caught}


def test_certificates_of_the_second_format_verify_as_before(store: Store) -> None:
    body = few(store) | {"format": SECOND_FORMAT}
    for later in ("exclusions", "tolerance", "withstands"):
        del body[later]
    checks = checked(store, body)
    assert all(check.agrees for check in checks.values())
    assert "what it owes to excluded raters" not in checks


def test_the_event_of_a_verdict_has_the_gist_and_old_ones_their_bytes(store: Store) -> None:
    body = few(store)
    assert body["format"] == FORMAT
    event = verdict_in(body)
    assert event.exclusions == Exclusions(2, 2, same=True)
    written = json.loads(payload_of(event))
    assert written["exclusions"] == {"raters": 2, "by_votes": 2, "same": True}
    old = '{"lane":0,"judged_at":9,"winners":[2],"delta":0.05,"epsilon":0.0,"top":1,"votes":4,'
    read = msgspec.json.decode(old + '"gap":null}', type=type(event))
    assert payload_of(read) == old + '"gap":null}'


def test_a_verdict_of_an_earlier_edition_claims_nothing_of_those_excluded(store: Store) -> None:
    body = few(store)
    del body["exclusions"]
    event = verdict_in(body)
    epoch = store.contest(NAME).epoch
    store.append_event(NAME, to_log(event, START), epoch=epoch)
    contest = load_contest(store, NAME).contest
    owed = exclusions_of(contest, contest.verdicts[0])
    assert owed == Exclusions(2, 2, same=False)
    assert str(exclusion_words(owed)) == "Rests on excluding 2 raters because of how they voted."


@pytest.mark.parametrize(
    ("owed", "words"),
    [
        (Exclusions(0, 0, same=True), None),
        (Exclusions(1, 0, same=True), "One rater was excluded, not because of how they voted."),
        (Exclusions(1, 1, same=True), "The same with or without the excluded rater."),
        (Exclusions(1, 1, same=False), "Rests on excluding one rater because of how they voted."),
        (
            Exclusions(1200, 8, same=True),
            "The same with or without the raters excluded because of how they voted (8 of 1,200 "
            "excluded).",
        ),
    ],
)
def test_words_for_every_case(owed: Exclusions, words: str | None) -> None:
    found = exclusion_words(owed)
    assert (None if found is None else str(found)) == words
