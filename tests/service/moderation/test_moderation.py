"""Moderation: flags, reviews, the ranking before and after a step, and the pages at the desk."""

import asyncio
import re
import threading
from functools import partial

import numpy as np
import pytest
from starlette.testclient import TestClient

from plaudit.scale import FUNNY
from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.roles import COMMAND_LINE
from plaudit.service.contest.events import RatersExcluded, RatersReadmitted
from plaudit.service.contest.replay import empty_state, read_batch
from plaudit.service.contest.settings import REASONS, Lane
from plaudit.service.deeds import worded
from plaudit.service.desk.desk import Desk
from plaudit.service.live.loading import load_contest
from plaudit.service.moderation.docket import Moderation
from plaudit.service.moderation.flagged import answers_until, flagged
from plaudit.service.moderation.preview import after_step, compare, results_of
from plaudit.service.moderation.reviewed import (
    flags_of,
    group_of,
    mark_reviewed,
    rater_of,
    reviewed,
    withdraw_review,
)
from plaudit.service.watch.answer_columns import AllColumns, AnswerColumns
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.store.log import NONE, Answer, Kind
from plaudit.web import browser_sessions as door
from plaudit.web.app import Serving, make_app
from plaudit.web.charts.rater_figures import figures_of, height
from plaudit.web.desk.moderate_steps import numbers_in
from plaudit.web.heavy_work import MOST_WAITING, HeavyWork
from plaudit.web.problem import Problem
from support.crowds import cheats, honest, joined
from support.live_worker import NAME, START, Clock, create

HERE = f"/desk/contests/{NAME}/moderate"
TEXTS = ["Honey, I'm home!", "honey im home", "Skim milk", "No sugar, thanks"]


def key_of(rater):
    return int(rater).to_bytes(16, "big")


def fill(store, answers, *, origins=()):
    """Writes a simulated crowd's votes, in their order; raters get their numbers by it."""
    _, first = np.unique(answers.rater, return_index=True)
    numbers = {int(answers.rater[place]): k for k, place in enumerate(sorted(first))}
    origin = {rater: key_of(origins[rater])[-8:] for rater in numbers if len(origins)}
    rows = [
        Answer(Kind.VOTE, key_of(rater), int(item), int(level), 0, int(at), int(taken),
               origin.get(int(rater), b""))
        for at, _, rater, item, level, _, taken in zip(*answers, strict=True)
    ]  # fmt: skip
    for begin in range(0, len(rows), 1000):
        store.append_answers(NAME, rows[begin : begin + 1000])
    return numbers


def flag(store, rater, item, reason):
    answer = Answer(Kind.FLAG, key_of(rater), item, REASONS.index(reason), 0, START, NONE)
    store.append_answers(NAME, [answer])


@pytest.fixture
def store(tmp_path):
    store = open_store(str(tmp_path / "moderation.db"))
    yield store
    store.close()


@pytest.fixture
def crowd(store):
    """A contest of 80 honest raters and three who always vote Funny; returns these three."""
    create(store, 60, epsilon=0.05)
    answers = joined(
        honest(5, raters=80, votes=25, items=60, stern=0.2),
        cheats(5, "same", raters=3, votes=80, items=60, stern=0.2),
    )
    numbers = fill(store, answers)
    return [numbers[rater] for rater in (80, 81, 82)]


def seen_of(store):
    return load_contest(store, NAME).snapshot(races=False)


def results_now(live):
    return results_of(live.snapshot(), live.contest)


def replayed(store):
    """The state of a worker, after checking that it equals a replay from the first entry."""
    live = load_contest(store, NAME)
    contest = empty_state(live.record)
    while contest.position < live.contest.position:
        batch = read_batch(store, NAME, after=contest.position, items_from=None, limit=700)
        contest.apply(batch.entries, batch.answers_of, answers_on=batch.answers_on)
    assert contest.digest == store.contest(NAME).digest
    np.testing.assert_array_equal(contest.counts, live.contest.counts)
    np.testing.assert_array_equal(contest.race_counts(0), live.contest.race_counts(0))
    assert (contest.excluded, contest.withdrawn) == (live.contest.excluded, live.contest.withdrawn)
    return live


