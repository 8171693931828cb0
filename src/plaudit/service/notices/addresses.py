"""Where notices may go: addresses as editors write them, and the machines behind their names.

Whoever names a webhook makes the service send requests. It must not reach what only the service
can reach: this machine, and private networks. So a name is looked up once, every machine behind it
is checked, and the request goes to a machine that was checked, whatever the name says by then.
"""

import ipaddress
import re
import socket
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from plaudit.errors import WrongField
from plaudit.phrase import Phrase
from plaudit.words import N_

LONGEST = 1000
PORTS = {"http": 80, "https": 443}
# Below these are services that are not HTTP, which a request could confuse.
FIRST_FREE_PORT = 1024
_MAIL = re.compile(r"[^\s@<>()\[\],;:\\\"]+@[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*")
# A gateway that leads to IPv4 (RFC 6052).
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


class Refused(Exception):
    """An address to which nothing is sent; the text says why, for editors."""


class Target(NamedTuple):
    """A webhook's address, taken apart."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def host_header(self) -> str:
        """The host as the request names it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def read_target(address: str, *, private: bool) -> Target:
    """A webhook's address; `WrongField` if nothing may be sent there."""
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").encode("idna").decode()
        port = parts.port or PORTS.get(parts.scheme, 0)
    except (ValueError, UnicodeError):
        raise _wrong(address) from None
    known = parts.scheme in (PORTS if private else ("https",))
    strange = re.search(r'[\x00-\x20\x7f"<>\\]', address) or "@" in parts.netloc
    if not known or not host or strange or len(address) > LONGEST:
        raise _wrong(address)
    if port not in PORTS.values() and port < FIRST_FREE_PORT:
        told = N_("Port {port} is not for webhooks: use 443, or one from 1024 on.")
        raise WrongField("address", Phrase(told, port=str(port)))
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~")
    query = f"?{quote(parts.query, safe='/%:@!$&()*+,;=~?')}" if parts.query else ""
    return Target(parts.scheme, host, port, path + query)


def _wrong(address: str) -> WrongField:
    told = N_(
        "{given} is no address for a webhook: give one such as https://example.org/hook, without a "
        "user name."
    )
    return WrongField("address", Phrase(told, given=repr(address[:80])))


def check_mail(address: str) -> str:
    """A mail address; `WrongField` if it is none."""
    if len(address) > 254 or not _MAIL.fullmatch(address):
        told = N_("{given} is no mail address: give one such as me@example.org.")
        raise WrongField("address", Phrase(told, given=repr(address[:80])))
    return address


def machines_of(target: Target, *, private: bool) -> list[str]:
    """The machines behind a name, looked up once; `Refused` if one of them is not public."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Refused(f"The name {target.host} is not known ({error}).") from None
    machines = list(dict.fromkeys(str(each[4][0]) for each in found))
    for machine in machines:
        if not private and not is_public(machine):
            raise Refused(
                f"{target.host} is {machine}: this machine or a private network. Those who run "
                "the service can allow that with --private-webhooks."
            )
    return machines


def is_public(machine: str) -> bool:
    """Whether anybody can reach a machine by its number, over the public network.

    >>> [is_public(m) for m in ("93.184.215.14", "10.0.0.1", "127.0.0.1", "169.254.169.254")]
    [True, False, False, False]
    >>> [is_public(m) for m in ("::1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1")]
    [False, False, False, False]
    """
    return all(one.is_global and not one.is_multicast for one in _meant(machine))


def _meant(machine: str) -> list[Ip]:
    """The number, and the IPv4 number in it if it stands for one."""
    ip = ipaddress.ip_address(machine.partition("%")[0])
    if isinstance(ip, ipaddress.IPv4Address):
        return [ip]
    inside = [ip.ipv4_mapped, ip.sixtofour, ip.teredo[1] if ip.teredo else None]
    if ip in _NAT64:
        inside.append(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
    found: list[Ip] = [one for one in inside if one is not None]
    return found if ip.ipv4_mapped else [ip, *found]
