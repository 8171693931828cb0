"""The search for the best leaf that a rater may see."""

import numpy as np
import pytest

from plaudit.race.asking import ANY_NUMBER, NONE_PENDING
from plaudit.race.state import ITEM
from plaudit.race.tree import best_allowed, plant, set_node, settle

TREE = np.int64(0)


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.9, 1.0])
def test_the_best_leaf_that_is_not_blocked(ties, share):
    rng = np.random.default_rng(1)
    for leaves in rng.integers(1, 200, 100).tolist():
        forest = plant(1, leaves)
        keys = rng.choice([-np.inf, 0.0, 1.0, np.inf], leaves) if ties else rng.normal(size=leaves)
        tickets = rng.integers(0, 2**63, leaves).astype(np.uint64)
        blocked = (rng.random(leaves) < share).astype(np.uint8)
        for leaf in range(leaves):
            set_node(forest, TREE, leaf, keys[leaf], tickets[leaf])
        settle(forest, TREE)
        items = np.zeros(leaves, dtype=ITEM)
        items["pending"] = rng.integers(0, 3, leaves)
        for most in (ANY_NUMBER, NONE_PENDING):
            free = (blocked == 0) & (keys > -np.inf) & (items["pending"] <= most)
            allowed = np.flatnonzero(free)
            best = max(allowed, key=lambda leaf: (keys[leaf], tickets[leaf]), default=-1)
            assert best_allowed(forest, TREE, blocked, items, most) == best