# Flags and reviews


def test_flags_are_counted_with_their_reasons(store):
    create(store, 6)
    for rater, item, reason in (
        (1, 3, "offensive"), (2, 3, "offensive"), (3, 3, "duplicate"), (1, 5, "other"),
        (4, 2, "unreadable"), (5, 3, "other"),
    ):  # fmt: skip
        flag(store, rater, item, reason)
    desk = Desk(store, clock=Clock())
    desk.exclude(NAME, 4)
    desk.withdraw(NAME, [2])
    found = Moderation(store, AllColumns()).docket(seen_of(store)).flags
    # Rater 5 has number 4 and is excluded; item 2 is withdrawn.
    assert [(one.item, one.flags) for one in found] == [(3, 3), (5, 1)]
    assert found[0].reasons == (("offensive", 2), ("duplicate", 1))


def test_flags_that_were_looked_at_are_hidden_until_there_are_new_ones(store):
    create(store, 6)
    moderation = Moderation(store, AllColumns())
    flag(store, 1, 3, "other")
    Desk(store, clock=Clock()).step(NAME, "pause")
    Desk(store, clock=Clock()).step(NAME, "open")
    flag(store, 2, 3, "other")
    position = store.contest(NAME).position
    flag(store, 3, 3, "offensive")
    mark_reviewed(store, NAME, flags_of(3), position=position, by=COMMAND_LINE)
    (found,) = moderation.docket(seen_of(store)).flags
    assert (found.flags, found.seen, found.reasons) == (1, 2, (("offensive", 1),))
    mark_reviewed(store, NAME, flags_of(3), position=position + 1, by=COMMAND_LINE)
    (found,) = moderation.docket(seen_of(store)).flags
    assert (found.flags, found.seen) == (0, 3)
    withdraw_review(store, NAME, flags_of(3), by=COMMAND_LINE)
    (found,) = moderation.docket(seen_of(store)).flags
    assert (found.flags, found.seen) == (3, 0)


def test_what_was_let_be_is_known_to_all_and_of_its_contest(tmp_path, store):
    create(store, 6)
    for subject in (flags_of(3), rater_of(3), group_of([7, 3])):
        mark_reviewed(store, NAME, subject, position=9, by=COMMAND_LINE)
        mark_reviewed(store, "another", rater_of(8), position=9, by=COMMAND_LINE)
    other = open_store(str(tmp_path / "moderation.db"))
    found = reviewed(other, NAME)
    other.close()
    assert found.until(group_of([3, 7])) == found.until(rater_of(3)) == 9
    assert found.until(rater_of(8)) == found.until(flags_of(7)) == 0
    assert len(found.at) == 3


def test_positions_and_answers(store):
    create(store, 4)
    flag(store, 1, 0, "other")
    Desk(store, clock=Clock()).withdraw(NAME, [1])
    flag(store, 2, 0, "other")
    events = [entry.position for entry in store.events(NAME)]
    columns = AnswerColumns()
    columns.read_on(store, NAME)
    # Two events to begin with, then a flag, an event and a flag.
    assert [answers_until(p, events) for p in range(6)] == [0, 0, 0, 1, 1, 2]
    found = flagged(
        columns.answers, events=events, known=reviewed(store, NAME), excluded=set(),
        withdrawn=set(),
    )  # fmt: skip
    assert found[0].flags == 2


# Suspicious raters


def test_the_docket_names_cheats_by_their_numbers(store, crowd):
    moderation = Moderation(store, AllColumns())
    named = moderation.docket(seen_of(store)).suspicions.suspects
    assert sorted(one.rater for one in named) == sorted(crowd)
    Desk(store, clock=Clock()).exclude(NAME, crowd[0])
    seen = seen_of(store)
    named = moderation.docket(seen).suspicions.suspects
    assert sorted(one.rater for one in named) == sorted(crowd[1:])
    # Their page still says why.
    assert moderation.of_rater(seen, crowd[0]).of(crowd[0]).reasons[0].test == "same answer"


