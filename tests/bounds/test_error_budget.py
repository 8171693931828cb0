"""The splits of delta add up: every bound that a verdict may lean on is paid for."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaudit.bounds.error_budget import split_error
from plaudit.errors import InvalidInput, UnknownName
from plaudit.race.membership import Membership


def budget(delta=0.1, items=10, top=1, split="asymmetric", accounting="total", reserve=0.0):
    return split_error(
        delta, items=items, top=top, split=split, accounting=accounting, reserve=reserve
    )


@given(
    st.floats(1e-9, 0.99),
    st.integers(2, 10**6),
    st.data(),
    st.sampled_from(["asymmetric", "per-item"]),
    st.floats(0, 0.9),
)
def test_a_fixed_set_costs_no_more_than_delta(delta, items, data, split, reserve):
    top = data.draw(st.integers(1, min(items - 1, 50)))
    shares = budget(delta, items, top, split, reserve=reserve)
    spent = (items - top) * shares.lower + top * shares.upper
    assert spent + shares.reserve == pytest.approx(delta, rel=1e-9)
    assert shares.total == delta


def test_the_papers_split_and_its_total():
    shares = budget(0.01, 1000, accounting="paper")
    assert shares.lower == pytest.approx(0.01 / 999)
    assert shares.upper == 0.01
    assert shares.total == 0.02


def test_lucb_plus_plus_split():
    shares = budget(0.02, 100, top=5)
    assert shares.lower == pytest.approx(0.02 / (2 * 95))
    assert shares.upper == pytest.approx(0.02 / 10)


@pytest.mark.parametrize("split", ["asymmetric", "uneven", "per-item", "evidence"])
@pytest.mark.parametrize(("items", "top"), [(10, 1), (40, 3), (5000, 1), (60, 25)])
def test_any_changes_and_merges_stay_within_the_reserve(split, items, top):
    """Charges as the proof makes them: places, additions and overtaken leaders, by pool's size."""
    shares = budget(0.1, items, top, split, reserve=0.25)
    # Few numbers stand for many: those of as many binary digits have the same share.
    many = [(2**bits, 2**bits) for bits in range(24)]
    sizes = [(1, 1), *((number + 1, count) for number, count in many)]
    spent = 0.0
    for size, kinds in sizes:
        later = (c * shares.upper_after(n, pooled=size) for n, c in many)
        spent += kinds * 2 * math.fsum(later)
        added = (c * shares.lower_of_added(n, pooled=size) for n, c in many)
        spent += kinds * math.fsum(added) / shares.alone
        spent += kinds * top * shares.lower_after(1, pooled=size) / shares.alone
        if size > 1:
            # Whoever takes one of the first places, and whoever takes one of the others.
            spent += kinds * top * shares.upper_after(1, pooled=size)
            spent += kinds * (items - top) * shares.lower_after(0, pooled=size) / shares.alone
    assert spent <= shares.reserve
    # The series are not wasteful either.
    assert spent > 0.3 * shares.reserve


def runs(same):
    """Every way in which items that are the same can be out, there, or merged with the next."""
    if not same:
        return [()]
    found = runs(same[1:])
    for end in range(1, len(same) + 1):
        found = found + [(same[:end], *rest) for rest in runs(same[end:])]
    return found


def orders(fixed, free):
    """Every order of all that keeps the first as they are."""
    if not free:
        return [fixed]
    return [
        (*order[:place], free[0], *order[place:])
        for order in orders(fixed, free[1:])
        for place in range(len(order) + 1)
    ]


@pytest.mark.parametrize("accounting", ["total", "paper"])
@pytest.mark.parametrize("split", ["asymmetric", "uneven", "per-item", "evidence"])
@pytest.mark.parametrize(
    ("items", "top", "groups", "absent"),
    [
        (4, 1, ((0, 1), (2,), (3, 4), (5,)), ()),
        (5, 2, ((2, 3), (0, 1, 5), (4,), (6,)), ()),
        (5, 3, ((4,), (2, 3), (0, 1), (5, 6)), ()),
        (6, 2, ((0, 1), (2, 3), (4,), (5, 6)), (5,)),
    ],
)
def test_all_that_can_happen_to_a_few_items_costs_no_more_than_delta(
    items, top, groups, absent, split, accounting
):
    """By Lemma 1 alone: in every state, whoever can do harm, at the level of that state.

    Items of a group are the same; groups with originals come by falling mean, and those that
    join may have any. `absent` join before the items after the originals.
    """
    shares = budget(0.1, items, top, split, accounting, reserve=0.25)
    later = (*absent, *(i for group in groups for i in group if i >= items))
    uppers, lowers = {}, {}
    first = tuple(g for g in groups if any(i < items and i not in absent for i in g))
    ranks = orders(first, tuple(g for g in groups if g not in first))
    for number in range(len(later) + 1):
        joined, gone = later[:number], later[number:]
        known = [tuple(i for i in group if i not in gone) for group in groups]
        for state in itertools.product(*map(runs, known)):
            there = [item for some in state for item in some]
            names = {item: item[0] if len(item) == 1 else 99 + sum(item) for item in there}
            pools = {name: item for item, name in names.items() if len(item) > 1}
            changes = Membership(items, joined, frozenset(absent), pools)
            counted = changes.count(len(there), pools)
            level = shares.upper_after(counted.changes, pooled=counted.pooled)
            own = dict(changes.lower_levels(shares))
            for rank in ranks if len(there) > top else ():
                order = [item for group in rank for item in state[groups.index(group)]]
                for item in order[:top]:
                    uppers[item] = max(uppers.get(item, 0.0), level)
                for item in order[top:]:
                    lower = own.get(names[item], shares.lower_after(number)) / shares.alone
                    lowers[item] = max(lowers.get(item, 0.0), lower)
    assert sum(uppers.values()) + sum(lowers.values()) <= shares.total
    # What pairs that are compared stake on each possible rival.
    assert split != "evidence" or sum(uppers.values()) <= shares.all_upper
    assert len(uppers) > top


def test_levels_never_grow_with_changes():
    shares = budget(0.1, 10, 2, reserve=0.9)
    levels = [shares.upper_after(c) for c in range(200)]
    assert all(later <= earlier for earlier, later in itertools.pairwise(levels))
    assert shares.lower_after(5) <= shares.lower


@pytest.mark.parametrize("reserve", [-0.1, 1.0, math.nan])
def test_a_bad_reserve_is_named(reserve):
    with pytest.raises(InvalidInput, match="reserve"):
        budget(reserve=reserve)


def test_unknown_names():
    with pytest.raises(UnknownName, match="asymmetric"):
        budget(split="asymetric")
    with pytest.raises(UnknownName, match="paper"):
        budget(accounting="papr")
