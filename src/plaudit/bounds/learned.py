"""Weights for the bets of `betting` that were learned before the first vote, and their text.

A bound by bets holds with any weights that are fixed beforehand (docs/theory/learned-bets.md):
good weights save votes, and bad ones cost some, but none makes a verdict wrong more often.
"""

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bets import BETS, SIZES, WEIGHT_POWER, log_weights
from plaudit.errors import InvalidInput

FORMAT = "bets 1"
# Shares further apart than this would make some bets useless and their logarithms rough.
LEAST_SHARE = 1e-9
LONGEST_SOURCE = 500
SIDES = ("upper", "lower")


@dataclass(frozen=True)
class Bets:
    """How the 24 bets of the bound betting share their first capital, on either side.

    `upper` are the shares of the bets that make upper bounds, from the smallest bet to the largest;
    `lower` those for lower bounds. They are divided by their sum. `source` says in words where they
    are from.

    >>> Bets.usual().upper[0] < Bets.usual().upper[23]
    True
    """

    upper: tuple[float, ...]
    lower: tuple[float, ...]
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for side in SIDES:
            _check(side, getattr(self, side))
        if not isinstance(self.source, str) or len(self.source) > LONGEST_SOURCE:
            raise InvalidInput(
                f"source must be a text of at most {LONGEST_SOURCE} characters that says where the "
                "bets are from."
            )

    @classmethod
    def usual(cls) -> "Bets":
        """The weights of every race that has no others."""
        shares = tuple((SIZES**WEIGHT_POWER / (SIZES**WEIGHT_POWER).sum()).tolist())
        return cls(shares, shares, "the usual weights")

    @property
    def log_weights(self) -> NDArray[np.float64]:
        """The logarithms of the first capitals: a row for upper bounds and one for lower ones."""
        return np.stack([log_weights(np.array(self.upper)), log_weights(np.array(self.lower))])

    @classmethod
    def from_json(cls, text: str) -> "Bets":
        """The bets that `to_json` wrote."""
        try:
            record = json.loads(text)
        except ValueError:
            raise InvalidInput(
                "These are no bets: not JSON. `plaudit learn` writes a file of bets."
            ) from None
        return cls.from_record(record)

    def to_json(self) -> str:
        """The bets as one line of JSON, for a file or a contest's setting."""
        return json.dumps(self.to_record(), ensure_ascii=False)

    @classmethod
    def from_record(cls, record: Any) -> "Bets":
        """The bets from plain values."""
        known = {"plaudit", *SIDES, "source"}
        if not isinstance(record, dict) or record.get("plaudit") != FORMAT or set(record) - known:
            raise InvalidInput(
                f'These are no bets: an object with "plaudit": "{FORMAT}", "upper", "lower" and '
                f'perhaps "source" is needed, as `plaudit learn` writes it; got {record!r:.80}.'
            )
        for side in SIDES:
            if not isinstance(record.get(side), list):
                raise InvalidInput(f"{side} must be a list of {BETS} numbers above 0.")
        return cls(tuple(record["upper"]), tuple(record["lower"]), record.get("source", ""))

    def to_record(self) -> dict[str, Any]:
        """The bets as plain values, from which they can be made again."""
        sides = {"upper": list(self.upper), "lower": list(self.lower)}
        return {"plaudit": FORMAT, **sides, "source": self.source}


def _check(side: str, shares: Any) -> None:
    """Refuses what does not share a capital out among all bets."""
    if not isinstance(shares, tuple) or len(shares) != BETS:
        count = len(shares) if isinstance(shares, tuple | list) else "no list"
        raise InvalidInput(f"{side} must have {BETS} shares, one for each bet; got {count}.")
    for share in shares:
        number = isinstance(share, int | float) and not isinstance(share, bool)
        if not number or not math.isfinite(share) or not LEAST_SHARE <= share <= 1.0:
            raise InvalidInput(
                f"Every share in {side} must be a number from {LEAST_SHARE:g} to 1: no bet may be "
                f"left out; got {share!r}."
            )
