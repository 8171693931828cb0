"""What the paper says of caption contests in general, against those of the study."""

from collections.abc import Mapping, Sequence
from typing import Any

from plaudit.datasets.catalogue import SYNTHETIC
from plaudit.studies.contests.rows import MEASURED, MORE, Row, least_votes
from plaudit.studies.study import Claim

OURS = "lil-klucb"
USUAL_LOW, USUAL_HIGH = 0.5, 0.85
# The share of contests that makes a “usually”, and the one that makes an “often”.
USUALLY, OFTEN = 0.75, 0.5


def general_claims(rows: Sequence[Row], facts: Mapping[str, Mapping[str, Any]]) -> list[Claim]:
    """Three sentences of the paper; the synthetic contest is no evidence for any."""
    real = [row for row in rows if row["contest"] != SYNTHETIC]
    means = {name: fact["binary_mean"] for name, fact in facts.items() if name != SYNTHETIC}
    return [
        _means_claim(means),
        _fewer_claim(
            "lil-KLUCB improves on KL-LUCB (Section 2.1)",
            "KL-LUCB's",
            _shares(real, "kl-lucb"),
        ),
        _fewer_claim(
            "KL bounds often gain on sub-Gaussian ones in contests (Section 2.1)",
            "LUCB++'s, which differs only in its sub-Gaussian bound",
            _shares(real, "lucb++"),
            often=True,
        ),
    ]


def _means_claim(means: Mapping[str, float]) -> Claim:
    paper = (
        f"The best mean of a contest is usually between {USUAL_LOW} and {USUAL_HIGH} (Section 5)"
    )
    if not means:
        return Claim(paper, "No real contest was at hand.")
    inside = {name for name, mean in means.items() if USUAL_LOW <= mean <= USUAL_HIGH}
    others = ", ".join(f"{name} {mean:.3g}" for name, mean in means.items() if name not in inside)
    return Claim(
        paper,
        f"It is in {len(inside)} of {len(means)} contests, if votes of at least “somewhat funny” "
        f"count as 1{f'; not in {others}' if others else ''}.",
        [len(inside) >= USUALLY * len(means)],
    )


def _fewer_claim(
    paper: str, whose: str, shares: Mapping[str, tuple[float, bool]], *, often: bool = False
) -> Claim:
    if not shares:
        return Claim(paper, "No real contest has both.")
    fewer = [share < 1.0 for share, _ in shares.values()]
    texts = [
        f"{name} {'at most ' if at_most else ''}{100 * share:.0f} %"
        for name, (share, at_most) in shares.items()
    ]
    return Claim(
        paper,
        f"lil-KLUCB's votes to certify, as a share of {whose}: {', '.join(texts)}.",
        [sum(fewer) >= OFTEN * len(fewer)] if often else fewer,
    )


def _shares(rows: Sequence[Row], other: str) -> dict[str, tuple[float, bool]]:
    """Our votes as a share of another algorithm's, and whether that is only a limit."""
    found = {(row["contest"], row["algorithm"]): row for row in rows}
    shares = {}
    for contest in dict.fromkeys(row["contest"] for row in rows):
        ours, theirs = found[contest, OURS], found[contest, other]
        if ours["certify"] == MEASURED and theirs["certify"] in (MEASURED, MORE):
            whole = least_votes(theirs, "certify") or 1.0
            shares[contest] = (ours["certify_votes"] / whole, theirs["certify"] == MORE)
    return shares
