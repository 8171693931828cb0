"""The attacks by name: who is struck, who is pushed, and when."""

from dataclasses import dataclass

# When the votes are cast that an attack holds back.
AT_ONCE, HALFWAY, LATE, ADAPTIVE = range(4)


@dataclass(frozen=True)
class Attack:
    """What dishonest raters plan.

    Before the first honest vote they give votes of 0 to the `ruined` items of largest mean, or
    to all but the favourite if `others`, and votes of 1 to the favourite if `pushed`: the best item
    that must not win. They cast the share `early` of their votes on an item then.

    The rest comes halfway (after half the votes that a race takes without them), late (when the
    gap has shrunk to `slack` more than epsilon), or as they see fit: on the items that ought to win
    once these have `patience` honest votes and the false ones bring their upper bounds `margin`
    below what the favourite can reach; on all others when that makes a wrong verdict at once.
    Sleepers first vote honestly on every item that they will not lie about.
    """

    when: int = AT_ONCE
    ruined: int = 1
    pushed: bool = False
    others: bool = False
    sleeps: bool = False
    early: float = 1.0
    slack: float = 0.0
    margin: float = 0.0
    patience: int = 0


ATTACKS = {
    "knock-out": Attack(),
    "knock-out of five": Attack(ruined=5),
    "push": Attack(ruined=0, pushed=True),
    "knock-out and push": Attack(pushed=True),
    "sleepers": Attack(HALFWAY, pushed=True, sleeps=True, early=0.0),
    "late": Attack(LATE, pushed=True, early=0.0, slack=0.02),
    "adaptive": Attack(ADAPTIVE, early=0.0),
    # The best of fifteen plans, tried on the eight items of the study `dishonest` at delta 0.3,
    # where more goes wrong: 1, 3 and 10 raters, 1,200 races each, other seeds. It was wrong in
    # 0.048 of them and the next in 0.042, within chance. Two steps from it (margin -0.04,
    # patience 2) were no better. The search was short: a longer one may find more.
    "found by search": Attack(ADAPTIVE, early=0.0, margin=-0.02),
}
