"""`plaudit serve` of one side, as a process of its own, and a small client for it."""

import ctypes
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence

from benchmarks.before_after.content import CONTEST, SECRET

CONNECTIONS = 8
_API = f"/api/v1/contests/{CONTEST}"


class Server:
    """A server that answers; under the same variables as this process, so with its Plaudit."""

    def __init__(
        self,
        database: str,
        *,
        plaudit: Sequence[str] = ("-P", "-m", "plaudit"),
        connections: int = CONNECTIONS,
    ) -> None:
        self._port = _free_port()
        command = [
            sys.executable, *plaudit, "serve", "--database", database,
            "--port", str(self._port), "--rater-rate", "", "--address-rate", "",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, env=os.environ | {"PLAUDIT_SECRET": SECRET}, stderr=subprocess.DEVNULL
        )
        self._clock = _process_clock(self._process.pid)
        self._lines = [self._connect() for _ in range(connections)]

    def close(self) -> None:
        """Stops the server."""
        for line in self._lines:
            line.close()
        self._process.terminate()
        self._process.wait(60)

    def reconnect(self) -> None:
        """Connects anew: a server hangs up on who was silent for some seconds."""
        for line in self._lines:
            line.close()
        self._lines = [self._connect() for _ in self._lines]

    def cpu(self) -> float:
        """What the server has used of the processor so far, in seconds."""
        return time.clock_gettime(self._clock)

    def post(self, path: str, token: str, body: str) -> bytes:
        """A request of a rater's."""
        head = (
            f"POST {_API}/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Plaudit-Rater: {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return (head + body).encode()

    def get(self, path: str) -> bytes:
        """A request of anyone's."""
        return f"GET {_API}/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()

    def send_all(self, requests: Sequence[bytes]) -> None:
        """Sends the requests over several connections at once, and reads every answer."""
        at_once = len(self._lines)
        for first in range(0, len(requests), at_once):
            pairs = list(zip(self._lines, requests[first : first + at_once], strict=False))
            for line, request in pairs:
                line.sendall(request)
            for line, _ in pairs:
                _read_answer(line)

    def _connect(self) -> socket.socket:
        for _ in range(1200):
            if self._process.poll() is not None:
                raise RuntimeError("The server ended before it answered.")
            try:
                line = socket.create_connection(("127.0.0.1", self._port), timeout=60)
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return line
            except ConnectionRefusedError:
                time.sleep(0.05)
        raise RuntimeError("The server did not answer within a minute.")


def _read_answer(line: socket.socket) -> None:
    got = b""
    while b"\r\n\r\n" not in got:
        more = line.recv(65_536)
        if not more:
            raise RuntimeError("The server hung up.")
        got += more
    head, _, body = got.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"The server answered {got[:300]!r}.")
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
    while len(body) < length:
        body += line.recv(65_536)


def _process_clock(pid: int) -> int:
    """The clock of the processor time of another process, as POSIX names it."""
    clock = ctypes.c_int()
    if ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock)):
        raise RuntimeError("This system does not tell the processor time of another process.")
    return clock.value


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
