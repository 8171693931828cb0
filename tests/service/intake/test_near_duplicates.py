"""Items that say the same, or nearly so."""

import random

import pytest

from plaudit.service.intake import near_duplicates as alike
from plaudit.service.intake.near_duplicates import EXACT, NEAR, Group, groups, plain_text


def of_kind(found, kind):
    return [group.members for group in found if group.kind == kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Honey, I'm home!", "  honey   IM home"),
        ("“Hot?”", "hot"),
        ("ﬁne", "FINE"),
        ("Straße", "STRASSE"),
        ("soft\u00adware", "software"),
    ],
)
def test_case_punctuation_and_spaces_do_not_matter(one, other):
    assert groups([one, "something else entirely", other]) == [Group(EXACT, (0, 2), 1.0)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I ❤ you", "I 😡 you"),
        ("हिंदी", "हदी"),
        ("!!!", "???"),
        ("Caption number 12", "Caption number 13"),
        ("Number 4 is alive and well", "Number 5 is alive and well"),
        ("", " "),
        ("Skim milk", "A fish out of water"),
    ],
)
def test_what_differs_is_not_the_same(one, other):
    assert groups([one, other]) == []


def test_a_wrong_letter_and_a_word_more_are_near():
    texts = [
        "Well, at least we have each other.",
        "The stove is on",
        "Well at least we hve each other",
        "At least we have each other!",
        "the stove is on?",
        "I should have voted",
    ]
    found = groups(texts)
    assert of_kind(found, EXACT) == [(1, 4)]
    assert of_kind(found, NEAR) == [(0, 2, 3)]
    assert alike.LEAST <= found[1].likeness < 1.0


def test_only_the_first_of_the_same_is_near_others_and_nobody_is_in_two_groups():
    texts = ["We should have voted", "we should have voted!", "We should have voted, dear"]
    assert groups(texts) == [Group(EXACT, (0, 1), 1.0), Group(NEAR, (0, 2), pytest.approx(0.8))]


def test_pictures_keep_items_apart():
    texts = ["The same text", "The same text", "The same texts", ""]
    assert groups(texts, apart=["a", "b", "b", "c"])[0] == Group(NEAR, (1, 2), pytest.approx(0.8))
    assert groups(["", "", ""], apart=["a", "a", "b"]) == [Group(EXACT, (0, 1), 1.0)]
    assert groups(["", ""]) == []
    assert groups([]) == []


def likeness(one, other):
    left, right = alike.trigrams(plain_text(one)), alike.trigrams(plain_text(other))
    return len(left & right) / len(left | right)


def test_no_pair_is_missed():
    """Against all pairs compared one by one."""
    said = "we should have voted for the last man on earth who never left a big old stove"
    words = said.split()
    draw = random.Random(3)
    texts = list({" ".join(draw.choices(words, k=draw.randint(1, 7))): None for _ in range(300)})
    wanted = {
        (i, j)
        for j in range(len(texts))
        for i in range(j)
        if likeness(texts[i], texts[j]) >= alike.LEAST
    }
    found = {(i, j) for i, j, _ in alike._near_pairs([plain_text(text) for text in texts])}
    assert len(wanted) > 30
    assert found == wanted


def test_thousands_that_begin_alike_end_in_time(monkeypatch):
    monkeypatch.setattr(alike, "MOST_PAIRS", 1_000)
    monkeypatch.setattr(alike, "MOST_MEETINGS", 50_000)
    draw = random.Random(5)
    ends = ["".join(draw.choices("abcdefghij", k=12)) for _ in range(400)]
    texts = [f"all of these have begun with the very same words, then {end}" for end in ends]
    pairs = list(alike._near_pairs([*texts, texts[7] + "x"]))
    assert len(pairs) <= 1_000
    assert (7, 400) in {(one, other) for one, other, _ in pairs}
