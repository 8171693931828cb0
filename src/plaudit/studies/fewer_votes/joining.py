"""Results of parts, joined: all blocks of a case and an entrant, in the order of their races."""

from collections.abc import Sequence

from plaudit.studies.entrants import ENTRANTS
from plaudit.studies.study import Record, StudyPlan

Key = tuple[str, str, str]
Pairs = list[tuple[Record, Record]]


def join_blocks(plan: StudyPlan, results: Sequence[Record], *kinds: str) -> dict[Key, Pairs]:
    """Parts with their results by panel, case and entrant; cases as planned, entrants as listed.

    Parts run in any order. Races are compared one by one, so their order must not depend on it.
    """
    joined: dict[Key, Pairs] = {}
    for part, result in zip(plan.parts, results, strict=True):
        _, kind, case, algorithm = part["address"]
        if kind in kinds:
            joined.setdefault((kind, case, algorithm), []).append((part, result))
    cases, names = list(plan.shared), list(ENTRANTS)
    ordered = sorted(joined, key=lambda key: (cases.index(key[:2]), names.index(key[2])))
    return {key: sorted(joined[key], key=lambda pair: int(pair[0]["first"])) for key in ordered}
