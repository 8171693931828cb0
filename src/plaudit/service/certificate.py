"""The certificate of a verdict: all that one needs to check it, and where it was judged.

It names settings, position and digest of the log, the counts of every item, and the bounds
that separated the winners. `verify` replays an export and agrees, or says where not.
"""

import math
from typing import Any

import msgspec

from plaudit import __version__
from plaudit.race import Race, Verdict
from plaudit.service.contest import ContestSettings
from plaudit.service.tally import Tally

FORMAT = "plaudit certificate 1"


def make_certificate(
    contest: str,
    settings: ContestSettings,
    tally: Tally,
    race: Race,
    *,
    lane: int,
    verdict: Verdict,
) -> dict[str, Any]:
    """The certificate of a verdict that a race has just reached, as plain values."""
    table = race.intervals()
    return {
        "format": FORMAT,
        "plaudit": __version__,
        "contest": contest,
        "settings": msgspec.json.decode(settings.to_json()),
        "lane": lane,
        "algorithm": verdict.algorithm,
        "judged_at": tally.position,
        "epoch": tally.epoch,
        "digest": tally.digest.hex(),
        "initial_items": tally.initial,
        "items": tally.items,
        "withdrawn": sorted(tally.withdrawn),
        "joined": list(tally.joined),
        "pools": {str(item): list(pool.members) for item, pool in tally.pools.items()},
        "excluded": sorted(tally.excluded),
        "counts": tally.race_counts(lane).tolist(),
        "winners": list(verdict.items),
        "delta": verdict.delta,
        "epsilon": verdict.epsilon,
        "top": verdict.top,
        "votes": verdict.votes,
        "gap": _rounded(verdict.gap),
        "lower": [_rounded(bound) for bound in table.lower],
        "upper": [_rounded(bound) for bound in table.upper],
    }


def payload_of(certificate: dict[str, Any]) -> dict[str, Any]:
    """What the log's own entry says of a verdict."""
    names = ("lane", "judged_at", "winners", "delta", "epsilon", "top", "votes", "gap")
    return {name: certificate[name] for name in names}


def claim(*, top: int, epsilon: float, delta: float | None, noun: str = "item") -> str:
    """A verdict in one plain sentence that is true.

    >>> claim(top=10, epsilon=0.05, delta=0.01)
    'With at least 99 % confidence, no other item is more than 0.05 better than any of these 10.'
    >>> claim(top=1, epsilon=0.0, delta=0.05)
    'With at least 95 % confidence, this item is the best.'
    """
    if delta is None:
        return "Named by a rule that has no proven error."
    sure = f"With at least {100 * (1 - delta):.6g} % confidence,"
    if top == 1:
        if not epsilon:
            return f"{sure} this {noun} is the best."
        return f"{sure} no other {noun} is more than {epsilon:g} better than this one."
    if not epsilon:
        return f"{sure} these are the {top} best {noun}s."
    return f"{sure} no other {noun} is more than {epsilon:g} better than any of these {top}."


def _rounded(number: float) -> float | None:
    """A number that JSON can hold, as it is."""
    return float(number) if math.isfinite(number) else None
