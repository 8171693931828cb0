"""Checks the whole history of a round: what was promised to raters against what the log holds.

`check` is a function of the records alone. So made-up histories test it, and a history file can be
checked again long after its run (`python -m benchmarks.faults.checker FILE`).
"""

import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

from benchmarks.faults.records import (
    Any_,
    Compared,
    Ended,
    Fault,
    Head,
    Log,
    Record,
    Sent,
    Shown,
    Told,
    Trouble,
    read_history,
)
from plaudit.service.contest.events import VerdictReached, read_event
from plaudit.store.log import ANSWERS, Entry, Kind, chain, first_digest

R = TypeVar("R", bound=Record)
# Answers that a rater may get while something is broken: (status, code).
EXPECTED = {
    (0, ""), (200, ""), (503, "try_again"), (503, "store_full"),
    # A ticket of before a jump of the clock; a contest that a worker has not read yet.
    (410, "stale_ticket"), (404, "unknown_contest"),
}  # fmt: skip
# After the end of a fault, votes must be taken again within this time.
BACK_SECONDS = 60.0
# Clocks of threads: a vote counts as sent after another was acknowledged only beyond this.
SLACK_SECONDS = 0.001
# Exit codes of a service that was killed or told to stop.
STOPPED = (0, -signal.SIGTERM, -signal.SIGKILL)


class Finding(NamedTuple):
    """A promise that was broken, by kind, with what shows it."""

    kind: str
    text: str


def check(records: Iterable[Any_]) -> list[Finding]:
    """All that is wrong in a history; empty if every promise was kept."""
    records = list(records)
    logs = {log.contest: log for log in of_kind(records, Log)}
    votes = [sent for sent in of_kind(records, Sent) if sent.what == "vote"]
    return [
        *(found for log in logs.values() for found in _check_log(log)),
        *_check_votes(votes, logs),
        *_check_order(votes, logs),
        *_check_heads(of_kind(records, Head), logs),
        *_check_verdicts(records, logs),
        *_check_compared(of_kind(records, Compared)),
        *_check_recounted(of_kind(records, Compared), logs),
        *_check_up(records),
        *(Finding(trouble.kind, trouble.text) for trouble in of_kind(records, Trouble)),
    ]


def of_kind(records: Iterable[Any_], kind: type[R]) -> list[R]:
    """The records of one kind, in their order."""
    return [record for record in records if isinstance(record, kind)]


def entries_of(log: Log) -> list[Entry]:
    """The entries of a log."""
    return [Entry(*entry) for entry in log.entries]


def _check_log(log: Log) -> Iterator[Finding]:
    """The log by itself: no gap, nothing twice, and the digest that it claims."""
    entries = entries_of(log)
    positions = [entry.position for entry in entries]
    if positions != list(range(1, len(entries) + 1)) or log.position != len(entries):
        yield Finding("gap", f"{log.contest}: {_first_gap(positions)}, ends at {log.position}")
    events = sum(entry.kind not in ANSWERS for entry in entries)
    if events != log.epoch:
        yield Finding("epoch", f"{log.contest}: {events} events, and the epoch is {log.epoch}")
    if chain(first_digest(log.contest, log.settings), entries).hex() != log.digest:
        yield Finding("digest", f"{log.contest}: the chain does not lead to the digest")
    answers = Counter((entry.rater, entry.item) for entry in entries if entry.kind in ANSWERS)
    for (rater, item), times in answers.items():
        if times > 1:
            yield Finding("doubled", f"{log.contest}: rater {rater}, item {item}: {times} times")


def _first_gap(positions: Sequence[int]) -> str:
    for place, position in enumerate(positions, 1):
        if position != place:
            return f"position {position} stands at place {place}"
    return f"{len(positions)} entries"


def _check_votes(votes: Sequence[Sent], logs: dict[str, Log]) -> Iterator[Finding]:
    """Every acknowledged vote is in the log as acknowledged, and nothing is that nobody sent."""
    sent: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    for vote in votes:
        sent[vote.contest, vote.rater, vote.item].add(vote.level)
    held = {
        (log.contest, log.raters[entry.rater], entry.item): entry.level
        for log in logs.values()
        for entry in entries_of(log)
        if entry.kind in ANSWERS and entry.rater < len(log.raters)
    }
    for vote in votes:
        key = (vote.contest, vote.rater, vote.item)
        if not vote.acknowledged:
            continue
        if vote.contest not in logs:
            yield Finding("lost", f"{vote.contest}: the whole contest is gone")
        elif key not in held:
            yield Finding("lost", f"{vote} is not in the log")
        elif held[key] != vote.recorded:
            yield Finding("changed", f"{vote}: the log has level {held[key]}")
    for key, level in held.items():
        if level not in sent[key]:
            yield Finding("invented", f"{key} at level {level}: sent was {sorted(sent[key])}")


def _check_order(votes: Sequence[Sent], logs: dict[str, Log]) -> Iterator[Finding]:
    """A vote that was acknowledged before another was first sent stands before it."""
    first: dict[tuple[str, str, int], float] = {}
    answered: dict[tuple[str, str, int], float] = {}
    for vote in votes:
        key = (vote.contest, vote.rater, vote.item)
        first[key] = min(vote.sent, first.get(key, vote.sent))
        if vote.acknowledged:
            answered[key] = min(vote.got, answered.get(key, vote.got))
    for log in logs.values():
        latest, by = 0.0, -1
        for entry in entries_of(log):
            if entry.kind not in ANSWERS or entry.rater >= len(log.raters):
                continue
            key = (log.contest, log.raters[entry.rater], entry.item)
            if answered.get(key, latest) < latest - SLACK_SECONDS:
                yield Finding("order", f"{log.contest}: {entry.position} was before {by}")
            if first.get(key, 0.0) > latest:
                latest, by = first[key], entry.position