def test_what_is_found_is_computed_once(store, crowd):
    now = [0.0]
    moderation = Moderation(store, AllColumns(), timer=lambda: now[0])
    seen = seen_of(store)
    for _ in range(5):
        moderation.docket(seen)
    assert moderation.computed == 1
    flag(store, 5000, 3, "other")
    # Right afterwards another vote changes nothing; after a while it does.
    assert moderation.docket(seen).flags[0].flags == 1
    assert moderation.computed == 1
    now[0] = 60.0
    moderation.docket(seen)
    assert moderation.computed == 2
    seen.contest.excluded = {1}
    moderation.docket(seen)
    assert moderation.computed == 3


def test_addresses_come_from_the_store(store):
    create(store, 40)
    # An honest crowd over days, and nine of one address within minutes.
    answers = joined(
        honest(6, raters=60, votes=8, items=40), cheats(6, "burst", raters=9, votes=8, items=40)
    )
    origins = np.arange(1, 70)
    origins[60:] = 500
    numbers = fill(store, answers, origins=origins)
    found = Moderation(store, AllColumns()).docket(seen_of(store)).suspicions
    ((burst, reason),) = found.bursts
    assert sorted(burst.raters) == sorted(numbers[rater] for rater in range(60, 69))
    assert "9 raters from one address" in str(reason.words)


# Before and after


@pytest.mark.parametrize("lanes", [("lil-klucb",), ("lil-klucb", "lucb++")])
def test_before_and_after_are_what_comes_of_it(store, lanes):
    create(store, 30, epsilon=0.05, lanes=tuple(Lane(lane) for lane in lanes), uniform=0.2)
    numbers = fill(
        store,
        joined(
            honest(5, raters=120, votes=14, items=30),
            cheats(5, "same", raters=3, votes=28, items=30),
        ),
    )
    raters = [numbers[rater] for rater in (120, 121, 122)]
    live = load_contest(store, NAME)
    answers = {rater: store.answers_of(NAME, rater) for rater in raters}
    before = results_now(live)
    changes = compare(live.snapshot(), RatersExcluded(tuple(raters)), answers)
    desk = Desk(store, clock=Clock())
    for rater in raters:
        desk.exclude(NAME, rater)
    after = results_now(replayed(store))
    assert [change.before for change in changes] == before["lanes"]
    assert [change.after for change in changes] == after["lanes"]
    assert changes[0].before["votes"] > changes[0].after["votes"]
    for change in changes:
        leaders = [row["item"] for row in after["lanes"][0]["leaders"][:10]]
        assert set(leaders) <= {row.item for row in changes[0].rows}
        assert [row.after["rank"] for row in change.rows if row.after] == sorted(
            row.after["rank"] for row in change.rows if row.after
        )
    # And back again.
    back = compare(load_contest(store, NAME).snapshot(), RatersReadmitted(tuple(raters)), answers)
    assert [change.after for change in back] == before["lanes"]
    for rater in raters:
        desk.readmit(NAME, rater)
    assert results_now(replayed(store))["lanes"] == before["lanes"]


def test_a_verdict_that_would_be_reached_is_shown(store):
    """Two items, one of them better, and a rater whose votes hide that."""
    create(store, 3, epsilon=0.3, delta=0.2)
    rows = [
        Answer(Kind.VOTE, key_of(rater), item, 2 if item == 0 else 0, 0, START, 900)
        for rater in range(60)
        for item in range(3)
    ]
    odd = [
        Answer(Kind.VOTE, key_of(100 + k), item, 0 if item == 0 else 2, 0, START, 900)
        for k in range(70)
        for item in range(3)
    ]
    store.append_answers(NAME, rows + odd)
    live = load_contest(store, NAME)
    raters = list(range(60, 130))
    answers = {rater: store.answers_of(NAME, rater) for rater in raters}
    (change,) = compare(live.snapshot(), RatersExcluded(tuple(raters)), answers)
    assert not change.before["decided"]
    assert change.after["decided"]
    assert change.after["winners"] == [0]
    assert change.moved >= 1
    # Whichever grounds are given, the preview says what the verdict would owe to them.
    owed = change.after["exclusions"]
    assert (owed["raters"], owed["by_votes"], owed["same"]) == (70, 70, False)
    assert str(owed["sentence"]) == "Rests on excluding 70 raters because of how they voted."
    fast = RatersExcluded(tuple(raters), grounds="speed")
    (change,) = compare(live.snapshot(), fast, answers)
    assert change.after["exclusions"]["same"]
    assert change.after["exclusions"]["by_votes"] == 0


