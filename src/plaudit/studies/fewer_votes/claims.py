"""What the default algorithm should do, and whether it did."""

from collections.abc import Mapping, Sequence

from plaudit.datasets.catalogue import SYNTHETIC
from plaudit.studies.entrants import OURS, PAPERS
from plaudit.studies.fewer_votes.cases import CHOSEN_ON, EPSILON, RATERS, TOP
from plaudit.studies.fewer_votes.cells import EXACT, LESS
from plaudit.studies.fewer_votes.no_repeat_rows import certified_contests
from plaudit.studies.study import Claim, Record

ON_CONTESTS, ON_PROFILES, TO_FIND, WORSE = 0.40, 0.60, 0.50, 1.05
Rows = Sequence[Record]


def certify_claims(rows: Rows) -> list[Claim]:
    """Votes to a certified best item against lil-KLUCB's."""
    own = [row for row in rows if row["algorithm"] == OURS]
    contests = [row for row in own if row["epsilon"] > 0]
    profiles = [row for row in own if row["epsilon"] == 0]
    return [
        _ratio_claim(
            f"To certify the best caption within ε = {EPSILON:g} takes at most {ON_CONTESTS:g} of "
            "lil-KLUCB's votes, on every contest",
            _real(contests),
            ON_CONTESTS,
        ),
        _ratio_claim(
            f"To certify the best item takes at most {ON_PROFILES:g} of lil-KLUCB's votes, on the "
            "paper's two profiles",
            profiles,
            ON_PROFILES,
        ),
    ]


def find_claim(rows: Rows) -> Claim:
    """Votes to have the best item among the first five."""
    return _ratio_claim(
        "To have the best item among the first five with probability 0.9 takes at most "
        f"{TO_FIND:g} of lil-KLUCB's votes",
        _real([row for row in rows if row["algorithm"] == OURS and row["ratio"] is not None]),
        TO_FIND,
    )


def no_repeat_claim(rows: Rows) -> Claim:
    """How many contests could have had a certified shortlist with the votes that they got."""
    real = [row for row in rows if row["contest"] != SYNTHETIC]
    said = (
        f"With {RATERS:,} raters who see no item twice, and as many votes as were really "
        f"collected, a top {TOP} within ε = {EPSILON:g} can be certified on more contests than by "
        "lil-KLUCB"
    )
    if not real:
        return Claim(said, "No real contest was at hand.")
    ours, theirs = (certified_contests(real, name) for name in (OURS, PAPERS))
    total = len({row["contest"] for row in real})
    return Claim(
        said,
        f"{OURS} certifies {len(ours)} of {total} contests ({', '.join(ours) or 'none'}), "
        f"{PAPERS} {len(theirs)} ({', '.join(theirs) or 'none'}).",
        [len(ours) > len(theirs)],
    )


def never_worse_claim(rows: Rows) -> Claim:
    """The worst ratio of all profiles tried."""
    own = [row for row in rows if row["algorithm"] == OURS]
    worst = max(own, key=lambda row: row["ratio"] if row["state"] != LESS else 0.0)
    limits = "" if worst["ratio_low"] is None else f" ({_limits(worst)})"
    above = [row for row in own if row["ratio"] > WORSE and row["state"] != LESS]
    return Claim(
        f"It never takes more than {WORSE:g} times lil-KLUCB's votes, on any profile tried",
        f"Of {len(own)} profiles, {sum(row['ratio'] < 1.0 for row in own)} take fewer votes. The "
        f"worst is “{worst['case']}” with {worst['ratio']:.2f} times{limits}.",
        [not above],
    )


def error_claim(rows: Rows, delta: float) -> Claim:
    """All verdicts of all panels."""
    wrong = sum(row["wrong"] for row in rows)
    races = sum(row["races"] for row in rows)
    return Claim(
        f"A verdict is wrong with probability at most {delta:g}",
        f"{wrong} wrong verdicts in {races:,} races of all algorithms. The study error-rates looks "
        "more closely.",
        [wrong <= delta * races],
    )


def _real(rows: Rows) -> list[Record]:
    return [row for row in rows if not row["case"].startswith(SYNTHETIC)]


def _ratio_claim(said: str, rows: Rows, wanted: float) -> Claim:
    if not rows:
        return Claim(said, "No real contest was at hand.")
    texts = [f"{row['case']} {say_ratio(row)}{_mark(row)}" for row in rows]
    good = [row["ratio"] <= wanted and row["state"] in (EXACT, LESS) for row in rows]
    return Claim(said, f"{OURS}: {'; '.join(texts)}.", good)


def _mark(row: Mapping[str, object]) -> str:
    return "" if row["case"] in CHOSEN_ON or "role" not in row else " (held out)"


def say_ratio(row: Record) -> str:
    """A ratio with its limits, in words.

    >>> row = {"algorithm": "ours", "ratio": 0.333, "ratio_low": 0.3, "ratio_high": 0.37}
    >>> say_ratio(row | {"state": "measured"})
    '0.333 (0.300 to 0.370)'
    """
    if row["ratio"] is None:
        return "–"
    if row["algorithm"] == PAPERS:
        return "1"
    sign = {EXACT: "", LESS: "< "}.get(row["state"], "> ")
    limits = "" if row["ratio_low"] is None else f" ({_limits(row)})"
    return f"{sign}{row['ratio']:.3f}{limits}"


def _limits(row: Record) -> str:
    return f"{row['ratio_low']:.3f} to {row['ratio_high']:.3f}"
