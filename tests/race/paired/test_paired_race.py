"""A paired race for its callers: rows, asking, verdicts, saving, errors; how often it is wrong."""

import io
import itertools

import numpy as np
import pytest
from scipy import stats

from plaudit import InvalidInput, PairedRace, PlauditError, Race, Scale, UnknownItem, Verdict
from plaudit.race.paired.settings import MOST_ITEMS
from plaudit.scale import FUNNY, STARS, THUMBS


def crowd_rows(rng, means, raters, *, kindness=0.2):
    """Yes and no, with a kindness of each rater's own."""
    shift = rng.uniform(-kindness, kindness, size=(raters, 1))
    return (rng.random((raters, len(means))) < np.asarray(means) + shift).astype(float)


def run(race, rng, means, *, count=None, most=20_000):
    while not race.verdict() and race.raters < most:
        items = race.ask(count)
        row = crowd_rows(rng, means, 1)[0]
        race.tell({item: float(row[item]) for item in items})
    return race.verdict()


@pytest.mark.parametrize("scale", [THUMBS, None])
@pytest.mark.parametrize("count", [None, 2, 3])
@pytest.mark.parametrize("top", [1, 2])
def test_the_best_are_found(scale, count, top):
    race = PairedRace(5, delta=0.05, scale=scale, top=top, seed=3)
    verdict = run(race, np.random.default_rng(1), [0.3, 0.75, 0.5, 0.7 if top == 2 else 0.4, 0.3],
                  count=count)  # fmt: skip
    assert isinstance(verdict, Verdict)
    assert verdict.certified
    assert set(verdict.items) == ({1, 3} if top == 2 else {1})
    assert race.ask() == []
    assert verdict.votes == race.votes
    assert verdict.withstands >= 0
    assert verdict.gap < 0.001
    assert set(race.standings()) <= {"in", "out", "open"}
    assert all(race.standings()[list(verdict.items)] == "in")


def test_slack_ends_a_race_of_equals():
    race = PairedRace(3, delta=0.05, epsilon=0.1)
    verdict = run(race, np.random.default_rng(2), [0.5, 0.5, 0.5])
    assert verdict
    assert verdict.gap <= 0.1
    assert "up to 0.1" in str(verdict)


def test_a_race_is_told_apart_by_the_gap_before_it_ends():
    race = PairedRace(2, delta=0.05, scale=STARS)
    assert race.verdict().gap == pytest.approx(1.0)
    gaps = []
    for _ in range(12):
        race.tell_many([[0.75, 0.5], [0.75, 0.75]])
        gaps.append(race.verdict().gap)
    assert gaps[0] > gaps[4] > gaps[-1]
    # What the gap says is what a race with that slack certifies.
    early = PairedRace(2, delta=0.05, scale=STARS)
    early.tell_many([[0.75, 0.5], [0.75, 0.75]] * 3)
    gap = early.verdict().gap
    assert not early.verdict()
    for slack, ends in ((gap + 1e-4, True), (gap - 1e-4, False)):
        again = PairedRace(2, delta=0.05, scale=STARS, epsilon=slack)
        again.tell_many([[0.75, 0.5], [0.75, 0.75]] * 3)
        assert bool(again.verdict()) == ends


def test_items_that_are_out_are_not_shown():
    race = PairedRace(4, delta=0.1, scale=FUNNY)
    for _ in range(9):
        race.tell({0: 1.0, 1: 1.0, 2: 0.0, 3: 1.0})
    assert race.standings().tolist() == ["open", "open", "out", "open"]
    for _ in range(20):
        assert sorted(race.ask()) == [0, 1, 3]
        assert len(set(race.ask(2))) == 2
    # All open items come up, in every order.
    assert {tuple(race.ask()) for _ in range(80)} == set(itertools.permutations([0, 1, 3]))


def test_the_same_seed_shows_the_same():
    one, same, other = (PairedRace(30, seed=seed) for seed in (1, 1, 2))
    asked = [[race.ask(5) for _ in range(10)] for race in (one, same, other)]
    assert asked[0] == asked[1] != asked[2]


