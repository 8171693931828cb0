"""What a service says about notices: which addresses they may go to, and how it sends mail."""

from urllib.parse import unquote, urlsplit

import msgspec

from plaudit.errors import InvalidInput
from plaudit.service.door.openid.settings import is_local

SMTP, SMTPS = "smtp", "smtps"
PORTS = {SMTP: 587, SMTPS: 465}


class MailSettings(msgspec.Struct, frozen=True):
    """The server that takes our mail; with `smtps` TLS comes first, otherwise by STARTTLS.

    >>> MailSettings("smtp", "mail.example.org", 587, "me@example.org", "me", "hush")
    MailSettings('smtp', 'mail.example.org', 587, 'me@example.org', …)
    """

    scheme: str
    host: str
    port: int
    sender: str
    user: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"MailSettings({self.scheme!r}, {self.host!r}, {self.port!r}, {self.sender!r}, …)"

    @property
    def may_be_plain(self) -> bool:
        """Whether mail may go without TLS: only within this machine."""
        return is_local(self.host)


class NoticeSettings(msgspec.Struct, frozen=True):
    """`private` allows addresses of this machine and of private networks, and plain http."""

    private: bool = False
    mail: MailSettings | None = None


def read_mail(url: str, sender: str, password: str = "") -> MailSettings:
    """The settings in an address such as smtp://me@mail.example.org:587."""
    from plaudit.service.notices.addresses import check_mail

    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        host, port, parts = "", 0, urlsplit("")
    if parts.scheme not in PORTS or not host or parts.path.strip("/") or parts.query:
        raise InvalidInput(
            f"{url.rpartition('@')[2]!r} is no server for mail: give --mail as in "
            "smtp://user@mail.example.org:587, or smtps:// for TLS from the start."
        )
    if parts.password is not None:
        raise InvalidInput(
            "Do not write the password of the mail server into its address, where others see it: "
            "set PLAUDIT_MAIL_PASSWORD or give --mail-password-file."
        )
    check_mail(sender)
    user = unquote(parts.username or "")
    if user and not password:
        raise InvalidInput(
            "The mail server wants a password for its user: set PLAUDIT_MAIL_PASSWORD or give "
            "--mail-password-file."
        )
    return MailSettings(parts.scheme, host, port, sender, user, password)