def test_looking_changes_nothing(store, crowd):
    live = load_contest(store, NAME)
    counts, position = live.contest.counts.copy(), live.contest.position
    answers = {crowd[0]: store.answers_of(NAME, crowd[0])}
    imagined = after_step(live.contest, RatersExcluded(tuple(crowd[:1])), answers)
    assert imagined.counts.sum() == counts.sum() - len(answers[crowd[0]])
    np.testing.assert_array_equal(live.contest.counts, counts)
    assert (live.contest.position, store.contest(NAME).position) == (position, position)


def test_steps_and_their_undoing_are_a_replay_of_the_log(store, crowd):
    desk = Desk(store, clock=Clock())
    start = results_now(replayed(store))["lanes"]
    steps = [
        desk.exclude(NAME, crowd[0]),
        desk.replace(NAME, [3, 4], "both", keep_votes=True),
        desk.withdraw(NAME, [7]),
        desk.exclude(NAME, crowd[1]),
    ]
    changed = replayed(store)
    assert changed.contest.excluded == set(crowd[:2])
    assert changed.contest.race_counts(0)[60].sum() > 0
    for step in reversed(steps):
        desk.undo(NAME, step.position)
        replayed(store)
    undone = replayed(store)
    assert (undone.contest.excluded, undone.contest.withdrawn) == (set(), {60})
    found = results_now(undone)["lanes"]
    first = {row["item"]: (row["votes"], row["mean"]) for row in start[0]["leaders"]}
    last = {row["item"]: (row["votes"], row["mean"]) for row in found[0]["leaders"]}
    assert {item: last[item] for item in first} == first


# Small parts


def test_numbers_that_people_type():
    assert numbers_in("") == ()
    assert numbers_in("3, 12;7 #8") == (3, 12, 7, 8)
    with pytest.raises(ValueError, match="not a list of numbers"):
        numbers_in("3, four")


def test_figures_of_a_rater(store):
    create(store, 5)
    given = [(Kind.VOTE, 2, 400), (Kind.VOTE, 0, 3000), (Kind.SKIP, NONE, NONE), (Kind.FLAG, 1, 9)]
    for item, (kind, level, taken) in enumerate(given):
        answer = Answer(kind, key_of(1), item, level, 0, START + item, taken)
        store.append_answers(NAME, [answer])
    found = figures_of(store.answers_of(NAME, 0), FUNNY)
    assert found.levels == [("Unfunny", 1), ("Somewhat funny", 0), ("Funny", 1)]
    assert (found.skips, found.flags, found.median_ms, found.quickest_ms) == (1, 1, 400.0, 9)
    assert [dot.kind for dot in found.dots] == ["high", "low", "none"]
    assert found.dots[0].y > found.dots[1].y
    assert found.dots[2].y == height(100)
    assert (found.first, found.last) == (START, START + 3)
    assert figures_of([], FUNNY).median_ms is None


# The pages


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    monkeypatch.setattr(door, "Passwords", lambda: Passwords(time_cost=1, memory_kib=8))


