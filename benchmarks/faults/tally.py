"""What the rounds of a run came to, as a table; `python -m benchmarks.faults.tally FILE...` of
history files does it again, for several runs together.
"""

import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from benchmarks.faults.checker import Finding, check, of_kind
from benchmarks.faults.lateness import BUSY_SECONDS, PROMISED_SECONDS, Refusal, refusals
from benchmarks.faults.records import Any_, Began, Closed, Ended, Fault, Sent, read_history
from benchmarks.report import Report, show

HEADINGS = [
    "fault", "times", "of these with a kill on top", "seconds without a vote: median", "95 %",
    "worst", "seconds from its end to a vote: median", "95 %", "worst",
]  # fmt: skip
# Late refusals that are told one by one.
MOST_LATE = 12
OF_VOTES = ("lost", "doubled", "changed", "invented")
OF_ALL = ("state", "verdict", "ended", "unavailable")
IN_WORDS = {"ended": "ended although nobody stopped it", "state": "state unlike a replay"}


class Tally:
    """What all rounds came to."""

    def __init__(self) -> None:
        self._rounds: list[Began] = []
        self._faults: list[Fault] = []
        self._found: list[tuple[Began, Finding]] = []
        self._sums: Counter[str] = Counter()
        self._codes: Counter[int] = Counter()
        self._seconds = 0.0
        self._waits: dict[str, list[float]] = {"acknowledged": [], "refused": []}
        self._refused: list[Refusal] = []

    @property
    def faults(self) -> int:
        """How many there were so far."""
        return len(self._faults)

    def add(self, records: Sequence[Any_]) -> None:
        """Checks and counts a round."""
        (began,), (closed,) = of_kind(records, Began), of_kind(records, Closed)
        self._rounds.append(began)
        self._seconds += closed.at - began.at
        self._faults += of_kind(records, Fault)
        self._found += [(began, finding) for finding in check(records)]
        votes = [sent for sent in of_kind(records, Sent) if sent.what == "vote"]
        self._waits["acknowledged"] += [v.got - v.sent for v in votes if v.acknowledged]
        refused = refusals(records)
        self._refused += refused
        self._waits["refused"] += [each.seconds for each in refused]
        self._sums["unanswered"] += sum(vote.status == 0 for vote in votes)
        for name in ("starts", "fresh_starts", "cuts", "tracebacks"):
            self._sums[name] += getattr(closed, name)
        self._codes.update(each.code for each in of_kind(records, Ended) if not each.wanted)

    def tell(self) -> None:
        """Says how the last round went, as it ends."""
        last = self._rounds[-1]
        found = [finding for began, finding in self._found if began is last]
        told = f"{self.faults} faults in {self._seconds / 60:.1f} minutes, "
        told += f"{len(self._waits['acknowledged']):,} votes, {len(found)} findings"
        print(f"round {last.round}: {told}", file=sys.stderr)
        for kind, text in found[:20]:
            print(f"  {kind}: {text[:400]}", file=sys.stderr)

    def report(self, *notes: str) -> Report:
        """The table."""
        engines = "/".join(sorted({began.engine for began in self._rounds}))
        workers = "/".join(sorted({str(began.workers) for began in self._rounds}))
        seeds = ", ".join(sorted({str(began.seed) for began in self._rounds}))
        title = f"{self.faults:,} faults on {engines}, workers: {workers}, seed {seeds}"
        report = Report("faults", title, grid=self._grid())
        report.add("votes acknowledged", len(self._waits["acknowledged"]))
        report.add("votes without an answer, sent again", self._sums["unanswered"])
        report.add("votes refused for a while (503), sent again", len(self._waits["refused"]))
        report.add("connections cut by raters in a request or an answer", self._sums["cuts"])
        self._add_lateness(report)
        others = {finding.kind for _, finding in self._found} - {*OF_VOTES, *OF_ALL}
        for kind in (*OF_VOTES, *OF_ALL, *sorted(others)):
            times = sum(finding.kind == kind for _, finding in self._found)
            report.at_most(IN_WORDS.get(kind, kind), times, 0)
        report.add("tracebacks in the service's log", self._sums["tracebacks"])
        for note in (*self._notes(), *notes):
            report.note(note)
        return report

    def _add_lateness(self, report: Report) -> None:
        """Refusals that took the service too long; what nobody could answer is not its time."""
        own = [each.own for each in self._refused]
        late = sum(seconds > PROMISED_SECONDS for seconds in own)
        report.add(f"of these after more than {PROMISED_SECONDS:g} s of the service's own", late)
        most = PROMISED_SECONDS + BUSY_SECONDS
        report.at_most("the latest, in seconds of the service's own", max(own, default=0.0), most)

    def _late_notes(self) -> list[str]:
        """The refusals above the promised time, those first that were the service's own."""
        late = [each for each in self._refused if each.seconds > PROMISED_SECONDS]
        late.sort(key=lambda each: each.own, reverse=True)
        notes = [f"Refused late: {each}." for each in late[:MOST_LATE]]
        more = len(late) - len(notes)
        return [*notes, f"{more} more refused late."] if more > 0 else notes

    def _grid(self) -> list[list[str]]:
        """A row for each kind of fault, and one for all."""
        by_kind: dict[str, list[Fault]] = defaultdict(list)
        for fault in self._faults:
            by_kind[fault.kind.partition(" + ")[0]].append(fault)
        rows = [_row(kind, by_kind[kind]) for kind in sorted(by_kind)]
        return [HEADINGS, *rows, _row("all", self._faults)]

    def _notes(self) -> list[str]:
        sums = self._sums
        small = all(began.small_disk for began in self._rounds)
        notes = [
            f"{len(self._rounds)} rounds, {self._seconds / 60:.0f} minutes; {sums['starts']} "
            f"starts, of which {sums['fresh_starts']} fresh and the others forked.",
            f"Full disks: {'a small disk in memory' if small else 'a limit on the size of files'}.",
        ]
        for what, waits in self._waits.items():
            middle, late, worst = _spread(waits)
            if waits:
                notes.append(
                    f"Seconds until a vote was {what}: {middle}, 95 % {late}, worst {worst}."
                )
        notes += self._late_notes()
        if self._codes:
            told = ", ".join(f"{times} times {code}" for code, times in self._codes.items())
            notes.append(f"Exit codes of starts without a database and ends unasked: {told}.")
        for o in {began: 0 for began, _ in self._found}:
            notes.append(
                f"A round again: python -m benchmarks faults --engine {o.engine} --workers "
                f"{o.workers} --seed {o.seed} --first {o.round} --kills {o.faults}"
            )
        return notes


def _row(kind: str, faults: list[Fault]) -> list[str]:
    nested = sum(" + " in fault.kind for fault in faults)
    gaps = [fault.gap for fault in faults if fault.gap >= 0]
    after = [fault.back - fault.ended for fault in faults if fault.back >= 0]
    return [kind, f"{len(faults):,}", str(nested or ""), *_spread(gaps), *_spread(after)]


def _spread(seconds: list[float]) -> list[str]:
    """Median, 95 % and worst."""
    if not seconds:
        return ["", "", ""]
    ordered = sorted(seconds)
    late = ordered[round(0.95 * (len(ordered) - 1))]
    return [f"{value:.2f}" for value in (statistics.median(ordered), late, ordered[-1])]


def main() -> None:
    """Shows the table of history files; exit code 1 if something is wrong in them."""
    tally = Tally()
    for path in sys.argv[1:]:
        tally.add(list(read_history(Path(path))))
    report = tally.report()
    show(report)
    sys.exit(any(row.holds is False for row in report.rows))


if __name__ == "__main__":
    main()
