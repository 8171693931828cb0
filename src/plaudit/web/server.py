"""The server of one process: it listens, serves until it is told to stop, and beats meanwhile."""

import gc
import signal
import socket
import sys
from collections.abc import Callable

import uvicorn

from plaudit.errors import InvalidInput
from plaudit.web.app import make_app
from plaudit.web.http.prompt import bounded
from plaudit.web.http.protocol import Limits
from plaudit.web.serving import Serving

# How long requests may go on after the order to stop.
GRACE_SECONDS = 5
# Connections that wait to be accepted.
BACKLOG = 2048
TICKS_A_BEAT = 10
# The event loop accepts one connection a turn for each handle on the socket. On a busy service a
# turn is long: with one handle, the last of a hundred who came at once waited for over a second.
# Several workers have one each: with more, the one that is woken first would take everybody.
ACCEPTS_A_TURN = 16
# A thread that wants Python's lock waits this long before it asks for it. A vote passes two threads
# several times; with Python's own 5 ms those waits were most of its time.
SWITCH_SECONDS = 0.0005
# The garbage collector looks at young objects once there are so many more. Votes on their way are
# no garbage, and at Python's own 700 it looked at them several times each.
YOUNG_OBJECTS = 20_000


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
    """uvicorn's server; `beat` is called about once a second while the event loop runs."""

    def __init__(self, serving: Serving, beat: Callable[[], None] = lambda: None) -> None:
        super().__init__(config_of(serving))
        self._beat = beat

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: beats, and says whether to stop."""
        if counter % TICKS_A_BEAT == 0:
            self._beat()
        return await super().on_tick(counter)


def serve(
    serving: Serving, listening: socket.socket, beat: Callable[[], None] = lambda: None
) -> None:
    """Serves until a signal says to stop, then returns; leaves the process if it cannot start."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(YOUNG_OBJECTS)
    server = Server(serving, beat)
    # uvicorn raises the signal once more when it is done, and it was obeyed by then. Before it
    # begins, the same handler makes it stop right after the start.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.handle_exit)
    server.run(sockets=handles(listening) if serving.workers == 1 else [listening])
