"""The process that starts several workers, and starts another one for each that ends.

It touches neither the store nor a request, so nothing that goes wrong there can end it. It ends
when it is told to, with exit code 0; or with 1 if no worker could ever start, for a reason that
waiting does not mend. A worker whose event loop is silent for half a minute is replaced, too.
"""

import multiprocessing
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

import msgspec

from plaudit.service.cores import cores_of
from plaudit.service.rare_log import log, rarely
from plaudit.web.processes.children import END_SECONDS, beats_on, stop_with_parent
from plaudit.web.processes.scribing import scribble, scribe_socket
from plaudit.web.server import serve
from plaudit.web.serving import Serving

# A worker that was up and does not beat for this long hangs; a start may have to compile.
SILENT_SECONDS, START_SECONDS = 30.0, 600.0
# Workers that end soon after their start are started again ever later.
SOON_SECONDS, FIRST_PAUSE, LONGEST_PAUSE = 5.0, 0.25, 5.0
LOOK_SECONDS = 0.5
# uvicorn's exit code of a worker that could not start.
NOT_STARTED = 3

_spawning = multiprocessing.get_context("spawn")


class Place:
    """The place of one worker, or of the scribe: whoever fills it now, and when the next one may.

    A process calls `target` with what is `given`, and with a pipe for its beats.
    """

    def __init__(self, name: str, target: Callable[..., None], *given: object) -> None:
        self.name = name
        self._target = target
        self._given = given
        self._beats: Connection | None = None
        self._began = self._heard = 0.0
        self._short_lives = 0
        self._next_at = 0.0
        self.process: Any = None
        self.is_up = False

    def fill(self) -> None:
        """Starts a worker, if it is time."""
        if time.monotonic() < self._next_at:
            return
        heard, beating = _spawning.Pipe(duplex=False)
        given = (*self._given, beating)
        process = _spawning.Process(target=self._target, args=given, name="plaudit-worker")
        try:
            process.start()
        except OSError as error:  # no memory or too many processes, for now
            heard.close()
            self._next_at = time.monotonic() + LONGEST_PAUSE
            rarely.say("no process", "A worker cannot be started (%s); trying again.", error)
            return
        finally:
            beating.close()
        self.process, self._beats, self.is_up = process, heard, False
        self._began = self._heard = time.monotonic()

    def listen(self) -> None:
        """Takes note of the beats; kills a worker that has been silent for too long."""
        now = time.monotonic()
        with suppress(EOFError, OSError):
            while self._beats is not None and self._beats.poll():
                self._beats.recv_bytes()
                self._heard, self.is_up = now, True
        silent = now - self._heard
        if silent > (SILENT_SECONDS if self.is_up else START_SECONDS):
            words = "%s %d is silent for %.0f s; ending it."
            log.warning(words, self.name, self.process.pid, silent)
            self.process.kill()
            self.process.join()

    def clear(self) -> int:
        """Puts away a worker that has ended; its exit code."""
        self.process.join()
        code: int = self.process.exitcode
        self.process.close()
        if self._beats is not None:
            self._beats.close()
        self.process = self._beats = None
        short = time.monotonic() - self._began < SOON_SECONDS
        self._short_lives = self._short_lives + 1 if short else 0
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**self._short_lives) if short else 0.0
        self._next_at = time.monotonic() + (pause if self._short_lives > 1 else 0.0)
        return code


class Supervisor:
    """Keeps this many workers running until a signal says to stop.

    `ready` is called whenever a worker was heard.
    """

    def __init__(
        self,
        serving: Serving,
        listening: socket.socket,
        workers: int,
        *,
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        meeting = scribe_socket()
        self._scribe: list[Place] = []
        if meeting is not None:
            serving = msgspec.structs.replace(serving, scribe=meeting.getsockname().decode())
            self._scribe = [Place("Scribe", scribble, serving.database, meeting)]
        self._workers = [
            Place("Worker", work, serving, listening, core) for core in cores_of(workers)
        ]
        self._ready = ready
        self._stopping = False
        self._ever_up = False

    def run(self) -> int:
        """Runs the workers; returns the exit code of the service."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        code = 0
        places = [*self._scribe, *self._workers]
        while not self._stopping and not code:
            for place in places:
                code = code or self._look_after(place)
            running = [place.process.sentinel for place in places if place.process]
            wait(running, LOOK_SECONDS) if running else time.sleep(LOOK_SECONDS)
        # Workers write what waits, by the scribe if they can.
        end(self._workers)
        end(self._scribe)
        return code

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _look_after(self, place: Place) -> int:
        """Fills the place if it is empty; an exit code if the service cannot start at all."""
        if place.process is not None:
            place.listen()
            if place.is_up and place in self._workers:
                self._ever_up = True
                self._ready()
        if place.process is not None and not place.process.is_alive():
            pid, code = place.process.pid, place.clear()
            if self._stopping:
                return 0
            if code == NOT_STARTED and not self._ever_up:
                log.error("Worker %d could not start, nor would another. The service ends.", pid)
                return 1
            words = "%s %d ended (%s); another one follows."
            rarely.say(f"ended {place.name}", words, place.name, pid, _end_of(code))
        if place.process is None and not self._stopping:
            place.fill()
        return 0


def end(places: Sequence[Place]) -> None:
    """Tells all processes in these places to stop, and waits for them."""
    running = [place.process for place in places if place.process is not None]
    for process in running:
        process.terminate()
    give_up = time.monotonic() + END_SECONDS
    for process in running:
        process.join(max(0.0, give_up - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()


def _end_of(code: int) -> str:
    """How a process ended, in words.

    >>> _end_of(-9), _end_of(1)
    ('by SIGKILL', 'exit code 1')
    """
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"


def work(serving: Serving, listening: socket.socket, core: int | None, beats: Connection) -> None:
    """One worker, in its own process."""
    stop_with_parent()
    serve(serving, listening, beats_on(beats), core)
    sys.exit(0)