def _check_heads(heads: Sequence[Head], logs: dict[str, Log]) -> Iterator[Finding]:
    """Whatever was read of a log on the way is how the final log begins."""
    for contest, log in logs.items():
        digests = [digest := first_digest(contest, log.settings)]
        for entry in entries_of(log):
            digests.append(digest := chain(digest, (entry,)))
        for head in heads:
            if head.contest != contest:
                continue
            if head.position >= len(digests) or digests[head.position].hex() != head.digest:
                text = f"{contest}: what was read at position {head.position} is not there now"
                yield Finding("rewritten", text)


def _check_verdicts(records: Sequence[Any_], logs: dict[str, Log]) -> Iterator[Finding]:
    """One verdict a lane, proven, as everybody was told, and never taken back."""
    for log in logs.values():
        verdicts = [
            event for entry in entries_of(log) if entry.kind == Kind.VERDICT
            if isinstance(event := read_event(entry), VerdictReached)
        ]  # fmt: skip
        lanes = [verdict.lane for verdict in verdicts]
        if len(set(lanes)) != len(lanes):
            yield Finding("verdict", f"{log.contest}: {len(lanes)} verdicts for {set(lanes)}")
        winners = [sorted(verdict.winners) for verdict in verdicts][:1]
        yield from _check_shown(of_kind(records, Shown), log.contest, winners)
        if not verdicts and any(told.contest == log.contest for told in of_kind(records, Told)):
            text = f"{log.contest}: raters were told that it is decided, and no verdict came"
            yield Finding("verdict", text)
        yield from (Finding("verdict", f"{log.contest}: {text}") for text in log.refuted)


def _check_shown(
    shown: Sequence[Shown], contest: str, winners: list[list[int]]
) -> Iterator[Finding]:
    seen = sorted((each for each in shown if each.contest == contest), key=lambda s: s.position)
    for each in seen:
        if each.winners is not None and [sorted(each.winners)] != winners:
            text = f"{contest}: shown were {each.winners}, the log has {winners}"
            yield Finding("verdict", text)
    for one, other in pairwise(seen):
        if one.winners is not None and other.winners is None and other.position > one.position:
            yield Finding("verdict", f"{contest}: taken back at position {other.position}")
        if one.position == other.position and one.votes != other.votes:
            yield Finding("state", f"{contest}: two counts at position {one.position}")


def _check_compared(compared: Sequence[Compared]) -> Iterator[Finding]:
    """The state of each worker is that of a replay."""
    for each in compared:
        if each.shown != each.replayed:
            keys = sorted(k for k in each.replayed if each.shown.get(k) != each.replayed[k])
            text = f"{each.contest}: worker {each.worker} and the replay differ in {keys}"
            yield Finding("state", text)


def _check_recounted(compared: Sequence[Compared], logs: dict[str, Log]) -> Iterator[Finding]:
    """The replay's votes, raters and leaders, counted again in the plainest way."""
    for each in compared:
        if each.contest not in logs:
            continue
        log, position = logs[each.contest], each.replayed["position"]
        votes = [e for e in entries_of(log)[:position] if e.kind == Kind.VOTE]
        raters = {e.rater for e in entries_of(log)[:position] if e.kind in ANSWERS}
        by_item = Counter(entry.item for entry in votes)
        listed = {row["item"]: row["votes"] for row in each.replayed["lanes"][0]["leaders"]}
        wrong = [item for item, count in listed.items() if by_item[item] != count]
        found = (each.replayed["votes"], each.replayed["raters"])
        if wrong or found != (len(votes), len(raters)):
            text = f"{each.contest} at {position}: {found} are {(len(votes), len(raters))}"
            yield Finding("state", f"{text}; items {wrong}")


def _check_up(records: Sequence[Any_]) -> Iterator[Finding]:
    """The service stayed up, gave no strange answer, and took votes again after each fault."""
    for ended in of_kind(records, Ended):
        refused = ended.away and not ended.ready and ended.code
        if not (ended.wanted and ended.code in STOPPED) and not refused:
            what = "serving" if ended.ready else "starting"
            yield Finding("ended", f"exit code {ended.code} while {what}: {ended.said[-300:]}")
    strange = Counter(
        (sent.what, sent.status, sent.code)
        for sent in of_kind(records, Sent)
        if (sent.status, sent.code) not in EXPECTED
    )
    for (what, status, code), times in strange.items():
        yield Finding("answer", f"{times} times {status} {code!r} for a request to {what}")
    for fault in of_kind(records, Fault):
        if fault.kind.startswith("stop") and fault.detail:
            yield Finding("stop", f"it did not stop when told to: {fault.detail}")
        if not 0 <= fault.back - fault.ended <= BACK_SECONDS:
            yield Finding("unavailable", f"{fault}: no vote in {BACK_SECONDS:g} seconds after it")


def main() -> None:
    """Checks history files again; exit code 1 if something is wrong."""
    found = [(path, each) for path in sys.argv[1:] for each in check(read_history(Path(path)))]
    for path, each in found:
        print(f"{path}: {each.kind}: {each.text}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
