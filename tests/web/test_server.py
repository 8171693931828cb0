"""The server of one process."""

import asyncio
import socket
import time
from collections.abc import Callable

import uvloop

from plaudit.web.server import handles, listen


def turns_of(count: int, find_handles: Callable[[socket.socket], list[socket.socket]]) -> list[int]:
    """In which turn of an event loop each of so many connections is accepted."""
    with listen("127.0.0.1", 0) as listening:
        accepted: list[int] = []
        turn = 0

        class Counting(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                accepted.append(turn)

        async def main() -> None:
            nonlocal turn
            loop = asyncio.get_running_loop()
            found = find_handles(listening)
            servers = [await loop.create_server(Counting, sock=each) for each in found]
            lines = [socket.create_connection(listening.getsockname()) for _ in range(count)]
            give_up = time.monotonic() + 20
            while len(accepted) < count:
                assert time.monotonic() < give_up
                turn += 1
                await asyncio.sleep(0)
            for server in servers:
                server.close()
            for line in (*lines, *found):
                line.close()

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(main())
    return accepted


def test_many_who_come_at_once_are_let_in_at_once() -> None:
    """With one handle it would be one a turn, and a turn of a busy service is long."""
    assert len(set(turns_of(32, lambda listening: [listening]))) >= 30
    assert len(set(turns_of(32, handles))) <= 6
