"""What all rounds of a run came to, as a table."""

import statistics
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.faults.checker import Finding, of_kind
from benchmarks.faults.records import Ended, Fault, Sent
from benchmarks.faults.rounds import FAULTS_A_ROUND, Options, Played
from benchmarks.report import Report

HEADINGS = [
    "fault", "times", "of these with a kill on top", "seconds without a vote: median", "95 %",
    "worst", "seconds from its end to a vote: median", "95 %", "worst",
]  # fmt: skip


class Tally:
    """What all rounds came to."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._faults: list[Fault] = []
        self._found: list[tuple[int, Finding]] = []
        self._sums: Counter[str] = Counter()
        self._codes: Counter[str] = Counter()
        self._began = time.monotonic()

    @property
    def faults(self) -> int:
        """How many there were so far."""
        return len(self._faults)

    def add(self, number: int, played: Played) -> None:
        """Counts a round."""
        self._faults += of_kind(played.records, Fault)
        self._found += [(number, finding) for finding in played.findings]
        votes = [sent for sent in of_kind(played.records, Sent) if sent.what == "vote"]
        self._sums["acknowledged"] += sum(vote.acknowledged for vote in votes)
        self._sums["unanswered"] += sum(vote.status == 0 for vote in votes)
        self._sums["refused"] += sum(vote.status == 503 for vote in votes)
        for name in ("starts", "fresh_starts", "cuts", "tracebacks"):
            self._sums[name] += getattr(played, name)
        for ended in of_kind(played.records, Ended):
            if not ended.wanted:
                self._codes[f"exit code {ended.code}"] += 1

    def tell(self, number: int, played: Played) -> None:
        """Says how a round went, as it ends."""
        minutes = (time.monotonic() - self._began) / 60
        print(
            f"round {number}: {self.faults} faults in {minutes:.1f} minutes, "
            f"{self._sums['acknowledged']:,} votes, {len(played.findings)} findings",
            file=sys.stderr,
        )
        for kind, text in played.findings[:20]:
            print(f"  {kind}: {text[:400]}", file=sys.stderr)

    def report(self, where: Path, *, small_disk: bool) -> Report:
        """The table."""
        o = self._options
        title = f"{self.faults:,} faults on {o.engine}, {o.workers} worker(s), seed {o.seed}"
        report = Report("faults", title)
        report.grid = self._grid()
        report.add("votes acknowledged", self._sums["acknowledged"])
        report.add("votes without an answer, sent again", self._sums["unanswered"])
        report.add("votes refused for a while (503), sent again", self._sums["refused"])
        report.add("connections cut by raters in a request or an answer", self._sums["cuts"])
        for kind in ("lost", "doubled", "changed", "invented"):
            self._zero(report, kind)
        others = {finding.kind for _, finding in self._found}
        for kind in sorted({"verdict", "state", "ended", "unavailable", *others}):
            if kind not in ("lost", "doubled", "changed", "invented"):
                self._zero(report, kind)
        report.add("tracebacks in the service's log", self._sums["tracebacks"])
        self._notes(report, where, small_disk)
        return report

    def _grid(self) -> list[list[str]]:
        """A row for each kind of fault, and one for all."""
        by_kind: dict[str, list[Fault]] = defaultdict(list)
        for fault in self._faults:
            by_kind[fault.kind.partition(" + ")[0]].append(fault)
        rows = [_row(kind, by_kind[kind]) for kind in sorted(by_kind)]
        return [HEADINGS, *rows, _row("all", self._faults)]

    def _zero(self, report: Report, kind: str) -> None:
        names = {"ended": "ended although nobody stopped it", "state": "state unlike a replay"}
        times = sum(finding.kind == kind for _, finding in self._found)
        report.at_most(names.get(kind, kind), times, 0)

    def _notes(self, report: Report, where: Path, small_disk: bool) -> None:
        sums, o = self._sums, self._options
        report.note(
            f"{sums['starts']} starts, of which {sums['fresh_starts']} fresh and the others "
            f"forked; {(time.monotonic() - self._began) / 60:.0f} minutes."
        )
        how = "a small disk in memory" if small_disk else "a limit on the size of files"
        report.note(f"Full disks: {how}. Histories: {where}")
        if self._codes:
            told = ", ".join(f"{code}: {times}" for code, times in self._codes.items())
            report.note(f"Ended unasked (those at a start without a database count apart): {told}")
        for number in sorted({number for number, _ in self._found}):
            report.note(
                f"Round {number} again: python -m benchmarks faults --engine {o.engine} "
                f"--workers {o.workers} --seed {o.seed} --first {number} --kills {FAULTS_A_ROUND}"
            )


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
