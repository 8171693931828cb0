"""Live contests without HTTP: what raters ask and answer, and the resulting state."""

import json
import threading

import msgspec
import numpy as np
import pytest

from plaudit.compiled import building
from plaudit.errors import InvalidInput, NotAllowed, NotOpen, TicketExpired, TicketRefused
from plaudit.race import ALGORITHMS
from plaudit.service.archive.format import contest_lines
from plaudit.service.archive.verify import replay, verify
from plaudit.service.contest import replay as loading
from plaudit.service.contest import state as contest
from plaudit.service.contest.races import make_race, warm_up_for
from plaudit.service.contest.replay import load_state, put_snapshot
from plaudit.service.contest.settings import ContestSettings, Lane, Level
from plaudit.service.desk.desk import Desk
from plaudit.service.intake.pictures import HELD_MS
from plaudit.service.live.contest import TICKET_MS
from plaudit.service.live.loading import load_contest
from plaudit.service.live.tickets import Signer, Ticket
from plaudit.service.live.visit_lists import PENDING_MS
from plaudit.service.watch.results import make_results
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.store.log import Kind
from support import live_worker
from support.live_worker import NAME, Clock, create, working


@pytest.fixture
def database(tmp_path):
    return str(tmp_path / "contest.db")


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def worker(database, clock):
    store = open_store(database)
    create(store, clock=clock)
    store.close()
    with working(database, clock) as made:
        yield made


def vote_many(worker, votes, *, seed=0, raters=5):
    """Random votes of a few raters."""
    random = np.random.default_rng(seed)
    known = [worker.new_rater() for _ in range(raters)]
    for number in range(votes):
        worker.vote_once(known[number % raters], lambda item: int(random.integers(3)))
    return known


def same_races(one, other):
    for ours, theirs in zip(one.races, other.races, strict=True):
        mine, yours = ours.intervals(), theirs.intervals()
        for name in ("votes", "means", "lower", "upper"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(yours, name))
        assert ours.leaders == theirs.leaders
        assert ours.votes == theirs.votes


def test_a_reload_shows_the_same_items(worker):
    rater = worker.new_rater()
    first = worker.ask(rater, 3)
    assert worker.ask(rater, 3) == first
    assert worker.ask(rater, 1).items == first.items[:1]
    worker.answer(rater, first.items[0][1], 2)
    again = worker.ask(rater, 3)
    assert again.items[:2] == first.items[1:]
    assert again.answered == 1


def test_no_rater_gets_an_item_twice(worker):
    rater = worker.new_rater()
    seen = []
    while (item := worker.vote_once(rater, lambda item: 1)) is not None:
        seen.append(item)
    assert sorted(seen) == list(range(12))
    assert worker.ask(rater).end.reason == "all_seen"


def test_a_worker_lets_go_of_pictures_that_nobody_can_want(database, clock):
    store = open_store(database)
    create(store, clock=clock)
    old = store.put_asset("image/png", b"old", at=clock() - HELD_MS - 1)
    late = store.put_asset("image/png", b"late", at=clock() - HELD_MS)
    with working(database, clock):
        pause = threading.Event()
        for _ in range(400):
            if store.asset(old) is None:
                break
            pause.wait(0.02)
    assert store.asset(old) is None
    assert store.asset(late) is not None
    store.close()


def test_a_replay_is_answered_like_the_first_and_counts_once(worker):
    rater = worker.new_rater()
    ticket = worker.ask(rater).items[0][1]
    first = worker.answer(rater, ticket, 2)
    assert (first.fresh, first.level) == (True, 2)
    again = worker.answer(rater, ticket, 0)
    assert (again.fresh, again.level) == (False, 2)
    assert worker.settled().contest.counts.sum() == 1


def test_a_replay_is_known_after_a_restart_and_when_the_ticket_is_old(worker, database, clock):
    rater = worker.new_rater()
    ticket = worker.ask(rater).items[0][1]
    worker.answer(rater, ticket, 2)
    clock.now += 2 * TICKET_MS
    with working(database, clock) as other:
        assert other.answer(rater, ticket, 0).level == 2
        assert other.settled().contest.counts.sum() == 1


