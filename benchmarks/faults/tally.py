"""What all rounds of a run came to, as a table."""

import statistics
import time
from collections import Counter
from pathlib import Path

from benchmarks.faults.checker import Finding, of_kind
from benchmarks.faults.records import Ended, Fault, Sent
from benchmarks.faults.rounds import FAULTS_A_ROUND, Options, Played
from benchmarks.report import Report, Row


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
            flush=True,
        )
        for kind, text in played.findings[:20]:
            print(f"  {kind}: {text[:400]}", flush=True)

    def report(self, where: Path, *, small_disk: bool) -> Report:
        """The table."""
        o = self._options
        title = f"{self.faults:,} faults on {o.engine}, {o.workers} worker(s), seed {o.seed}"
        report = Report("faults", title)
        for kind in sorted({fault.kind.partition(" + ")[0] for fault in self._faults}):
            self._add_kind(report, kind)
        self._add_kind(report, "")
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

    def _add_kind(self, report: Report, kind: str) -> None:
        of = [f for f in self._faults if f.kind.partition(" + ")[0] == kind or not kind]
        gaps = sorted(f.gap for f in of if f.gap >= 0)
        after = sorted(f.back - f.ended for f in of if f.back >= 0)
        if not after:
            return
        nested = sum(" + " in fault.kind for fault in of)
        more = f", {nested} with a kill on top" if nested else ""
        middle, late = statistics.median(gaps), gaps[int(0.95 * (len(gaps) - 1))]
        remark = (
            f"s without a vote; 95 %: {late:.1f}, worst {gaps[-1]:.1f}; after the fault's end "
            f"{statistics.median(after):.2f}, worst {after[-1]:.1f}"
        )
        name = kind or "all kinds"
        report.rows.append(Row(f"{name}: {len(of)} times{more}", middle, remark=remark))

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
