"""What is claimed of crowds, by criteria that were fixed before the first full run."""

from collections.abc import Sequence

from plaudit.studies.crowds.cases import CONTEST, FAKES, OPPOSED, PRODUCTS, PUBLISHED, TOLERANT, TWO
from plaudit.studies.entrants import OURS
from plaudit.studies.study import Claim, Record

# A fixed list may cost so much at most, by the upper limit of the ratio.
LIST_COST = 1.05
# Differences pay in contests if they could save this share of all votes.
WORTH_IT = 0.02
FEW, REALISTIC = 5, (0.05, 0.15, 0.32)


def default_claim(rows: Sequence[Record]) -> Claim:
    """The default on all crowds that the theorem covers."""
    own = [row for row in rows if row["algorithm"] == OURS and row["covered"]]
    return Claim(
        "The default is wrong with probability at most δ for every crowd that the theorem covers",
        _told(own),
        _kept(own),
    )


def published_claim(rows: Sequence[Record]) -> Claim:
    """The published algorithms on the same crowds."""
    own = [row for row in rows if row["algorithm"] in PUBLISHED and row["covered"]]
    return Claim("So are lil-KLUCB, KL-LUCB and LUCB++", _told(own), _kept(own))


def products_claim(rows: Sequence[Record]) -> Claim:
    """Products of evidence where camps are opposed: above delta beyond chance."""
    own = [
        row
        for row in rows
        if row["algorithm"] == PRODUCTS and row["crowd"] == OPPOSED and row["instance"] == TWO.name
    ]
    checks = [bool(row["too_often"]) for row in own]
    return Claim("Products of evidence are not, where tastes are opposed", _told(own), checks)


def attack_claim(rows: Sequence[Record]) -> Claim:
    """Fakes against the default without a tolerance, on the contest."""
    own = [row for row in rows if row["algorithm"] == OURS and row["attacked"]]
    there = [row for row in own if row["instance"] == CONTEST.name]
    broken = [row["crowd"] for row in there if row["too_often"]]
    return Claim(
        f"{FAKES} fakes make a verdict without tolerance wrong more often than δ",
        f"On the contest above δ beyond chance: {', '.join(broken) or 'none'}. {_told(there)}",
        [bool(broken)],
    )


def tolerance_claim(rows: Sequence[Record]) -> Claim:
    """The same fakes against a tolerance of as many."""
    own = [row for row in rows if row["algorithm"] == TOLERANT]
    return Claim(
        f"With a tolerance of {FAKES} no attack of {FAKES} fakes does", _told(own), _kept(own)
    )


def list_claim(rows: Sequence[Record]) -> Claim:
    """What a list costs that is fixed when the visit begins."""
    told = "; ".join(
        f"{row['crowd']} {row['ratio']:.3f}"
        + ("" if row["low"] is None else f" ({row['low']:.3f} to {row['high']:.3f})")
        for row in rows
    )
    tested = [row for row in rows if row["high"] is not None]
    return Claim(
        "A list that is fixed when the visit begins costs next to no votes "
        f"(at most {LIST_COST:g} times those of choosing vote by vote)",
        told,
        # By the upper limit it is shown, by the lower one it may still be.
        [row[end] <= LIST_COST for end in ("high", "low") for row in tested],
    )


def pair_claim(rows: Sequence[Record]) -> Claim:
    """Bets on differences with few items that everyone rates."""
    few = [row for row in rows if row["items"] <= FEW and row["correlation"] in REALISTIC]
    tested = [row for row in few if row["high"] is not None]
    told = "; ".join(
        f"{row['items']} items, correlation {row['correlation']:g}: {row['ratio']:.2f}"
        for row in few
    )
    return Claim(
        f"Bets on differences need fewer votes where everyone rates all of at most {FEW} items",
        told,
        [row["high"] < 1.0 for row in tested],
    )


def contest_pair_claim(rows: Sequence[Record]) -> Claim:
    """Bets on differences in contests with visits."""
    real = [row for row in rows if row["correlation"] in REALISTIC]
    most = max((row["votes saved at most"] for row in real), default=0.0)
    both = max((row["raters with both"] for row in real), default=0.0)
    return Claim(
        "In a contest with visits they would save nothing worth having "
        f"(less than {WORTH_IT:.0%} of the votes)",
        f"At most {most:.2%} of the votes; at most {both:.1%} of the raters answered the leader "
        "and a given close rival.",
        [most < WORTH_IT],
    )


def _told(rows: Sequence[Record]) -> str:
    if not rows:
        return "No races."
    worst = max(rows, key=lambda row: row["over_delta"])
    races, wrong = (sum(row[name] for row in rows) for name in ("races", "wrong"))
    broken = sum(row["too_often"] for row in rows)
    return (
        f"{wrong:,} wrong in {races:,} races; at most {worst['over_delta']:.2f} δ "
        f"({worst['instance']}, {worst['crowd']}); exact lower limit above δ in {broken} of "
        f"{len(rows)} cells."
    )


def _kept(rows: Sequence[Record]) -> list[bool]:
    """A promise is one check: no cell is wrong too often."""
    return [not any(row["too_often"] for row in rows)] if rows else []
