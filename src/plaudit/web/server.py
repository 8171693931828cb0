"""The server of one process: it listens, serves until it is told to stop, and beats meanwhile."""

import asyncio
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import uvicorn

from plaudit.errors import InvalidInput
from plaudit.service.cores import keep_to, roam
from plaudit.web.app import make_app
from plaudit.web.http.prompt import bounded
from plaudit.web.http.protocol import Limits
from plaudit.web.processes.children import GRACE_SECONDS, set_pace
from plaudit.web.serving import Serving

# Connections that wait to be accepted.
BACKLOG = 2048
TICKS_A_BEAT = 10
# The event loop accepts one connection a turn for each handle on the socket. On a busy service a
# turn is long: with one handle, the last of a hundred who came at once waited for over a second.
# Several workers have one each: with more, the one that is woken first would take everybody.
ACCEPTS_A_TURN = 16


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; `InvalidInput` if that cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        # From here on whoever comes waits for the first worker, instead of being turned away.
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        shown = f"[{host}]" if ":" in host else host
        raise InvalidInput(
            f"Cannot listen at {shown}:{port} ({error.strerror or error}). Stop what runs there, "
            "or choose another --port or --host."
        ) from None
    return listening


def handles(listening: socket.socket) -> list[socket.socket]:
    """The socket, and more handles on it: the event loop accepts one connection a turn for each."""
    return [listening, *(listening.dup() for _ in range(ACCEPTS_A_TURN - 1))]


def config_of(serving: Serving) -> uvicorn.Config:
    """How uvicorn serves: its headers are ours, and only named proxies are believed."""
    return uvicorn.Config(
        make_app(serving),
        http=bounded(Limits(an_address=serving.address_connections), proxies=serving.proxies),
        ws="none",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=bool(serving.proxies),
        forwarded_allow_ips=list(serving.proxies),
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


class Server(uvicorn.Server):
    """uvicorn's server; `beat` is called about once a second while the event loop runs.

    Once it is ready, its thread keeps to `core`, if it is to.
    """

    def __init__(
        self, serving: Serving, beat: Callable[[], None] = lambda: None, core: int | None = None
    ) -> None:
        super().__init__(config_of(serving))
        self._beat = beat
        self._core = core

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts listening; what loads or compiles meanwhile runs on threads that roam."""
        blocking = ThreadPoolExecutor(thread_name_prefix="plaudit-blocking", initializer=roam)
        asyncio.get_running_loop().set_default_executor(blocking)
        await super().startup(sockets)
        if self._core is not None:
            keep_to(self._core)

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: beats, and says whether to stop."""
        if counter % TICKS_A_BEAT == 0:
            self._beat()
        return await super().on_tick(counter)


def serve(
    serving: Serving,
    listening: socket.socket,
    beat: Callable[[], None] = lambda: None,
    core: int | None = None,
) -> None:
    """Serves until a signal says to stop, then returns; leaves the process if it cannot start."""
    set_pace()
    server = Server(serving, beat, core)
    # uvicorn raises the signal once more when it is done, and it was obeyed by then. Before it
    # begins, the same handler makes it stop right after the start.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.handle_exit)
    server.run(sockets=handles(listening) if serving.workers == 1 else [listening])
