"""The parts of `crowds`: which races are run, how many, and what one part does."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from plaudit.race.paired.bets import BETS
from plaudit.simulation.crowds.reruns import CrowdReruns
from plaudit.simulation.seeds import seed_at
from plaudit.simulation.visits import VisitRace
from plaudit.studies.crowds.cases import (
    CONTENDERS,
    CONTEST,
    INSTANCES,
    KINDS,
    OPPOSED,
    PRODUCTS,
    PUBLISHED,
    SIX,
    TWO,
    Instance,
    Kind,
    contenders_for,
)
from plaudit.studies.crowds.in_contests import visited_pairs
from plaudit.studies.crowds.pairs import BOTH, few_items
from plaudit.studies.crowds.pairs import DELTA as PAIR_DELTA
from plaudit.studies.entrants import OURS
from plaudit.studies.study import Record, blocks

NAME = "crowds"
ERRORS, VOTES, LISTS, PAIRS, MANY = "errors", "votes", "lists", "pairs", "contest-pairs"
CORRELATIONS = (0.0, 0.05, 0.15, 0.32)
FEW = (2, 3, 5, 10, 20)
# Items and visits of contests in which differences are looked at.
CONTESTS = ((200, 20), (2000, 20), (5000, 30))
BLOCK = 100


@dataclass(frozen=True)
class Effort:
    """How many races of each kind; `share` of the usual raters, and `contests` that are run."""

    camps: int
    two: int
    two_others: int
    six: int
    contest: int
    contest_others: int
    lists: int
    pairs: int
    many: int
    share: float = 1.0
    contests: int = len(CONTESTS)


# Opposed camps get the most: there an error of twice delta must be told from delta.
FULL = Effort(1200, 500, 200, 200, 12, 3, 80, 20, 3)
QUICK = Effort(3, 3, 2, 2, 1, 1, 2, 1, 1, share=0.03, contests=1)


def parts_of(effort: Effort, repetitions: int | None = None) -> Iterator[Record]:
    """All parts, without the seed; `repetitions` are the races of every kind, if given."""
    if repetitions is not None:
        counts = {name: repetitions for name, value in vars(effort).items()
                  if isinstance(value, int) and name != "contests"}  # fmt: skip
        effort = replace(effort, **counts)
    for kind in KINDS.values():
        for name in contenders_for(kind):
            own = name in (OURS, PRODUCTS)
            if not kind.attacked:
                opposed = kind.name == OPPOSED
                races = (effort.camps if opposed else effort.two) if own else effort.two_others
                yield from _blocks(ERRORS, TWO, kind, name, races, effort)
            yield from _blocks(ERRORS, SIX, kind, name, effort.six, effort)
            races = effort.contest_others if name in PUBLISHED else effort.contest
            yield from _blocks(VOTES, CONTEST, kind, name, races, effort, size=2)
    for way in ("fixed", "vote by vote"):
        for crowd in ("independent", "kind and stern, 0.15"):
            yield from _blocks(LISTS, CONTEST, KINDS[crowd], way, effort.lists, effort, size=10)
    for correlation in CORRELATIONS:
        for items in FEW:
            for first, end in blocks(effort.pairs, 20):
                yield _part(PAIRS, str(items), f"{correlation:g}", "", first, end)
        for items, visit in CONTESTS[: effort.contests]:
            for number in range(effort.many):
                place = f"{items} items, visits of {visit}"
                yield _part(MANY, place, f"{correlation:g}", "", number, number + 1)


def _blocks(
    what: str,
    instance: Instance,
    kind: Kind,
    name: str,
    races: int,
    effort: Effort,
    *,
    size: int = BLOCK,
) -> Iterator[Record]:
    raters = max(4, int(instance.raters * effort.share))
    for first, end in blocks(races, size):
        yield _part(what, instance.name, kind.name, name, first, end) | {"raters": raters}


def _part(what: str, place: str, crowd: str, who: str, first: int, end: int) -> Record:
    part: Record = {"address": [NAME, what, place, crowd, who], "first": first, "end": end}
    if what == PAIRS:
        part |= {"delta": PAIR_DELTA, "race": "paired"}
    if what == MANY:
        part |= {"delta": PAIR_DELTA, "bets": BETS}
    if place in INSTANCES:
        one, kind = INSTANCES[place], KINDS[crowd]
        part |= {
            "profile": one.profile.fingerprint,
            "delta": one.delta,
            "epsilon": one.epsilon,
            "visit": one.visit,
            "people": kind.people,
            "options": kind.options,
            "settings": CONTENDERS.get(who, {}),
        }
    return part


def seconds_of(part: Record) -> float:
    """About how long a part takes."""
    _, what, _, _, who = part["address"]
    each = {ERRORS: 0.003, VOTES: 0.2, LISTS: 0.05, PAIRS: 0.05, MANY: 5.0}[what]
    return float(each * (part["end"] - part["first"]) * (2.0 if who == "kl-lucb" else 1.0))


def work(shared: Any, part: Record) -> Record:
    """Runs one part."""
    _, what, place, crowd, who = part["address"]
    # Who races is not in the seed: all meet the same raters as far as they ask the same.
    seeds = [
        seed_at(part["seed"], NAME, what, place, crowd, k)
        for k in range(part["first"], part["end"])
    ]
    if what == PAIRS:
        found = [few_items(int(place), float(crowd), seed) for seed in seeds]
        return {name: [one[name] for one in found] for name in BOTH}
    if what == MANY:
        items, visit = (int(word) for word in place.split() if word.isdigit())
        return visited_pairs(items, visit, float(crowd), seeds[0])
    instance, kind = INSTANCES[place], KINDS[crowd]
    settings = _settings(instance, kind) | CONTENDERS.get(who, {}) | {"raters": part["raters"]}
    if what == ERRORS:
        reruns = CrowdReruns(instance.profile, kind.people, **settings)
        return dict(vars(reruns.block(part["end"] - part["first"], seed=seeds[0])))
    if what == LISTS:
        settings["listed"] = who == "fixed"
    return _run_each(instance, kind, seeds, settings)


def _settings(instance: Instance, kind: Kind) -> dict[str, Any]:
    return {
        "votes_per_rater": instance.visit,
        "delta": instance.delta,
        "epsilon": instance.epsilon,
        "reserve": 0.0,
        **kind.options,
    }


def _run_each(instance: Instance, kind: Kind, seeds: list[int], settings: dict[str, Any]) -> Record:
    outcomes = []
    for seed in seeds:
        race = VisitRace(instance.profile, people=kind.people, seed=seed, **settings)
        # Raters run out before these votes do.
        race.advance(instance.raters * instance.visit * 2)
        outcomes.append(race.outcome())
    return {
        "votes": [outcome.votes for outcome in outcomes],
        "stopped": [outcome.stopped for outcome in outcomes],
        "wrong": [outcome.stopped and not outcome.correct for outcome in outcomes],
    }
