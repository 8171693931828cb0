"""Runs a study: the parts that are not yet in its journal, then its conclusions and files."""

from collections.abc import Callable, Sequence
from pathlib import Path

from plaudit.charts.files import require_charts
from plaudit.errors import InvalidInput
from plaudit.simulation.executors import Executor
from plaudit.studies.journal import Journal, part_key
from plaudit.studies.output import write_findings
from plaudit.studies.study import Findings, Options, Record, Study, StudyPlan

JOURNAL = "parts.jsonl"
# Hears how far a study is: done and total, in the weights of its parts.
Progress = Callable[[float, float], None]


def run_study(
    study: Study,
    options: Options,
    *,
    out: Path,
    executor: Executor,
    fresh: bool = False,
    progress: Progress = lambda done, total: None,
) -> Findings:
    """The study's findings, with its files written to the folder `out`/NAME.

    Parts that an earlier run has finished are not run again, unless `fresh`. Where the run
    is broken off, what is finished stays in the journal.
    """
    # Before hours of work, not after them.
    require_charts()
    folder = _make_folder(out / study.name)
    plan = study.prepare(options)
    with Journal(folder / JOURNAL, fresh=fresh) as journal:
        keys = [part_key(study.name, part) for part in plan.parts]
        _run_missing(study, plan, keys, journal, executor, progress)
        results = journal.results(keys)
    findings = study.conclude(plan, results)
    write_findings(study, options, plan, findings, folder)
    return findings


def _run_missing(
    study: Study,
    plan: StudyPlan,
    keys: Sequence[str],
    journal: Journal,
    executor: Executor,
    progress: Progress,
) -> None:
    weights = plan.weights or [1.0] * len(keys)
    missing = [k for k, key in enumerate(keys) if key not in journal]
    total = float(sum(weights))
    done = total - sum(weights[k] for k in missing)
    progress(done, total)
    parts: list[Record] = [plan.parts[k] for k in missing]
    for place, result in executor.run(study.work, plan.shared, parts):
        journal.add(keys[missing[place]], result)
        done += weights[missing[place]]
        progress(done, total)


def _make_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InvalidInput(
            f"Cannot write to {str(folder)!r}: {problem.strerror}. Choose another --out."
        ) from None
    return folder
