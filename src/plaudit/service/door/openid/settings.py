"""Which provider the service is connected to, and as whom."""

import ipaddress
from urllib.parse import urlsplit

import msgspec

from plaudit.errors import InvalidInput

LONGEST = 512
LONGEST_NAME = 64


class ProviderSettings(msgspec.Struct, frozen=True):
    """A provider, and the client that this service is there; `name` is what buttons call it.

    >>> ProviderSettings("https://id.example.org", "plaudit", "hush", "Example")
    ProviderSettings('https://id.example.org', 'plaudit', …)
    """

    issuer: str
    client: str
    secret: str
    name: str

    def __repr__(self) -> str:
        return f"ProviderSettings({self.issuer!r}, {self.client!r}, …)"


def check_provider(given: ProviderSettings) -> ProviderSettings:
    """The settings, if a service can use them; `InvalidInput` says what is wrong."""
    if not is_safe(given.issuer) or any(sign in given.issuer for sign in "?#@"):
        raise InvalidInput(
            f"{given.issuer!r} is not the address of a provider: give --sign-in-issuer as in "
            "https://id.example.org, exactly as the provider states it. Plain http is for "
            "providers on this machine only."
        )
    if not given.client or len(given.client) > LONGEST or not given.client.isprintable():
        raise InvalidInput(
            "Signing in needs the client id that the provider gave you for this service: give "
            "--sign-in-client."
        )
    if not given.secret or len(given.secret) > LONGEST:
        raise InvalidInput(
            "Signing in needs the client secret that the provider gave you for this service: set "
            "PLAUDIT_SIGN_IN_SECRET or give --sign-in-secret-file."
        )
    if not given.name or len(given.name) > LONGEST_NAME or not given.name.isprintable():
        raise InvalidInput(
            f"A provider's name has 1 to {LONGEST_NAME} characters: give --sign-in-name as your "
            "people know it, such as 'Example University'."
        )
    return given


def is_safe(address: str, *, locally: bool = True) -> bool:
    """Whether nobody on the way can read or change what is sent to an address.

    >>> [is_safe(a) for a in ("https://a.org/x", "http://a.org", "http://127.0.0.1:9", "ftp://a")]
    [True, False, True, False]
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    plain = locally and parts.scheme == "http" and is_local(host)
    return bool(host) and len(address) <= LONGEST and (parts.scheme == "https" or plain)


def is_local(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
