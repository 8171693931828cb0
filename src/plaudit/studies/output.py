"""The files of a study: numbers as CSV and JSON, the figure, and a short page.

The same study with the same seed writes the same bytes, except for the date inside the PDF.
"""

import csv
import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from plaudit import __version__
from plaudit.charts.files import save_chart
from plaudit.compiled import kernel_fingerprint
from plaudit.studies.page import make_page
from plaudit.studies.study import Findings, Options, Record, Study, StudyPlan

RESULT = "result.json"
PAGE = "page.md"
FIGURE = "figure"
VERSIONED = ("numpy", "numba", "scipy", "altair", "vl-convert-python")


def write_findings(
    study: Study, options: Options, plan: StudyPlan, findings: Findings, folder: Path
) -> None:
    """Writes all files of a finished study into its folder."""
    for table in findings.tables:
        _write_csv(folder / f"{table.name}.csv", table.rows)
    save_chart(findings.chart(), folder / FIGURE)
    result = _result(study, options, plan, findings)
    text = json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False)
    (folder / PAGE).write_text(make_page(study, findings, command_of(study, options)), "utf-8")
    # Last, since its presence says that the study is complete.
    (folder / RESULT).write_text(text + "\n", "utf-8")


def command_of(study: Study, options: Options) -> str:
    """The command that runs this study with these options."""
    words = ["plaudit study run", study.name]
    if options.repetitions is not None:
        words.append(f"--repetitions {options.repetitions}")
    words.append(f"--seed {options.seed}")
    if options.quick:
        words.append("--quick")
    words += [f"--contest {name}" for name in options.contests]
    return " ".join(words)


def _result(study: Study, options: Options, plan: StudyPlan, findings: Findings) -> Record:
    return {
        "study": study.name,
        "title": study.title,
        "command": command_of(study, options),
        "seed": options.seed,
        "settings": plan.settings,
        "versions": {
            "plaudit": __version__,
            "kernels": kernel_fingerprint(),
            "python": platform.python_version(),
            **{name: version(name) for name in VERSIONED},
        },
        "claims": [
            {
                "paper": claim.paper,
                "measured": claim.measured,
                "agreement": claim.agreement,
                "checks": [bool(held) for held in claim.checks],
            }
            for claim in findings.claims
        ],
        "figure_caption": findings.figure_caption,
        "notes": list(findings.notes),
        "tables": {table.name: [dict(row) for row in table.rows] for table in findings.tables},
    }


def _write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
