"""One try to deliver a notice by mail, through the server that the service was told of."""

import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate

from plaudit.service.notices.settings import SMTPS, MailSettings
from plaudit.service.notices.webhook import Outcome

SECONDS = 15.0
_NO_SERVER = "This service sends no mail: start it with --mail."
# A server that says 5 will say so again, but for those that are full or busy.
_FOR_GOOD = frozenset({550, 551, 553, 554})


def send(
    settings: MailSettings | None,
    to: str,
    subject: str,
    text: str,
    *,
    id: str,
    host: str,
    at: int,
    context: ssl.SSLContext | None = None,
) -> Outcome:
    """Sends a notice once; `id` stays the same for all tries, so that programs know repetitions."""
    if settings is None:
        return Outcome(False, _NO_SERVER)
    message = _message(settings.sender, to, subject, text, f"<{id}@{host}>", at)
    try:
        _hand_over(settings, message, host, context or ssl.create_default_context())
    except smtplib.SMTPRecipientsRefused as error:
        code, said = next(iter(error.recipients.values()))
        return Outcome(False, f"{code} {_text(said)}", is_final=code in _FOR_GOOD)
    except smtplib.SMTPResponseException as error:
        return Outcome(False, f"{error.smtp_code} {_text(error.smtp_error)}")
    except (OSError, smtplib.SMTPException) as error:
        return Outcome(False, f"The mail server does not take it ({error}).")
    return Outcome(True, "taken by the mail server")


def _hand_over(
    settings: MailSettings, message: EmailMessage, host: str, context: ssl.SSLContext
) -> None:
    server: smtplib.SMTP
    where = (settings.host, settings.port, host)
    if settings.scheme == SMTPS:
        server = smtplib.SMTP_SSL(*where, timeout=SECONDS, context=context)
    else:
        server = smtplib.SMTP(*where, timeout=SECONDS)
    with server:
        server.ehlo()
        if settings.scheme != SMTPS and (server.has_extn("starttls") or not settings.may_be_plain):
            server.starttls(context=context)
        if settings.user:
            server.login(settings.user, settings.password)
        server.send_message(message)


def _message(
    sender: str, to: str, subject: str, text: str, message_id: str, at: int
) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = sender, to
    message["Subject"] = " ".join(subject.split())
    message["Date"] = formatdate(at / 1000)
    message["Message-ID"] = message_id
    # No machine answers to it.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    return message


def _text(said: bytes | str) -> str:
    return said.decode(errors="replace") if isinstance(said, bytes) else said
