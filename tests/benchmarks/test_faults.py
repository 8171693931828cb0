"""Runs of faults: the checker finds every broken promise that is planted, and a short run holds."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.faults import armed
from benchmarks.faults.checker import check
from benchmarks.faults.lateness import refusals
from benchmarks.faults.plan import WEIGHTS, plan
from benchmarks.faults.raters import Board
from benchmarks.faults.records import (
    Any_,
    Compared,
    Ended,
    Fault,
    Head,
    Held,
    History,
    Log,
    Sent,
    Shown,
    Told,
    Took,
    Trouble,
    Up,
    read_history,
)

from plaudit.service.contest.events import VerdictReached, to_log
from plaudit.store.log import ANSWERS, NONE, Entry, Kind, chain, first_digest

ROOT = Path(__file__).parents[2]
CONTEST, SETTINGS = "c", "{}"
KEYS = ["aa", "bb"]
# Rater, item, level; the first vote is sent at second 1, the next at second 2, and so on.
VOTES = [(0, 3, 2), (1, 3, 2), (0, 1, 0), (1, 1, 0)]
WINNERS = (3,)

Records = list[Any_]


def vote(position: int, rater: int, item: int, level: int) -> Entry:
    return Entry(position, Kind.VOTE, 1_000, rater, item, level, 0, 500, "")


def verdict(position: int, winners: tuple[int, ...] = WINNERS) -> Entry:
    event = to_log(VerdictReached(lane=0, winners=winners, delta=0.05), 2_000)
    return Entry(position, event.kind, event.at, NONE, NONE, NONE, NONE, NONE, event.payload)


def entries() -> list[Entry]:
    votes = [vote(place, *given) for place, given in enumerate(VOTES, 1)]
    return [*votes, verdict(len(votes) + 1)]


def log_of(entries: list[Entry], **given: Any) -> Log:
    """A log whose end is right for its entries."""
    digest = chain(first_digest(CONTEST, SETTINGS), entries).hex()
    epoch = sum(entry.kind not in ANSWERS for entry in entries)
    rows = [tuple(entry) for entry in entries]
    plain = {"position": len(entries), "epoch": epoch, "digest": digest, "refuted": []}
    return Log(CONTEST, SETTINGS, entries=rows, raters=KEYS, **(plain | given))


def numbered(entries: list[Entry]) -> list[Entry]:
    return [entry._replace(position=place) for place, entry in enumerate(entries, 1)]


def sent(place: int, rater: int, item: int, level: int, **given: Any) -> Sent:
    plain = {"sent": float(place), "got": place + 0.5, "status": 200, "recorded": level}
    return Sent("vote", CONTEST, KEYS[rater], item, level, **(plain | given))


def results(position: int) -> dict[str, Any]:
    seen = [entry for entry in entries()[:position] if entry.kind == Kind.VOTE]
    counts = {item: sum(entry.item == item for entry in seen) for item in (1, 3)}
    leaders = [{"item": item, "votes": votes} for item, votes in counts.items()]
    raters = len({entry.rater for entry in seen})
    shown = {"position": position, "votes": len(seen), "raters": raters}
    return shown | {"lanes": [{"leaders": leaders}]}


def sound() -> Records:
    """A history in which every promise was kept."""
    first = chain(first_digest(CONTEST, SETTINGS), entries()[:2]).hex()
    tried_before = sent(2, 1, 3, 0, status=0, got=2.1, recorded=-1)
    return [
        *(sent(place, *given) for place, given in enumerate(VOTES, 1)),
        tried_before,
        sent(3, 0, 1, 0, status=503, code="try_again", recorded=-1),
        Head(CONTEST, 2.9, 2, first),
        Shown(CONTEST, 4.0, 3, 3, None),
        Shown(CONTEST, 9.0, 5, 4, [3]),
        Told(CONTEST, 9.5),
        Fault("kill service", 2.0, 2.1, 3.5, 1.0),
        Ended(2.1, -9, wanted=True, ready=True, away=False),
        Ended(2.2, 2, wanted=False, ready=False, away=True),
        Compared(CONTEST, 10.0, 7, results(5), results(5)),
        log_of(entries()),
    ]


def test_a_sound_history_is_sound() -> None:
    assert check(sound()) == []


def with_log(log: Log | None) -> Records:
    return [*(each for each in sound() if not isinstance(each, Log)), *([log] if log else [])]


def without_heads(records: Records) -> Records:
    """The same without what else would tell of a changed log."""
    return [each for each in records if not isinstance(each, Head | Compared)]


def lost() -> Records:
    return without_heads(with_log(log_of(numbered(entries()[:2] + entries()[3:]))))


def doubled() -> Records:
    again = [*entries(), vote(6, *VOTES[0])]
    return with_log(log_of(again))


def changed() -> Records:
    """Another level than the one acknowledged, though it had been sent too."""
    other = entries()
    other[1] = other[1]._replace(level=0)
    return without_heads(with_log(log_of(other)))


def invented() -> Records:
    return with_log(log_of([*entries(), vote(6, 0, 5, 1)]))


def invented_level() -> Records:
    """A vote that was never answered stands at a level that nobody sent."""
    unanswered = [*sound()[:-1], sent(6, 0, 5, 1, status=0, recorded=-1)]
    return [*unanswered, log_of([*entries(), vote(6, 0, 5, 2)])]


def gap() -> Records:
    other = entries()
    other[3:] = [entry._replace(position=entry.position + 1) for entry in other[3:]]
    return with_log(log_of(other))


def cut_off() -> Records:
    """The log says that it is longer than it is."""
    return with_log(log_of(entries(), position=6))


def out_of_order() -> Records:
    """A vote stands before one that had been acknowledged before it was sent."""
    other = entries()
    return without_heads(with_log(log_of(numbered([other[0], other[2], other[1], *other[3:]]))))


def rewritten() -> Records:
    """Two votes of the same time change places after somebody has read the log."""
    records: Records = [
        msg if not isinstance(msg, Sent) else sent(1, KEYS.index(msg.rater), msg.item, msg.level)
        for msg in sound()
        if not (isinstance(msg, Sent) and msg.status != 200)
    ]
    other = entries()
    return [*records[:-1], log_of(numbered([other[1], other[0], *other[2:]]))]


def other_winners() -> Records:
    return [*sound(), Shown(CONTEST, 9.1, 5, 4, [1])]


def taken_back() -> Records:
    return [*sound(), Shown(CONTEST, 9.9, 6, 4, None)]


def never_recorded() -> Records:
    kept = [each for each in sound() if not isinstance(each, Shown | Compared | Log)]
    return [*kept, log_of(entries()[:4])]


def two_verdicts() -> Records:
    return with_log(log_of([*entries(), verdict(6)]))


def refuted() -> Records:
    return with_log(log_of(entries(), refuted=["winners: the log says 1"]))


def other_state() -> Records:
    return [*sound(), Compared(CONTEST, 11.0, 8, results(5) | {"votes": 3}, results(5))]


def miscounted() -> Records:
    """The service and the replay agree, and both are wrong."""
    wrong = results(5) | {"votes": 5}
    return [*sound(), Compared(CONTEST, 11.0, 8, wrong, wrong)]


def two_counts() -> Records:
    return [*sound(), Shown(CONTEST, 4.1, 3, 2, None)]


def ended_unasked() -> Records:
    return [*sound(), Ended(5.0, 0, wanted=False, ready=True, away=True)]


def ended_oddly() -> Records:
    return [*sound(), Ended(5.0, 1, wanted=True, ready=True, away=False)]


def strange_answer() -> Records:
    return [*sound(), sent(3, 0, 1, 0, status=500, code="internal", recorded=-1)]


def never_back() -> Records:
    return [*sound(), Fault("pause service", 5.0, 6.0)]


def back_late() -> Records:
    return [*sound(), Fault("pause service", 5.0, 6.0, 600.0, 594.0)]


def would_not_stop() -> Records:
    return [*sound(), Fault("stop service", 5.0, 6.0, 7.0, 1.0, "still there after 20 seconds")]


PLANTED: list[tuple[Callable[[], Records], set[str]]] = [
    (lost, {"lost"}),
    (lambda: without_heads(with_log(None)), {"lost"}),
    (doubled, {"doubled", "order"}),
    (changed, {"changed"}),
    (invented, {"invented"}),
    (invented_level, {"invented"}),
    (gap, {"gap"}),
    (cut_off, {"gap"}),
    (lambda: with_log(log_of(entries(), digest="00" * 32)), {"digest"}),
    (lambda: with_log(log_of(entries(), epoch=2)), {"epoch"}),
    (out_of_order, {"order"}),
    (rewritten, {"rewritten"}),
    (other_winners, {"verdict"}),
    (taken_back, {"verdict"}),
    (never_recorded, {"verdict"}),
    (two_verdicts, {"verdict"}),
    (refuted, {"verdict"}),
    (other_state, {"state"}),
    (miscounted, {"state"}),
    (two_counts, {"state"}),
    (ended_unasked, {"ended"}),
    (ended_oddly, {"ended"}),
    (strange_answer, {"answer"}),
    (never_back, {"unavailable"}),
    (back_late, {"unavailable"}),
    (would_not_stop, {"stop"}),
    (lambda: [*sound(), Trouble("stuck", "no vote", 9.0)], {"stuck"}),
]


@pytest.mark.parametrize(("planted", "kinds"), PLANTED)
def test_what_is_planted_is_found_and_nothing_else(
    planted: Callable[[], Records], kinds: set[str]
) -> None:
    assert {finding.kind for finding in check(planted())} == kinds


def test_a_history_file_is_checked_like_the_history(tmp_path: Path) -> None:
    history = History(tmp_path / "history.jsonl")
    for record in doubled():
        history.add(record)
    history.close()
    history.add(Told(CONTEST, 1.0))
    assert list(read_history(history.path)) == doubled() == history.records
    assert check(read_history(history.path)) == check(doubled())


@pytest.mark.parametrize("engine", WEIGHTS)
def test_a_seed_gives_the_same_faults_again(engine: str) -> None:
    def first(seed: int, round: int) -> list[Any]:
        return [each for each, _ in zip(plan(seed, round, engine), range(2_000), strict=False)]

    assert first(1, 1) == first(1, 1)
    assert first(1, 1) != first(1, 2)
    assert first(1, 1) != first(2, 1)
    assert {each.kind for each in first(1, 1)} == set(WEIGHTS[engine])


def test_the_time_without_a_vote() -> None:
    board = Board()
    board.acknowledged += [(1.0, 1.2), (2.0, 2.1), (2.5, 7.0), (8.0, 8.1), (8.05, 8.3)]
    # The answer at 7.0 was to a vote of before the fault's end.
    assert board.first_after(3.0) == 8.1
    assert board.first_after(8.2) is None
    assert board.gap(2.2, 8.1) == pytest.approx(7.0 - 2.2)
    assert board.gap(7.5, 8.1) == pytest.approx(0.6)


def refused(sent_at: float, got: float, port: int) -> Sent:
    return sent(0, 0, 1, 0, sent=sent_at, got=got, status=503, code="try_again", port=port)


def test_a_late_refusal_says_whose_time_it_was() -> None:
    """Time before a process serves, or in which it is stopped, is not the service's."""
    records: Records = [
        Took(7, 5001, 1.0),
        Up(8, 11.0),
        Took(8, 5001, 11.1),
        Took(8, 5002, 11.1),
        Held(8, 14.0, 18.0),
        Held(7, 20.0, 29.0),
        Fault("pause worker", 14.0, 18.0, 19.0, 1.0),
        refused(10.0, 12.5, 5001),  # came before process 8 served
        refused(13.9, 18.1, 5002),  # process 8 was stopped
        refused(20.0, 23.0, 5002),  # another process was
        refused(30.0, 33.0, 9999),  # nobody knows who had it
        sent(40, 0, 1, 0),
    ]
    found = refusals(records)
    assert [round(each.own, 3) for each in found] == [1.5, 0.2, 3.0, 3.0]
    assert [each.faults for each in found] == ["", "pause worker", "", ""]
    assert "1.00 s until a process served" in str(found[0])
    assert "4.00 s in which the process was stopped" in str(found[1])
    assert str(found[2]) == "3.00 s: 3.00 s its own (no fault near)"


