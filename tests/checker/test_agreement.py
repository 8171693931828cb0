"""The independent checker and `plaudit verify`, on the same certificates and exports."""

import json
from pathlib import Path

import pytest

from plaudit.service.archive.verify import verify
from support.proof.checking import CHECKER
from support.proof.proven_contests import GOOD


@pytest.mark.parametrize("name", GOOD)
def test_both_agree_that_a_true_certificate_holds(name: str, tmp_path: Path) -> None:
    body, export = GOOD[name](tmp_path)
    report = verify(body, [export])
    assert [check for check in report if not check.agrees] == []
    assert report.holds
    said, unknown = CHECKER.read_certificate(json.dumps(body).encode())
    found = CHECKER.check_certificate(said, unknown, CHECKER.Export(export), None)
    assert [check for check in found.checks if not check["agrees"]] == []
    assert found.code == CHECKER.HOLDS
