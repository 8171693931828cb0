"""What is proven of a contest, worded: true sentences that claim no more than the proof.

Every sentence is a phrase, which keeps its facts; pages write it out for their readers.
"""

import math
from decimal import ROUND_FLOOR, Decimal

from plaudit.phrase import Figure, Phrase
from plaudit.race import ALGORITHMS
from plaudit.service.contest.settings import ContestSettings
from plaudit.words import N_, many

# The stopping rules that settle every pair of an item named and one not named.
_OF_PAIRS = ("separation", "evidence")
NEVER, DOMINANCE = "never", "dominance"


def claim(
    *,
    top: int,
    epsilon: float,
    delta: float | None,
    leading: bool = False,
    of_pairs: bool = True,
) -> Phrase:
    """A verdict in one plain sentence that is true: what is proven, and no more.

    `of_pairs`: the race stopped once every pair of an item named and one not named was settled,
    so that no other is more than epsilon better than any named. Otherwise proven is only that
    no item is named whose mean is more than epsilon below the top-th largest.
    With `leading` the sentence is about the items that lead now.

    >>> print(claim(top=10, epsilon=0.05, delta=0.01))
    With at least 99 % confidence, no other item is more than 0.05 better than any of these 10.
    >>> print(claim(top=1, epsilon=0.05, delta=0.05))
    With at least 95 % confidence, no other item is more than 0.05 better than this one.
    """
    if delta is None:
        return Phrase(N_("Named by a rule that has no proven error."))
    template = _template(top, epsilon, leading=leading, of_pairs=of_pairs)
    # The ordinal is an English word: other languages write the number in their own way.
    facts = {"top": Figure(top), "ordinal": _ordinal(top)}
    return Phrase(template, sure=confidence(delta), slack=_exactly(epsilon), **facts)


def _template(top: int, epsilon: float, *, leading: bool, of_pairs: bool) -> str:
    """The sentence of a claim; whole sentences, so that each can be translated."""
    if top == 1 and not epsilon:
        of_leader = N_(
            "With at least {sure} % confidence, no other item is better than the leader."
        )
        of_winner = N_("With at least {sure} % confidence, no other item is better than this one.")
    elif top == 1:
        of_leader = N_(
            "With at least {sure} % confidence, no other item is more than {slack} better than "
            "the leader."
        )
        of_winner = N_(
            "With at least {sure} % confidence, no other item is more than {slack} better than "
            "this one."
        )
    elif not epsilon:
        of_leader = N_("With at least {sure} % confidence, the leaders are the {top} best items.")
        of_winner = N_("With at least {sure} % confidence, these are the {top} best items.")
    elif of_pairs:
        of_leader = N_(
            "With at least {sure} % confidence, no other item is more than {slack} better than "
            "any of the {top} leaders."
        )
        of_winner = N_(
            "With at least {sure} % confidence, no other item is more than {slack} better than "
            "any of these {top}."
        )
    else:
        of_leader = N_(
            "With at least {sure} % confidence, each of the {top} leaders is one of the {top} "
            "best, or at most {slack} below the {ordinal} best."
        )
        of_winner = N_(
            "With at least {sure} % confidence, each of these {top} items is one of the {top} "
            "best, or at most {slack} below the {ordinal} best."
        )
    return of_leader if leading else of_winner


def claim_good(count: int, *, epsilon: float, delta: float | None) -> Phrase:
    """A verdict on all good items in one plain sentence that is true.

    >>> sure, near, far = str(claim_good(7, epsilon=0.05, delta=0.01)).split(", ")
    >>> near
    'every item within 0.05 of the best is one of these 7'
    >>> far
    'and none of them is more than 0.1 below it.'
    >>> print(claim_good(1, epsilon=0.05, delta=0.01))
    With at least 99 % confidence, this is the best item, and no other is within 0.05 of it.
    """
    if delta is None:
        return Phrase(N_("Named by a rule that has no proven error."))
    # The best is within epsilon of itself, so a single item named is the best.
    alone = N_(
        "With at least {sure} % confidence, this is the best item, and no other is within {near} "
        "of it."
    )
    several = N_(
        "With at least {sure} % confidence, every item within {near} of the best is one of these "
        "{count}, and none of them is more than {far} below it."
    )
    near, far = _exactly(epsilon), _exactly(2 * epsilon)
    template = alone if count == 1 else several
    return Phrase(template, sure=confidence(delta), near=near, far=far, count=count)


