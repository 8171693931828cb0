"""Every kind of event: its bytes, its effect, its opposite, what it touches and its words.

`SAMPLES` has an event of each kind as in a log. The tests fail until a new kind is in every table.
"""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

from plaudit.errors import NotAllowed
from plaudit.phrase import Phrase
from plaudit.service.contest.events import (
    EVENTS,
    CodesMade,
    ContestEvent,
    ItemProposed,
    LinkKeyChanged,
    Past,
    RatersErased,
    StateChanged,
    VerdictReached,
    payload_of,
    read_event,
)
from plaudit.service.contest.history import NO_ANSWERS, History
from plaudit.service.contest.opposite import OPPOSITES, opposite, why_not_undoable
from plaudit.service.contest.races import race_of
from plaudit.service.contest.replay import empty_state
from plaudit.service.contest.state import ContestState
from plaudit.service.contest.words import WORDS, step_words
from plaudit.service.deeds import WORDS as DEEDS
from plaudit.service.deeds import did, read, worded
from plaudit.store.contract import ContestRecord
from plaudit.store.log import ANSWERS, NONE, Entry, Kind, chain, first_digest
from support.live_worker import NAME, settings

VERDICT = (
    '{"lane":0,"judged_at":9,"winners":[2],"delta":0.05,"epsilon":0.00001,"top":1,"votes":40,'
    '"gap":null}'
)
# For each kind, a payload byte for byte as in logs of all editions, and its words.
SAMPLES = {
    Kind.ADD: ('{"first":6,"count":2,"digest":"ab"}', "added items i7 and i8"),
    Kind.WITHDRAW: ('{"items":[1,4]}', "withdrew items i2 and i5"),
    Kind.EXCLUDE: ('{"raters":[1,2]}', "excluded raters 1 and 2"),
    Kind.READMIT: ('{"raters":[0]}', "readmitted rater 0"),
    Kind.ERASE: ('{"raters":[2]}', "erased rater 2"),
    Kind.STATE: ('{"state":"paused"}', "paused the contest"),
    Kind.VERDICT: (VERDICT, "named item i3 in a verdict"),
    Kind.REPLACE: (
        '{"items":[1,2],"first":6,"count":1,"digest":"cd","votes":true}',
        "merged items i2 and i3 into item i7",
    ),
    Kind.RESTORE: ('{"items":[5],"without":[3]}', "brought back item i6 and withdrew item i4"),
    Kind.SETTINGS: ('{"set":{"title":"\\u00dcber","delta":0.1}}', "changed title, delta"),
    Kind.CODES: ('{"upto":30}', "made 29 codes (2 to 30)"),
    Kind.REVOKE: ('{"codes":[1]}', "revoked code 1"),
    Kind.LIST: (
        f'{{"added":["{"ab" * 12}"],"removed":["{"cd" * 12}"]}}',
        "put an id on the list and took an id off the list",
    ),
    Kind.LINK_KEY: ('{"number":1}', "changed the key that signs links (now key 1)"),
    Kind.PROPOSE: ('{"rater":1,"text":"New \\u00fc"}', "proposed “New ü”"),
    Kind.REFUSE: (
        '{"proposals":[22],"reason":"duplicate","note":"See i2."}',
        "refused proposal 22",
    ),
}
KINDS = [kind for kind in Kind if kind not in ANSWERS]


def entry(position: int, kind: Kind, payload: str) -> Entry:
    return Entry(position, kind, 7, NONE, NONE, NONE, NONE, NONE, payload)


def vote(position: int, rater: int, item: int, level: int) -> Entry:
    return Entry(position, Kind.VOTE, 7, rater, item, level, 0, 900, "")


# Six items, of which item 5 is withdrawn; three raters, of whom rater 0 is excluded.
BEGINNING = [
    entry(1, Kind.ADD, '{"first":0,"count":6}'),
    entry(2, Kind.STATE, '{"state":"open"}'),
    entry(3, Kind.WITHDRAW, '{"items":[5]}'),
    entry(4, Kind.CODES, '{"upto":1}'),
    entry(5, Kind.LIST, f'{{"added":["{"cd" * 12}"]}}'),
]
VOTES = [
    vote(6 + rater * 5 + item, rater, item, (rater + item) % 3)
    for rater in range(3)
    for item in range(5)
]
EXCLUDED = entry(21, Kind.EXCLUDE, '{"raters":[0]}')


