"""One try at a webhook, against real receivers that fail, hang, redirect, drip and flood."""

import base64
import hashlib
import hmac
import json
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plaudit.errors import InvalidInput, WrongField
from plaudit.service.accounts.secret import Secret
from plaudit.service.notices import signing, webhook
from plaudit.service.notices.addresses import (
    Refused,
    Target,
    check_mail,
    is_public,
    machines_of,
    read_target,
)
from plaudit.service.notices.settings import read_mail
from plaudit.store.notices import Destination
from support.network import receiver as acts
from support.network.certificates import self_signed
from support.network.receiver import Receiver, receiving

BODY = json.dumps({"type": "verdict", "data": {"title": "Ä"}}, ensure_ascii=False).encode()
SECONDS = 0.5


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


def posted(receiver: Receiver, *behaviours: acts.Behaviour, path: str = "/hook") -> Any:
    receiver.behaviours, receiver.received = list(behaviours), []
    receiver.sent = 0
    target = read_target(receiver.url + path, private=True)
    return webhook.post(target, {"webhook-id": "msg_1"}, BODY, private=True, seconds=SECONDS)


def test_what_is_sent(receiver: Receiver) -> None:
    assert posted(receiver, path="/höok/a?b=c d".replace(" ", "%20")) == (True, "204", 0, False)
    (request,) = receiver.received
    assert request.line == "POST /h%C3%B6ok/a?b=c%20d HTTP/1.1"
    assert request.body == BODY
    assert request.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert request.headers["content-type"] == "application/json"
    assert request.id == "msg_1"


@pytest.mark.parametrize("status", [200, 201, 202, 299])
def test_what_counts_as_taken(receiver: Receiver, status: int) -> None:
    early = lambda it, side: side.sendall(b"HTTP/1.1 103 Early\r\nlink: x\r\n\r\n")  # noqa: E731

    def both(it: Receiver, side: socket.socket) -> None:
        early(it, side)
        acts.answers(status)(it, side)

    assert posted(receiver, both).is_taken


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(receiver: Receiver, status: int) -> None:
    outcome = posted(receiver, acts.answers(status, f"location: {receiver.url}/else"))
    assert not outcome.is_taken
    assert "redirects are not followed" in outcome.words
    assert len(receiver.received) == 1


def test_refusals_are_told_and_wishes_heard(receiver: Receiver) -> None:
    assert posted(receiver, acts.answers(500)) == (False, "500", 0, False)
    assert posted(receiver, acts.answers(503, "Retry-After: 90")) == (False, "503", 90, False)
    assert posted(receiver, acts.answers(410)).is_final


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (acts.hangs, "No answer within 0.5 seconds"),
        (acts.drips, "No answer within 0.5 seconds"),
        (acts.floods_head, "failed"),
        (acts.hangs_up, "failed"),
        (acts.speaks_smtp, "does not speak HTTP"),
    ],
)
def test_whatever_a_receiver_does_a_try_ends(
    receiver: Receiver, behaviour: acts.Behaviour, words: str
) -> None:
    began = time.monotonic()
    outcome = posted(receiver, behaviour)
    assert (outcome.is_taken, outcome.is_final) == (False, False)
    assert words in outcome.words
    assert time.monotonic() - began < SECONDS + 5


def test_a_body_without_end_is_not_read(receiver: Receiver) -> None:
    assert posted(receiver, acts.floods).is_taken
    # What fits into the buffers of the connection, not what could be sent in a second.
    assert receiver.sent < 16 * 2**20


def test_nobody_there(receiver: Receiver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    target = read_target(f"http://127.0.0.1:{port}/", private=True)
    assert "failed" in webhook.post(target, {}, b"", private=True).words


# Addresses


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "192.168.0.1", "0.0.0.0",
     "224.0.0.1", "255.255.255.255", "[::1]", "[fd00::1]", "[fe80::1]", "[::ffff:127.0.0.1]",
     "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "2130706433", "0x7f.1", "localhost"],
)  # fmt: skip
def test_this_machine_and_private_networks_are_refused(host: str) -> None:
    target = read_target(f"https://{host}/", private=False)
    with pytest.raises(Refused):
        machines_of(target, private=False)
    outcome = webhook.post(target, {}, b"", private=False)
    assert not outcome.is_taken


def test_public_machines_are_not() -> None:
    assert all(is_public(one) for one in ("8.8.8.8", "2606:4700:4700::1111"))