def test_tickets_are_bound_to_rater_item_contest_and_time(worker, clock):
    ann, bob = worker.new_rater(), worker.new_rater()
    ticket = worker.ask(ann).items[0][1]
    with pytest.raises(TicketRefused):
        worker.answer(bob, ticket, 1)
    for spoiled in ("", "x", ticket[:-1], ticket + "A", "A" + ticket[1:], ticket.swapcase()):
        with pytest.raises(TicketRefused):
            worker.answer(ann, spoiled, 1)
    other = Signer(live_worker.SECRET, "another").ticket(ann.key, Ticket(0, 0, clock.now))
    with pytest.raises(TicketRefused):
        worker.answer(ann, other, 1)
    clock.now += TICKET_MS
    with pytest.raises(TicketExpired):
        worker.answer(ann, ticket, 1)
    clock.now -= 3 * TICKET_MS
    with pytest.raises(TicketExpired):
        worker.answer(ann, ticket, 1)
    assert worker.settled().contest.counts.sum() == 0


@pytest.mark.parametrize("jump", [TICKET_MS, -TICKET_MS, 7 * 24 * 3600_000])
def test_a_clock_that_was_wrong_leaves_no_rater_with_tickets_that_are_refused(worker, clock, jump):
    """The clock jumps while a rater holds items, and is put right again."""
    rater = worker.new_rater()
    before = worker.ask(rater, 2).items
    clock.now += jump
    during = worker.ask(rater, 2).items
    clock.now -= jump
    after = worker.ask(rater, 2).items
    assert [item for item, _ in during] == [item for item, _ in after] == [i for i, _ in before]
    for _, ticket in after:
        assert worker.answer(rater, ticket, 1).fresh


@pytest.mark.parametrize("level", [-1, 3, 99])
def test_levels_outside_the_scale_are_refused(worker, level):
    rater = worker.new_rater()
    ticket = worker.ask(rater).items[0][1]
    with pytest.raises(InvalidInput, match="levels are 0 to 2"):
        worker.answer(rater, ticket, level)


def test_skips_and_flags_do_not_count_and_do_not_come_back(worker):
    rater = worker.new_rater()
    (skipped, first), (flagged, second) = worker.ask(rater, 2).items
    worker.answer(rater, first, kind=Kind.SKIP)
    worker.answer(rater, second, 0, kind=Kind.FLAG)
    contest = worker.settled().contest
    assert (contest.skips, contest.flags, contest.counts.sum()) == (1, {flagged.number: 1}, 0)
    rest = {item.number for item, _ in worker.ask(rater, 10).items}
    assert not rest & {skipped.number, flagged.number}


def test_answers_are_taken_while_the_contest_is_open(worker, clock):
    rater = worker.new_rater()
    ticket = worker.ask(rater).items[0][1]
    desk = Desk(worker.store, clock=clock)
    desk.step(NAME, "pause")
    worker.settled()
    for step in (lambda: worker.ask(rater), lambda: worker.answer(rater, ticket, 1)):
        with pytest.raises(NotOpen, match="paused"):
            step()
    desk.step(NAME, "open")
    worker.settled()
    worker.answer(rater, ticket, 1)


def test_a_vote_that_races_with_a_pause_is_refused_by_the_log(worker, clock):
    rater = worker.new_rater()
    ticket = worker.ask(rater).items[0][1]
    Desk(worker.store, clock=clock).step(NAME, "pause")
    # The worker may not have folded it yet; the store has it.
    with pytest.raises(NotOpen):
        worker.answer(rater, ticket, 1)
    assert worker.settled().contest.counts.sum() == 0


def test_hours_of_opening(database, clock):
    store = open_store(database)
    create(store, clock=clock, opens=clock.now + 1000, closes=clock.now + 2000)
    with working(database, clock) as worker:
        rater = worker.new_rater()
        for later, is_open in ((0, False), (1000, True), (1999, True), (2000, False)):
            clock.now = live_worker.START + later
            assert worker.live.taking_answers(clock.now) is is_open
            if not is_open:
                with pytest.raises(NotOpen, match="outside its hours"):
                    worker.ask(rater)
    store.close()