def test_rows_with_missing_votes():
    race = PairedRace(3, scale=FUNNY)
    race.tell({0: "Funny", 2: "unfunny"})
    race.tell({0: 0.5, 1: None})
    race.tell_many([[np.nan, 1.0, 0.5], [1.0, 1.0, 1.0]])
    assert race.raters == 4
    assert race.votes == 8
    assert [race.difference(i, j).raters for i, j in ((0, 1), (0, 2), (2, 1))] == [1, 2, 2]
    assert race.difference(0, 2).mean == 0.5
    assert race.difference(1, 2).mean == 0.25
    assert race.means == pytest.approx([2.5 / 3, 1.0, 0.5])


def test_one_by_one_or_all_at_once():
    rng = np.random.default_rng(3)
    rows = rng.choice(STARS.values, size=(80, 4))
    for scale in (STARS, None):
        races = [PairedRace(4, scale=scale) for _ in range(2)]
        races[0].tell_many(rows)
        for row in rows:
            races[1].tell(dict(enumerate(row.tolist())))
        assert races[0].verdict() == races[1].verdict()
        assert races[0].difference(0, 3) == races[1].difference(0, 3)


def test_labels_in_any_order_of_the_scale():
    backward = Scale.of({"yes": 1, "maybe": 0.5, "no": 0})
    rows = np.random.default_rng(4).choice([0, 0.5, 1], size=(50, 3))
    found = []
    for scale in (backward, FUNNY, None):
        race = PairedRace(3, scale=scale)
        race.tell_many(rows)
        found.append([race.difference(i, j).lower for i, j in itertools.permutations(range(3), 2)])
    assert found[0] == found[1] == pytest.approx(found[2], abs=1e-12)


@pytest.mark.parametrize("scale", [FUNNY, None])
@pytest.mark.parametrize("ended", [True, False])
def test_saved_and_restored(scale, ended, tmp_path):
    rng = np.random.default_rng(7)
    race = PairedRace(3, scale=scale, tolerance=1, epsilon=0.02, delta=0.1, seed=5)
    rows = rng.choice([0, 0.5, 1], size=(100, 3))
    if ended:
        rows[:, 1] = 1.0
    race.tell_many(rows)
    race.verdict()
    race.ask()
    race.save(tmp_path / "race.npz")
    again = PairedRace.restore(tmp_path / "race.npz")
    assert again.verdict() == race.verdict()
    assert race.ended == again.ended == ended
    for one in (race, again):
        one.tell_many(rng.permutation(rows) if one is race else rows[:0].reshape(0, 3))
    stream = io.BytesIO()
    race.save(stream)
    stream.seek(0)
    copy = PairedRace.restore(stream)
    more = rng.choice([0, 0.5, 1], size=(300, 3))
    for one in (race, copy):
        one.tell_many(more)
    assert copy.verdict() == race.verdict()
    assert copy.ask() == race.ask()
    assert copy.difference(0, 1) == race.difference(0, 1)
    assert copy.withstands() == race.withstands()
    assert copy.means.tolist() == race.means.tolist()


