"""What an archive proves: keys, checkpoints and certificates are checked before it is restored."""

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plaudit.errors import ArchiveDamaged
from plaudit.proof.checkpoint import Checkpoint, unchecked
from plaudit.proof.merkle import root_of
from plaudit.proof.note import SigningKey
from plaudit.service.accounts.secret import Secret
from plaudit.service.archive.format import SECTIONS, contest_lines
from plaudit.service.archive.restore import restore_contest
from plaudit.service.contest.certificate import FORMAT
from plaudit.service.contest.roster import items_digest
from plaudit.service.desk.desk import Desk
from plaudit.service.notary.certificates import certificate_text, signed_certificate
from plaudit.service.notary.keys import rotate_keys
from plaudit.service.notary.notary import Notary
from plaudit.store import Store
from plaudit.store.contract import Certificate, Item
from plaudit.store.log import Entry, Event, Kind, chain, first_digest
from support.live_worker import NAME, SECRET, create
from support.proof.notarised import leaves_of, looked, notary_of, voted

OLD_EXPORT = Path(__file__).parent / "data" / "products_export.jsonl"
JUDGED = 20


@pytest.fixture
def store(new_store: Callable[[], Store]) -> Store:
    return judged(new_store())


def judged(store: Store, *, signed: bool = True) -> Store:
    """A contest with a verdict, checkpoints, an erased rater, an item that joined, two keys."""
    create(store)
    notary = looked(notary_of(store))
    voted(store, range(8))
    desk = Desk(store)
    desk.erase(NAME, 3)
    rotate_keys(store, SECRET)
    looked(notary)
    record = store.contest(NAME)
    digest = chain(first_digest(NAME, record.settings), store.entries(NAME, limit=JUDGED))
    verdict = {"lane": 0, "winners": [2], "delta": 0.05, "judged_at": JUDGED}
    body: dict[str, Any] = verdict | {"format": FORMAT, "contest": NAME, "digest": digest.hex()}
    if signed:
        body = notary.certified(body)
    event = Event(Kind.VERDICT, 5, json.dumps(verdict))
    certificate = Certificate(JUDGED, 0, json.dumps(body))
    store.append_event(NAME, event, epoch=record.epoch, certificate=certificate)
    desk.revoking().add_items(NAME, [Item(0, "joined")])
    voted(store, range(20, 24))
    notary.checkpoints.at(NAME, store.contest(NAME).position + 1)
    return store


class Copy:
    """An export to tamper with, that its forger seals anew."""

    def __init__(self, store: Store) -> None:
        lines = b"".join(contest_lines(store, NAME)).splitlines()
        self.header: dict[str, Any] = json.loads(lines[0])
        self.lines: list[list[Any]] = [json.loads(line) for line in lines[1:-1]]

    def of(self, name: str) -> list[list[Any]]:
        return [line for line in self.lines if line[0] == name]

    @property
    def certificate(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.of("certificate")[0][3])
        return body

    @certificate.setter
    def certificate(self, body: dict[str, Any]) -> None:
        self.of("certificate")[0][3] = json.dumps(body)

    def drop(self, *kinds: str) -> None:
        self.lines = [line for line in self.lines if line[0] not in kinds]

    def sealed(self) -> bytes:
        record = self.header["record"]
        digest = first_digest(record["name"], record["settings"])
        digest = chain(digest, (Entry._make(line[1:]) for line in self.of("entry")))
        record["digest"] = digest.hex()
        whole = (self.header, *self.lines)
        body = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in whole)
        counts = {name: len(self.of(name)) for name in SECTIONS}
        footer = {"counts": counts, "sha256": hashlib.sha256(body).hexdigest()}
        return body + json.dumps(footer).encode() + b"\n"


def refusal(store: Store, body: bytes) -> str:
    with pytest.raises(ArchiveDamaged) as caught:
        restore_contest(store, [body])
    assert store.contests() == []
    return str(caught.value)


def test_a_contest_comes_back_with_its_proofs(store: Store, new_store: Callable[[], Store]) -> None:
    other = new_store()
    restore_contest(other, contest_lines(store, NAME))
    assert other.contest(NAME) == store.contest(NAME)
    assert list(other.raters(NAME)) == [one._replace(origin=None) for one in store.raters(NAME)]
    assert other.checkpoints(NAME) == store.checkpoints(NAME)
    assert len(other.signers(NAME)) == 2
    assert leaves_of(other) == leaves_of(store)
    # The export of the copy is the same, byte for byte: nothing was added here yet.
    assert b"".join(contest_lines(other, NAME)) == b"".join(contest_lines(store, NAME))


