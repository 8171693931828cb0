"""Files that somebody tampered with: refused by `plaudit verify` and by the independent checker."""

import copy
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from plaudit.errors import PlauditError
from plaudit.proof.checkpoint import read_checkpoint
from plaudit.proof.note import PublicKey, SigningKey, split_note
from plaudit.service.archive.restore import restore_contest
from plaudit.service.archive.verify import verify
from plaudit.service.notary.certificates import signed_certificate
from plaudit.store import open_store
from plaudit.store.contract import Item
from support.images import GIF, PNG
from support.live_worker import NAME
from support.proof.checking import CHECKER
from support.proof.forgery import Forgery
from support.proof.proven_contests import Contest

Body = dict[str, Any]
RANDOM = 100


class Case(NamedTuple):
    """A true certificate with its export, and the key of the service."""

    certificate: Body
    export: bytes
    key: PublicKey


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    contest = Contest(tmp_path_factory.mktemp("tampering"), items=4, tolerance=1.0)
    pictures = [
        contest.store.put_asset(*picture) for picture in (("image/png", PNG), ("image/gif", GIF))
    ]
    contest.desk.add_items(
        NAME, [Item(0, "a picture", pictures[0]), Item(0, "another", pictures[1])]
    )
    contest.voters.vote(5, range(6))
    contest.desk.exclude(NAME, 1, grounds="speed")
    body = contest.until_verdict(range(6), step=10)
    contest.voters.vote(2, range(3))
    contest.desk.change(NAME, {"title": "Said in other words"})
    export = contest.export()
    contest.store.close()
    return Case(body, export, contest.notary.keys.public[0])


def codes(certificate: bytes, export: bytes, keys: Sequence[PublicKey] | None) -> tuple[int, int]:
    """The exit codes of both programs."""
    return plaudit_code(certificate, export, keys), checker_code(certificate, export, keys)


def plaudit_code(certificate: bytes, export: bytes, keys: Sequence[PublicKey] | None) -> int:
    try:
        body = json.loads(certificate)
        if not isinstance(body, dict):
            return 2
        report = verify(body, [export], keys)
    except (PlauditError, ValueError, RecursionError):
        return 2
    return 0 if report.holds else 3 if report.agrees else 1


def checker_code(certificate: bytes, export: bytes, keys: Sequence[PublicKey] | None) -> int:
    try:
        body, unknown = CHECKER.read_certificate(certificate)
        given = None if keys is None else [CHECKER.Key(key.vkey) for key in keys]
        code: int = CHECKER.check_certificate(body, unknown, CHECKER.Export(export), given).code
    except CHECKER.Refused:
        return 2
    return code


def refused(certificate: Body, export: bytes, keys: Sequence[PublicKey] | None) -> None:
    given = json.dumps(certificate).encode()
    found = codes(given, export, keys)
    assert found[0] in (1, 2), found
    assert found[1] in (1, 2), found


def test_the_true_one_holds(case: Case) -> None:
    given = json.dumps(case.certificate).encode()
    assert codes(given, case.export, [case.key]) == (0, 0)
    assert codes(given, case.export, None) == (0, 0)
    # What the tests below do to an export leaves a true one as it is.
    forged = Forgery(case.export)
    forged.renumber()
    assert forged.built() == case.export


def swap_keys(forged: Forgery, body: Body) -> None:
    one, other = forged.of("rater")[2:4]
    one[2], other[2] = other[2], one[2]


def swap_raters(forged: Forgery, body: Body) -> None:
    one, other = forged.of("rater")[2:4]
    one[2:], other[2:] = other[2:], one[2:]


def other_key(forged: Forgery, body: Body) -> None:
    forged.of("rater")[0][2] = "ab" * 16


def erase_unseen(forged: Forgery, body: Body) -> None:
    forged.of("rater")[3][2:] = [None, "cd" * 32]


def swap_texts(forged: Forgery, body: Body) -> None:
    one, other = forged.of("item")[:2]
    one[2], other[2] = other[2], one[2]


def swap_texts_and_their_digest(forged: Forgery, body: Body) -> None:
    """The event that added the items has no digest any more, as in early logs."""
    swap_texts(forged, body)
    first = forged.of("entry")[0]
    said = json.loads(first[9])
    del said["digest"]
    first[9] = json.dumps(said, separators=(",", ":"))
    rewritten(forged, body)


def swap_pictures(forged: Forgery, body: Body) -> None:
    one, other = forged.of("item")[4:6]
    one[3], other[3] = other[3], one[3]


def other_picture(forged: Forgery, body: Body) -> None:
    forged.of("asset")[0][3] = forged.of("asset")[1][3]


