"""Runs the named benchmarks, or all of them, and prints each goal beside the measurement."""

import argparse
import json
import sys
from importlib import import_module

from benchmarks import NAMES
from benchmarks.report import Report, show

# Benchmarks with options of their own.
OPTIONS = {
    "before_after": ("before", "tasks"),
    "faults": ("engine", "workers", "kills", "minutes", "seed", "first", "folder"),
}


def main() -> None:
    parser = _parser()
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}: there are {', '.join(NAMES)}")
    reports = []
    for name in options.names or NAMES:
        more = _choices(options, OPTIONS.get(name, ()))
        report: Report = import_module(f"benchmarks.{name}").run(options.quick, **more)
        reports.append(report)
        if not options.json:
            show(report)
    if options.json:
        print(json.dumps([report.as_dict() for report in reports], indent=2))
    # What a fault breaks is no matter of a slow machine.
    sys.exit(any(not _holds(report) for report in reports if report.name == "faults"))


def _holds(report: Report) -> bool:
    return all(row.holds is not False for row in report.rows)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--json", action="store_true", help="one JSON list instead of tables")
    parser.add_argument("--quick", action="store_true", help="sparser grids and fewer repeats")
    parser.add_argument(
        "--before", metavar="REV", help="for before_after: the revision before, or its folder"
    )
    parser.add_argument("--tasks", metavar="TASK,...", help="for before_after: only these tasks")
    faults = parser.add_argument_group("for faults")
    faults.add_argument("--engine", choices=("sqlite", "postgres"), help="the database")
    faults.add_argument("--workers", type=int, help="processes that serve; SQLite has one")
    faults.add_argument("--kills", type=int, metavar="K", help="stop after so many faults")
    faults.add_argument("--minutes", type=float, metavar="M", help="stop after this time")
    faults.add_argument("--seed", type=int, metavar="S", help="the faults and their order")
    faults.add_argument("--first", type=int, metavar="N", help="the first round, from 1")
    faults.add_argument("--folder", help="where histories are kept")
    return parser


def _choices(options: argparse.Namespace, names: tuple[str, ...]) -> dict[str, object]:
    given = {name: getattr(options, name) for name in names}
    return {name: value for name, value in given.items() if value is not None}


if __name__ == "__main__":
    main()