def test_a_point_is_taken_by_one_process(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; sys.path.insert(0, sys.argv[1])\n"
        "from benchmarks.faults.armed import pass_point\n"
        "pass_point(pathlib.Path(sys.argv[2]), 'after-commit')"
    )

    def pass_it() -> int:
        return subprocess.run([sys.executable, "-c", code, str(ROOT), str(tmp_path)]).returncode

    assert pass_it() == 0
    armed.set_point(tmp_path, "after-commit")
    assert [pass_it(), pass_it()] == [-9, 0]
    assert len(list(tmp_path.glob("taken-after-commit-*"))) == 1


@pytest.mark.slow
@pytest.mark.parametrize("engine", WEIGHTS)
def test_a_short_run_of_faults(engine: str, tmp_path: Path) -> None:
    """Ten faults and more, with all that makes a long run: it keeps every promise."""
    command = [sys.executable, "-m", "benchmarks", "faults", "--engine", engine, "--json"]
    options = ["--kills", "10", "--seed", "5", "--folder", str(tmp_path)]
    source = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [*command, *options],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": source}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    (report,) = json.loads(done.stdout)
    measured = {row["what"]: row["measured"] for row in report["rows"]}
    assert measured["votes acknowledged"] > 100
    assert measured["lost"] == measured["doubled"] == measured["changed"] == 0
    assert int(report["grid"][-1][1]) >= 10
    (history,) = tmp_path.rglob("history.jsonl")
    records = list(read_history(history))
    assert check(records) == []
    # Whose time a late refusal was can be told: every connection is known to some process.
    known = {each.port for each in records if isinstance(each, Took)}
    answered = [each.port for each in records if isinstance(each, Sent) and each.status]
    assert set(answered) <= known