def test_a_name_is_looked_up_once(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that says something else the next time changes nothing: nobody asks it again."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def look_up(host: str, port: int, *given: Any, **named: Any) -> Any:
        if host != "rebinds.example":
            return real(host, port, *given, **named)
        asked.append(host)
        there = "127.0.0.1" if len(asked) == 1 else "127.9.9.9"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (there, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    receiver.received = []
    target = read_target(f"http://rebinds.example:{receiver.port}/", private=True)
    assert webhook.post(target, {}, b"{}", private=True).is_taken
    assert asked == ["rebinds.example"]
    assert receiver.received[0].headers["host"] == f"rebinds.example:{receiver.port}"


def test_one_private_machine_behind_a_name_is_enough_to_refuse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = [(2, 1, 6, "", ("8.8.8.8", 443)), (2, 1, 6, "", ("10.0.0.1", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **named: both)
    with pytest.raises(Refused, match=r"10\.0\.0\.1"):
        machines_of(Target("https", "both.example", 443, "/"), private=False)


@pytest.mark.parametrize(
    "address",
    ["", "example.org", "http://example.org/", "ftp://example.org", "https://", "https://a b/",
     "https://me:hush@example.org/", "https://example.org:25/", "https://example.org:99999/",
     "https://example.org/\r\nx: y", 'https://example.org/"', "https://" + "a" * 1000,
     "https://[::1", "file:///etc/passwd"],
)  # fmt: skip
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(WrongField):
        read_target(address, private=False)


def test_addresses_of_mail() -> None:
    assert check_mail("änne+x@example.org") == "änne+x@example.org"
    for wrong in ("", "me", "me@", "a@b@c.org", "me@example.org\nBcc: x@y.z", "<me@example.org>"):
        with pytest.raises(WrongField):
            check_mail(wrong)


def test_servers_for_mail() -> None:
    given = read_mail("smtp://me%40x@mail.example.org", "me@example.org", "hush")
    assert (given.host, given.port, given.user) == ("mail.example.org", 587, "me@x")
    assert "hush" not in repr(given)
    assert not given.may_be_plain
    assert read_mail("smtps://localhost", "me@example.org").may_be_plain
    wrong = (
        "mail.example.org",
        "https://x",
        "smtp://",
        "smtp://me:hush@x",
        "smtp://me@x",
        "smtp://[",
    )
    for url in wrong:
        with pytest.raises(InvalidInput) as told:
            read_mail(url, "me@example.org")
        assert "hush" not in str(told.value)


# Signatures and TLS


def test_a_receiver_can_check_who_sent_it() -> None:
    """As the specification of Standard Webhooks has it, computed here by hand."""
    destination = Destination(7, "c", "webhook", "https://x/", (), b"salt", 0)
    service = Secret(b"s" * 32)
    secret = signing.secret_of(service, b"salt")
    assert secret.startswith("whsec_")
    sent = signing.headers(service, destination, "msg_1", BODY, at=1_700_000_000_999)
    key = base64.b64decode(secret[6:])
    mac = hmac.new(key, b"msg_1.1700000000." + BODY, hashlib.sha256).digest()
    assert sent == {
        "webhook-id": "msg_1",
        "webhook-timestamp": "1700000000",
        "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
    }
    assert signing.secret_of(service, b"other") != secret
    assert signing.secret_of(Secret(b"t" * 32), b"salt") != secret


def test_tls_is_for_the_name_and_not_for_the_machine(tmp_path: Path) -> None:
    """The certificate must be of the name in the address, though the machine is a number."""
    there = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    files = self_signed("localhost", tmp_path)
    there.load_cert_chain(*files)
    trusting = ssl.create_default_context(cafile=files[0])
    with receiving(there) as receiver:
        good = Target("https", "localhost", receiver.port, "/")
        given: dict[str, Any] = {"private": True, "seconds": 5.0}
        with pytest.MonkeyPatch.context() as patch:
            here = [(2, 1, 6, "", ("127.0.0.1", receiver.port))]
            patch.setattr(socket, "getaddrinfo", lambda *all, **named: here)
            assert webhook.post(good, {}, b"{}", context=trusting, **given).is_taken
            other = good._replace(host="other.example")
            said = webhook.post(other, {}, b"{}", context=trusting, **given)
            assert "certificate" in said.words
            assert "certificate" in webhook.post(good, {}, b"{}", **given).words