def log_of(kind: Kind) -> list[Entry]:
    """A log that ends with the sample of a kind."""
    voted = kind != Kind.SETTINGS  # the scale's settings may change only before the first vote
    before = [*BEGINNING, *VOTES, EXCLUDED] if voted else [*BEGINNING]
    if kind == Kind.REFUSE:
        before.append(entry(22, Kind.PROPOSE, SAMPLES[Kind.PROPOSE][0]))
    return [*before, entry(len(before) + 1, kind, SAMPLES[kind][0])]


def record(entries: list[Entry]) -> ContestRecord:
    created = settings().to_json()
    digest = chain(first_digest(NAME, created), entries)
    events = sum(one.kind not in ANSWERS for one in entries)
    return ContestRecord(NAME, created, "open", len(entries), events, digest, 0)


def answers_of(entries: list[Entry]) -> dict[int, list[Entry]]:
    return {r: [e for e in entries if e.kind in ANSWERS and e.rater == r] for r in range(3)}


def answers_on(entries: list[Entry]) -> dict[int, list[Entry]]:
    return {n: [e for e in entries if e.kind in ANSWERS and e.item == n] for n in range(6)}


def folded(entries: list[Entry]) -> ContestState:
    """The state of a log that is folded at once."""
    contest = empty_state(record(entries))
    contest.apply(entries, answers_of(entries), answers_on=answers_on(entries))
    return contest


def history(entries: list[Entry]) -> History:
    return History(record(entries), [one for one in entries if one.kind not in ANSWERS])


def plain(contest: ContestState, *, counting: bool = True) -> dict[str, object]:
    """The whole state as plain values; without counts if the state counts no votes."""
    counts = ("_counts", "_aside")
    values = {name: value for name, value in vars(contest).items() if name not in counts}
    if not counting:
        for name in ("pools", "position", "digest", "raters", "pooled"):
            values.pop(name)
        return values
    return values | {"counts": contest.counts.tolist(), "aside": contest.aside.tolist()}


def test_every_kind_is_in_every_table():
    assert set(SAMPLES) == set(EVENTS) == set(KINDS)
    assert set(OPPOSITES) == set(WORDS) == set(EVENTS.values())
    assert all(found.kind == kind for kind, found in EVENTS.items())


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_stay_as_they_are(kind):
    text = SAMPLES[kind][0]
    event = read_event(entry(1, kind, text))
    assert payload_of(event) == text
    assert type(event) is EVENTS[kind]
    assert read_event(entry(1, kind, payload_of(event))) == event


def test_old_logs_name_one_rater_an_event():
    event = read_event(entry(1, Kind.EXCLUDE, '{"rater":3}'))
    assert (event.named, payload_of(event)) == ((3,), '{"rater":3}')


@pytest.mark.parametrize("kind", KINDS)
def test_the_fold_is_the_same_in_any_pieces(kind):
    """Worker, start, verify and preview: one fold, however many entries it gets at a time."""
    entries = log_of(kind)
    whole = folded(entries)
    pieces = empty_state(record(entries))
    for one in entries:
        pieces.apply([one], answers_of(entries), answers_on=answers_on(entries))
    assert plain(pieces) == plain(whole) | {"pooled": pieces.pooled}
    # A preview folds the event alone into a copy.
    imagined = folded(entries[:-1])
    event = read_event(entries[-1])
    imagined.take(event, Past(len(entries), answers_of(entries), answers_on(entries)))
    same = {"position": len(entries), "digest": whole.digest, "pooled": imagined.pooled}
    assert plain(imagined) | same == plain(whole) | same
    assert whole.digest == record(entries).digest


@pytest.mark.parametrize("kind", KINDS)
def test_the_history_of_events_is_the_state_without_counts(kind):
    entries = log_of(kind)
    assert plain(history(entries).contest, counting=False) == plain(folded(entries), counting=False)


@pytest.mark.parametrize("kind", KINDS)
def test_a_snapshot_holds_what_an_event_did(kind):
    entries = log_of(kind)
    whole, again = folded(entries), empty_state(record(entries))
    assert again.from_snapshot(whole.to_snapshot())
    assert plain(again) == plain(whole) | {"pooled": []}


