"""What `make audit` makes of a report."""

import json
from pathlib import Path

import pytest
from release.read_audit import CLEAN, GAPS, HOLES, main

GOOD = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1"}]}
UNSEEN = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "code", "words"),
    [
        ([GOOD], CLEAN, "No known holes in 1 packages"),
        ([GOOD, BAD, UNSEEN], HOLES, "b 2: CVE-1"),
        ([GOOD, UNSEEN], GAPS, "NOT AUDITED: 1 of 2"),
        ([], GAPS, "NOT AUDITED"),
    ],
)
def test_only_what_was_looked_up_is_clean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], packages: object, code: int, words: str
) -> None:
    report = tmp_path / "audit.json"
    report.write_text(json.dumps({"dependencies": packages}))
    assert main(str(report)) == code
    assert words in capsys.readouterr().out


def test_no_report_is_not_clean(tmp_path: Path) -> None:
    assert main(str(tmp_path / "none")) == GAPS
