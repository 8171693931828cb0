"""What a service serves, and to whom: all that its processes need to know."""

from urllib.parse import urlsplit

import msgspec

from plaudit.service.door.openid.settings import ProviderSettings
from plaudit.service.notices.settings import NoticeSettings
from plaudit.web.http.protocol import Limits


class Serving(msgspec.Struct, frozen=True):
    """What to serve, and to whom."""

    database: str
    secret: str
    public_url: str = "http://127.0.0.1:8000"
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "::1")
    rater_rate: str = "600/minute"
    address_rate: str = "240/minute"
    address_connections: int = Limits().an_address
    proxies: tuple[str, ...] = ()
    workers: int = 1
    # The address of the process that writes for all workers, if there is one.
    scribe: str = ""
    # Whom people sign in with, if anybody.
    provider: ProviderSettings | None = None
    # Where notices about contests may go, and how.
    notices: NoticeSettings = NoticeSettings()
    # Services that this one watches, and where it keeps what it sees.
    witness: tuple[str, ...] = ()
    witness_folder: str = "plaudit-witness"
    # Whether /desk/look shows the component sheet, for those who work on pages.
    look: bool = False


def known_hosts(serving: Serving) -> frozenset[str]:
    """The host names that the service answers to."""
    public = urlsplit(serving.public_url).hostname
    return frozenset({*serving.hosts, *([public] if public else [])})
