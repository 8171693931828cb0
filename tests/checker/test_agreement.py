"""The independent checker and `plaudit verify`, on the same certificates and exports."""

import ast
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import rfc8785

from plaudit.service.archive.verify import verify
from plaudit.service.contest.settings import SETTINGS
from plaudit.store.contract import Item
from support.live_worker import NAME
from support.proof.checking import CHECKER, FILE
from support.proof.proven_contests import GOOD, Contest


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


def test_the_checker_knows_every_setting_and_its_default() -> None:
    """Else it would call the settings of a contest unknown, and refuse a true certificate."""
    for one in SETTINGS:
        if one.field not in CHECKER.REQUIRED:
            default = json.loads(msgspec.json.encode(one.default))
            known = CHECKER.DEFAULTS[one.field]
            assert default == known or all(default.get(key, "") == known[key] for key in known)


def log_of(*payloads: tuple[int, str]) -> list[dict[str, Any]]:
    """Entries of a log with three items and a vote of rater 0, and these events after it."""
    record = {"rater": -1, "item": -1, "level": -1, "lane": -1, "response_ms": -1, "at": 7}
    vote = {"kind": 1, "rater": 0, "item": 0, "level": 1, "lane": 0, "payload": ""}
    first = {"kind": 10, "payload": '{"first":0,"count":3}'}
    events = [{"kind": kind, "payload": payload} for kind, payload in payloads]
    return [
        record | entry | {"position": number}
        for number, entry in enumerate([first, vote, *events], start=1)
    ]


PROPOSED = (24, '{"rater":0,"text":"New"}')
TAKEN = (10, '{"first":3,"count":1,"proposals":[3]}')
REFUSED = (25, '{"proposals":[3],"reason":"other"}')
BACK = (25, '{"back":[3]}')


@pytest.mark.parametrize(
    ("payloads", "sound"),
    [
        ((PROPOSED, TAKEN), True),
        ((PROPOSED, REFUSED, BACK, TAKEN), True),
        ((PROPOSED, TAKEN, REFUSED), False),
        ((PROPOSED, REFUSED, TAKEN), False),
        ((PROPOSED, REFUSED, REFUSED), False),
        ((PROPOSED, BACK), False),
        ((TAKEN,), False),
        ((PROPOSED, (25, "{}")), False),
        (((24, '{"rater":5,"text":"New"}'),), False),
        ((PROPOSED, (10, '{"first":3,"count":2,"proposals":[3]}')), False),
    ],
)
def test_the_checker_refuses_proposals_that_make_no_sense(
    payloads: tuple[tuple[int, str], ...], sound: bool
) -> None:
    settings = '{"title":"T","scale":[{"label":"a","value":0},{"label":"b","value":1}],'
    record = {"settings": settings + '"lanes":[{"algorithm":"plaudit"}]}'}
    contest = CHECKER.Contest(record, [[f"item {number}", ""] for number in range(5)])
    entries = log_of(*payloads)
    if not sound:
        with pytest.raises(CHECKER.Refused):
            [contest.take(entry) for entry in entries]
        return
    for entry in entries:
        contest.take(entry)
    assert (contest.items, contest.joined) == (4, [3])


DATA = Path(__file__).parents[1] / "service" / "archive" / "data"


def test_both_read_an_old_certificate_and_call_it_unsigned() -> None:
    files = [str(DATA / name) for name in ("products_certificate.json", "products_export.jsonl")]
    said, unknown = CHECKER.read_certificate(Path(files[0]).read_bytes())
    export = Path(files[1]).read_bytes()
    found = CHECKER.check_certificate(said, unknown, CHECKER.Export(export), None)
    assert (found.code, CHECKER.main(files)) == (CHECKER.HOLDS, CHECKER.HOLDS)
    report = verify(said, [export])
    assert (report.holds, report.signed_by) == (True, "")
    (told,) = [check for check in found.checks if check["what"] == "signature"]
    (mine,) = [check for check in report if check.what == "signature"]
    assert told["detail"].startswith("unsigned")
    assert mine.detail.startswith("unsigned")


STEPS: dict[str, Callable[[Contest], object]] = {
    "excluded raters": lambda contest: contest.desk.exclude(NAME, 2),
    "withdrew items": lambda contest: contest.desk.withdraw(NAME, [3]),
    "added items": lambda contest: contest.desk.add_items(NAME, [Item(0, "late")]),
    "changed settings of the race": lambda contest: contest.desk.change(NAME, {"tolerance": 2.0}),
    "": lambda contest: contest.desk.change(NAME, {"title": "Another title"}),
}


@pytest.mark.parametrize("words", STEPS)
def test_both_agree_on_what_took_a_verdict_back(words: str, tmp_path: Path) -> None:
    contest = Contest(tmp_path)
    body = contest.until_verdict(range(5))
    contest.voters.vote(1, range(5))
    STEPS[words](contest)
    entry, export = contest.store.contest(NAME).position, contest.export()
    report = verify(body, [export])
    said, unknown = CHECKER.read_certificate(json.dumps(body).encode())
    found = CHECKER.check_certificate(said, unknown, CHECKER.Export(export), None)
    assert report.agrees
    assert found.agree
    if not words:
        assert (report.superseded, found.superseded, found.code) == (None, None, CHECKER.HOLDS)
        return
    assert report.superseded is not None
    assert report.superseded.entry == entry
    assert found.superseded == {"entry": entry, "by": words}
    assert found.code == CHECKER.SUPERSEDED


def test_the_checker_shares_no_code() -> None:
    """It imports nothing but the standard library."""
    tree = ast.parse(FILE.read_text(encoding="utf-8"))
    names = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def test_signatures_are_those_of_the_standard() -> None:
    """RFC 8032, 7.1, tests 1 and 3; and RFC 8785's numbers."""
    for public, message, signature in (
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ),
    ):
        parts = [bytes.fromhex(text) for text in (public, message, signature)]
        assert CHECKER.has_signed(*parts)
        assert not CHECKER.has_signed(parts[0], parts[1] + b"x", parts[2])
        assert not CHECKER.has_signed(parts[0], parts[1], parts[2][:-1] + b"\x00")
    shown = {1e21: "1e+21", 1e-7: "1e-7", 333333333.33333329: "333333333.3333333", 0.002: "0.002"}
    shown |= {4.5: "4.5", 2e-3: "0.002", 1e30: "1e+30", -0.0: "0", 123456789012345680.0: ""}
    for number, text in shown.items():
        assert CHECKER.number_text(number) == (text or rfc8785.dumps(number).decode())
        assert CHECKER.canonical(number) == rfc8785.dumps(number)
