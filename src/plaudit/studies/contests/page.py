"""How the study of past contests is shown: tables, figure and notes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from plaudit.charts.dots import MAX_ROWS
from plaudit.datasets.catalogue import SYNTHETIC
from plaudit.race.algorithms import PUBLISHED
from plaudit.studies.contests.claims import OURS
from plaudit.studies.contests.races import CERTIFY, DELTA, EPSILON, FIND, SHOWN
from plaudit.studies.contests.rows import LEVEL, MEASURED, MORE, Row, least_votes, matrix
from plaudit.studies.contests.tables import STAND_IN
from plaudit.studies.study import Record, StudyTable

KEY = "hollow: found   ·   filled: certified   ·   triangle: more than   ·   bar: votes collected"


def contest_tables(rows: Sequence[Row], settings: Record) -> list[StudyTable]:
    """The contests, votes to find and to certify, and all numbers."""
    facts: Mapping[str, Record] = settings["contests"]
    return [
        StudyTable(
            "contests",
            [{"contest": name, **fact} for name, fact in facts.items()],
            "The contests. The smallest epsilon is the one that lil-KLUCB's bound certifies for "
            f"the leader from the votes that the contest really got, with error {DELTA:g}.",
        ),
        StudyTable(
            FIND,
            matrix(rows, FIND),
            f"Votes to find: until the best caption is, with probability {LEVEL:g}, among the "
            f"{SHOWN} with the largest means so far; {_races(settings['repetitions'])} each.",
        ),
        StudyTable(
            CERTIFY,
            matrix(rows, CERTIFY),
            f"Votes to certify: until the verdict, within epsilon {EPSILON:g} and with total error "
            f"{DELTA:g}; the median of {_races(settings['certifying_races'])}.",
        ),
        StudyTable("algorithms", rows, on_page=False),
    ]


def contest_chart(rows: Sequence[Row], facts: Mapping[str, Record]) -> Any:
    """A row for each contest, its real votes marked."""
    from plaudit.charts.dots import dot_chart
    from plaudit.charts.theme import themed

    dots = [
        {
            "row": row["contest"],
            "name": row["algorithm"],
            "kind": kind,
            "votes": least_votes(row, kind),
            "more": row[kind] == MORE,
        }
        for row in rows
        for kind in (FIND, CERTIFY)
        if least_votes(row, kind) is not None
    ]
    marks = [{"row": name, "votes": fact["votes_collected"]} for name, fact in facts.items()]
    names = [name for name in PUBLISHED if any(dot["name"] == name for dot in dots)]
    return themed(dot_chart(dots, marks, names=names, hollow=FIND, key=KEY))


def contest_caption(settings: Record) -> str:
    """What the figure shows."""
    stands_in = f"{STAND_IN} " if SYNTHETIC in settings["contests"] else ""
    return (
        f"{stands_in}Hollow: votes until the best caption is, with probability {LEVEL:g}, among "
        f"the {SHOWN} with the largest means so far. Filled: votes to certify it within epsilon "
        f"{EPSILON:g}, with error {DELTA:g}. Triangles: it takes more than this. Bars: the votes "
        "that the contest collected."
        + (f" The first {MAX_ROWS} contests." if len(settings["contests"]) > MAX_ROWS else "")
    )


def contest_notes(rows: Sequence[Row], settings: Record) -> Iterator[str]:
    """What was left out, what cannot be, and what was set before the run."""
    if SYNTHETIC in settings["contests"]:
        yield f"**{STAND_IN}**"
    yield from (f"Left out: {name}. {why}" for name, why in settings["missing"].items())
    yield (
        "Votes on a caption (0, ½ or 1) are drawn from the votes that it really got, as if their "
        "frequencies were the truth. Where captions have few votes, the best mean is partly luck. "
        "Races to find have epsilon 0; equal means are ranked with more votes first."
    )
    yield "`cannot`: lil-ucb and its heuristic name one item and have no epsilon."
    yield (
        f"Votes to find come from {_races(settings['repetitions'])}, so they are rough. Exact 95 % "
        "limits are in `algorithms.csv`."
    )
    yield from _soonest_note(rows)
    yield from _collected_note(rows, settings["contests"])
    stopped = sum(row["certify_stopped"] for row in rows)
    right = sum(row["certify_right"] for row in rows)
    yield f"There were {stopped:,} certified verdicts, of which {right:,} were right."
    yield (
        "Checks: “usually” is at least three quarters of the contests, and “often” at least half "
        "of them. An improvement is fewer votes, with a check for each contest."
    )


def _races(number: int) -> str:
    return "one race" if number == 1 else f"{number} races"


def _soonest_note(rows: Sequence[Row]) -> Iterator[str]:
    """Which algorithm certifies with the fewest votes, against lil-klucb."""
    votes: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["certify"] == MEASURED:
            votes.setdefault(row["contest"], {})[row["algorithm"]] = row["certify_votes"]
    known = [of for of in votes.values() if OURS in of]
    soonest = Counter(min(of, key=lambda name: of[name]) for of in known)
    for name, number in soonest.most_common(1):
        share = median(of[name] / of[OURS] for of in known if name in of)
        yield (
            f"{name} needs the fewest votes to certify on {number} of {len(known)} contests. Its "
            f"median share of {OURS}'s votes is {100 * share:.0f} %."
        )


def _collected_note(rows: Sequence[Row], facts: Mapping[str, Record]) -> Iterator[str]:
    """How many contests had votes enough, and how many certify the leader from them."""
    enough = sum(
        row["certify"] == MEASURED
        and row["certify_votes"] <= facts[row["contest"]]["votes_collected"]
        for row in rows
        if row["algorithm"] == OURS
    )
    certified = sum(fact["smallest_epsilon"] < EPSILON for fact in facts.values())
    yield (
        f"Of {len(facts)} contests, {enough} collected as many votes as {OURS} needs to certify "
        f"within {EPSILON:g}. As the votes were really spread, {certified} can be certified so."
    )