def test_what_is_not_a_saved_race_is_refused(tmp_path):
    Race(3).save(tmp_path / "other.npz")
    (tmp_path / "text.npz").write_text("votes")
    for name, words in (("other.npz", "not a paired race"), ("text.npz", "not a paired race"),
                        ("none.npz", "no saved race")):  # fmt: skip
        with pytest.raises(InvalidInput, match=words):
            PairedRace.restore(tmp_path / name)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"items": 1}, "how many there are, from 2"),
        ({"items": MOST_ITEMS + 1}, "from 2 to 500"),
        ({"delta": 0.0}, "delta must be a probability"),
        ({"delta": 1.0}, "delta must be a probability"),
        ({"epsilon": -0.1}, "epsilon must lie in"),
        ({"top": 3}, "top must be less"),
        ({"tolerance": -1}, "tolerance must be a whole number"),
        ({"tolerance": 2**30}, "too much to keep"),
        ({"scale": "stars"}, "scale must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_settings_that_are_refused(settings, words):
    with pytest.raises(InvalidInput, match=words):
        PairedRace(**{"items": 3} | settings)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({}, "no votes"),
        ({0: None}, "no votes"),
        ([1.0, 0.0], "must be given as"),
        ({0: 1.0, 3: 1.0}, "There is no item 3"),
        ({0: 1.0, True: 1.0}, "There is no item True"),
        ({0: 1.0, 1: 0.3}, "not on the scale"),
        ({0: 1.0, 1: 1.5}, "number in"),
        ({0: 1.0, 1: float("nan")}, "number in"),
        ({0: 1.0, 1: "Hilarious"}, "label"),
    ],
)
def test_rows_that_are_refused_change_nothing(row, words):
    race = PairedRace(3, scale=FUNNY)
    race.tell({0: 1.0, 1: 0.5})
    before = race.difference(0, 1)
    with pytest.raises(PlauditError, match=words):
        race.tell(row)
    assert race.raters == 1
    assert race.votes == 2
    assert race.difference(0, 1) == before


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([1.0, 0.5, 0.0], "3 columns"),
        ([[1.0, 0.5]], "3 columns"),
        ([[1.0, 0.5, 0.0], [1.0, 0.3, 0.0]], "not on the scale"),
        ([[1.0, 0.5, 2.0]], "number in"),
        ([[1.0, 0.5, np.inf]], "number in"),
        ([[1.0, 0.5, 0.0], [np.nan] * 3], "Row 1 has no votes"),
        ([["Funny", "Funny", "Funny"]], "table of numbers"),
    ],
)
def test_tables_that_are_refused_change_nothing(rows, words):
    race = PairedRace(3, scale=FUNNY)
    with pytest.raises(PlauditError, match=words):
        race.tell_many(rows)
    assert race.raters == 0
    assert race.votes == 0


def test_other_calls_that_are_refused():
    race = PairedRace(3)
    for count in (1, 0, 2.5, True, "2"):
        with pytest.raises(InvalidInput, match="count must be"):
            race.ask(count)
    with pytest.raises(InvalidInput, match="two items"):
        race.difference(1, 1)
    with pytest.raises(UnknownItem, match="no item 3"):
        race.difference(0, 3)
    with pytest.raises(InvalidInput, match="delta must be"):
        race.difference(0, 1, delta=2)
    with pytest.raises(InvalidInput, match="there is no scale"):
        race.tell({0: "Funny"})


def test_a_difference_in_words():
    race = PairedRace(2, delta=0.05)
    assert str(race.difference(0, 1)).startswith("Item 0 less item 1: -1.0000 to 1.0000")
    race.tell_many([[0.75, 0.5]] * 100)
    assert str(race.difference(0, 1)).startswith("Item 0 beats item 1 by 0.18")
    assert str(race.difference(1, 0)).startswith("Item 0 beats item 1 by 0.18")
    assert race.difference(0, 1).to_dict()["raters"] == 100


def test_kindness_falls_out():
    """Raters who differ much from each other and agree on the difference: few are needed."""
    rng = np.random.default_rng(8)
    base = rng.uniform(0.0, 0.9, size=200)
    race = PairedRace(2, delta=0.01)
    for value in base:
        race.tell({0: value, 1: value + 0.05})
        if race.verdict():
            break
    usual = Race(2, delta=0.01)
    usual.tell_many(np.tile([0, 1], 200), np.stack([base, base + 0.05], axis=1).ravel())
    assert race.verdict().items == (1,)
    assert race.raters < 200
    assert not usual.verdict()


def times_out(races, delta, items, *, rows=150, opposed=False):
    """In how many races item 1, which is as good as all others, was out at some time."""
    rng = np.random.default_rng(17)
    out = 0
    for _ in range(races):
        race = PairedRace(items, delta=delta, scale=THUMBS)
        table = crowd_rows(rng, [0.5] * items, rows)
        if opposed:
            table[:, 1] = 1.0 - table[:, 0]
        race.tell_many(table)
        out += race.standings()[1] == "out"
    return out


