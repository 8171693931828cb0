"""The HTTP protocol of the server, with a limit on the headers that a stranger may send."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# Method, address and headers; cookies and tokens take a few hundred bytes.
MOST_HEAD_BYTES = 256 * 1024


class BoundedHttp(HttpToolsProtocol):
    """uvicorn's own protocol; a connection with endless headers is closed."""

    _in_head = False
    _head_bytes = 0

    def data_received(self, data: bytes) -> None:
        """Takes what came in; closes the connection if the headers are too long."""
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES and not self.transport.is_closing():
                self.transport.close()

    def on_message_begin(self) -> None:
        """A request begins."""
        self._in_head, self._head_bytes = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The headers are complete."""
        self._in_head = False
        super().on_headers_complete()
