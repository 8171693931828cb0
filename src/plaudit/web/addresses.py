"""Addresses of those who connect: how many connections each has open."""

import ipaddress
from collections import Counter
from collections.abc import Iterable

from plaudit.service.door.networks import network_of


class OpenConnections:
    """Counts the open connections of each address; a few addresses, proxies, may have any number.

    >>> seen = OpenConnections(2, free=["10.0.0.0/8"])
    >>> [seen.enter("192.0.2.7"), seen.enter("192.0.2.7"), seen.enter("192.0.2.7")]
    [True, True, False]
    >>> [seen.enter("10.1.2.3") for _ in range(3)]
    [True, True, True]
    >>> seen.leave("192.0.2.7")
    >>> seen.enter("192.0.2.7")
    True
    """

    def __init__(self, most: int, *, free: Iterable[str] = ()) -> None:
        self._most = most
        given = set(free)
        self._free = [found for each in given if (found := _network(each)) is not None]
        self._unbounded = not most or "*" in given
        self._open: Counter[str] = Counter()

    def enter(self, address: str) -> bool:
        """Counts a connection, unless its address has too many open."""
        if self._is_free(address):
            return True
        network = network_of(address)
        if self._open[network] >= self._most:
            return False
        self._open[network] += 1
        return True

    def leave(self, address: str) -> None:
        """Counts the end of a connection that was let in."""
        network = network_of(address)
        if self._is_free(address) or network not in self._open:
            return
        self._open[network] -= 1
        if not self._open[network]:
            del self._open[network]

    def _is_free(self, address: str) -> bool:
        if self._unbounded:
            return True
        if not self._free:
            return False
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self._free)


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None  # a name, or something that only the server understands