def test_the_restored_state_is_the_live_one(worker):
    vote_many(worker, 60)
    live = worker.settled()
    other = load_contest(worker.store, NAME)
    assert other.contest.digest == live.contest.digest == worker.store.contest(NAME).digest
    np.testing.assert_array_equal(other.contest.counts, live.contest.counts)
    same_races(live, other)


def test_what_another_thread_reads_stays_as_it_was_while_votes_come_in(worker):
    known = vote_many(worker, 40)
    Desk(worker.store).exclude(NAME, known[0].key.hex(), grounds="votes")
    live = worker.settled()
    before, wanted = live.snapshot(), make_results(load_contest(worker.store, NAME).snapshot())
    counts, aside = live.contest.counts.copy(), live.contest.aside.copy()
    assert aside.any()
    vote_many(worker, 30, seed=1)
    for _ in range(3):
        worker.vote_once(known[0], lambda item: 2)
    Desk(worker.store).exclude(NAME, known[1].key.hex(), grounds="votes")
    assert worker.settled().contest.counts.sum() > counts.sum()
    # The races of the snapshot are completed only now, from what was copied then.
    assert make_results(before) == wanted
    np.testing.assert_array_equal(before.contest.counts, counts)
    np.testing.assert_array_equal(before.contest.aside, aside)
    assert len(before.items) == before.contest.items


def test_a_snapshot_and_what_follows_is_the_whole_log(worker):
    known = vote_many(worker, 30)
    put_snapshot(worker.store, NAME, load_state(worker.store, NAME, from_snapshot=False))
    Desk(worker.store).exclude(NAME, known[0].key.hex())
    worker.settled()
    vote_many(worker, 20, seed=1)
    worker.settled()
    quick = load_state(worker.store, NAME)
    whole = load_state(worker.store, NAME, from_snapshot=False)
    assert worker.store.snapshot(NAME).position == 32
    for name, value in vars(whole).items():
        np.testing.assert_array_equal(vars(quick)[name], value, err_msg=name)


def test_many_entries_at_once_are_the_same_as_one_by_one(worker, monkeypatch):
    known = vote_many(worker, 40)
    rater = worker.new_rater()
    (_, first), (_, second) = worker.ask(rater, 2).items
    worker.answer(rater, first, kind=Kind.SKIP)
    worker.answer(rater, second, 3, kind=Kind.FLAG)
    Desk(worker.store).exclude(NAME, known[0].key.hex())
    worker.settled()
    for _ in range(2):
        worker.vote_once(known[0], lambda item: 1)
        worker.vote_once(known[1], lambda item: 1)
    live = worker.settled()
    monkeypatch.setattr(loading, "PAGE", 17)
    monkeypatch.setattr(contest, "MANY", 2)
    loaded = load_contest(worker.store, NAME)
    same_races(live, loaded)
    for name, value in vars(live.contest).items():
        if name not in ("_counts", "_aside"):
            assert vars(loaded.contest)[name] == value, name
    np.testing.assert_array_equal(loaded.contest.counts, live.contest.counts)
    np.testing.assert_array_equal(loaded.contest.aside, live.contest.aside)
    assert live.contest.aside.any()


def test_a_snapshot_of_another_edition_is_not_used(worker):
    contest = load_state(worker.store, NAME)
    other = load_state(worker.store, NAME)
    vars(other)["something_new"] = 1
    assert not contest.from_snapshot(other.to_snapshot())
    assert contest.from_snapshot(load_state(worker.store, NAME).to_snapshot())


