"""Which tasks are measured, under which names, and how often."""

from typing import NamedTuple


class Planned(NamedTuple):
    """A task, its name in the report, and the share of the rounds that it gets."""

    task: str
    title: str
    share: float = 1.0


PLAN = (
    Planned("Vote", "a vote"),
    Planned("HttpVote", "a vote over HTTP"),
    Planned("Ask", "an ask"),
    Planned("HttpAsk", "an ask over HTTP"),
    Planned("StartFromSnapshot", "a start from the snapshot"),
    Planned("StartFromLog", "a start that reads the log", 0.2),
    Planned("StartProcess", "`plaudit serve` starts and stops", 0.2),
    Planned("Dashboard", "an update of the dashboard"),
    Planned("Results", "the results"),
    Planned("HttpResults", "the results over HTTP"),
    Planned("SqliteAppend", "an append, SQLite"),
    Planned("SqliteRead", "a read, SQLite"),
    Planned("PostgresAppend", "an append, PostgreSQL"),
    Planned("PostgresRead", "a read, PostgreSQL"),
    Planned("RaceTell", "Race.tell"),
    Planned("RaceAsk", "Race.ask and Race.tell"),
)


class Size(NamedTuple):
    """How much of it there is: launches of all processes, rounds in each, votes in the log."""

    launches: int
    rounds: int
    votes: int


WHOLE = Size(launches=4, rounds=24, votes=100_000)
QUICK = Size(launches=1, rounds=6, votes=20_000)


def chosen(names: str) -> tuple[Planned, ...]:
    """The tasks that a list with commas names, or all."""
    wanted = [name for name in names.split(",") if name]
    known = {planned.task.lower(): planned for planned in PLAN}
    unknown = [name for name in wanted if name.lower() not in known]
    if unknown:
        raise SystemExit(f"no task {unknown[0]!r}: there are {', '.join(p.task for p in PLAN)}")
    return tuple(known[name.lower()] for name in wanted) or PLAN