def claim_of_lane(
    settings: ContestSettings,
    lane: int,
    *,
    named: int | None,
    delta: float | None,
    gap: float,
    ruled_out: int,
    is_over: bool,
    withstands: int = 0,
) -> Phrase:
    """What the race in a lane can promise now.

    `named` is how many items its verdict names, None before it; `delta` and `gap` are the error
    and the slack of the verdict, or of now; `ruled_out` is how many items are certainly out;
    `withstands` is how many dishonest raters the promise withstands.
    """
    stopping = ALGORITHMS[settings.lanes[lane].algorithm].stopping
    of_pairs = stopping in _OF_PAIRS
    if named is not None and settings.wants_all_good:
        proven = claim_good(named, epsilon=settings.epsilon, delta=delta)
        return even_if_dishonest(proven, withstands)
    if named is not None:
        proven = claim(top=settings.top, epsilon=settings.epsilon, delta=delta, of_pairs=of_pairs)
        return even_if_dishonest(proven, withstands)
    if stopping == NEVER:
        return Phrase(N_("The leaders so far: this contest goes on and certifies nothing."))
    if settings.wants_all_good:
        return _ruled_out(settings, ruled_out, withstands, is_over=is_over)
    if delta is None:
        # The proof is about the moment when the race stops, and about nothing before.
        return _before_verdict(
            N_("Not yet: before its verdict this algorithm certifies nothing."),
            N_("No verdict was reached: before its verdict this algorithm certifies nothing."),
            is_over=is_over,
        )
    slack = math.ceil(100.0 * gap) / 100.0
    if slack >= 1.0:
        return _too_few_votes(is_over=is_over)
    proven = claim(
        top=settings.top, epsilon=max(slack, 0.01), delta=delta, leading=True, of_pairs=of_pairs
    )
    proven = even_if_dishonest(proven, withstands)
    return _before_verdict(
        N_("Not yet. {claim}"), N_("No verdict was reached. {claim}"), is_over=is_over, claim=proven
    )


def even_if_dishonest(proven: Phrase, raters: int) -> Phrase:
    """A promise, with how many dishonest raters it withstands, if any.

    >>> print(even_if_dishonest(Phrase("This is the best."), 10))
    This is the best. That is so even if any 10 raters were dishonest.
    """
    if not raters:
        return proven
    told = many(
        "{claim} That is so even if any one rater was dishonest.",
        "{claim} That is so even if any {raters} raters were dishonest.",
        raters,
    )
    return Phrase(told, claim=proven, raters=raters)


def despite_overlap(proven: Phrase, algorithm: str) -> Phrase:
    """What a verdict promises, with the reason why it stands while intervals overlap."""
    if ALGORITHMS[algorithm].stopping == DOMINANCE:
        why = N_(
            "{claim} Some intervals overlap: this algorithm does not stop by them, but once one "
            "item has most of the votes."
        )
    else:
        why = N_(
            "{claim} Some intervals overlap now. The verdict was reached before and stands: its "
            "certificate shows how."
        )
    return Phrase(why, claim=proven)


def _ruled_out(settings: ContestSettings, count: int, withstands: int, *, is_over: bool) -> Phrase:
    """What a race for all good items has proven before its verdict: no good item is ever out."""
    if not count:
        return _too_few_votes(is_over=is_over)
    told = many(
        "With at least {sure} % confidence, the item ruled out is not within {near} of the best.",
        "With at least {sure} % confidence, none of the {count} items ruled out is within {near} "
        "of the best.",
        count,
    )
    near, sure = _exactly(settings.epsilon), confidence(settings.delta)
    proven = Phrase(told, sure=sure, count=count, near=near)
    proven = even_if_dishonest(proven, withstands)
    return _before_verdict(
        N_("Not yet. {claim}"), N_("No verdict was reached. {claim}"), is_over=is_over, claim=proven
    )


def _too_few_votes(*, is_over: bool) -> Phrase:
    return _before_verdict(
        N_("Not yet: too few votes to say anything for certain."),
        N_("No verdict was reached: too few votes to say anything for certain."),
        is_over=is_over,
    )


def _before_verdict(so_far: str, over: str, *, is_over: bool, **facts: Phrase) -> Phrase:
    """What is said of a race without a verdict, while it goes on or once it is over."""
    return Phrase(over if is_over else so_far, **facts)


def confidence(delta: float) -> Figure:
    """The confidence in per cent that an error leaves, never rounded up.

    >>> confidence(0.01), confidence(0.025), confidence(0.0123456), confidence(1e-9)
    ('99', '97.5', '98.7', '99.9999999')
    """
    error = 100 * Decimal(repr(delta))
    places = max(1, 1 - error.adjusted())
    shown = (100 - error).quantize(Decimal(1).scaleb(-places), rounding=ROUND_FLOOR)
    return Figure(f"{shown:f}".rstrip("0").rstrip("."))


def _exactly(value: float) -> Figure:
    return Figure(f"{value:.12g}")


def _ordinal(number: int) -> str:
    """A number in a row.

    >>> [_ordinal(number) for number in (2, 3, 4, 11, 22, 113)]
    ['2nd', '3rd', '4th', '11th', '22nd', '113th']
    """
    teens = 10 <= number % 100 <= 20
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