class Editor:
    """Someone at the desk, who presses the buttons of pages."""

    def __init__(self, site, accounts, name, role):
        self.client = TestClient(site.app, follow_redirects=False, base_url="http://testserver")
        # One event loop as in a real service: what waits for a step is woken by it.
        self.client.portal = site.portal
        token = accounts.first_link() or accounts.invite(COMMAND_LINE, role)
        path = f"/desk/welcome/{token}"
        word = "four words put together"
        fields = {"name": name, "password": word, "again": word}
        assert self.send(path, path, **fields).status_code == 303

    def get(self, path=""):
        return self.client.get(path if path.startswith("/desk") else HERE + path)

    def send(self, page, action, **fields):
        """Sends a form with the fields that all forms of a page have."""
        return self.press(self.get(page).text, action, **fields)

    def undo(self, page, **fields):
        """Presses the button that undoes the step after which a page is shown."""
        step = re.search(r'name="step" value="([0-9.]+)"', page.text)[1]
        return self.follow(self.press(page.text, "/undo", step=step, **fields))

    def press(self, shown, action, **fields):
        """Sends a form of a page that is shown."""
        for name in ("form_token", "epoch"):
            if found := re.search(rf'name="{name}" value="(\w+)"', shown):
                fields = {name: found[1]} | fields
        path = action if action.startswith("/desk") else HERE + action
        return self.client.post(path, data=fields, headers={"origin": "http://testserver"})

    def follow(self, response):
        assert response.status_code == 303, response.text
        return self.get(response.headers["location"])


@pytest.fixture
def desk_of(tmp_path):
    """Signs people in at the desk."""
    database = str(tmp_path / "moderation.db")
    app = make_app(Serving(database, "a secret for the tests of moderation", hosts=("testserver",)))
    with TestClient(app) as site:
        store = open_store(database)
        accounts = Accounts(store, Passwords(time_cost=1, memory_kib=8))
        yield lambda name="Ana", role="owner": Editor(site, accounts, name, role)
        store.close()


def test_many_who_look_are_one_computation_and_nobody_else_waits():
    begun, go_on = threading.Event(), threading.Event()
    looks = []

    def work(name):
        looks.append(name)
        begun.set()
        assert go_on.wait(30)
        return name

    async def scene():
        heavy = HeavyWork(threads=1)

        def look(key, name):
            return heavy.look(key, lambda: partial(work, name))

        many = [asyncio.create_task(look("large", "large")) for _ in range(50)]
        other = asyncio.create_task(look("other", "other"))
        await asyncio.to_thread(begun.wait, 30)
        many[0].cancel()
        # Work that every viewer needs has its own threads.
        assert await asyncio.to_thread(lambda: "a session") == "a session"
        fill = [look(number, "more") for number in range(MOST_WAITING - 2)]
        waiting = [asyncio.create_task(one) for one in fill]
        await asyncio.sleep(0)
        with pytest.raises(Problem, match="Try again") as refused:
            await look("one too many", "refused")
        assert refused.value.status == 503
        go_on.set()
        assert {await one for one in many[1:]} == {"large"}
        assert await other == "other"
        await asyncio.gather(*waiting)
        assert await look("large", "anew") == "anew"
        heavy.close()

    asyncio.run(scene())
    assert looks.count("large") == looks.count("other") == looks.count("anew") == 1
    assert "refused" not in looks


@pytest.fixture
def flags(store):
    create(store, 6)
    flag(store, 1, 3, "offensive")
    flag(store, 2, 3, "duplicate")


def test_a_flagged_item_is_withdrawn_and_brought_back(store, flags, desk_of):
    ana = desk_of()
    page = ana.get()
    assert "2 flags: 1 offensive, 1 duplicate" in page.text
    page = ana.follow(ana.send("", "/flags/withdraw", item=3))
    assert "The item was withdrawn" in page.text
    assert "No flagged items" in page.text
    assert replayed(store).contest.withdrawn == {3}
    page = ana.undo(page)
    assert "The step was undone" in page.text
    assert replayed(store).contest.withdrawn == set()
    assert "2 flags" in page.text
    assert [deed.who for deed in store.deeds(contest=NAME)][:2] == ["Ana", "Ana"]