def test_an_excluded_rater_is_as_if_never_there(worker, database, tmp_path):
    known = vote_many(worker, 50)
    before = worker.settled().contest.counts.copy()
    desk = Desk(worker.store)
    desk.exclude(NAME, known[2].key.hex())
    without = worker.settled().contest.counts.copy()
    votes = [
        entry
        for entry in worker.store.entries(NAME)
        if entry.kind == Kind.VOTE and entry.rater != worker.store.rater(NAME, known[2].key).number
    ]
    expected = np.zeros_like(before)
    for entry in votes:
        expected[entry.lane, entry.item, entry.level] += 1
    np.testing.assert_array_equal(without, expected)
    same_races(worker.live, load_contest(worker.store, NAME))
    # Votes of an excluded rater are accepted, but count only after readmission.
    worker.vote_once(known[2], lambda item: 2)
    assert worker.settled().contest.counts.sum() == without.sum()
    desk.readmit(NAME, known[2].key.hex())
    assert worker.settled().contest.counts.sum() == before.sum() + 1
    same_races(worker.live, load_contest(worker.store, NAME))


def test_an_erased_rater_is_forgotten_for_good(worker):
    known = vote_many(worker, 25)
    key = known[1].key
    desk = Desk(worker.store)
    desk.erase(NAME, key.hex())
    contest = worker.settled().contest
    assert contest.counts.sum() == 20
    assert worker.store.rater(NAME, key) is None
    with pytest.raises(InvalidInput, match="no rater"):
        desk.readmit(NAME, key.hex())
    assert key not in [rater.key for rater in worker.store.raters(NAME)]


def test_withdrawn_items_are_not_asked_for_and_do_not_count(worker):
    vote_many(worker, 24)
    desk = Desk(worker.store)
    desk.withdraw(NAME, [3, 4])
    live = worker.settled()
    rater = worker.new_rater()
    asked = {item.number for item, _ in worker.ask(rater, 10).items}
    assert len(asked) == 10
    assert not asked & {3, 4}
    assert live.races[0].withdrawn == (3, 4)
    same_races(live, load_contest(worker.store, NAME))
    with pytest.raises(NotAllowed, match="already"):
        desk.withdraw(NAME, [3])
    with pytest.raises(NotAllowed, match="would leave"):
        desk.withdraw(NAME, list(range(11)))


def test_items_may_join_a_running_contest(worker):
    vote_many(worker, 30)
    Desk(worker.store).add_items(NAME, [Item(0, "late one"), Item(0, "late two")])
    live = worker.settled()
    assert [item.text for item in live.items[12:]] == ["late one", "late two"]
    rater = worker.new_rater()
    asked = {item.number for item, _ in worker.ask(rater, 2).items}
    assert asked == {12, 13}  # never seen before, so they come first
    same_races(live, load_contest(worker.store, NAME))


def test_pending_asks_are_spread_and_let_go(worker, clock):
    raters = [worker.new_rater() for _ in range(12)]
    first = {worker.ask(rater).items[0][0].number for rater in raters}
    assert first == set(range(12))
    assert worker.live.races[0].pending == 12
    clock.now += PENDING_MS
    worker.ask(worker.new_rater())
    assert worker.live.races[0].pending == 1


def test_a_visit_ends_and_another_may_follow(database, clock):
    store = open_store(database)
    create(store, clock=clock, votes_per_visit=3, completion_code="auto", thanks="Thank you")
    with working(database, clock) as worker:
        rater = worker.new_rater()
        assert worker.ask(rater, 10).of == 3
        assert len(worker.ask(rater, 10).items) == 3
        for _ in range(3):
            worker.vote_once(rater, lambda item: 0)
        end = worker.ask(rater).end
        assert (end.reason, end.more, len(end.code)) == ("visit", True, 8)
        assert len(worker.ask(rater, 10, visit=2).items) == 3
        panel = worker.worker.signer(NAME).external_rater("panel-17")
        for _ in range(3):
            worker.vote_once(panel, lambda item: 0)
        end = worker.ask(panel, visit=2).end
        assert (end.reason, end.more) == ("visit", False)
    store.close()


def test_external_ids_are_kept_as_keyed_hashes_only(worker, database, tmp_path):
    panel = worker.worker.signer(NAME).external_rater("person-4711")
    worker.vote_once(panel, lambda item: 1)
    worker.settled()
    assert worker.worker.signer(NAME).external_rater("person-4711") == panel
    for file in tmp_path.glob("contest.db*"):
        assert b"person-4711" not in file.read_bytes()


