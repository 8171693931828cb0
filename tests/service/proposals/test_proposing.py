"""Proposals of raters: limits, duplicates, who decides, and that nothing is lost or there twice."""

import csv
import io
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from plaudit.errors import (
    ArchiveDamaged,
    EpochMoved,
    InvalidInput,
    NotAllowed,
    NotPermitted,
    ProposalRefused,
    VerdictStands,
)
from plaudit.service.accounts.roles import Actor
from plaudit.service.archive.check import ArchiveCheck
from plaudit.service.archive.format import contest_lines
from plaudit.service.archive.proposals_csv import proposals_csv
from plaudit.service.archive.restore import restore_contest
from plaudit.service.contest.events import VerdictReached, to_log
from plaudit.service.contest.proposers import proposals_left
from plaudit.service.contest.races import race_of
from plaudit.service.contest.replay import empty_state, load_state, put_snapshot
from plaudit.service.contest.settings import Lane
from plaudit.service.desk.desk import Desk
from plaudit.service.desk.trail import trail_of
from plaudit.service.intake.contest_form import FormMistakes, read_form
from plaudit.service.intake.filled_form import DEFAULTS
from plaudit.service.intake.near_duplicates import LEAST, plain_text, trigrams
from plaudit.service.proposals.own import own_proposals
from plaudit.service.proposals.proposing import NearText, Proposed, Proposing
from plaudit.service.proposals.queue import queue_of
from plaudit.store import Store, open_store
from plaudit.store.contract import ContestRecord, Item
from plaudit.store.log import Answer, Entry, Kind
from support.live_worker import NAME, START, Clock, create, settings, working

ANA = Actor(1, "Ana", "editor")
VICTOR = Actor(2, "Victor", "viewer")


