"""Certificates of earlier versions, checked by this one.

`data/` has a certificate and its export, written by a version whose algorithm `plaudit` stopped
by products of evidence: three items, 134 raters, a verdict while two intervals overlap.
"""

import json
from pathlib import Path

import pytest

from plaudit.errors import InvalidInput
from plaudit.service.archive.verify import PRODUCTS, verify
from plaudit.service.contest.certificate import FIRST_FORMAT, FORMAT, SECOND_FORMAT

DATA = Path(__file__).parent / "data"
CERTIFICATE = json.loads((DATA / "products_certificate.json").read_text(encoding="utf-8"))
EXPORT = (DATA / "products_export.jsonl").read_bytes()


def test_a_certificate_by_products_still_verifies_and_says_so() -> None:
    assert (CERTIFICATE["format"], "stopping" in CERTIFICATE) == (FIRST_FORMAT, False)
    assert CERTIFICATE["upper"][1] > CERTIFICATE["lower"][0]
    checks = verify(CERTIFICATE, [EXPORT])
    assert [check for check in checks if not check.agrees] == []
    assert {check.what: check.detail for check in checks}["stopping"] == PRODUCTS


def test_the_same_votes_do_not_verify_as_a_verdict_by_separation() -> None:
    checks = verify(CERTIFICATE | {"format": SECOND_FORMAT, "stopping": "separation"}, [EXPORT])
    failed = {check.what for check in checks if not check.agrees}
    assert "the bounds separate the winners" in failed


def test_what_is_said_of_the_stopping_must_be_so() -> None:
    for given in ({"format": SECOND_FORMAT, "stopping": "evidence"}, {"stopping": "separation"}):
        checks = verify(CERTIFICATE | given, [EXPORT])
        assert "stopping" in {check.what for check in checks if not check.agrees}
    with pytest.raises(InvalidInput, match="stopping"):
        verify(CERTIFICATE | {"format": SECOND_FORMAT}, [EXPORT])


def test_a_certificate_of_now_must_say_what_it_owes_to_excluded_raters() -> None:
    with pytest.raises(InvalidInput, match="exclusions"):
        verify(CERTIFICATE | {"format": FORMAT, "stopping": "separation"}, [EXPORT])