def test_several_algorithms_share_a_crowd_without_repeats(database, clock):
    store = open_store(database)
    lanes = (Lane("lil-klucb", 0.5), Lane("lucb++", 0.3))
    create(store, 40, clock=clock, lanes=lanes, uniform=0.2, epsilon=0.01)
    with working(database, clock) as worker:
        worker.live._random = np.random.default_rng(5)
        known = vote_many(worker, 200, raters=10)
        live = worker.settled()
        by_lane = live.contest.counts.sum(axis=(1, 2))
        assert (by_lane > 0).all()
        assert by_lane.sum() == 200
        # Expected 100, 60 and 40 of 200, within three standard deviations.
        assert abs(by_lane[0] - 100) < 21
        assert abs(by_lane[1] - 60) < 19
        assert abs(by_lane[2] - 40) < 17
        for lane in (0, 1):
            assert live.races[lane].votes == by_lane[lane] + by_lane[2]
        for rater in known:
            items = [entry.item for entry in _answers(worker, rater)]
            assert len(items) == len(set(items)) == 20
        same_races(live, load_contest(worker.store, NAME))
    store.close()


def _answers(worker, rater):
    return worker.store.answers_of(NAME, worker.store.rater(NAME, rater.key).number)


def decide(worker, *, best=3):
    """Votes by new raters until the contest is decided."""
    for _ in range(2000):
        rater = worker.new_rater()
        if worker.vote_once(rater, lambda item: 2 if item == best else 0) is None:
            break
    worker.until_decided()


def test_a_verdict_is_recorded_once_with_its_certificate(worker):
    decide(worker)
    live = worker.settled()
    assert live.all_decided
    assert worker.ask(worker.new_rater()).end.reason == "decided"
    verdicts = [entry for entry in worker.store.events(NAME) if entry.kind == Kind.VERDICT]
    (certificate,) = worker.store.certificates(NAME)
    body = json.loads(certificate.body)
    assert len(verdicts) == 1
    assert body["winners"] == [3]
    assert body["judged_at"] < verdicts[0].position
    assert replay(worker.store, NAME, until=body["judged_at"]).digest.hex() == body["digest"]


@pytest.fixture
def good_worker(database, clock):
    """A worker on a contest for all good items."""
    store = open_store(database)
    create(store, 6, clock=clock, lanes=(Lane("plaudit"),), goal="all-good", epsilon=0.3)
    store.close()
    with working(database, clock) as made:
        yield made


def vote_by_means(worker, means):
    """Raters vote on every item until the contest is decided."""
    random = np.random.default_rng(1)
    for _ in range(5_000):
        rater = worker.new_rater()
        while worker.vote_once(rater, lambda item: 2 * (random.random() < means[item])) is not None:
            pass
        if worker.live.verdict_due() or worker.live.all_decided:
            return worker.until_decided()
    raise AssertionError("no verdict")


def test_all_good_items_are_named_proven_and_replayed(good_worker):
    worker = good_worker
    desk, live = Desk(worker.store, clock=Clock()), worker.live
    assert sentence(live) == "Not yet: too few votes to say anything for certain."
    vote_many(worker, 30)
    desk.replace(NAME, [5], "said better", keep_votes=True)
    desk.add_items(NAME, [Item(0, "late")])
    with pytest.raises(NotAllowed, match="Withdraw the duplicates"):
        desk.replace(NAME, [0, 1], "one", keep_votes=True)
    with pytest.raises(NotAllowed, match=r"for all items within 0\.3 of the best"):
        desk.withdraw(NAME, [0, 1, 2, 3, 4, 6])
    worker.settled()
    vote_by_means(worker, (0.95, 0.9, 0.1, 0.1, 0.2, 0.05, 0.05, 0.1))
    worker.settled()
    body = json.loads(worker.store.certificates(NAME)[0].body)
    assert (sorted(body["winners"]), body["top"], body["algorithm"]) == ([0, 1], 2, "plaudit")
    assert sentence(live) == (
        "With at least 95 % confidence, every item within 0.3 of the best is one of these 2, and "
        "none of them is more than 0.6 below it."
    )
    lines = b"".join(contest_lines(worker.store, NAME))
    checks = verify(body, [lines])
    assert all(check.agrees for check in checks), checks
    for key, lie in (("winners", [0]), ("top", 1), ("gap", 0.0)):
        assert not all(check.agrees for check in verify(body | {key: lie}, [lines]))
    assert load_contest(worker.store, NAME).all_decided


