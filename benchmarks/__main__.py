"""Runs the named benchmarks, or all of them, and prints each goal beside the measurement."""

import argparse
import json
from importlib import import_module

from benchmarks import NAMES
from benchmarks.report import Report, show


def main() -> None:
    parser = _parser()
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}: there are {', '.join(NAMES)}")
    reports = []
    for name in options.names or NAMES:
        report: Report = import_module(f"benchmarks.{name}").run(options.quick)
        reports.append(report)
        if not options.json:
            show(report)
    if options.json:
        print(json.dumps([report.as_dict() for report in reports], indent=2))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--json", action="store_true", help="one JSON list instead of tables")
    parser.add_argument("--quick", action="store_true", help="sparser grids and fewer repeats")
    return parser


if __name__ == "__main__":
    main()
