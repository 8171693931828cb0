"""The certificate of a verdict: everything that is needed to check it.

It has the settings, the position and digest of the log at the verdict, the counts of every item,
the bounds that separated the winners, how many dishonest raters the verdict withstands, and what it
owes to excluded raters. `verify` replays an export and compares.
"""

import math
from typing import Any

import msgspec

from plaudit import __version__
from plaudit.race import Race, Verdict
from plaudit.service.contest.events import VerdictReached
from plaudit.service.contest.exclusions import exclusions_block
from plaudit.service.contest.settings import ContestSettings
from plaudit.service.contest.state import ContestState

# Signed, with the checkpoint that it rests on: the notary adds that.
SIGNED_FORMAT = "plaudit certificate 4"
FORMAT = "plaudit certificate 3"
# Certificates from before they said what a verdict withstands and owes to excluded raters.
SECOND_FORMAT = "plaudit certificate 2"
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
        "exclusions": exclusions_block(contest, race, lane, verdict.items),
        "counts": contest.race_counts(lane).tolist(),
        "winners": list(verdict.items),
        "delta": verdict.delta,
        "epsilon": verdict.epsilon,
        "top": verdict.top,
        "tolerance": verdict.tolerance,
        "withstands": verdict.withstands,
        "votes": verdict.votes,
        "gap": _rounded(verdict.gap),
        "lower": [_rounded(bound) for bound in table.lower],
        "upper": [_rounded(bound) for bound in table.upper],
    }


def verdict_in(certificate: dict[str, Any]) -> VerdictReached:
    """The event that records a certificate's verdict in the log."""
    return msgspec.convert(certificate, VerdictReached)


def _rounded(number: float) -> float | None:
    """The number, or None if JSON cannot hold it."""
    return float(number) if math.isfinite(number) else None
