"""Attacks on races by dishonest raters: what they plan, what they do, and many attacked races.

A dishonest rater has one vote on an item, as everyone has. So m of them have m votes on each item.
Here they cast them whenever they like, know the true means and see every vote: no crowd of m
dishonest raters could do more. `plans` has the attacks by name, `watching` what they see, `lies`
what they do, `races` the races. It imports what the rest of `simulation` imports.
"""

from plaudit.simulation.attacks.plans import ATTACKS, Attack
from plaudit.simulation.attacks.races import AttackedRaces, AttackResult

__all__ = ["ATTACKS", "Attack", "AttackResult", "AttackedRaces"]
