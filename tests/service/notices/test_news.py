"""What is new in a contest: from its log, the clock, and what was told before."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plaudit.phrase import Phrase
from plaudit.service.desk.desk import Desk
from plaudit.service.moderation.suspicion import Reason, Suspect, Suspicions
from plaudit.service.notices.bodies import data_of, new_delivery
from plaudit.service.notices.kinds import KINDS, TEST
from plaudit.service.notices.mail_words import mail_of
from plaudit.service.notices.news import (
    AFTER,
    BEFORE,
    DAY,
    DURING,
    FLAG_PAUSE,
    HOUR,
    Notice,
    Sight,
    Told,
    news,
    patience,
    phase_of,
)
from plaudit.store import open_store
from plaudit.store.log import Kind
from plaudit.store.notices import Destination
from support.live_worker import NAME, START, Clock, WorkerUnderTest, create, settings, working

FRESH = Told(epoch=0, phase=BEFORE)


class Place:
    """A contest, its desk, and what is new in it."""

    def __init__(self, worker: WorkerUnderTest, clock: Clock) -> None:
        self.worker, self.clock = worker, clock
        self.desk = Desk(worker.store, clock=clock)
        self.told = FRESH

    def sight(self, suspicions: Suspicions | None = None) -> Sight:
        live = self.worker.settled()
        events = self.worker.store.events(NAME)[self.told.epoch :]
        last = self.worker.store.entries(NAME, after=live.contest.position - 1, limit=1)[0].at
        return Sight(live.snapshot(races=False), events, last, suspicions)

    def news(self, suspicions: Suspicions | None = None) -> list[Notice]:
        found, self.told = news(self.sight(suspicions), self.told, self.clock())
        assert news(self.sight(suspicions), self.told, self.clock()) == ([], self.told)
        return found

    def kinds(self) -> list[str]:
        return [notice.kind for notice in self.news()]


@pytest.fixture
def place(tmp_path: Path, request: Any) -> Iterator[Place]:
    store, clock = open_store(str(tmp_path / "news.db")), Clock()
    create(store, 6, clock=clock, **getattr(request, "param", {}))
    store.close()
    with working(str(tmp_path / "news.db"), clock) as worker:
        yield Place(worker, clock)


def test_steps_are_told_once_each(place: Place) -> None:
    assert place.kinds() == ["opened"]
    assert place.kinds() == []
    place.desk.step(NAME, "pause")
    place.desk.step(NAME, "open")
    assert place.kinds() == []
    place.desk.step(NAME, "close")
    place.desk.step(NAME, "reopen")
    place.desk.step(NAME, "close")
    assert place.kinds() == ["closed", "opened", "closed"]
    place.desk.step(NAME, "retire")
    assert place.kinds() == []


@pytest.mark.parametrize(
    "place", [{"opens": START + HOUR, "closes": START + 3 * HOUR}], indirect=True
)
def test_times_pass_without_a_step(place: Place) -> None:
    assert place.kinds() == []
    place.clock.now = START + HOUR
    (opened,) = place.news()
    assert (opened.kind, opened.facts) == ("opened", {"items": 6, "closes": START + 3 * HOUR})
    place.clock.now = START + 3 * HOUR
    (closed,) = place.news()
    facts = {"votes": 0, "raters": 0, "decided": False}
    assert (closed.kind, closed.facts) == ("closed", facts)
    place.desk.step(NAME, "close")
    assert place.kinds() == []


def test_what_raters_meet() -> None:
    plain, timed = settings(), settings(opens=10, closes=20)
    assert phase_of(plain, "draft", 0, AFTER) == BEFORE
    assert [phase_of(plain, "paused", 0, before) for before in (BEFORE, DURING)] == [BEFORE, DURING]
    assert [phase_of(timed, "open", at, AFTER) for at in (9, 10, 19, 20)] == [
        BEFORE, DURING, DURING, AFTER,
    ]  # fmt: skip
    assert phase_of(timed, "retired", 0, BEFORE) == AFTER


def flag(place: Place, item: int) -> None:
    while True:
        rater = place.worker.new_rater()
        for shown, ticket in place.worker.ask(rater, 3).items:
            if shown.number == item:
                place.worker.answer(rater, ticket, 3, Kind.FLAG)
                return


def test_flags_are_told_together_first_and_when_they_have_doubled(place: Place) -> None:
    place.news()
    flag(place, 2)
    flag(place, 4)
    (notice,) = place.news()
    assert notice.kind == "flagged"
    assert notice.facts == {
        "flagged": 2,
        "items": [
            {"item": 2, "id": "i3", "text": "caption 2", "flags": 1},
            {"item": 4, "id": "i5", "text": "caption 4", "flags": 1},
        ],
    }
    flag(place, 2)
    assert place.kinds() == []
    place.clock.now += FLAG_PAUSE
    (notice,) = place.news()
    assert notice.facts["items"] == [{"item": 2, "id": "i3", "text": "caption 2", "flags": 2}]
    place.clock.now += FLAG_PAUSE
    flag(place, 2)
    assert place.kinds() == []
    place.desk.withdraw(NAME, [4])
    assert place.kinds() == []


@pytest.mark.parametrize("place", [{"proposals": "held"}], indirect=True)
def test_that_proposals_wait_is_told_once_until_all_are_decided(place: Place) -> None:
    place.worker.vote_once(place.worker.new_rater(), lambda item: 1)
    place.news()
    first = place.desk.propose(NAME, 0, "Ice work").position
    (notice,) = place.news()
    assert (notice.kind, notice.facts) == ("proposed", {"waiting": 1, "texts": ["Ice work"]})
    second = place.desk.propose(NAME, 0, "Cold comfort").position
    assert place.kinds() == []
    place.desk.take_proposals(NAME, {first: None})
    assert place.kinds() == []
    place.desk.refuse_proposals(NAME, [second])
    assert place.kinds() == []
    place.desk.propose(NAME, 0, "Snow joke")
    assert place.kinds() == ["proposed"]


def test_a_verdict_names_its_winners(place: Place) -> None:
    place.news()
    while (
        place.worker.vote_once(place.worker.new_rater(), lambda item: 2 if item == 3 else 0)
        is not None
    ):
        pass
    place.worker.until_decided()
    (notice,) = place.news()
    assert notice.kind == "verdict"
    assert notice.facts["winners"] == [{"item": 3, "id": "i4", "text": "caption 3"}]
    assert notice.facts["algorithm"] == "lil-klucb"
    assert notice.facts["votes"] > 0
    place.clock.now += 2 * DAY
    assert place.kinds() == []  # a decided contest is not stuck


def test_suspects_are_told_once(place: Place) -> None:
    place.news()
    why = Reason("fast", Phrase("too fast"), 0.001)
    first = Suspicions([Suspect(3, 40, (why,))], [], 30)
    (notice,) = place.news(first)
    assert (notice.kind, notice.facts) == (
        "suspicious", {"raters": 1, "new": 1, "tests": {"fast": 1}},
    )  # fmt: skip
    more = Suspicions([*first.suspects, Suspect(9, 20, (why,))], [], 30)
    assert place.news(more)[0].facts["new"] == 1
    assert place.news(first) == []


def test_silence_is_told_once(place: Place) -> None:
    place.news()
    place.clock.now += DAY - 1
    assert place.kinds() == []
    place.clock.now += 1
    (notice,) = place.news()
    assert notice.facts == {"since": START, "quiet_ms": DAY, "votes": 0}
    place.clock.now += 9 * DAY
    assert place.kinds() == []
    place.worker.vote_once(place.worker.new_rater(), lambda item: 1)
    place.clock.now += DAY
    assert place.kinds() == ["stuck"]
    place.worker.vote_once(place.worker.new_rater(), lambda item: 1)
    place.desk.step(NAME, "pause")
    place.clock.now += DAY
    assert place.kinds() == []


def test_how_long_a_silence_is_too_long() -> None:
    assert patience(settings(), 0) == DAY
    assert patience(settings(closes=8 * HOUR), 0) == 2 * HOUR
    assert patience(settings(closes=HOUR), 0) == HOUR
    assert patience(settings(closes=30 * DAY), 0) == DAY


FACTS: dict[str, dict[str, Any]] = {
    "verdict": {
        "winners": [{"item": 1, "id": "i2", "text": "Ha\nha"}, {"item": 2, "id": "i3", "text": ""}],
        "votes": 9,
    },
    "opened": {"items": 3},
    "closed": {"votes": 9, "raters": 2, "decided": True},
    "flagged": {"items": [{"item": 1, "id": "i2", "text": "Rude", "flags": 4}], "flagged": 1},
    "proposed": {"waiting": 2, "texts": ["Ha\nha", "Ice"]},
    "suspicious": {"raters": 5, "new": 2, "tests": {}},
    "stuck": {"since": 0, "quiet_ms": 26 * HOUR, "votes": 3},
    "test": {},
}


@pytest.mark.parametrize("kind", [*KINDS, TEST])
def test_each_kind_has_a_body_and_a_letter(kind: str) -> None:
    destination = Destination(3, "c", "mail", "me@example.org", (kind,), b"", 0)
    made = new_delivery(destination, Notice(kind, 0, FACTS[kind]), "Tea", "https://x.org")
    assert made.body.startswith(f'{{"type": "{kind}", "timestamp": "1970-01-01T00:00:00.000Z"')
    data = data_of(made.body)
    assert (data["title"], data["url"]) == ("Tea", "https://x.org/c/c")
    subject, text = mail_of(kind, data)
    assert subject.startswith("[Plaudit] ")
    assert "Tea" in subject
    assert "https://x.org/desk/contests/c" in text
    assert text.isprintable() or "\n" in text
    told = {
        "verdict": "- i2: Ha ha\n- i3: (a picture)",
        "stuck": "26 h",
        "flagged": "- i2: Rude (4)",
        "proposed": "- Ha ha\n- Ice",
        "suspicious": "5, of them new: 2",
        "closed": "Decided: yes",
    }
    assert told.get(kind, "") in text


def test_two_notices_have_two_ids() -> None:
    destination = Destination(3, "c", "mail", "me@example.org", (), b"", 0)
    made = [new_delivery(destination, Notice("test", 0, {}), "t", "") for _ in range(2)]
    assert made[0].id != made[1].id