@pytest.mark.parametrize("kind", KINDS)
def test_the_opposite_gives_everything_back(kind):
    entries = log_of(kind)
    seen = history(entries)
    if EVENTS[kind] in (RatersErased, VerdictReached, CodesMade, LinkKeyChanged, ItemProposed):
        told = r"for good|cannot be undone|Revoke those|is not used again|under Proposals"
        with pytest.raises(NotAllowed, match=told):
            opposite(seen, seen.events[-1])
        return
    undoing = opposite(seen, seen.events[-1])
    assert undoing.undone_position == len(entries)
    undone = [*entries, entry(len(entries) + 1, undoing.kind, payload_of(undoing))]
    before, after = folded(entries[:-1]), folded(undone)
    kept = ("state", "excluded", "erased", "grounds", "verdicts", "revoked_codes", "listed")
    for name in (*kept, "proposals"):
        assert getattr(after, name) == getattr(before, name), name
    assert after.settings == before.settings
    gone = set(range(before.items, after.items))
    assert after.withdrawn - gone == before.withdrawn
    assert np.array_equal(after.counts[:, : before.items], before.counts)
    assert np.array_equal(after.aside[:, : before.items], before.aside)
    assert why_not_undoable(history(undone), history(undone).events[-2]) == Phrase(
        "It was undone already."
    )


@pytest.mark.parametrize("kind", KINDS)
def test_an_event_touches_what_it_changes(kind):
    entries = log_of(kind)
    contest = history(entries[:-1]).contest
    event = read_event(entries[-1])
    touched = event.touches(contest)
    before = copy.deepcopy(contest)
    contest.take(event, Past(len(entries), NO_ANSWERS, NO_ANSWERS))
    moved = contest.withdrawn ^ before.withdrawn | set(range(before.items, contest.items))
    raters = contest.excluded ^ before.excluded | contest.erased ^ before.erased
    fields = [name for name in contest.changes if contest.changes[name] is not None]
    expected = {
        *(("item", item) for item in moved),
        *(("rater", rater) for rater in raters),
        *(("field", name) for name in fields),
        *(("code", code) for code in contest.revoked_codes ^ before.revoked_codes),
        *(("id", one) for one in contest.listed ^ before.listed),
        *([("state", "")] if isinstance(event, StateChanged) else []),
        *(("proposal", at) for at, was in before.proposals.items() if contest.proposals[at] != was),
    }
    assert set(touched) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_words_name_items_by_their_ids(kind):
    entries = log_of(kind)
    seen = history(entries)
    words = step_words(seen, seen.events[-1])
    assert str(words) == SAMPLES[kind][1]
    for position in json.loads(SAMPLES[kind][0]).get("items", []):
        assert f" i{position + 1}" in str(words)


def test_a_kind_that_forgets_a_table_is_caught():
    """The tests compare the tables with the kinds, so they notice a kind that is in no table."""

    class Forgotten(ContestEvent):
        kind = Kind.VOTE

    with pytest.raises(KeyError):
        WORDS[Forgotten]
    assert {*EVENTS.values(), Forgotten} != set(OPPOSITES)


def test_a_step_undone_and_redone_many_times_has_short_words():
    entries = log_of(Kind.WITHDRAW)
    undo, redo = '{"items":[1,4],"without":[]', '{"items":[],"without":[1,4]'
    for payload in [undo, redo] * 400:
        last = len(entries)
        entries.append(entry(last + 1, Kind.RESTORE, f'{payload},"undoes":{last}}}'))
    seen = history(entries)
    assert seen.contest.withdrawn == {1, 4, 5}
    assert [str(step_words(seen, logged)) for logged in seen.events[-2:]] == [
        f"undid step {last - 1}: withdrew items i2 and i5",
        f"undid step {last}: brought back items i2 and i5",
    ]


PROPOSED = [
    *BEGINNING,
    *VOTES,
    entry(21, Kind.PROPOSE, '{"rater":1,"text":"One"}'),
    entry(22, Kind.PROPOSE, '{"rater":2,"text":"Two"}'),
    entry(23, Kind.ADD, '{"first":6,"count":2,"digest":"ab","proposals":[21,22]}'),
]


def test_items_that_come_from_proposals_say_from_which():
    """The same race as if an editor had added them, and bytes that come back as they were."""
    assert payload_of(read_event(PROPOSED[-1])) == PROPOSED[-1].payload
    contest, seen = folded(PROPOSED), history(PROPOSED)
    assert {at: one.item for at, one in contest.proposals.items()} == {21: 6, 22: 7}
    assert contest.authored == {1: (6,), 2: (7,)}
    assert contest.joined == [6, 7]
    again = empty_state(record(PROPOSED))
    assert again.from_snapshot(contest.to_snapshot())
    assert plain(again) == plain(contest) | {"pooled": []}
    assert str(step_words(seen, seen.events[-1])) == (
        "took in items i7 and i8, which raters proposed"
    )
    undoing = opposite(seen, seen.events[-1])
    undone = [*PROPOSED, entry(24, undoing.kind, payload_of(undoing))]
    after = folded(undone)
    assert [after.standing_of(one) for one in after.proposals.values()] == ["withdrawn"] * 2


