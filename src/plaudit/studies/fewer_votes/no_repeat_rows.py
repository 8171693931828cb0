"""What the races under no-repeat came to: how many contests are certified in their votes."""

from collections.abc import Sequence

from plaudit.studies.fewer_votes.joining import Pairs, join_blocks
from plaudit.studies.fewer_votes.races import NO_REPEAT
from plaudit.studies.study import Record, StudyPlan


def no_repeat_rows(plan: StudyPlan, results: Sequence[Record]) -> list[Record]:
    """A row for each contest and entrant."""
    blocks = join_blocks(plan, results, NO_REPEAT)
    return [_row(*key[1:], pairs) for key, pairs in blocks.items()]


def _row(case: str, algorithm: str, pairs: Pairs) -> Record:
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
