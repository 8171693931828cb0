"""How `crowds` is shown: tables, figure and notes."""

from collections.abc import Iterator, Sequence
from typing import Any

from plaudit.simulation.crowds import ATTACKS
from plaudit.simulation.crowds.people import DAY
from plaudit.studies.crowds.cases import CONTENDERS, CONTEST, FAKES, INSTANCES, KINDS, SIX, TWO
from plaudit.studies.study import Record, StudyTable


def error_table(rows: Sequence[Record], instance: str, caption: str) -> StudyTable:
    """A line for each crowd, a column for each algorithm: error over delta with its limits."""
    lines: dict[str, Record] = {}
    for row in rows:
        if row["instance"] == instance:
            line = lines.setdefault(
                row["crowd"], {"crowd": row["crowd"]} | dict.fromkeys(CONTENDERS, "–")
            )
            told = f"{row['over_delta']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
            line[row["algorithm"]] = f"**{told}**" if row["too_often"] else told
    return StudyTable(f"errors-{instance.replace(' ', '-')}", _without_empty(lines), caption)


def vote_table(rows: Sequence[Record]) -> StudyTable:
    """The same for votes on the contest."""
    lines: dict[str, Record] = {}
    for row in rows:
        line = lines.setdefault(
            row["crowd"], {"crowd": row["crowd"]} | dict.fromkeys(CONTENDERS, "–")
        )
        told = f"{row['votes']:,.0f}"
        if row["verdicts"] < row["races"]:
            told = f"> {told}"
        if row["wrong"]:
            told += f" ({row['wrong']} of {row['races']} wrong)"
        line[row["algorithm"]] = told
    return StudyTable(
        "votes", _without_empty(lines),
        f"{CONTEST.name}: mean votes to the verdict (ε = {CONTEST.epsilon:g}, δ = "
        f"{CONTEST.delta:g}, visits of {CONTEST.visit}), and how many verdicts were wrong. “>”: "
        f"some races had no verdict after {CONTEST.raters:,} raters.",
    )  # fmt: skip


def _without_empty(lines: dict[str, Record]) -> list[Record]:
    """The lines, without columns that are empty in all of them."""
    found = list(lines.values())
    used = [name for name in (found[0] if found else ()) if any(r[name] != "–" for r in found)]
    return [{name: row[name] for name in used} for row in found]


def tables(
    errors: Sequence[Record],
    votes: Sequence[Record],
    lists: Sequence[Record],
    few: Sequence[Record],
    many: Sequence[Record],
) -> list[StudyTable]:
    """All tables of the page, and all numbers."""
    bold = "In bold: the exact lower limit is above δ."
    return [
        error_table(errors, TWO.name,
                    f"Two items, 0.5001 and 0.4999, votes of 0 and 1, every rater votes on both, "
                    f"δ = {TWO.delta:g}: wrong verdicts within {TWO.raters} raters, over δ, with "
                    f"exact 95 % limits. {bold}"),
        error_table(errors, SIX.name,
                    f"Six items, one of 0.75 and five of 0.5, three levels, visits of {SIX.visit}, "
                    f"δ = {SIX.delta:g}: the same within {SIX.raters} raters."),
        vote_table(votes),
        StudyTable("lists", lists, "Votes with lists that are fixed when the visit begins, over "
                   "votes where each item is chosen after the vote before; same seeds."),
        StudyTable("differences", few, "Bets on differences (`PairedRace`) against the default "
                   "(`Race`): one item of 0.6, others 0.5, three levels, δ = 0.01, every rater "
                   "rates all that is still open."),
        StudyTable("differences-in-contests", many, "Captions in contests with visits: the share "
                   "of raters who answered the leader and a given one of the 20 rivals with most "
                   "votes; the share of such a rival's votes that are in pairs; rivals that pairs "
                   "alone settle, with half of δ; and the share of all votes that could be saved "
                   "at most."),
        StudyTable("all-errors", errors, on_page=False),
        StudyTable("all-votes", votes, on_page=False),
    ]  # fmt: skip


def notes(settings: Record) -> Iterator[str]:
    """Who the crowds are, and how to read the numbers."""
    yield (
        "In every crowd each item has exactly the profile's votes over all raters; what differs is "
        "how one rater's votes hang together, and when they come. Kind and stern: the correlation "
        "of a rater's votes on any two items. Camps: items of odd number get the opposite. Tired: "
        "kind at the start of a visit, stern at its end. Moods and drift turn full circle every "
        f"{DAY} raters, for all items together or opposed for even and odd ones. Careless raters "
        "click at random; they belong to the crowd that a verdict is about."
    )
    outside = ", ".join(
        kind.name for kind in KINDS.values() if not kind.covered and not kind.attacked
    )
    yield f"Not covered by the theorem, and no claim is made: {outside}."
    yield f"{FAKES} fakes, who know the truth and vote on any item at any time, once each: " + (
        "; ".join(f"{name}: {attack.says}" for name, attack in ATTACKS.items()) + "."
    )
    yield (
        "A verdict is read after every vote. Races without a verdict count as not wrong. "
        f"{settings['two']:,} races on two items by the default and by products "
        f"({settings['camps']:,} for opposed camps), "
        f"{settings['two_others']:,} by others; {settings['six']:,} on six items, "
        f"{settings['contest']:,} on the contest, {settings['contest_others']:,} by published "
        "algorithms."
    )
    yield (
        "Set before the run: an error counts as too often if its exact lower limit is above δ; a "
        "list may cost 1.05 by the upper limit; differences pay with few items if the upper limit "
        "of the ratio is below 1, and in contests if they could save 2 %."
    )


def figure(rows: Sequence[Record]) -> Any:
    """Error over delta: a panel for each instance."""
    from plaudit.charts.crowds import crowd_chart
    from plaudit.charts.theme import themed

    shown = [row for row in rows if row["instance"] in list(INSTANCES)[:2]]
    return themed(crowd_chart(shown, names=list(CONTENDERS)))
