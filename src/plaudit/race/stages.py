"""AT-LUCB's stages: the levels of LUCB, stricter and stricter, for a race that never stops.

Jun and Nowak (ICML 2016) run LUCB at the error delta_s = delta_1 alpha^(s-1) in stage s. Once
LUCB would stop, the stage rises to the first at which it would not. With t rounds and N votes
an item's radius is

    sqrt((ln(k1 n / delta_1) + 4 ln t + (s-1) ln(1/alpha)) / (2 N)),

so rounds and stages add to one quantity, which takes the place of the race's time.
"""

import math

from plaudit.bounds.kernels import RADIUS, TIME_SUM, Formula
from plaudit.compiled import inlined

ALPHA = 0.99
# Four logarithms a round, as in the bound of LUCB.
POWER = 4.0
# The unit of time: the horizon moves by whole ones, which must be small.
UNIT = 1.0 / 1024.0
STEP = math.log(1.0 / ALPHA)

STAGED = Formula(RADIUS, TIME_SUM, UNIT, 0.5, 1.0)


@inlined
def staged_time(rounds: float, stage: int) -> float:
    """What rounds and stages, counted from 0, add to the level of every bound, in units."""
    return (POWER * math.log(rounds) + stage * STEP) / UNIT
