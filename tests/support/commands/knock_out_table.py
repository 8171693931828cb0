"""Prints what docs/live/moderation.md says about early knock-outs: false alarms, and fakes named.

    python tests/support/commands/knock_out_table.py HONEST ATTACKED

`HONEST` crowds of each kind and `ATTACKED` contests of each attack are simulated, from fixed seeds;
a contest takes a quarter of a second or so.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.stats import beta

sys.path.insert(0, str(Path(__file__).parents[2]))

from plaudit.scale import FUNNY
from plaudit.service.moderation.suspicion import EARLY, examine
from support.crowded_contests import Attack, Contest, Crowd

# Honest contests are half as long: a smaller reference is less certain.
HALF = 500
HONEST = {
    "alike": Crowd(raters=HALF, differing=0.0),
    "kind and stern raters": Crowd(raters=HALF, differing=1.2),
    "kind and fast": Crowd(raters=HALF, kind=1.0, seconds=0.8),
    "stern and slow": Crowd(raters=HALF, kind=-1.0, seconds=12.0),
    "opposed: a tenth": Crowd(raters=HALF, camp=0.1),
    "opposed: three tenths": Crowd(raters=HALF, camp=0.3),
    "opposed: nearly half": Crowd(raters=HALF, camp=0.45),
    "opposed twice as much: a fifth": Crowd(raters=HALF, camp=0.2, strength=2.0),
    "three tenths with a taste of their own": Crowd(raters=HALF, camp=0.3, own_taste=True),
    "first ones sterner, drifting": Crowd(raters=HALF, drift=1.0),
    "no uniform traffic": Crowd(raters=HALF, uniform=0.0),
}
ATTACKS = {
    "the first 20 items": (Crowd(), Attack()),
    "the first 10 items": (Crowd(), Attack(leaders=10)),
    "the first 5 items": (Crowd(), Attack(leaders=5)),
    "the first 20 items; a tenth of the traffic is uniform": (Crowd(uniform=0.1), Attack()),
    "the first 20 items; no uniform traffic": (Crowd(uniform=0.0), Attack()),
    "the first 20 items; a fifth of the crowd is opposed": (Crowd(camp=0.2), Attack()),
    "the first 20 items; a quarter of the first 200 raters": (Crowd(), Attack(within=200)),
    "the first 20 items, in 5 votes": (Crowd(), Attack(votes=5)),
    "the first 20 items, in 5 votes after 4 like anybody's": (Crowd(), Attack(camouflage=4)),
    "the first 20 items, at any time": (Crowd(), Attack(within=1000)),
}


def suspects(contest: Contest) -> dict[int, set[str]]:
    """Who is named in a contest, and by which tests."""
    answers = contest.run()
    origins = np.arange(len(contest.fakes))
    found = examine(answers, origins=origins, excluded=set(), scale=FUNNY).suspects
    return {one.rater: {reason.test for reason in one.reasons} for one in found}


def honest(crowds: int) -> Iterator[tuple[str, int, int]]:
    """By kind of crowd: how many have anybody named, by any test and for an early knock-out."""
    for kind, crowd in HONEST.items():
        found = [suspects(Contest(seed, crowd)) for seed in range(crowds)]
        early = [one for one in found if any(EARLY in tests for tests in one.values())]
        yield kind, sum(map(bool, found)), len(early)


def attacked(contests: int) -> Iterator[tuple[str, float, float, int, int]]:
    """By attack: shares of fakes named, of honest raters among those named; raised; misled."""
    for name, (crowd, attack) in ATTACKS.items():
        share, wrong, raised, misled = [], [], 0, 0
        for seed in range(contests):
            contest = Contest(10_000 + seed, crowd, attack)
            named = np.array(sorted(suspects(contest)), dtype=np.int64)
            hits = int(contest.fakes[named].sum())
            share.append(hits / attack.fakes)
            wrong.append((len(named) - hits) / max(1, len(named)))
            raised += len(named) > 0
            misled += int(contest.rank[contest.race.leaders[0]]) >= 3
        yield name, float(np.mean(share)), float(np.mean(wrong)), raised, misled


def show(line: str) -> None:
    """Prints a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    crowds, contests = map(int, sys.argv[1:3])
    for name, share, wrong, raised, misled in attacked(contests):
        row = f"{100 * share:.0f} % | {100 * wrong:.0f} % | {raised} | {misled} of {contests}"
        show(f"| {name} | {row} |")
    for kind, named, early in honest(crowds):
        limit = beta.ppf(0.95, named + 1, crowds - named) if named < crowds else 1.0
        show(f"| {kind} | {named} | {early} of {crowds} | {100 * limit:.1f} % |")
