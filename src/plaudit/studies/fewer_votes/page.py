"""How `fewer-votes` is shown: tables, figure and notes."""

from collections.abc import Iterator, Sequence
from typing import Any

from plaudit.datasets.catalogue import SYNTHETIC
from plaudit.studies.contests.tables import STAND_IN
from plaudit.studies.entrants import OURS, PAPERS, entrants
from plaudit.studies.fewer_votes.cases import CHOSEN_ON, DELTA, EPSILON, RATERS, SHOWN, TOP
from plaudit.studies.fewer_votes.cells import EXACT, MORE
from plaudit.studies.fewer_votes.claims import say_ratio
from plaudit.studies.study import Record, StudyTable

Rows = Sequence[Record]


def result_tables(certified: Rows, found: Rows, no_repeat: Rows, varied: Rows) -> list[StudyTable]:
    """What the page shows, a table a question, and all numbers behind it."""
    return [
        StudyTable("votes", matrix(certified, say_votes),
              f"Mean votes to a verdict with total error {DELTA:g}, with 95 % limits; on contests "
              f"with ε = {EPSILON:g}. “>”: some races were given up without a verdict."),
        StudyTable("ratio", matrix(certified, say_ratio),
              f"The same as a share of {PAPERS}'s votes, on the same seeds."),
        StudyTable("floor", _floors(certified) + matrix(certified, say_floor),
              "The same as multiples of the floor, below which no algorithm can be."),
        StudyTable("find", find_matrix(found),
              f"Votes until the best item is, with probability 0.9, among the {SHOWN} with the "
              f"largest means so far; and {OURS}'s votes as a share of {PAPERS}'s."),
        StudyTable("no-repeat", [brief(row) for row in no_repeat],
              f"Top {TOP} within ε = {EPSILON:g}, by {RATERS:,} raters who see no item twice: how "
              "many races certify it with as many votes as the contest really collected. The "
              "smallest epsilon is the one certified at the end."),
        StudyTable("never-worse", [brief_varied(row) for row in varied if row["algorithm"] == OURS],
              f"{OURS}'s votes to the verdict as a share of {PAPERS}'s."),
        StudyTable("certified", certified, on_page=False),
        StudyTable("found", found, on_page=False),
        StudyTable("no-repeat-all", no_repeat, on_page=False),
        StudyTable("never-worse-all", varied, on_page=False),
    ]  # fmt: skip


def matrix(rows: Rows, say: Any) -> list[Record]:
    """A row for each entrant and a column for each case."""
    cases = list(dict.fromkeys(row["case"] for row in rows))
    found = {(row["algorithm"], row["case"]): row for row in rows}
    names = [entrant.name for entrant in entrants() if any(entrant.name == n for n, _ in found)]
    return [
        {"algorithm": name}
        | {case: say(found[name, case]) if (name, case) in found else "cannot" for case in cases}
        for name in names
    ]


def say_votes(row: Record) -> str:
    """Mean votes, to three digits and with half the width of the limits."""
    if row["cut"]:
        return f"> {_three(row['votes'])}"
    half = "" if row["votes_low"] is None else f" ± {_two(row['votes_high'] - row['votes'])}"
    return f"{_three(row['votes'])}{half}"


def say_floor(row: Record) -> str:
    """Mean votes over the floor."""
    if row["over_floor"] is None:
        return "–"
    return f"{'> ' if row['cut'] else ''}{row['over_floor']:.2f}"


def _floors(rows: Rows) -> list[Record]:
    floors = {row["case"]: row["floor"] for row in rows}
    texts = {case: _three(floor) if floor else "–" for case, floor in floors.items()}
    return [{"algorithm": "the floor, votes"} | texts]


def _three(votes: float) -> str:
    return f"{float(f'{votes:.3g}'):,.0f}"


def _two(votes: float) -> str:
    return f"{float(f'{votes:.2g}'):,.0f}"


def find_matrix(rows: Rows) -> list[Record]:
    """A row for each case: votes of each entrant, and our share."""
    table: dict[str, Record] = {}
    for row in rows:
        line = table.setdefault(row["case"], {"case": row["case"]})
        more = row["state"] == MORE
        line[row["algorithm"]] = f"> {_three(row['cap'])}" if more else _three(row["votes"])
        if row["algorithm"] == OURS:
            line["share"] = say_ratio(row)
    for line in table.values():
        # Last, wherever ours stands among the entrants.
        line["share"] = line.pop("share")
    return list(table.values())


