"""What every process of a service does: set its pace, beat, and end with its parent."""

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection

# How long requests may go on after the order to stop.
GRACE_SECONDS = 5
# Past this a process is killed: what waits in a request or in the store had its time.
END_SECONDS = GRACE_SECONDS + 10.0

# A thread that wants Python's lock waits this long before it asks for it. A vote passes two threads
# several times; with Python's own 5 ms those waits were most of its time.
SWITCH_SECONDS = 0.0005
# The garbage collector looks at young objects once there are so many more. Votes on their way are
# no garbage, and at Python's own 700 it looked at them several times each. All threads stand still
# while it looks, half a microsecond for each.
YOUNG_OBJECTS = 10_000


def set_pace() -> None:
    """Sets how Python's threads take turns, and how often it looks for garbage."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(YOUNG_OBJECTS)


def beats_on(pipe: Connection) -> Callable[[], None]:
    """A function that tells the parent that this process is alive."""
    os.set_blocking(pipe.fileno(), False)

    def beat() -> None:
        # The pipe is full if the parent is paused, and broken if it is gone.
        with suppress(BlockingIOError, BrokenPipeError):
            pipe.send_bytes(b".")

    return beat


def stop_with_parent() -> None:
    """Stops this process once the one that started it is gone, or it would hold the port."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(END_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, name="plaudit-parent", daemon=True).start()
