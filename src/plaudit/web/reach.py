"""Who can reach an address: this machine alone, the local network, or everybody."""

import ipaddress
import socket
from urllib.parse import urlsplit

# Whom a link to the service reaches.
MACHINE, NETWORK, ANYBODY = "machine", "network", "anybody"
# An address for documentation: no packet is sent to it, it only makes the system choose a way out.
_ELSEWHERE = ("192.0.2.1", 9)


def reach_of(url: str) -> str:
    """Whom a link with this beginning reaches, as far as its address tells.

    >>> reach_of("http://127.0.0.1:8000"), reach_of("http://192.168.1.20:8000")
    ('machine', 'network')
    >>> reach_of("https://vote.example.org"), reach_of("http://teacher.local:8000")
    ('anybody', 'network')
    """
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return MACHINE
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return NETWORK if host.endswith(".local") or "." not in host else ANYBODY
    if address.is_loopback or address.is_unspecified:
        return MACHINE
    return NETWORK if address.is_private or address.is_link_local else ANYBODY


def network_address() -> str | None:
    """The address of this machine in its local network; None if it is in none."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_ELSEWHERE)
            found: str = probe.getsockname()[0]
    except OSError:
        return None
    address = ipaddress.ip_address(found)
    return None if address.is_loopback or address.is_unspecified else found


def nearby(public_url: str) -> str:
    """Where others in the network would find a service that only this machine reaches, or ""."""
    found = network_address() if reach_of(public_url) == MACHINE else None
    return f"http://{found}:{urlsplit(public_url).port or 80}" if found else ""
