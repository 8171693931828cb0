"""What counts as one place on the network: an address alone would be too little, or too much."""

import ipaddress

UNKNOWN = "unknown"


def network_of(address: str) -> str:
    """What counts as one address: a household has 2**64 addresses of IPv6.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3:4:5:6"), network_of("unknown")
    ('192.0.2.7', '2001:db8:1:2::/64', 'unknown')
    """
    found = _read(address)
    if found is None:
        return address
    return str(found) if found.version == 4 else _around(found, 64)


def wide_network_of(address: str) -> str:
    """What one customer may have many of: 256 addresses of IPv4, 65,536 networks of IPv6.

    >>> wide_network_of("192.0.2.7"), wide_network_of("2001:db8:1:2:3:4:5:6")
    ('192.0.2.0/24', '2001:db8:1::/48')
    >>> wide_network_of("::ffff:192.0.2.7"), wide_network_of("unknown")
    ('192.0.2.0/24', 'unknown')
    """
    found = _read(address)
    if found is None:
        return address
    return _around(found, 24 if found.version == 4 else 48)


def _read(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def _around(found: ipaddress.IPv4Address | ipaddress.IPv6Address, prefix: int) -> str:
    return str(ipaddress.ip_network((found, prefix), strict=False))
