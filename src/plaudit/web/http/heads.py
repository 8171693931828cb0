"""Heads of requests that came before: the same bytes say the same again.

A rater's votes differ in their bodies; method, address and headers are the same bytes each time. So
what the parser found in them is kept, and the next request that begins with them is not parsed.
Nothing here reads HTTP: a head is here only because the parser has taken just these bytes for it.
"""

from typing import Any

# Bytes of heads that are kept, the newest ones. What was found in them takes a few times as much.
MOST_BYTES = 8 * 2**20
# Longer heads are parsed each time.
LONGEST_HEAD = 2048
END = b"\r\n\r\n"

Headers = list[tuple[bytes, bytes]]


class Head:
    """Path, headers and length of the body of a POST. `known` is what the app made of them."""

    __slots__ = ("headers", "known", "length", "path")

    def __init__(self, path: str, headers: Headers, length: int) -> None:
        self.path = path
        self.headers = headers
        self.length = length
        self.known: Any = None

    @property
    def is_plain(self) -> bool:
        """Whether its one header Content-Length says where the body ends."""
        lengths = [value for name, value in self.headers if name == b"content-length"]
        chunked = any(name == b"transfer-encoding" for name, _ in self.headers)
        return lengths == [b"%d" % self.length] and not chunked


class Heads:
    """Heads by their bytes; all connections of a server share them."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._bytes = 0
        self._by_bytes: dict[bytes, Head] = {}
        self.find = self._by_bytes.get

    def __len__(self) -> int:
        return len(self._by_bytes)

    def keep(self, request: bytes, head: Head, body: bytes) -> None:
        """Keeps the head of a request that the parser took to be this head and this body."""
        end = request.find(END) + len(END)
        # The body is the end of the request, so if it begins here, all before it is the head.
        if end > LONGEST_HEAD or request[end:] != body or not head.is_plain:
            return
        raw = request[:end]
        if raw not in self._by_bytes:
            self._bytes += end
        self._by_bytes[raw] = head
        while self._bytes > self._most:
            oldest = next(iter(self._by_bytes))
            del self._by_bytes[oldest]
            self._bytes -= len(oldest)
