"""What the races under no-repeat came to: how many contests are certified in their votes."""

from collections.abc import Sequence

from plaudit.studies.fewer_votes.races import NO_REPEAT
from plaudit.studies.study import Plan, Record


def no_repeat_rows(plan: Plan, results: Sequence[Record]) -> list[Record]:
    """A row for each contest and entrant."""
    joined: dict[tuple[str, str], list[tuple[Record, Record]]] = {}
    for part, result in zip(plan.parts, results, strict=True):
        _, kind, case, algorithm = part["address"]
        if kind == NO_REPEAT:
            joined.setdefault((case, algorithm), []).append((part, result))
    return [_row(*key, pairs) for key, pairs in joined.items()]


def _row(case: str, algorithm: str, pairs: Sequence[tuple[Record, Record]]) -> Record:
    outcomes = [result for _, result in pairs]
    done = [outcome for outcome in outcomes if outcome["stopped"]]
    collected = pairs[0][0]["cap"]
    votes = sum(outcome["votes"] for outcome in done) / len(done) if done else None
    return {
        "contest": case,
        "algorithm": algorithm,
        "votes_collected": collected,
        "races": len(outcomes),
        "certified": len(done),
        "votes": votes,
        "share_of_collected": votes / collected if votes is not None else None,
        "smallest_epsilon": sum(outcome["gap"] for outcome in outcomes) / len(outcomes),
        "most_votes_of_an_item": max(outcome["most_votes"] for outcome in outcomes),
        "wrong": sum(not outcome["correct"] for outcome in done),
    }


def certified_contests(rows: Sequence[Record], algorithm: str) -> list[str]:
    """The contests that an entrant certifies in most of its races."""
    return [
        row["contest"]
        for row in rows
        if row["algorithm"] == algorithm and 2 * row["certified"] > row["races"]
    ]