def rewritten(forged: Forgery, body: Body) -> None:
    """Makes chain and header right, and the digest in the certificate too."""
    forged.renumber()
    entries = forged.of("entry")
    part = Forgery(forged.built())
    part.replace("entry", entries[: body["judged_at"]])
    part.renumber()
    body["digest"] = part.record["digest"]
    forged.renumber()


def answers(forged: Forgery) -> list[list[Any]]:
    return [line for line in forged.of("entry") if line[2] == 1]


def edit_a_vote(forged: Forgery, body: Body) -> None:
    line = answers(forged)[7]
    line[6] = 2 - line[6]
    rewritten(forged, body)


def edit_a_time(forged: Forgery, body: Body) -> None:
    answers(forged)[7][3] += 1
    rewritten(forged, body)


def drop_a_vote(forged: Forgery, body: Body) -> None:
    gone = answers(forged)[7]
    forged.replace("entry", [line for line in forged.of("entry") if line is not gone])
    rewritten(forged, body)


def drop_a_step(forged: Forgery, body: Body) -> None:
    """The exclusion of a rater was never there."""
    forged.replace("entry", [line for line in forged.of("entry") if line[2] != 12])
    rewritten(forged, body)


def reorder(forged: Forgery, body: Body) -> None:
    one, other = answers(forged)[7:9]
    one[3:], other[3:] = other[3:], one[3:]
    rewritten(forged, body)


def invent_a_rater(forged: Forgery, body: Body) -> None:
    raters = forged.of("rater")
    forged.replace("rater", [*raters, ["rater", len(raters), "ef" * 16, "01" * 16]])
    vote = copy.deepcopy(answers(forged)[0])
    vote[4], vote[5] = len(raters), 1
    entries = forged.of("entry")
    forged.replace("entry", [*entries[:20], vote, *entries[20:]])
    rewritten(forged, body)


def invent_a_vote(forged: Forgery, body: Body) -> None:
    """A skip becomes a vote."""
    line = next(line for line in forged.of("entry") if line[2] == 2)
    line[2], line[6] = 1, 2
    rewritten(forged, body)


def cut(forged: Forgery, body: Body) -> None:
    forged.replace("entry", forged.of("entry")[: body["judged_at"] - 3])
    forged.renumber()


def cut_with_proofs(forged: Forgery, body: Body) -> None:
    """The log is cut, and all checkpoints and certificates beyond the cut are gone."""
    cut(forged, body)
    size = forged.record["position"] + 1
    kept = [line for line in forged.of("checkpoint") if line[1] <= size]
    forged.replace("checkpoint", kept)
    forged.replace("certificate", [])


def fork(forged: Forgery, body: Body) -> None:
    """The last votes before the verdict are others."""
    for line in answers(forged)[-40:]:
        line[6] = 0
    rewritten(forged, body)


def other_settings(forged: Forgery, body: Body) -> None:
    settings = json.loads(forged.record["settings"]) | {"delta": 0.21}
    forged.record["settings"] = json.dumps(settings, separators=(",", ":"))
    body["settings"]["delta"] = body["delta"] = 0.21
    rewritten(forged, body)


def other_blinding(forged: Forgery, body: Body) -> None:
    forged.record["blinding"] = "00" * 32


def without_proofs(forged: Forgery, body: Body) -> None:
    """A vote is changed, and all checkpoints and certificates of the export are gone."""
    edit_a_vote(forged, body)
    for kind in ("checkpoint", "certificate"):
        forged.lines = [line for line in forged.lines if line[0] != kind]


def drop_the_verdict(forged: Forgery, body: Body) -> None:
    """All up to the verdict is true, but the log goes on as if there had been none."""
    forged.replace("entry", [line for line in forged.of("entry") if line[2] != 16])
    size = body["judged_at"] + 1
    forged.replace("checkpoint", [line for line in forged.of("checkpoint") if line[1] <= size])
    forged.replace("certificate", [])
    forged.renumber()


def other_checkpoint(forged: Forgery, body: Body) -> None:
    body["checkpoint"] = forged.of("checkpoint")[-1][2]


def other_winner(forged: Forgery, body: Body) -> None:
    body["winners"] = [1]


def unknown_field(forged: Forgery, body: Body) -> None:
    body["note"] = "trust me"


def edited_kept_certificate(forged: Forgery, body: Body) -> None:
    line = forged.of("certificate")[0]
    line[3] = line[3].replace('"winners":[0]', '"winners":[1]')