def sentence(live):
    return str(make_results(live.snapshot())["lanes"][0]["sentence"])


def test_a_race_for_all_good_items_stops_only_where_a_replay_does(good_worker):
    """Bounds depend on when they were computed: a race that stops must stop from the counts too."""
    live = good_worker.live
    vote_many(good_worker, 20)
    live.races[0].recount(
        [50] * 6, [50, 50, 0, 0, 0, 0], levels=[[0, 0, 50]] * 2 + [[50, 0, 0]] * 4
    )
    assert live.races[0].verdict()
    assert live.verdict_due() == []
    same_races(live, load_contest(good_worker.store, NAME))


def test_two_workers_share_a_contest_and_record_one_verdict(worker, database, clock):
    with working(database, clock) as other:
        for turn in range(3000):
            each = (worker, other)[turn % 2]
            each.vote_once(each.new_rater(), lambda item: 2 if item == 3 else 0)
            if each.live.all_decided:
                break
        worker.until_decided()
        other.until_decided()
        worker.settled()
        other.settled()
        events = worker.store.events(NAME)
        assert sum(entry.kind == Kind.VERDICT for entry in events) == 1
        assert worker.live.all_decided
        assert other.live.all_decided
        np.testing.assert_array_equal(worker.live.contest.counts, other.live.contest.counts)
        assert worker.live.contest.digest == other.live.contest.digest
        same_races(worker.live, other.live)


def test_an_ask_moves_with_the_rater_to_another_worker(worker, database, clock):
    rater = worker.new_rater()
    asked = worker.ask(rater, 3)
    tickets = [ticket for _, ticket in asked.items]
    with working(database, clock) as other:
        assert other.ask(rater, 3, holding=tickets).items == asked.items


def test_moderation_reopens_a_verdict(worker):
    decide(worker)
    worker.settled()
    Desk(worker.store).revoking().add_items(NAME, [Item(0, "a late rival")])
    live = worker.settled()
    assert not live.all_decided
    asked = worker.ask(worker.new_rater())
    assert [item.number for item, _ in asked.items] == [12]


def test_states_follow_the_life_of_a_contest(worker):
    desk = Desk(worker.store)
    for step, state in (("pause", "paused"), ("open", "open"), ("close", "closed")):
        desk.step(NAME, step)
        assert worker.store.contest(NAME).state == state
    with pytest.raises(NotAllowed, match="it is closed"):
        desk.step(NAME, "pause")
    desk.step(NAME, "reopen")
    desk.step(NAME, "close")
    desk.step(NAME, "retire")
    with pytest.raises(NotAllowed, match="retired"):
        desk.add_items(NAME, [Item(0, "too late")])
    assert worker.settled().contest.state == "retired"


def kernels_after(race) -> set[object]:
    """The lists of kernels that were loaded by the time that the race was asked and told."""
    race.tell(race.ask(1)[0], 1.0)
    return set(building._loaded)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_rater_waits_for_kernels_of_an_algorithm(algorithm):
    scale = (Level("no", 0.0), Level("yes", 1.0))
    epsilon = 0.0 if algorithm.startswith("lil-ucb") else 0.05
    settings = ContestSettings(
        title="t", scale=scale, lanes=(Lane(algorithm),), epsilon=epsilon, top=2
    )
    if algorithm in ("lil-ucb", "lil-ucb-heuristic", "successive-elimination"):
        settings = msgspec.structs.replace(settings, top=1)
    warm_up_for(settings)
    before = set(building._loaded)
    assert before
    assert kernels_after(make_race(settings, 0, 8)) == before