def test_another_service_vouches_for_it_from_then_on(
    store: Store, new_store: Callable[[], Store]
) -> None:
    other = new_store()
    restore_contest(other, contest_lines(store, NAME))
    assert other.signing_keys() == []
    there = looked(Notary(other, Secret(b"a secret of another service......")))
    latest = there.checkpoints.latest(NAME)
    assert latest is not None
    assert latest.origin == f"{there.keys.name}/{NAME}"
    assert unchecked(latest.body).root == root_of(leaves_of(other))
    third = new_store()
    restore_contest(third, contest_lines(other, NAME))
    assert len(third.signers(NAME)) == 3
    assert {one.origin for one in third.checkpoints(NAME)} == {
        latest.origin,
        store.checkpoints(NAME)[0].origin,
    }


def test_an_export_of_before_is_restored(new_store: Callable[[], Store]) -> None:
    other = new_store()
    record = restore_contest(other, [OLD_EXPORT.read_bytes()])
    assert len(record.blinding) == 32
    assert {len(rater.salt) for rater in other.raters(record.name)} == {16}
    assert other.signers(record.name) == other.checkpoints(record.name) == []
    lines = b"".join(contest_lines(other, record.name))
    assert restore_contest(new_store(), [lines]) == record


def _swap_keys(copy: Copy) -> None:
    one, two = copy.of("rater")[:2]
    one[2], two[2] = two[2], one[2]


def _change_a_key(copy: Copy) -> None:
    copy.of("rater")[0][2] = "77" * 16


def _change_a_salt(copy: Copy) -> None:
    copy.of("rater")[0][3] = "00" * 16


def _change_a_mark(copy: Copy) -> None:
    copy.of("rater")[3][3] = "00" * 32


def _erase_a_rater(copy: Copy) -> None:
    copy.of("rater")[5][2:] = [None, "00" * 32]


def _invent_a_rater(copy: Copy) -> None:
    copy.of("entry")[6][4] = 8
    copy.lines.insert(len(copy.of("item")) + 8, ["rater", 8, "77" * 16, "88" * 16])
    for number, line in enumerate(copy.of("rater")):
        line[1] = number


def _change_a_vote(copy: Copy) -> None:
    copy.of("entry")[4][6] = (copy.of("entry")[4][6] + 1) % 3


def _change_a_time(copy: Copy) -> None:
    copy.of("entry")[4][3] += 1


def _change_a_vote_after_the_verdict(copy: Copy) -> None:
    copy.of("entry")[-1][6] = (copy.of("entry")[-1][6] + 1) % 3


def _change_the_title(copy: Copy) -> None:
    record = copy.header["record"]
    record["settings"] = record["settings"].replace("Captions", "Captioms")


def _change_the_blinding(copy: Copy) -> None:
    copy.header["record"]["blinding"] = "00" * 32


def _change_a_text(copy: Copy) -> None:
    """With the digest of the event adapted, as a forger would."""
    copy.of("item")[4][2] = "another caption"
    items = [Item(*line[1:]) for line in copy.of("item")[:12]]
    payload = json.loads(copy.of("entry")[0][9])
    payload["digest"] = items_digest(items)
    copy.of("entry")[0][9] = json.dumps(payload, separators=(",", ":"))


def _name_another_winner(copy: Copy) -> None:
    copy.certificate = copy.certificate | {"winners": [1]}


def _claim_a_smaller_error(copy: Copy) -> None:
    copy.certificate = copy.certificate | {"delta": 0.01}


def _add_a_field(copy: Copy) -> None:
    copy.certificate = copy.certificate | {"note": "trust me"}


def _unsign(copy: Copy) -> None:
    body = copy.certificate
    del body["signature"]
    copy.certificate = body


def _judge_elsewhere(copy: Copy) -> None:
    copy.certificate = copy.certificate | {"judged_at": JUDGED + 1}
    copy.of("certificate")[0][1] = JUDGED + 1


def _say_another_digest(copy: Copy) -> None:
    copy.certificate = copy.certificate | {"digest": "00" * 32}


def _sign_with_a_strange_key(copy: Copy) -> None:
    body = copy.certificate
    key = SigningKey(body["origin"].partition("/")[0], b"s" * 32)
    copy.certificate = body | {"signature": key.signature(certificate_text(body)).line}


def _take_another_checkpoint(copy: Copy) -> None:
    copy.certificate = copy.certificate | {"checkpoint": copy.of("checkpoint")[0][2]}


def _write_no_json(copy: Copy) -> None:
    copy.of("certificate")[0][3] = "{"


def _certify_twice(copy: Copy) -> None:
    copy.lines += copy.of("certificate")


def _certify_beyond(copy: Copy) -> None:
    copy.certificate = copy.certificate | {"judged_at": 9_999}
    copy.of("certificate")[0][1] = 9_999


def _drop_the_keys(copy: Copy) -> None:
    copy.drop("key")


def _garble_a_key(copy: Copy) -> None:
    copy.of("key")[0][1] += "x"


