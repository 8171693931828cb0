"""On what grounds raters are excluded: votes kept aside, readmission, undo, pools and snapshots."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as tests
from hypothesis import strategies as st

from plaudit.service.contest.events import RatersExcluded, payload_of, read_event
from plaudit.service.contest.grounds import GROUNDS
from plaudit.service.contest.history import History
from plaudit.service.contest.opposite import opposite
from plaudit.service.contest.replay import empty_state
from plaudit.service.contest.state import ContestState
from plaudit.service.contest.words import step_words
from plaudit.store.contract import ContestRecord
from plaudit.store.log import ANSWERS, NONE, Entry, Kind, chain, first_digest
from support.live_worker import NAME, settings

ITEMS, RATERS = 4, 4


def event(kind, **payload):
    return (kind, payload)


def vote(rater, item, level):
    return (Kind.VOTE, (rater, item, level))


def log_of(*steps):
    """A contest of four items, and then these steps."""
    entries = []
    for kind, what in (event(Kind.ADD, first=0, count=ITEMS), *steps):
        place = len(entries) + 1
        if kind == Kind.VOTE:
            entries.append(Entry(place, kind, 7, *what, 0, 900, ""))
        else:
            text = json.dumps(what)
            entries.append(Entry(place, kind, 7, NONE, NONE, NONE, NONE, NONE, text))
    return entries


def record(entries):
    created = settings().to_json()
    digest = chain(first_digest(NAME, created), entries)
    events = sum(one.kind not in ANSWERS for one in entries)
    return ContestRecord(NAME, created, "open", len(entries), events, digest, 0)


def folded(entries, *, pieces=False) -> ContestState:
    answers = [one for one in entries if one.kind in ANSWERS]
    of = {n: [one for one in answers if one.rater == n] for n in range(RATERS)}
    on = {n: [one for one in answers if one.item == n] for n in range(ITEMS + 9)}
    contest = empty_state(record(entries))
    for part in [[one] for one in entries] if pieces else [entries]:
        contest.apply(part, of, answers_on=on)
    return contest


def history(entries):
    return History(record(entries), [one for one in entries if one.kind not in ANSWERS])


def expected_aside(entries, by_votes):
    """Votes of these raters by item and level, counted from the log itself."""
    found = np.zeros((ITEMS, 3), dtype=int)
    for one in entries:
        if one.kind == Kind.VOTE and one.rater in by_votes and one.item < ITEMS:
            found[one.item, one.level] += 1
    return found.tolist()


EVERYONE = [vote(rater, item, (rater + item) % 3) for rater in range(RATERS) for item in (0, 1)]


@pytest.mark.parametrize(
    ("grounds", "aside"),
    [({}, True), ({"grounds": "votes"}, True), ({"grounds": "speed"}, False),
     ({"grounds": "address"}, False), ({"grounds": "robot"}, False)],
)  # fmt: skip
def test_votes_are_kept_aside_where_the_grounds_are_votes_or_unknown(grounds, aside):
    later = vote(1, 2, 2)
    entries = log_of(*EVERYONE, event(Kind.EXCLUDE, raters=[1], **grounds), later)
    contest = folded(entries)
    assert contest.by_votes == ({1} if aside else set())
    assert contest.race_aside(0).tolist() == expected_aside(entries, contest.by_votes)
    assert contest.counts.sum() == 6


def test_logs_of_earlier_editions_read_as_before():
    old = Entry(1, Kind.EXCLUDE, 7, NONE, NONE, NONE, NONE, NONE, '{"raters":[1,2]}')
    found = read_event(old)
    assert found == RatersExcluded((1, 2))
    assert found.grounds_of_each == ("", "")
    assert payload_of(found) == old.payload


def test_readmitting_counts_the_votes_again_and_forgets_the_grounds():
    entries = log_of(
        *EVERYONE,
        event(Kind.EXCLUDE, raters=[1, 2], grounds="votes"),
        event(Kind.READMIT, raters=[2]),
    )
    contest = folded(entries)
    assert (contest.by_votes, contest.grounds) == ({1}, {1: "votes"})
    assert contest.race_aside(0).tolist() == expected_aside(entries, {1})


def test_who_is_excluded_already_keeps_the_grounds():
    first = event(Kind.EXCLUDE, raters=[1], grounds="speed")
    entries = log_of(*EVERYONE, first, event(Kind.EXCLUDE, raters=[1], grounds="votes"))
    assert folded(entries).grounds == {1: "speed"}


def test_erasing_is_at_the_raters_own_wish_unless_they_were_excluded_by_votes_before():
    entries = log_of(
        *EVERYONE,
        event(Kind.EXCLUDE, raters=[1], grounds="votes"),
        event(Kind.EXCLUDE, raters=[3], grounds="robot"),
        event(Kind.ERASE, raters=[1]),
        event(Kind.ERASE, raters=[2]),
        event(Kind.ERASE, raters=[3]),
    )
    contest = folded(entries)
    assert contest.by_votes == {1}
    assert contest.grounds == {1: "votes", 2: "erased", 3: "robot"}
    assert contest.race_aside(0).tolist() == expected_aside(entries, {1})


def test_undoing_a_readmission_gives_each_rater_their_grounds_back():
    entries = log_of(
        *EVERYONE,
        event(Kind.EXCLUDE, raters=[1], grounds="votes"),
        event(Kind.EXCLUDE, raters=[2], grounds="speed"),
        event(Kind.READMIT, raters=[1, 2]),
    )
    seen = history(entries)
    back = opposite(seen, seen.events[-1])
    assert back == RatersExcluded((1, 2), undoes=len(entries), grounds=("votes", "speed"))
    undone = [*entries, Entry(len(entries) + 1, Kind.EXCLUDE, 7, *[NONE] * 5, payload_of(back))]
    before, after = folded(entries[:-1]), folded(undone)
    assert after.grounds == before.grounds == {1: "votes", 2: "speed"}
    assert np.array_equal(after.aside, before.aside)
    words = history(undone).events[-1]
    assert str(step_words(history(undone), words)).endswith("readmitted raters 1 and 2")


def test_undoing_a_readmission_of_raters_with_the_same_grounds_says_it_once():
    entries = log_of(
        event(Kind.EXCLUDE, raters=[1, 2], grounds="speed"), event(Kind.READMIT, raters=[1, 2])
    )
    seen = history(entries)
    assert opposite(seen, seen.events[-1]).grounds == "speed"


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({}, "excluded raters 1 and 2"),
        ({"grounds": "votes"}, "excluded raters 1 and 2 because of how they voted"),
        ({"grounds": "speed"}, "excluded raters 1 and 2 because of their speed"),
        ({"grounds": "address"}, "excluded raters 1 and 2 because of their address"),
        ({"grounds": "robot"}, "excluded raters 1 and 2 as a known robot"),
        (
            {"grounds": ["votes", "speed"]},
            "excluded rater 1 because of how they voted and excluded rater 2 because of their "
            "speed",
        ),
    ],
)
def test_words_say_the_grounds(payload, words):
    seen = history(log_of(event(Kind.EXCLUDE, raters=[1, 2], **payload)))
    assert str(step_words(seen, seen.events[-1])) == words


def test_a_merged_item_keeps_aside_the_first_vote_of_each_excluded_rater():
    merged = event(Kind.REPLACE, items=[0, 1], first=ITEMS, count=1, votes=True)
    out = event(Kind.EXCLUDE, raters=[1], grounds="votes")
    fast = event(Kind.EXCLUDE, raters=[2], grounds="speed")
    late = vote(3, ITEMS, 2)
    for steps in ((merged, out, fast), (out, fast, merged), (out, merged, fast)):
        contest = folded(log_of(*EVERYONE, *steps, late))
        # Rater 1 voted 1 on item 0 first, then 2 on item 1.
        assert contest.race_aside(0)[ITEMS].tolist() == [0, 1, 0]
        assert contest.race_counts(0)[ITEMS].sum() == 2
    after = [*EVERYONE[:2], merged, out, fast, vote(1, ITEMS, 0), vote(1, 0, 2)]
    contest = folded(log_of(*after))
    assert contest.race_aside(0)[ITEMS].tolist() == [1, 0, 0]


def test_a_snapshot_keeps_grounds_and_votes_aside_in_pools_too():
    merged = event(Kind.REPLACE, items=[0, 1], first=ITEMS, count=1, votes=True)
    entries = log_of(*EVERYONE, merged, event(Kind.EXCLUDE, raters=[1], grounds="votes"))
    whole, again = folded(entries), empty_state(record(entries))
    assert again.from_snapshot(whole.to_snapshot())
    assert (again.grounds, again.by_votes) == (whole.grounds, whole.by_votes)
    assert again.race_aside(0).tolist() == whole.race_aside(0).tolist()
    assert again.race_aside(0)[ITEMS].sum() == 1


def test_there_is_room_aside_for_items_that_came_after_it_was_made():
    excluded = event(Kind.EXCLUDE, raters=[1], grounds="votes")
    more = event(Kind.ADD, first=ITEMS, count=9)
    steps = vote(1, 0, 2), excluded, more, vote(1, ITEMS + 8, 1), vote(2, ITEMS, 0)
    for pieces in (False, True):
        contest = folded(log_of(*steps), pieces=pieces)
        assert contest.aside.shape == contest.counts.shape
        assert contest.aside[0, [0, ITEMS + 8]].tolist() == [[0, 0, 1], [0, 1, 0]]
        assert contest.aside.sum() == 2


def test_nothing_is_aside_where_nobody_was_excluded_by_votes():
    contest = folded(log_of(vote(1, 0, 2)))
    assert contest.aside.shape == contest.counts.shape
    assert not contest.aside.any()
    again = folded(log_of())
    assert again.from_snapshot(contest.to_snapshot())
    assert again.to_snapshot() == contest.to_snapshot()
    assert again.aside.shape == contest.aside.shape


def test_many_answers_at_once_are_kept_aside_like_one_by_one():
    """More answers than are counted one by one, of raters who are excluded already."""
    many = [vote(n % RATERS, n % ITEMS, n % 3) for n in range(400)]
    out = [event(Kind.EXCLUDE, raters=[1], grounds="votes"),
           event(Kind.EXCLUDE, raters=[2], grounds="speed")]  # fmt: skip
    entries = log_of(*out, *many)
    assert folded(entries).aside.tolist() == folded(entries, pieces=True).aside.tolist()
    assert folded(entries).race_aside(0).tolist() == expected_aside(entries, {1})


RATER = st.integers(0, RATERS - 1)
STEPS = st.lists(
    st.one_of(
        st.builds(vote, RATER, st.integers(0, ITEMS - 1), st.integers(0, 2)),
        st.builds(
            lambda rater, why: event(Kind.EXCLUDE, raters=[rater], grounds=why),
            RATER,
            st.sampled_from(["", *GROUNDS]),
        ),
        st.builds(lambda rater: event(Kind.READMIT, raters=[rater]), RATER),
        st.builds(lambda rater: event(Kind.ERASE, raters=[rater]), RATER),
    ),
    max_size=40,
)


@given(STEPS)
@tests(max_examples=100, deadline=None)
def test_the_fold_keeps_aside_what_the_log_says(steps):
    """Whatever comes in whatever order, folded at once or in pieces, or from a snapshot."""
    seen: set[tuple[int, int]] = set()
    kept = []
    for kind, what in steps:
        if kind == Kind.VOTE and (what[0], what[1]) in seen:
            continue
        if kind == Kind.VOTE:
            seen.add((what[0], what[1]))
        kept.append((kind, what))
    entries = log_of(*kept)
    whole, pieces = folded(entries), folded(entries, pieces=True)
    again = empty_state(record(entries))
    assert again.from_snapshot(whole.to_snapshot())
    for found in (whole, pieces, again):
        assert found.race_aside(0).tolist() == expected_aside(entries, whole.by_votes)
        assert found.grounds.keys() == found.excluded
