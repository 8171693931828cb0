"""Twins: items of equal votes and mean, of which one stands for all and the others cost nothing.

After their first votes thousands of items are twins. The keys of the trees are only limits of
their costs, so a search would have to look at each of them. Twins form a heap by ticket, here a
skew heap, and a search sees its root alone. The heaps are found by a hash of votes and mean.
Joining and leaving takes O(log n) steps, on average over many.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled, inlined
from plaudit.race.tree import ticket

MEMBER = np.dtype(
    [
        ("votes", np.float64),
        ("mean", np.float64),
        ("drawn", np.uint64),
        ("left", np.int64),
        ("right", np.int64),
        ("parent", np.int64),
        ("chain", np.int64),
        ("joined", np.int64),
    ],
    align=True,
)


class Twins(NamedTuple):
    """A record for each item, and for each hash the first heap's root, or -1."""

    members: NDArray[Any]
    buckets: NDArray[np.int64]


def make_twins(items: int) -> Twins:
    """Room for this many items, none of which has joined."""
    buckets = 1 << max(items - 1, 1).bit_length()
    return Twins(np.zeros(items, dtype=MEMBER), np.full(buckets, -1, dtype=np.int64))


@compiled
def clear(twins: Twins) -> None:
    """Lets all items leave."""
    twins.members["joined"][:] = 0
    twins.buckets[:] = -1


@inlined
def _bucket(twins: Twins, votes: float, mean: float) -> int:
    # A mean is hashed with 62 bits.
    mixed = ticket(int(mean * 2.0**62), int(votes), 0)
    return int(mixed & np.uint64(twins.buckets.size - 1))


@compiled
def join(twins: Twins, item: int, votes: float, mean: float, drawn: Any) -> int:
    """Puts an item among its twins; returns the root before, or -1 where there was none."""
    members = twins.members
    own = members[item]
    own.votes, own.mean, own.drawn, own.joined = votes, mean, drawn, 1
    own.left = own.right = own.parent = own.chain = -1
    bucket = _bucket(twins, votes, mean)
    before: int = -1
    root: int = twins.buckets[bucket]
    while root >= 0 and (members[root].votes != votes or members[root].mean != mean):
        before, root = root, members[root].chain
    if root < 0:
        own.chain = twins.buckets[bucket]
        twins.buckets[bucket] = item
        return -1
    chain = members[root].chain
    _place(twins, bucket, before, _meld(members, root, item), chain)
    return root


@compiled
def leave(twins: Twins, item: int) -> int:
    """Takes an item out; returns the new root, or -1 where it was no root or had no twin."""
    members = twins.members
    own = members[item]
    heir = _meld(members, own.left, own.right)
    own.joined = 0
    if own.parent >= 0:
        parent = members[own.parent]
        if parent.left == item:
            parent.left = heir
        else:
            parent.right = heir
        if heir >= 0:
            members[heir].parent = own.parent
        return -1
    bucket = _bucket(twins, own.votes, own.mean)
    before, root = -1, twins.buckets[bucket]
    while root != item:
        before, root = root, members[root].chain
    _place(twins, bucket, before, heir, own.chain)
    return heir


@inlined
def _place(twins: Twins, bucket: int, before: int, root: int, chain: int) -> None:
    """Puts a root, or none, between its neighbours in the chain of a bucket."""
    if root >= 0:
        twins.members[root].parent = -1
        twins.members[root].chain = chain
        chain = root
    if before >= 0:
        twins.members[before].chain = chain
    else:
        twins.buckets[bucket] = chain


@compiled
def _meld(members: Any, one: int, two: int) -> int:
    """Makes one heap of two, the larger ticket on top; children change sides on the way."""
    if one < 0 or two < 0:
        return max(one, two)
    if members[two].drawn > members[one].drawn:
        one, two = two, one
    root = one
    while True:
        top = members[one]
        below = top.right
        top.right = top.left
        if below >= 0 and members[two].drawn < members[below].drawn:
            below, two = two, below
        top.left = two
        members[two].parent = one
        if below < 0:
            return root
        one, two = two, below
