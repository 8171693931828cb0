"""The certificate of a verdict: all that one needs to check it, and where it was judged.

It names settings, position and digest of the log, the counts of every item, and the bounds
that separated the winners. `verify` replays an export and agrees, or says where not.
"""

import math
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import msgspec

from plaudit import __version__
from plaudit.race import Race, Verdict
from plaudit.service.contest.events import VerdictReached
from plaudit.service.contest.settings import ContestSettings
from plaudit.service.contest.state import ContestState

FORMAT = "plaudit certificate 2"
# Certificates from before they said what the race stopped by: `plaudit` multiplied evidence then.
FIRST_FORMAT = "plaudit certificate 1"


def make_certificate(
    name: str,
    settings: ContestSettings,
    contest: ContestState,
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
        "contest": name,
        "settings": msgspec.json.decode(settings.to_json()),
        "lane": lane,
        "algorithm": settings.lanes[lane].algorithm,
        "stopping": race.engine.method.algorithm.stopping,
        "judged_at": contest.position,
        "epoch": contest.epoch,
        "digest": contest.digest.hex(),
        "initial_items": contest.initial,
        "items": contest.items,
        "withdrawn": sorted(contest.withdrawn),
        "absent": sorted(contest.absent),
        "joined": list(contest.joined),
        "pools": {str(n): list(members) for n, members in contest.pools.stand_ins.items()},
        "excluded": sorted(contest.excluded),
        "counts": contest.race_counts(lane).tolist(),
        "winners": list(verdict.items),
        "delta": verdict.delta,
        "epsilon": verdict.epsilon,
        "top": verdict.top,
        "votes": verdict.votes,
        "gap": _rounded(verdict.gap),
        "lower": [_rounded(bound) for bound in table.lower],
        "upper": [_rounded(bound) for bound in table.upper],
    }


def verdict_in(certificate: dict[str, Any]) -> VerdictReached:
    """The event by which the log tells of a certificate's verdict."""
    return msgspec.convert(certificate, VerdictReached)


def claim(
    *,
    top: int,
    epsilon: float,
    delta: float | None,
    noun: str = "item",
    leading: bool = False,
    of_pairs: bool = True,
) -> str:
    """A verdict in one plain sentence that is true: what is proven, and no more.

    `of_pairs`: the race stopped once every pair of an item named and one not named was settled,
    so that no other is more than epsilon better than any named. Otherwise proven is only that
    no item is named whose mean is more than epsilon below the top-th largest.
    With `leading` it is about those who lead now.

    >>> claim(top=10, epsilon=0.05, delta=0.01, noun="caption")
    'With at least 99 % confidence, no other caption is more than 0.05 better than any of these 10.'
    >>> claim(top=1, epsilon=0.05, delta=0.05)
    'With at least 95 % confidence, no other item is more than 0.05 better than this one.'
    """
    if delta is None:
        return "Named by a rule that has no proven error."
    sure = f"With at least {confidence(delta)} % confidence,"
    one, many = ("the leader", "the leaders") if leading else ("this one", "these")
    if top == 1 and not epsilon:
        return f"{sure} no other {noun} is better than {one}."
    if top == 1:
        return f"{sure} no other {noun} is more than {epsilon:.12g} better than {one}."
    if not epsilon:
        return f"{sure} {many} are the {top} best {noun}s."
    if of_pairs:
        named = f"the {top} leaders" if leading else f"these {top}"
        return f"{sure} no other {noun} is more than {epsilon:.12g} better than any of {named}."
    each = f"the {top} leaders" if leading else f"these {top} {noun}s"
    return (
        f"{sure} each of {each} is one of the {top} best, or at most {epsilon:.12g} below the "
        f"{_ordinal(top)} best."
    )


def claim_good(count: int, *, epsilon: float, delta: float) -> str:
    """A verdict on all good items in one plain sentence that is true.

    >>> claim_good(7, epsilon=0.05, delta=0.01).split(", ")[1]
    'every item within 0.05 of the best is one of these 7'
    >>> claim_good(7, epsilon=0.05, delta=0.01).split(", ")[2]
    'and none of them is more than 0.1 below it.'
    >>> claim_good(1, epsilon=0.05, delta=0.01)
    'With at least 99 % confidence, this is the best item, and no other is within 0.05 of it.'
    """
    sure = f"With at least {confidence(delta)} % confidence,"
    near = f"within {epsilon:.12g} of"
    if count == 1:
        # The best is within epsilon of itself, so it is the one that is named.
        return f"{sure} this is the best item, and no other is {near} it."
    far = f"none of them is more than {2 * epsilon:.12g} below it"
    return f"{sure} every item {near} the best is one of these {count:,}, and {far}."


def confidence(delta: float) -> str:
    """The confidence in per cent that an error leaves, never rounded up.

    >>> confidence(0.01), confidence(0.025), confidence(0.0123456), confidence(1e-9)
    ('99', '97.5', '98.7', '99.9999999')
    """
    error = 100 * Decimal(repr(delta))
    places = max(1, 1 - error.adjusted())
    shown = (100 - error).quantize(Decimal(1).scaleb(-places), rounding=ROUND_FLOOR)
    return f"{shown:f}".rstrip("0").rstrip(".")


def _ordinal(number: int) -> str:
    """A number in a row.

    >>> [_ordinal(number) for number in (2, 3, 4, 11, 22, 113)]
    ['2nd', '3rd', '4th', '11th', '22nd', '113th']
    """
    teens = 10 <= number % 100 <= 20
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _rounded(number: float) -> float | None:
    """A number that JSON can hold, as it is."""
    return float(number) if math.isfinite(number) else None
