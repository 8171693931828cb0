"""Mail to editors, through a real SMTP server: plain on this machine, elsewhere TLS."""

import ssl
import time
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from plaudit.service.accounts.roles import COMMAND_LINE
from plaudit.service.desk.desk import Desk
from plaudit.service.live.worker import now_ms
from plaudit.service.moderation.docket import Moderation
from plaudit.service.notices.address_book import AddressBook
from plaudit.service.notices.courier import Courier
from plaudit.service.notices.mail import send
from plaudit.service.notices.settings import MailSettings, NoticeSettings
from plaudit.service.notices.sights import Sights
from plaudit.service.watch.answer_columns import AllColumns
from plaudit.store import open_store
from support.live_worker import NAME, SECRET, create, working
from support.network.certificates import self_signed
from support.service_process import free_port

ME = "plaudit@example.org"


class Box:
    """Keeps what is sent to it; refuses some."""

    def __init__(self) -> None:
        self.mails: list[tuple[str, list[str], bytes]] = []

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        if address.startswith("nobody"):
            return "550 no such person"
        if address.startswith("later"):
            return "451 come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        self.mails.append((envelope.mail_from, envelope.rcpt_tos, envelope.content))
        return "250 kept"

    def last(self) -> Message:
        return message_from_bytes(self.mails[-1][2])


def opens(server: Any, session: Any, envelope: Any, mechanism: str, given: Any) -> AuthResult:
    return AuthResult(success=(given.login, given.password) == (b"me", b"hush"), handled=False)


@pytest.fixture
def box() -> Iterator[tuple[Box, int]]:
    found = Box()
    controller = Controller(found, hostname="127.0.0.1", port=free_port())
    controller.start()
    yield found, controller.port
    controller.stop()


def sent(settings: MailSettings | None, to: str = "ana@example.org", **given: Any) -> Any:
    return send(
        settings, to, "Decided: Ärger\nBcc: x@y.z", "Ja – 🐘\n", id="msg_1",
        host="vote.example.org", at=1_700_000_000_000, **given,
    )  # fmt: skip


def test_a_letter_as_it_arrives(box: tuple[Box, int]) -> None:
    found, port = box
    assert sent(MailSettings("smtp", "127.0.0.1", port, ME)).is_taken
    (sender, to, _), letter = found.mails[0], found.last()
    assert (sender, to) == (ME, ["ana@example.org"])
    assert str(make_header(decode_header(letter["subject"]))) == "Decided: Ärger Bcc: x@y.z"
    assert letter["bcc"] is None
    assert letter["message-id"] == "<msg_1@vote.example.org>"
    assert letter["auto-submitted"] == "auto-generated"
    body = letter.get_payload(decode=True)
    assert isinstance(body, bytes)
    assert body.decode().strip() == "Ja – 🐘"


def test_what_the_server_refuses_is_told(box: tuple[Box, int]) -> None:
    _, port = box
    settings = MailSettings("smtp", "127.0.0.1", port, ME)
    gone = sent(settings, "nobody@example.org")
    assert (gone.is_taken, gone.is_final, gone.words) == (False, True, "550 no such person")
    later = sent(settings, "later@example.org")
    assert (later.is_taken, later.is_final, later.words) == (False, False, "451 come back later")


def test_no_server_there_or_none_given() -> None:
    assert "--mail" in sent(None).words
    assert "does not take it" in sent(MailSettings("smtp", "127.0.0.1", 9, ME)).words


def test_nothing_goes_in_the_clear_to_another_machine(
    box: tuple[Box, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server offers no TLS: a letter, or a password, would be read on the way."""
    found, port = box
    monkeypatch.setattr(MailSettings, "may_be_plain", property(lambda self: False))
    outcome = sent(MailSettings("smtp", "127.0.0.1", port, ME, "me", "hush"))
    assert not outcome.is_taken
    assert "STARTTLS" in outcome.words
    assert not found.mails


@pytest.mark.filterwarnings("ignore:Requiring AUTH")
@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_tls_and_a_password(scheme: str, tmp_path: Path) -> None:
    tls_files = self_signed("localhost", tmp_path)
    here = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    here.load_cert_chain(*tls_files)
    trusting = ssl.create_default_context(cafile=tls_files[0])
    found = Box()
    given: dict[str, Any] = {"authenticator": opens, "auth_required": True}
    if scheme == "smtps":
        given |= {"ssl_context": here, "auth_require_tls": False}
    else:
        given |= {"tls_context": here, "require_starttls": True}
    controller = Controller(found, hostname="127.0.0.1", port=free_port(), **given)
    controller.start()
    try:
        port = controller.port
        settings = MailSettings(scheme, "localhost", port, ME, "me", "hush")
        assert sent(settings, context=trusting) == (True, "taken by the mail server", 0, False)
        wrong = MailSettings(scheme, "localhost", port, ME, "me", "wrong")
        assert sent(wrong, context=trusting).words.startswith("535")
        assert "certificate" in sent(settings).words.lower()
        assert len(found.mails) == 1
    finally:
        controller.stop()


def test_an_editor_gets_a_letter_from_the_same_queue(box: tuple[Box, int], tmp_path: Path) -> None:
    found, port = box
    database = str(tmp_path / "a.db")
    store = open_store(database)
    create(store, 3, clock=now_ms)  # type: ignore[arg-type]
    store.close()
    settings = NoticeSettings(mail=MailSettings("smtp", "127.0.0.1", port, ME))
    given: dict[str, Any] = {"public_url": "https://vote.example.org"}
    with working(database, now_ms) as worker:
        book = AddressBook(worker.store, SECRET, settings, **given)
        added = book.add(NAME, "mail", "ana@example.org", ["closed"], by=COMMAND_LINE)
        assert added.secret == ""
        moderation = Moderation(worker.store, AllColumns())
        sights = Sights(worker.store, worker.worker, moderation, worker._post)
        courier = Courier(worker.store, SECRET, sights, settings, poll=0.02, **given)
        courier.start()
        try:
            Desk(worker.store, clock=now_ms).step(NAME, "close")
            for _ in range(1000):
                if len(found.mails) == 2:
                    break
                time.sleep(0.02)
        finally:
            courier.close()
    letter = found.last()
    assert letter["subject"] == "[Plaudit] Voting is over: Captions"
    assert f"https://vote.example.org/desk/contests/{NAME}" in str(letter.get_payload())
    assert letter["message-id"].startswith("<msg_")