class Made:
    """A contest in a store, five raters who have voted, and what takes proposals."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.desk = Desk(store, clock=Clock())
        self.proposing = Proposing(store, self.desk)

    def contest(self, **given: Any) -> "Made":
        create(self.store, 6, **{"proposals": "held"} | given)
        answers = [
            Answer(Kind.VOTE, bytes([n]) * 16, item, n % 3, 0, START, 9)
            for n in range(5)
            for item in range(3)
        ]
        self.store.append_answers(NAME, answers)
        return self

    def propose(self, rater: int, text: str, *, anyway: bool = False) -> Proposed:
        return self.proposing.propose(NAME, rater, text, anyway=anyway)

    def refused(self, rater: int, text: str) -> str:
        with pytest.raises(ProposalRefused) as found:
            self.propose(rater, text)
        return found.value.code

    @property
    def state(self) -> Any:
        return load_state(self.store, NAME)

    def queue(self, **given: Any) -> Any:
        return queue_of(self.store, self.proposing, self.desk.history(NAME), **given)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    store = open_store(str(tmp_path / "proposals.db"))
    yield Made(store)
    store.close()


# Taking them


def test_a_proposal_waits_and_becomes_an_item_of_its_own_text_or_a_better_one(made: Made) -> None:
    made.contest()
    one = made.propose(0, "  A snowball's\r\nchance ")
    other = made.propose(1, "Ice work if you can get it")
    assert (one.standing, one.item) == ("waiting", -1)
    assert made.state.items == 6
    texts = {one.proposal: None, other.proposal: "Ice work, if you can get it."}
    made.desk.take_proposals(NAME, texts, by=ANA)
    assert [item.text for item in made.store.items(NAME, first=6)] == [
        "A snowball's\nchance",
        "Ice work, if you can get it.",
    ]
    # Both texts are kept.
    assert [(line.text, line.item_text) for line in made.queue()][1] == (
        "Ice work if you can get it", "Ice work, if you can get it.",
    )  # fmt: skip
    assert made.state.joined == [6, 7]
    assert made.queue(waiting=True) == []
    step = trail_of(made.store, NAME).steps[0]
    assert (step.who, str(step.what)) == ("Ana", "took in items i7 and i8, which raters proposed")


def test_at_once_joins_by_itself_but_what_was_held_before_goes_on_waiting(made: Made) -> None:
    """An editor who has not looked at it yet did not agree to it by changing the setting."""
    made.contest()
    held = made.propose(0, "Rude words that nobody has looked at")
    made.desk.change(NAME, {"proposals": "at-once"})
    joined = made.propose(1, "A snowball's chance")
    assert (joined.standing, joined.item) == ("taken", 6)
    assert made.state.proposals[held.proposal].waits
    step = trail_of(made.store, NAME).steps[0]
    assert (step.who, str(step.what)) == ("Plaudit", "took in item i7, which raters proposed")


def test_what_an_excluded_rater_proposes_waits_and_says_so(made: Made) -> None:
    made.contest(proposals="at-once")
    made.desk.exclude(NAME, 2)
    assert made.propose(2, "From somebody excluded").standing == "waiting"
    assert made.propose(3, "From somebody else").standing == "taken"
    assert [(line.rater, line.excluded, line.standing) for line in made.queue()] == [
        (2, True, "waiting"), (3, False, "taken"),
    ]  # fmt: skip


def test_a_refusal_says_why_and_is_undone_and_redone(made: Made) -> None:
    made.contest()
    first = made.propose(0, "One that nobody understands").proposal
    step = made.desk.refuse_proposals(NAME, [first], "unclear", "Who is it?", by=ANA)
    (own,) = own_proposals(made.state, 0)
    assert str(own.sentence) == "It was not taken. It is hard to understand."
    assert own.proposal.note == "Who is it?"
    with pytest.raises(NotAllowed, match="decided already"):
        made.desk.take_proposals(NAME, {first: None}, by=ANA)
    undone = made.desk.undo(NAME, step.position, by=ANA)
    assert str(own_proposals(made.state, 0)[0].sentence) == "It waits to be looked at."
    made.desk.undo(NAME, undone.position, by=ANA)
    assert made.state.proposals[first].note == "Who is it?"
    with pytest.raises(NotAllowed, match="undone already"):
        made.desk.undo(NAME, undone.position, by=ANA)


def test_taking_is_undone_by_the_trail_and_its_author_reads_it(made: Made) -> None:
    made.contest()
    first = made.propose(0, "A snowball's chance").proposal
    step = made.desk.take_proposals(NAME, {first: None}, by=ANA)
    assert str(own_proposals(made.state, 0)[0].sentence) == "It is in the contest, as item i7."
    made.desk.undo(NAME, step.position, by=ANA)
    (own,) = own_proposals(made.state, 0)
    assert str(own.sentence) == "It was in the contest, and was taken out again."
    assert made.refused(1, "a snowball's CHANCE") == "item_known"
    # An item that was merged is part of one that stands for it.
    made.desk.restore(NAME, [6], by=ANA)
    made.desk.replace(NAME, [5, 6], "both", keep_votes=True, by=ANA)
    assert own_proposals(made.state, 0)[0].standing == "taken"


def test_only_editors_decide_and_reasons_are_those_that_there_are(made: Made) -> None:
    made.contest()
    first = made.propose(0, "A snowball's chance").proposal
    with pytest.raises(NotPermitted):
        made.desk.take_proposals(NAME, {first: None}, by=VICTOR)
    with pytest.raises(NotPermitted):
        made.desk.refuse_proposals(NAME, [first], by=VICTOR)
    for reason, note in (("boring", ""), ("other", "x" * 301), ("other", "a\x00b")):
        with pytest.raises(InvalidInput):
            made.desk.refuse_proposals(NAME, [first], reason, note, by=ANA)
    for numbers in ([], [first + 1], [1]):
        with pytest.raises(InvalidInput):
            made.desk.refuse_proposals(NAME, numbers, by=ANA)
    with pytest.raises(InvalidInput, match="characters"):
        made.desk.take_proposals(NAME, {first: "x" * 2001}, by=ANA)
    assert made.state.proposals[first].waits


def test_proposals_do_not_stop_editors_from_taking_steps(made: Made) -> None:
    """Who saw epoch 3 may take a step although raters proposed since; not if an editor did more."""
    made.contest()
    epoch = made.store.contest(NAME).epoch
    made.propose(0, "A snowball's chance")
    made.desk.withdraw(NAME, [5], by=ANA, epoch=epoch)
    with pytest.raises(EpochMoved):
        made.desk.withdraw(NAME, [4], by=ANA, epoch=epoch)
    with pytest.raises(EpochMoved):
        made.desk.withdraw(NAME, [4], by=ANA, epoch=99)


# Limits


def test_limits_of_a_rater_and_of_the_contest(made: Made) -> None:
    made.contest(proposals_each=2, proposals_in_all=3)
    assert proposals_left(made.state, made.state.settings, 0) == 2
    first = made.propose(0, "First of a kind").proposal
    made.desk.refuse_proposals(NAME, [first], by=ANA)
    made.propose(0, "Second thoughts")
    # A refused one counts for its rater, or somebody could go on for ever; not for the contest.
    assert made.refused(0, "Third time lucky") == "proposals_used_up"
    made.propose(1, "Quite another thing")
    made.propose(2, "Something else entirely")
    assert made.refused(3, "One too many") == "proposals_full"
    assert proposals_left(made.state, made.state.settings, 3) == 0


@pytest.mark.parametrize(
    ("given", "step", "code"),
    [
        ({"proposals": "off"}, None, "proposals_off"),
        ({}, "pause", "not_open"),
        ({}, "close", "not_open"),
        ({"closes": START - 5}, None, "not_open"),
        ({"opens": START + 5}, None, "not_open"),
    ],
)
def test_a_contest_that_is_not_open_takes_none(
    made: Made, given: dict[str, Any], step: str | None, code: str
) -> None:
    made.contest(**given)
    if step:
        made.desk.step(NAME, step)
    assert made.refused(0, "A snowball's chance") == code


def verdict(made: Made) -> None:
    event = VerdictReached(lane=0, winners=(1,), delta=0.05)
    epoch = made.store.contest(NAME).epoch
    made.store.append_event(NAME, to_log(event, START), epoch=epoch)


def test_a_decided_contest_takes_none_and_a_verdict_is_only_lost_on_purpose(made: Made) -> None:
    made.contest()
    first = made.propose(0, "A snowball's chance").proposal
    verdict(made)
    assert made.refused(1, "Too late for this one") == "decided"
    with pytest.raises(VerdictStands):
        made.desk.take_proposals(NAME, {first: None}, by=ANA)
    made.desk.revoking().take_proposals(NAME, {first: None}, by=ANA)
    assert made.state.verdicts == {}


def test_a_verdict_that_comes_first_keeps_a_proposal_out_until_an_editor_decides(
    made: Made,
) -> None:
    made.contest(proposals="at-once")
    entry = made.desk.propose(NAME, 0, "A snowball's chance")
    verdict(made)
    assert made.desk.let_in(NAME) is None
    assert made.state.proposals[entry.position].waits
    assert len(made.state.verdicts) == 1


@pytest.mark.parametrize("text", ["", " \n ", "x" * 2001, "a\x00b", "e" + "\u0301" * 100])
def test_a_text_that_no_item_may_have_is_refused(made: Made, text: str) -> None:
    made.contest()
    with pytest.raises(InvalidInput):
        made.propose(0, text)
    assert made.state.proposals == {}


def test_algorithms_that_are_proven_for_a_fixed_set_take_none() -> None:
    with pytest.raises(InvalidInput, match=r"proposals must be off with lil-ucb"):
        settings(proposals="held", lanes=(Lane("plaudit"), Lane("lil-ucb")))
    assert settings(proposals="off", lanes=(Lane("lil-ucb"),)).proposals == "off"
    form = DEFAULTS | {"title": "T", "proposals": "held", "lane": "lil-ucb", "epsilon": "0"}
    form |= {"algorithms": "lil-ucb 1", "tolerance": "0"}
    found = read_form(form, items=5, is_there=lambda hash: True)
    assert isinstance(found, FormMistakes)
    assert [*found] == ["proposals"]


# Duplicates


def test_the_same_is_refused_and_the_near_is_shown_and_sent_anyway(made: Made) -> None:
    made.contest()
    assert made.refused(0, "Caption  3!") == "item_known"
    made.propose(0, "The snowman melts into his role")
    assert made.refused(1, "the snowman melts, into his role") == "proposal_known"
    near = made.propose(0, "The snowman melted into his role")
    assert near == Proposed("near", 0, -1, [NearText(-1, "The snowman melts into his role")])
    # What others proposed, and nobody has looked at, is not shown.
    other = made.propose(1, "The snowman melted into this role")
    assert other.standing == "waiting"
    made.desk.take_proposals(NAME, {other.proposal: None}, by=ANA)
    near = made.propose(2, "The snowman melted into that role")
    assert near.near == [NearText(6, "The snowman melted into this role")]
    sent = made.propose(2, "The snowman melted into that role", anyway=True)
    assert sent.standing == "waiting"
    (line,) = [line for line in made.queue() if line.position == sent.proposal]
    assert [one.item for one in line.near] == [6]


def test_numbers_make_a_difference(made: Made) -> None:
    made.contest()
    assert made.propose(0, "caption 31").standing == "waiting"


def test_near_is_what_the_measure_of_duplicates_says(made: Made) -> None:
    """The index finds exactly the texts whose trigrams overlap enough, by their definition."""
    made.contest()
    rng = np.random.default_rng(4)
    words = ["snow", "snowy", "man", "melts", "melted", "the", "his", "role", "in", "ice"]
    texts = [" ".join(rng.choice(words, size=5)) for _ in range(300)]
    made.desk.add_items(NAME, [Item(0, text) for text in texts])
    history = made.desk.history(NAME)
    for text in (" ".join(rng.choice(words, size=5)) for _ in range(40)):
        pieces = trigrams(plain_text(text))
        alike = {}
        for number, other in enumerate(texts, start=6):
            theirs = trigrams(plain_text(other))
            alike[number] = len(pieces & theirs) / len(pieces | theirs)
        best = sorted((-share, number) for number, share in alike.items() if share >= LEAST)[:5]
        found = [near.item for near in made.proposing.near_items(history, text)]
        assert found == [number for _, number in best]


def test_sent_again_it_is_there_once(made: Made) -> None:
    made.contest(proposals="at-once")
    first = made.propose(0, "A snowball's chance")
    assert made.propose(0, "A snowball's chance")[:3] == first[:3]
    assert len(made.state.proposals) == 1


def test_many_at_once_keep_the_limits(made: Made) -> None:
    """Thirty requests of two raters at the same time, as on several workers."""
    made.contest(proposals="at-once", proposals_each=3)
    outcomes: list[object] = []

    def send(number: int) -> None:
        text = f"{'abcdefghij'[number % 10] * 9} of {number % 2}"
        try:
            other = Proposing(made.store, Desk(made.store, clock=Clock()))
            outcomes.append(other.propose(NAME, number % 2, text, anyway=True).standing)
        except (ProposalRefused, EpochMoved) as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=send, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made.desk.let_in(NAME)
    known = made.state.proposals.values()
    assert [sum(one.rater == rater for one in known) for rater in (0, 1)] == [3, 3]
    items = [one.item for one in known]
    assert sorted(items) == list(range(6, 12))
    assert outcomes.count("proposals_used_up") > 0
    assert "changed_meanwhile" not in outcomes


# Restarts, files


def test_a_worker_that_dies_in_between_loses_nothing_and_takes_nothing_twice(
    tmp_path: Path,
) -> None:
    """It logged the proposal and died before the item joined; the next start lets it in, once."""
    path = str(tmp_path / "died.db")
    store = open_store(path)
    Made(store).contest(proposals="at-once").desk.propose(NAME, 0, "A snowball's chance")
    store.close()
    store = open_store(path)
    for _ in range(2):
        Proposing(store, Desk(store)).let_all_in({NAME: load_state(store, NAME)})
    state = load_state(store, NAME)
    assert [one.item for one in state.proposals.values()] == [6]
    assert state.items == 7
    put_snapshot(store, NAME, state)
    again = load_state(store, NAME)
    assert again.proposals == load_state(store, NAME, from_snapshot=False).proposals
    store.close()


def test_an_archive_restores_proposals_and_their_file_names_raters_as_votes_do(
    made: Made, tmp_path: Path
) -> None:
    made.contest()
    first, second = (made.propose(n, f"{'=cmd' * (n + 1)} no formula").proposal for n in range(2))
    made.desk.take_proposals(NAME, {first: "Corrected"}, by=ANA)
    made.desk.refuse_proposals(NAME, [second], "offensive", by=ANA)
    lines = b"".join(contest_lines(made.store, NAME))
    other = open_store(str(tmp_path / "other.db"))
    restore_contest(other, io.BytesIO(lines))
    assert load_state(other, NAME).proposals == made.state.proposals
    rows = list(csv.DictReader(io.StringIO(b"".join(proposals_csv(other, NAME)).decode())))
    other.close()
    assert [(row["status"], row["rater"], row["id"]) for row in rows] == [
        ("taken", "00" * 16, "i7"), ("refused", "01" * 16, ""),
    ]  # fmt: skip
    assert (rows[0]["text"], rows[0]["item_text"]) == ("=cmd no formula", "Corrected")
    safe = b"".join(proposals_csv(made.store, NAME, spreadsheet=True)).decode()
    assert ",'=cmd no formula," in safe


# What a forger changes in the log, in which 18 is taken and 19 refused.
FORGED = [
    ('"rater":0,"text"', '"rater":77,"text"'),
    ('"proposals":[18]', '"proposals":[17]'),
    ('"proposals":[18]', '"proposals":[18,18]'),
    ('"proposals":[19],"reason"', '"proposals":[18],"reason"'),
    ('"reason":"offensive"', '"reason":"boring"'),
]


@pytest.mark.parametrize(("right", "wrong"), FORGED)
def test_an_archive_with_proposals_that_make_no_sense_is_refused(
    made: Made, right: str, wrong: str
) -> None:
    made.contest()
    first, second = (made.propose(n, f"{'ha' * (n + 2)} joke").proposal for n in range(2))
    assert (first, second) == (18, 19)
    made.desk.take_proposals(NAME, {first: None}, by=ANA)
    made.desk.refuse_proposals(NAME, [second], "offensive", by=ANA)
    entries = made.store.entries(NAME)
    assert any(right in entry.payload for entry in entries)
    read_all(made, entries)
    forged = [entry._replace(payload=entry.payload.replace(right, wrong)) for entry in entries]
    with pytest.raises(ArchiveDamaged, match="makes no sense"):
        read_all(made, forged)


def read_all(made: Made, entries: list[Entry]) -> None:
    """Checks entries as a restore does."""

    def refuse(why: str, *more: object) -> NoReturn:
        raise ArchiveDamaged(why)

    check = ArchiveCheck(made.store.contest(NAME), settings(proposals="held"), refuse)
    for item in made.store.items(NAME):
        check.item(item)
    for number in range(5):
        check.rater(number, f"{number:032x}")
    for entry in entries:
        check.entry(entry)


# Whose own it is


def test_nobody_is_asked_about_their_own_and_everybody_else_is(tmp_path: Path) -> None:
    path = str(tmp_path / "own.db")
    store = open_store(path)
    create(store, 3, proposals="at-once")
    store.close()
    with working(path) as worker:
        author, other = worker.new_rater(), worker.new_rater()
        for rater in (author, other):
            worker.vote_once(rater, lambda item: 1)
        number = 0
        proposing = Proposing(worker.store, Desk(worker.store, clock=Clock()))
        assert proposing.propose(NAME, number, "My own").item == 3
        worker.settled()
        seen = [item.number for item, _ in worker.ask(author, 10).items]
        assert sorted(seen) == sorted({0, 1, 2} - set(worker._memory(author).answers))
        assert 3 in [item.number for item, _ in worker.ask(other, 10).items]
        # Corrected, it is still their own.
        Desk(worker.store).replace(NAME, [3], "My own, corrected", keep_votes=True)
        worker.settled()
        assert 4 not in [item.number for item, _ in worker.ask(author, 10).items]
        while worker.vote_once(author, lambda item: 1) is not None:
            pass
        assert worker.live.unseen(worker._memory(author)) == 0


# What stays certified

DELTA, EPSILON = 0.2, 0.3
GOOD, FAIR = 0.95, 0.5


def is_wrong(seed: int, *, taken: bool = True) -> bool | None:
    """Whether a contest names a wrong winner, to which somebody proposes better items all the time.

    They see the votes, and propose whenever the leader looks best. The contest is folded from its
    log, entry by entry, and its race is the one that a worker has. None if it does not end. With
    `taken` false the proposals stay where they are, but the best of them is called the best.
    """
    rng = np.random.default_rng([11, seed])
    given = settings(delta=DELTA, epsilon=EPSILON, lanes=(Lane("plaudit"),), proposals="at-once")
    record = ContestRecord(NAME, given.to_json(), "open", 0, 0, b"", 0)
    contest, means = empty_state(record), [FAIR] * 3

    def log(
        kind: Kind, payload: str = "", rater: int = -1, item: int = -1, level: int = -1
    ) -> None:
        lane = 0 if kind == Kind.VOTE else -1
        entry = Entry(contest.position + 1, kind, 7, rater, item, level, lane, -1, payload)
        contest.apply([entry])

    log(Kind.ADD, '{"first":0,"count":3}')
    race = race_of(given, contest, 0)
    for turn in range(3_000):
        item = race.ask(1)[0]
        level = 2 if rng.random() < means[item] else 0
        log(Kind.VOTE, "", turn, item, level)
        race.tell(item, level / 2)
        verdict = race.verdict()
        if verdict.stopped:
            return means[verdict.items[0]] < max(means) - EPSILON
        if turn % 12 == 11 and len(contest.proposals) < 6 and race.intervals().means.max() > 0.6:
            log(Kind.PROPOSE, '{"rater":0,"text":"A better one"}')
            means.append(GOOD)
            if taken:
                added = f'"first":{contest.items},"count":1,"proposals":[{contest.position}]'
                log(Kind.ADD, f"{{{added}}}")
                race = race_of(given, contest, 0)
    return None


@pytest.mark.statistical
def test_verdicts_are_wrong_no_more_often_than_delta_while_better_items_are_proposed() -> None:
    """Claim: at most delta, 0.2. In 36 contests with exactly 0.2 it fails once in 10,000 times.

    Power: where the proposals do not get into the race, most contests are wrong, and it fails.
    """
    outcomes = [is_wrong(seed) for seed in range(36)]
    assert outcomes.count(None) <= 7
    assert outcomes.count(True) <= 17
    assert [is_wrong(seed, taken=False) for seed in range(40)].count(True) > 20