def test_the_race_is_that_of_items_which_an_editor_added():
    added = [one for one in PROPOSED if one.kind != Kind.PROPOSE][:-1]
    added.append(entry(len(added) + 1, Kind.ADD, '{"first":6,"count":2,"digest":"ab"}'))
    races = [race_of(settings(), folded(log), 0) for log in (PROPOSED, added)]
    first, second = (race.intervals() for race in races)
    assert np.array_equal(first.upper, second.upper)
    assert np.array_equal(first.lower, second.lower)
    # It is not the race of items that were there from the start: those cost no reserve.
    early = [entry(1, Kind.ADD, '{"first":0,"count":8}'), *BEGINNING[1:], *VOTES]
    assert not np.allclose(first.upper, race_of(settings(), folded(early), 0).intervals().upper)


def test_an_event_that_says_it_undoes_itself_has_words():
    """Only a forged archive has one; it must not stop the trail."""
    entries = [*BEGINNING, entry(6, Kind.STATE, '{"state":"paused","undoes":6}')]
    seen = history(entries)
    assert str(step_words(seen, seen.events[-1])) == "undid step 6: paused the contest"


def test_an_event_without_items_or_with_two_lists_of_raters_has_words():
    """Only a forged archive has one; it must not stop the trail."""
    entries = [*BEGINNING, entry(6, Kind.WITHDRAW, '{"items":[]}')]
    seen = history(entries)
    assert str(step_words(seen, seen.events[-1])) == "withdrew 0 items"
    both = read_event(entry(5, Kind.EXCLUDE, '{"raters":[1],"rater":2}'))
    assert both.named == (1,)
    nobody = history([*BEGINNING, entry(6, Kind.EXCLUDE, '{"raters":[]}')])
    assert str(step_words(nobody, nobody.events[-1])) == "excluded 0 raters"


def test_no_module_outside_reads_the_payload_of_an_entry():
    house = Path(__file__).parents[3] / "src" / "plaudit"
    inside = {"service/contest/events/written.py"}
    # The store keeps and chains payloads as texts; an archive carries them unchanged.
    carry = ("store/", "service/archive/check.py", "service/archive/format.py")
    readers = [
        str(path.relative_to(house))
        for path in house.rglob("*.py")
        if ".payload" in path.read_text() and str(path.relative_to(house)) not in inside
    ]
    assert [one for one in readers if not one.startswith(carry)] == []


# Deeds


@pytest.mark.parametrize("code", DEEDS)
def test_every_deed_has_words_and_comes_back(code):
    facts = {
        "role": "editor", "name": "Ann", "scopes": "read", "count": 2, "item": 3, "rater": 4,
        "items": [3, 8], "position": 9, "kinds": "verdict", "place": "hooks.example",
        "way": "webhook",
    }  # fmt: skip
    used = {name: value for name, value in facts.items() if f"{{{name}}}" in DEEDS[code]}
    kept = did(code, **used)
    assert read(kept) == (code, used)
    assert "{" not in str(worded(kept))


@pytest.mark.parametrize(
    ("sentence", "code", "facts"),
    [
        (
            "looked at the flags of item 3 and let it be (entry 9)",
            "reviewed-flags",
            {"item": 3, "position": 9},
        ),
        (
            "looked at rater 4 and let it be (entry 12)",
            "reviewed-rater",
            {"rater": 4, "position": 12},
        ),
        (
            "looked at whether items 3, 8 are the same and let it be (entry 1)",
            "reviewed-group",
            {"items": [3, 8], "position": 1},
        ),
        ("wants to look at rater 4 again", "again-rater", {"rater": 4}),
        ("wants to look at the flags of item 3 again", "again-flags", {"item": 3}),
    ],
)
def test_sentences_of_earlier_editions_are_read(sentence, code, facts):
    assert read(sentence) == (code, facts)


def test_other_sentences_of_earlier_editions_are_shown_as_they_are():
    for sentence, shown in {
        "merged items 0, 7 and 9 into item 12": "merged items i1, i8 and i10 into item i13",
        "added 3 items (8 to 10)": "added 3 items (i9 to i11)",
        "joined as owner by the first link": "joined as owner by the first link",
        "made the API key {x} (read)": "made the API key {x} (read)",
    }.items():
        assert str(worded(sentence)) == shown
