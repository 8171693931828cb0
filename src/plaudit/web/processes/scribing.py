"""The process of the scribe, and the socket that workers find it by."""

import secrets
import signal
import socket
import sys
import time
from multiprocessing.connection import Connection

from plaudit.errors import StoreUnavailable
from plaudit.service.live.scribe import BEAT_SECONDS, Scribe
from plaudit.service.rare_log import rarely
from plaudit.store import Store, open_store
from plaudit.web.processes.children import beats_on, set_pace, stop_with_parent

BACKLOG = 512


def scribe_socket() -> socket.socket | None:
    """A socket that listens; None where the system has no such sockets: workers do without.

    Its address is a name that Linux keeps, not a file, so nothing need be writable or be removed.
    """
    if not sys.platform.startswith("linux"):
        return None
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.bind(f"\0plaudit-{secrets.token_hex(16)}")
    listening.listen(BACKLOG)
    return listening


def scribble(database: str, listening: socket.socket, beats: Connection) -> None:
    """The scribe, in its own process, until it is told to stop.

    It does not listen to Ctrl-C: the workers, which get it too, end before it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stop_with_parent()
    set_pace()
    beat = beats_on(beats)
    while (store := _opened(database)) is None:
        beat()
        time.sleep(BEAT_SECONDS)
    Scribe(store, listening, beat).run()


def _opened(database: str) -> Store | None:
    """The store; None while it is away, and workers say what that means."""
    try:
        return open_store(database)
    except StoreUnavailable as error:
        rarely.say("away", "The scribe waits for its store. %s", error)
        return None