def test_a_flagged_item_is_left(store, flags, desk_of):
    ana = desk_of()
    page = ana.follow(ana.send("", "/flags/leave", item=3))
    assert "No flagged items" in page.text
    assert "Reviewed and kept: 1" in page.text
    flag(store, 7, 3, "other")
    assert "1 flag: 1 other" in ana.get().text
    page = ana.follow(ana.send("", "/flags/again", item=3))
    assert "3 flags" in page.text
    assert (
        str(worded(store.deeds(contest=NAME)[0].what))
        == "wants to review the flags of item i4 again"
    )
    trail = ana.client.get(f"/desk/contests/{NAME}/trail").text
    assert "wants to review the flags of item i4 again" in trail


def test_raters_are_excluded_one_by_one_and_together(store, crowd, desk_of):
    ana = desk_of()
    page = ana.get().text
    assert "Answered “Funny”" in page
    first = crowd[0]
    page = ana.get(f"/raters/{first}").text
    assert "The ranking without this rater" in page
    assert "Answered “Funny”" in page
    fields = {"rater": first, "back": f"raters/{first}"}
    page = ana.follow(ana.send(f"/raters/{first}", "/raters/exclude", **fields)).text
    assert "None of this rater's votes count." in page
    assert "The ranking with this rater" in page
    # The reason can still be read.
    assert "Answered “Funny”" in page
    both = " ".join(str(rater) for rater in crowd[1:])
    page = ana.get(f"/raters?rater={crowd[1]}&rater={crowd[2]}").text
    assert "without these 2 raters" in page
    before = store.contest(NAME).epoch
    page = ana.follow(ana.send(f"/raters?raters={both}", "/raters/exclude", raters=both))
    assert store.contest(NAME).epoch == before + 1
    assert replayed(store).contest.excluded == set(crowd)
    assert "No suspicious raters found" in page.text
    ana.undo(page)
    assert replayed(store).contest.excluded == {first}
    ana.follow(ana.send(f"/raters/{first}", "/raters/readmit", rater=first))
    assert replayed(store).contest.excluded == set()


def test_a_rater_is_left_in(store, crowd, desk_of):
    ana = desk_of()
    page = ana.follow(ana.send("", "/raters/leave", rater=crowd[0])).text
    assert "Reviewed and kept: 1" in page
    page = ana.follow(ana.send("", "/raters/again", rater=crowd[0])).text
    assert "Reviewed and kept" not in page


def test_erasing_is_for_owners_who_are_sure(store, crowd, desk_of):
    ana, bob = desk_of(), desk_of("Bob", "editor")
    path, rater = f"/raters/{crowd[0]}", crowd[0]
    assert "cannot be undone" in ana.get(path).text
    assert "cannot be undone" not in bob.get(path).text
    assert bob.send(path, "/raters/erase", rater=rater, sure="yes").status_code == 403
    assert ana.send(path, "/raters/erase", rater=rater).status_code == 422
    assert replayed(store).contest.erased == set()
    back = f"raters/{rater}"
    page = ana.follow(ana.send(path, "/raters/erase", rater=rater, sure="yes", back=back)).text
    assert "The rater was erased." in page
    assert "Undo this step" not in page
    assert replayed(store).contest.erased == {rater}


def test_viewers_look_and_change_nothing(store, crowd, desk_of):
    desk_of()
    vic = desk_of("Vic", "viewer")
    before = store.contest(NAME), store.deeds()
    for path in (f"/raters/{crowd[0]}", f"/raters?rater={crowd[0]}"):
        assert vic.get(path).status_code == 403
    assert f"<b>Rater {crowd[0]}</b>" in vic.get("").text
    for path in ("", "/duplicates"):
        page = vic.get(path)
        assert page.status_code == 200
        assert f"{HERE}/raters" not in page.text
        assert HERE not in re.findall(r'method="post" action="([^"]+)/', page.text)
    for action in (
        "/undo", "/flags/withdraw", "/flags/leave", "/flags/again", "/raters/exclude",
        "/raters/readmit", "/raters/leave", "/raters/again", "/raters/erase", "/merge",
        "/duplicates/apart", "/duplicates/again",
    ):  # fmt: skip
        response = vic.send("", action, item=1, rater=crowd[0], items="1 2", step=3, sure="yes")
        assert response.status_code == 403, action
    assert before == (store.contest(NAME), store.deeds())