@pytest.mark.statistical
def test_the_best_is_out_at_most_as_often_as_delta_and_not_for_nothing():
    """Two opposed items, delta 0.2, 2,000 races: false alarms and misses below 0.001 each.

    An error above delta has an exact upper tail below 0.001. A level five times too high would
    put the error at delta / 5, where so many come up with probability below 0.001.
    """
    out = times_out(2000, 0.2, 2, opposed=True)
    assert stats.binom.sf(out - 1, 2000, 0.2) > 0.001
    assert stats.binom.sf(out - 1, 2000, 0.04) < 0.001


@pytest.mark.statistical
def test_many_items_share_delta():
    """Six equal items and kind or stern raters, delta 0.2, 1,000 races; the same limits.

    Five claims share delta. If each had all of it, the best would be out in half of the races.
    """
    out = times_out(1000, 0.2, 6)
    assert stats.binom.sf(out - 1, 1000, 0.2) > 0.001
    assert stats.binom.sf(out - 1, 1000, 0.04) < 0.001


@pytest.mark.statistical
@pytest.mark.parametrize("at_once", [True, False])
def test_intervals_hold_at_all_times(at_once):
    """All pairs of three items, or one pair of them: delta 0.1, 400 races, read ten times each."""
    rng = np.random.default_rng(19)
    means = np.array([0.6, 0.5, 0.45])
    pairs = list(itertools.combinations(range(3), 2)) if at_once else [(0, 1)]
    missed = 0
    for _ in range(400):
        race, bad = PairedRace(3, delta=0.1, scale=THUMBS), False
        for _ in range(10):
            race.tell_many(crowd_rows(rng, means, 12))
            for i, j in pairs:
                found = race.difference(i, j, at_once=at_once)
                bad |= not found.lower <= means[i] - means[j] <= found.upper
        missed += bad
    assert stats.binom.sf(missed - 1, 400, 0.1) > 0.001
    assert missed > 0


@pytest.mark.parametrize("scale", [THUMBS, None])
def test_rows_that_already_exist_are_judged_together(scale):
    rows = np.repeat([[1.0, 0.0], [0.0, 1.0]], 30, axis=0)
    told = PairedRace(2, scale=scale, delta=0.05)
    told.tell_many(rows)
    assert told.verdict().items == (0,)  # on the way, where the order may not depend on votes
    assert not PairedRace.from_rows(rows, scale=scale, delta=0.05).verdict()
    clear = PairedRace.from_rows(rows[:30], scale=scale, delta=0.05)
    assert clear.verdict().items == (0,)
    assert clear.verdict().gap < 0
    with pytest.raises(InvalidInput, match="columns"):
        PairedRace.from_rows([1.0, 0.0])


def test_items_by_name_are_the_items_by_number(tmp_path):
    names = ["tea", "coffee", "milk"]
    rows = np.random.default_rng(2).choice([0, 0.5, 1], size=(60, 3)) * [0.3, 1.0, 0.3]
    named, numbered = PairedRace(names, delta=0.05, seed=4), PairedRace(3, delta=0.05, seed=4)
    assert named.ask() == [names[number] for number in numbered.ask()]
    for row in rows:
        named.tell(dict(zip(names, row, strict=True)))
        numbered.tell(dict(enumerate(row)))
    assert named.verdict().items == tuple(names[n] for n in numbered.verdict().items) == ("coffee",)
    assert named.leaders == ("coffee",)
    found = named.difference("coffee", "milk")
    assert (found.lower, found.upper) == (
        numbered.difference(1, 2).lower,
        numbered.difference(1, 2).upper,
    )
    assert str(found).startswith("Item coffee beats item milk by ")
    named.save(tmp_path / "race.npz")
    again = PairedRace.restore(tmp_path / "race.npz")
    assert again.names == tuple(names)
    assert again.verdict() == named.verdict()
    assert again.leaders == ("coffee",)
    assert PairedRace.from_rows(rows, names=names, delta=0.05).verdict().items == ("coffee",)
    with pytest.raises(UnknownItem, match="no item 'water'"):
        named.tell({"water": 1.0})
    with pytest.raises(InvalidInput, match="two items"):
        named.difference("tea", 0)