def brief(row: Record) -> Record:
    """A row under no-repeat as the page has it."""
    return {
        "contest": row["contest"],
        "algorithm": row["algorithm"],
        "votes collected": row["votes_collected"],
        "certified": f"{row['certified']} of {row['races']}",
        "votes": row["votes"],
        "share of collected": row["share_of_collected"],
        "smallest epsilon": row["smallest_epsilon"],
    }


def brief_varied(row: Record) -> Record:
    """A profile's row as the page has it."""
    return {"profile": row["case"], "votes": say_votes(row), f"of {PAPERS}'s": say_ratio(row)}


def notes(settings: Record) -> Iterator[str]:
    """What was set before the run, and how to read the numbers."""
    if SYNTHETIC in settings["contests"]:
        yield f"**{STAND_IN}**"
    yield from (f"Left out: {name}. {why}" for name, why in settings["missing"].items())
    yield (
        f"The method was chosen on {', '.join(CHOSEN_ON)}. It is tested on everything else: "
        "contests 729 and 776, the other contests, and all profiles of the last table."
    )
    yield (
        f"All algorithms have the total error {DELTA:g}, none of it kept for items that join "
        "later. On contests, votes on a caption (0, ½ or 1) are drawn from the votes that it "
        "really got, as if their frequencies were the truth. All algorithms race on the same seeds."
    )
    yield (
        "The floor is T* D(δ, 1-δ). T* is for votes of any law on [0, 1], by the least divergence "
        "from the true laws; for votes of 0 and 1 it is Garivier and Kaufmann's. With ε = 0 it "
        "holds at every δ, otherwise in the limit of small δ."
    )
    named = "; ".join(f"{one.name}: {one.says}" for one in entrants())
    yield f"The algorithms (“its” is of {PAPERS}): {named}."
    yield (
        "“cannot”: lil-UCB has no ε. Ratios are of means, with Student's limits from pairs of "
        "races on the same seed; ratios of votes to find have limits from resampled races."
    )
    effort = settings["effort"]
    yield (
        f"Votes to find come from {effort['find_races']} races of {PAPERS} and of {OURS} on each "
        f"case, and from at most {effort['find_others']} of each other algorithm."
    )


def figure_caption() -> str:
    """What the figure shows."""
    return (
        f"Above: votes to certify the best item as a share of {PAPERS}'s, with 95 % limits. "
        "Triangles are lower limits, and the dashed line is the floor. Middle: the probability "
        f"that the best item is among the {SHOWN} with the largest means so far, with exact 95 % "
        f"limits. Below: {OURS}'s votes on many profiles, as a share of {PAPERS}'s."
    )


def figure(certified: Rows, curves: Rows, varied: Rows) -> Any:
    """The three parts of the figure, one above the other."""
    import altair as alt

    from plaudit.charts.curves import curve_panel
    from plaudit.charts.ratios import ratio_column, ratio_panels
    from plaudit.charts.theme import COLOURS, themed

    shown = [name for name in (OURS, PAPERS, "ucb", "uniform") if name in
             {row["algorithm"] for row in curves}]  # fmt: skip
    # Ours has one colour in all three parts.
    own_colours = dict(zip(shown, (COLOURS[1], COLOURS[0], *COLOURS[2:]), strict=False))
    panels = [
        curve_panel(
            [{**row, "name": row["algorithm"]} for row in curves
             if row["case"] == case and row["algorithm"] in shown],
            title=case, names=shown, own=own_colours, legend=place == 0,
        )
        for place, case in enumerate(dict.fromkeys(row["case"] for row in curves))
    ]  # fmt: skip
    found = alt.concat(*panels, columns=3).resolve_legend(color="independent")
    own = [dot(row, row["case"]) for row in varied if row["algorithm"] == OURS]
    above = ratio_panels([dot(row, row["algorithm"]) for row in certified], columns=3)
    return themed(alt.vconcat(above, found, ratio_column(own), spacing=40))


def dot(row: Record, name: str) -> Record:
    """A row as the chart of ratios reads it."""
    floor = row["floor"] / (row["votes"] / row["ratio"]) if row["floor"] else None
    return {
        "panel": row["case"],
        "name": name,
        "ratio": row["ratio"],
        "low": row["ratio"] if row["ratio_low"] is None else row["ratio_low"],
        "high": row["ratio"] if row["ratio_high"] is None else row["ratio_high"],
        "more": row["state"] != EXACT,
        "ours": row["algorithm"] == OURS,
        "floor": floor,
    }