def test_steps_that_cannot_be_taken_are_told(store, crowd, desk_of):
    ana = desk_of()
    assert ana.get("/raters/99999").status_code == 404
    assert ana.get("/raters?raters=x").status_code == 422
    response = ana.send("", "/flags/withdraw", item=999)
    assert response.status_code == 409
    assert "There is no item i1000: items are i1 to" in response.text
    # The first event created the contest.
    response = ana.send("", "/undo", step=1)
    assert response.status_code == 409
    assert "This step created the contest" in response.text
    # An address that names the step to undo shows nothing but numbers.
    page = ana.get("?step=%22%3E%3Cscript%3E").text
    assert "Undo this step" not in page


def test_a_change_in_between_is_not_passed_over(store, crowd, desk_of):
    ana = desk_of()
    old = re.search(r'name="epoch" value="([0-9]+)"', ana.get().text)[1]
    Desk(store, clock=Clock()).withdraw(NAME, [7])
    response = ana.send("", "/raters/exclude", rater=crowd[0], epoch=old)
    assert response.status_code == 409
    assert replayed(store).contest.excluded == set()


# Duplicates


@pytest.fixture
def alike(store):
    create(store, 1 + len(TEXTS))
    Desk(store, clock=Clock()).add_items(NAME, [Item(0, text) for text in TEXTS])
    rows = [(1, 5, 2), (2, 6, 0), (3, 6, 2), (1, 6, 2)]
    for rater, item, level in rows:
        answer = Answer(Kind.VOTE, key_of(rater), item, level, 0, START, 900)
        store.append_answers(NAME, [answer])


def test_duplicates_are_merged_and_their_votes_pool(store, alike, desk_of):
    ana = desk_of()
    page = ana.get("/duplicates").text
    assert "honey im home" in page
    assert "Skim milk" not in page
    # The words decide, not how they are written.
    assert not re.search(r"[0-9] votes|mean", page)
    fields = {"items": "5 6", "keep": "6", "text": "", "back": "duplicates"}
    page = ana.follow(ana.send("/duplicates", "/merge", **fields))
    assert "their votes added up" in page.text
    assert "No similar items found" in page.text
    live = replayed(store)
    assert live.items[9].text == "honey im home"
    assert live.contest.withdrawn == {5, 6}
    # Rater 1 voted on both and counts once.
    assert live.contest.race_counts(0)[9].tolist() == [1, 0, 2]
    page = ana.undo(page, back="duplicates")
    assert "honey im home" in page.text
    assert replayed(store).contest.withdrawn == {9}


def test_items_that_differ_are_kept_apart(store, alike, desk_of):
    ana = desk_of()
    fields = {"items": "5 6", "back": "duplicates"}
    page = ana.follow(ana.send("/duplicates", "/duplicates/apart", **fields)).text
    assert "No other similar items found" in page
    assert "Kept apart: 1" in page
    page = ana.follow(ana.send("/duplicates", "/duplicates/again", **fields)).text
    assert "Kept apart" not in page


def test_any_items_can_be_merged_by_number(store, alike, desk_of):
    ana = desk_of()
    page = ana.get("/merge?numbers=8,+9").text
    assert "Skim milk" in page
    assert "No sugar" in page
    for typed, wrong in (
        ("8", "at least two"), ("8, 99", "no item i99: items are i1 to"),
        ("0, 8", "no item i0"), ("8, x", "not a list of ids"),
    ):  # fmt: skip
        response = ana.client.get(f"{HERE}/merge", params={"numbers": typed})
        assert response.status_code == 422
        assert wrong in response.text
        assert f'value="{typed}"' in response.text
    fields = {"items": "7 8", "text": "Milk without sugar"}
    ana.follow(ana.send("/duplicates", "/merge", **fields))
    assert replayed(store).items[9].text == "Milk without sugar"
    response = ana.send("/duplicates", "/merge", **fields)
    assert response.status_code == 409
    assert "is withdrawn" in response.text