def _move_a_checkpoint(copy: Copy) -> None:
    copy.of("checkpoint")[0][1] += 1


def _change_a_checkpoint(copy: Copy) -> None:
    line = copy.of("checkpoint")[-1]
    line[2] = line[2].replace("items 13", "items 12")


def _take_the_verdict_out_of_the_log(copy: Copy) -> None:
    """The forger signs checkpoints no more, and turns the verdict's event into another."""
    copy.drop("checkpoint")
    entry = next(line for line in copy.of("entry") if line[2] == Kind.VERDICT)
    entry[2], entry[9] = int(Kind.STATE), '{"state":"open"}'


TAMPERINGS = [
    each
    for name, each in sorted(globals().items())
    if name.startswith("_") and getattr(each, "__module__", "") == __name__
]


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda each: each.__name__.strip("_"))
def test_what_was_tampered_with_is_not_restored(
    store: Store, new_store: Callable[[], Store], tamper: Callable[[Copy], None]
) -> None:
    copy = Copy(store)
    tamper(copy)
    message = refusal(new_store(), copy.sealed())
    assert "damaged" in message


@pytest.mark.parametrize(
    ("tamper", "why"),
    [
        (_swap_keys, "is of other raters"),
        (_change_a_vote, "is of another log: entries were changed"),
        (_change_a_text, "is of another log"),
        (_name_another_winner, "names other winners"),
        (_add_a_field, "is not signed by a key that the archive lists"),
        (_say_another_digest, "the digest at that entry differs"),
        (_certify_twice, "has no verdict in the log"),
        (_drop_the_keys, "is not signed by a key that the archive lists"),
    ],
)
def test_the_error_says_what_is_wrong(
    store: Store, new_store: Callable[[], Store], tamper: Callable[[Copy], None], why: str
) -> None:
    copy = Copy(store)
    tamper(copy)
    assert why in refusal(new_store(), copy.sealed())


def test_an_unsigned_certificate_is_restored_if_it_agrees(
    new_store: Callable[[], Store],
) -> None:
    store = judged(new_store(), signed=False)
    copy = Copy(store)
    other = new_store()
    restore_contest(other, [copy.sealed()])
    assert other.certificates(NAME) == store.certificates(NAME)
    for change in ({"winners": [1]}, {"digest": "00" * 32}, {"contest": "other"}, {"lane": 1}):
        forged = Copy(store)
        forged.certificate = copy.certificate | change
        assert "the certificate of the verdict at entry 20" in refusal(new_store(), forged.sealed())


def test_a_checkpoint_signed_for_other_counts_is_refused(
    store: Store, new_store: Callable[[], Store]
) -> None:
    """Even by the right key: an operator who forges is found by the log itself."""
    key = notary_of(store).keys.signing
    copy = Copy(store)
    line = copy.of("checkpoint")[-1]
    true = unchecked(line[2])
    for changes in ({"items": 12}, {"raters": 1}, {"root": bytes(32)}, {"origin": f"{key.name}/x"},
                    {"raters_digest": bytes(32)}, {"size": 999}):  # fmt: skip
        line[2] = key.note(Checkpoint(**vars(true) | changes).text)
        line[1] = changes.get("size", true.size)
        assert "checkpoint" in refusal(new_store(), copy.sealed())


def test_a_certificate_signed_for_another_origin_is_refused(
    store: Store, new_store: Callable[[], Store]
) -> None:
    key = notary_of(store).keys.signing
    copy = Copy(store)
    body = copy.certificate
    here, other = body["checkpoint"], copy.of("checkpoint")[0][2]
    for checkpoint, origin in ((here, f"{key.name}/another"), (other, body["origin"])):
        copy.certificate = signed_certificate(body, key, checkpoint, origin=origin)
        assert "checkpoint of another entry or contest" in refusal(new_store(), copy.sealed())


@pytest.mark.slow
def test_a_hundred_random_tamperings_are_refused(
    store: Store, new_store: Callable[[], Store]
) -> None:
    """One value of one line is changed, and the file sealed anew by its forger."""
    chance, other = random.Random(15), new_store()
    refused = 0
    while refused < 100:
        copy = Copy(store)
        line = chance.choice(copy.lines)
        # Times of use of a key are only said, not signed.
        place = 1 if line[0] == "key" else chance.randrange(1, len(line))
        line[place] = _changed(line[place], chance)
        assert "damaged" in refusal(other, copy.sealed()), (line, place)
        refused += 1


def _changed(value: Any, chance: random.Random) -> Any:
    if isinstance(value, int):
        return value + chance.choice([-1, 1, 2])
    if not value:
        return "x"
    place = chance.randrange(len(value))
    other = chance.choice([letter for letter in "0123456789abcdef" if letter != value[place]])
    return value[:place] + other + value[place + 1 :]