TAMPERED = [
    swap_keys, swap_raters, other_key, erase_unseen, swap_texts, swap_texts_and_their_digest,
    swap_pictures, other_picture, edit_a_vote, edit_a_time, drop_a_vote, drop_a_step, reorder,
    invent_a_rater, invent_a_vote, cut, cut_with_proofs, fork, other_settings, other_blinding,
    without_proofs, drop_the_verdict, other_checkpoint, other_winner, unknown_field,
    edited_kept_certificate,
]  # fmt: skip


@pytest.mark.parametrize("tamper", TAMPERED, ids=lambda tamper: tamper.__name__)
def test_what_was_tampered_with_is_refused(
    case: Case, tamper: Callable[[Forgery, Body], None]
) -> None:
    forged, body = Forgery(case.export), copy.deepcopy(case.certificate)
    tamper(forged, body)
    export = forged.built()
    assert export != case.export or body != case.certificate
    for keys in ([case.key], None):
        refused(body, export, keys)


def edit_bytes(text: bytes, source: random.Random) -> bytes:
    """One byte is changed, dropped or put in."""
    at, what = source.randrange(len(text)), source.randrange(3)
    new = bytes([source.randrange(32, 127)])
    return text[:at] + (new if what < 2 else b"") + text[at + (what != 1) :]


def edit_a_field(export: bytes, source: random.Random) -> bytes:
    """One field of one line is changed, and the sum made right."""
    forged = Forgery(export)
    line = source.choice([line for line in forged.lines if line[0] != "key"])
    place = source.randrange(1, len(line))
    value = line[place]
    if isinstance(value, int):
        line[place] = value + source.choice([-1, 1, 5])
    elif isinstance(value, str) and value:
        at = source.randrange(len(value))
        other = "b" if value[at] != "b" else "c"
        line[place] = value[:at] + other + value[at + 1 :]
    else:
        line[place] = "x"
    return forged.built()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(RANDOM))
def test_random_tampering_is_refused(case: Case, seed: int) -> None:
    source = random.Random(seed)
    true = json.dumps(case.certificate).encode()
    certificate, export = true, case.export
    while is_same(certificate, case.certificate) and export == case.export:
        match seed % 3:
            case 0:
                # Now and then what was changed means the same: a digit too many to matter.
                certificate = edit_bytes(true, source)
            case 1:
                export = edit_bytes(case.export, source)
            case _:
                export = edit_a_field(case.export, source)
    found = codes(certificate, export, [case.key])
    assert found[0] in (1, 2), found
    assert found[1] in (1, 2), found


def is_same(text: bytes, body: Body) -> bool:
    try:
        return bool(json.loads(text) == body)
    except ValueError:
        return False


def test_whoever_signs_anew_with_another_key_is_found_by_the_key(
    case: Case, tmp_path: Path
) -> None:
    """An operator changes a vote and signs everything again: only the true key tells."""
    forged, body = Forgery(case.export), copy.deepcopy(case.certificate)
    edit_a_time(forged, body)
    for kind in ("checkpoint", "certificate", "key"):
        forged.lines = [line for line in forged.lines if line[0] != kind]
    store = open_store(str(tmp_path / "forged.db"))
    restore_contest(store, [forged.built()])
    contest = Contest.__new__(Contest)
    contest.store = store
    signed, export, key = contest.signed_anew(body)
    given = json.dumps(signed).encode()
    assert codes(given, export, None) == (0, 0)
    assert codes(given, export, [key]) == (0, 0)
    refused(signed, export, [case.key])
    refused(case.certificate, export, [case.key])
    refused(case.certificate, export, None)
    store.close()


def test_a_certificate_without_its_signature_is_unsigned(case: Case) -> None:
    body = copy.deepcopy(case.certificate)
    for name in ("checkpoint", "origin", "items_digest", "raters_digest", "signature"):
        del body[name]
    body["format"] = "plaudit certificate 3"
    given = json.dumps(body).encode()
    report = verify(body, [case.export])
    assert (report.holds, report.signed_by) == (True, "")
    assert codes(given, case.export, None) == (0, 0)
    refused(body, case.export, [case.key])


def test_a_certificate_that_another_key_signed_is_refused(case: Case) -> None:
    """The service's name is no secret: whoever takes it still lacks the key."""
    thief = SigningKey(case.key.name, bytes(32))
    plain = {k: v for k, v in case.certificate.items() if k != "signature"}
    note = thief.note(split_note(plain["checkpoint"])[0])
    assert read_checkpoint(split_note(note)[0]).size == plain["judged_at"] + 1
    body = signed_certificate(plain, thief, note, origin=plain["origin"])
    for keys in ([case.key], None):
        refused(body, case.export, keys)
