"""Forecasts of contests that have not begun: made one at a time, each in a process of its own."""

import math
import os
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import msgspec

from plaudit.simulation.forecast import Forecast

MOST_WAITING, MOST_KEPT = 6, 100
# How many of those one account may have, and how often a page that still waits asks at least.
MOST_OWN, ASKS_SECONDS = 2, 5.0
# A forecast that nobody has asked for in this time is given up, and so is one that takes too long.
IDLE_SECONDS, LONGEST_SECONDS = 20.0, 600.0
# With -P nothing is imported from the folder that the service happens to run in.
COMMAND = (sys.executable, "-P", "-m", "plaudit.service.watch.forecast_process")
# Variables that hold secrets and addresses of the store, with passwords: no forecast needs them.
PRIVATE = ("PLAUDIT_SERVING", "PLAUDIT_SECRET", "PLAUDIT_DATABASE", "PLAUDIT_KEY", "PG")
BUSY_WITH_YOURS = (
    "Two of your forecasts are being made just now. Try again when one of them is ready, or a few "
    "seconds after you have left its page."
)
BUSY = "Too many forecasts are being made just now. Try again in a minute."


def environment_of(known: Mapping[str, str]) -> dict[str, str]:
    """The environment variables that the process of a forecast gets.

    >>> environment_of({"PATH": "/bin", "PLAUDIT_SERVING": "a secret", "PGPASSWORD": "too"})
    {'PATH': '/bin'}
    """
    return {name: text for name, text in known.items() if not name.startswith(PRIVATE)}


class ForecastInput(msgspec.Struct, frozen=True):
    """What a forecast depends on: the contest, as `plaudit.plan` takes it."""

    items: int
    levels: tuple[float, ...]
    delta: float
    epsilon: float
    top: int
    algorithm: str
    votes_per_rater: int
    tolerance: int = 0


class _Line(msgspec.Struct):
    """A line that the process writes."""

    share: float = 0.0
    wrong: str = ""
    forecast: Forecast | None = None


@dataclass
class Job:
    """A forecast being made, or made: `share` is how far it is, `wrong` why there is none.

    `asked` has when each account last asked for it.
    """

    asked: dict[int, float] = field(default_factory=dict)
    share: float = 0.0
    wrong: str = ""
    forecast: Forecast | None = None

    @property
    def done(self) -> bool:
        """Whether nothing more will come."""
        return self.forecast is not None or bool(self.wrong)

    def was_asked_since(self, then: float) -> bool:
        """Whether anyone asked for it since a time."""
        return any(at >= then for at in self.asked.copy().values())


class NewContestForecasts:
    """The forecasts of one worker; close it to end what runs."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._jobs: OrderedDict[ForecastInput, Job] = OrderedDict()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="plaudit-new-contest")
        self._closed = False

    def ask(self, given: ForecastInput, *, by: int) -> Job:
        """The forecast for a contest, as far as it is; asking again and again keeps it going.

        `by` is the number of an account. Each account may wait for a few forecasts at a time, so
        that others get theirs too.
        """
        now = self._clock()
        with self._lock:
            job = self._jobs.get(given)
            if job is not None:
                job.asked[by] = now
                self._jobs.move_to_end(given)
                return job
            waited_for = self._waited_for(now)
            if (
                sum(job.asked.get(by, -math.inf) >= now - ASKS_SECONDS for job in waited_for)
                >= MOST_OWN
            ):
                return Job(wrong=BUSY_WITH_YOURS)
            if len(waited_for) >= MOST_WAITING:
                return Job(wrong=BUSY)
            job = self._jobs[given] = Job({by: now})
            while len(self._jobs) > MOST_KEPT:
                self._jobs.popitem(last=False)
        self._thread.submit(self._make, given, job)
        return job

    def _waited_for(self, now: float) -> list[Job]:
        """The forecasts being made that somebody waits for; where room is short, others end."""
        making = {given: job for given, job in self._jobs.items() if not job.done}
        waited_for = [job for job in making.values() if job.was_asked_since(now - ASKS_SECONDS)]
        if len(making) >= MOST_WAITING:
            for given, job in making.items():
                if not job.was_asked_since(now - ASKS_SECONDS):
                    del self._jobs[given]
                    job.asked.clear()
        return waited_for

    def close(self) -> None:
        """Ends what runs, and lets the thread go."""
        self._closed = True
        self._thread.shutdown(cancel_futures=True)

    def _make(self, given: ForecastInput, job: Job) -> None:
        try:
            self._follow(given, job)
        except Exception:
            job.wrong = "The forecast could not be made. Try again."
        if not job.done or job.wrong:
            # Nobody waits for it, or it failed: the next request starts again.
            with self._lock:
                if self._jobs.get(given) is job:
                    del self._jobs[given]

    def _follow(self, given: ForecastInput, job: Job) -> None:
        began = self._clock()
        if self._is_idle(job):
            return
        with subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment_of(os.environ)
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(msgspec.json.encode(given))
            process.stdin.close()
            for text in process.stdout:
                line = msgspec.json.decode(text, type=_Line)
                job.share = max(job.share, line.share)
                if line.forecast is not None or line.wrong:
                    job.forecast, job.wrong = line.forecast, line.wrong
                elif self._is_idle(job) or self._clock() - began > LONGEST_SECONDS:
                    process.kill()
        if not job.done and not self._is_idle(job):
            job.wrong = "The forecast took too long, or its process ended. Try again."

    def _is_idle(self, job: Job) -> bool:
        return self._closed or not job.was_asked_since(self._clock() - IDLE_SECONDS)
