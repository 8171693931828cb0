"""Forecasts of contests that have not begun: made one at a time, each in a process of its own.

They are shared and kept like all results (`shared_result`). Added here is what only they have: how
far one is, how many an account may wait for, and that what nobody waits for ends.
"""

import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

import msgspec

from plaudit.errors import PlauditError
from plaudit.service.watch.shared_result import Limits, SharedResult
from plaudit.service.watch.within_reach import ReachInput, WithinReach
from plaudit.simulation.forecast import Forecast

MOST_WAITING = 6
LIMITS = Limits(most_kept=100)
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
FAILED = "The forecast could not be made. Try again."


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
    # Longer contests are not simulated: they would take minutes to say "more".
    max_votes: int = 200_000


Asked = ForecastInput | ReachInput
Made = Forecast | WithinReach


class _Line(msgspec.Struct):
    """A line that the process writes."""

    share: float = 0.0
    wrong: str = ""
    forecast: Forecast | None = None
    reach: WithinReach | None = None


class NoForecast(PlauditError):
    """Why a forecast was not made; no words where nobody waited for it."""


@dataclass
class Job:
    """A forecast being made, or made: `share` is how far it is, `wrong` why there is none.

    `asked` has when each account last asked for it.
    """

    asked: dict[int, float] = field(default_factory=dict)
    share: float = 0.0
    wrong: str = ""
    forecast: Forecast | None = None
    reach: WithinReach | None = None

    @property
    def done(self) -> bool:
        """Whether nothing more will come."""
        return self.forecast is not None or self.reach is not None or bool(self.wrong)

    def take(self, made: Made) -> "Job":
        """Notes what was made."""
        if isinstance(made, WithinReach):
            self.reach = made
        else:
            self.forecast = made
        return self

    def was_asked_since(self, then: float) -> bool:
        """Whether anyone asked for it since a time."""
        return any(at >= then for at in self.asked.copy().values())


class NewContestForecasts:
    """The forecasts of one worker; close it to end what runs."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._jobs: dict[Asked, Job] = {}
        self._shared: SharedResult[Made] = SharedResult("new-contest", LIMITS, timer=clock)
        self._closed = False
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, given: Asked, *, by: int) -> Job:
        """A forecast, or what is within reach, as far as it is; asking again keeps it going.

        `by` is the number of an account. Each account may wait for a few forecasts at a time, so
        that others get theirs too.
        """
        now = self._clock()
        with self._lock:
            job = self._jobs.get(given)
            if job is not None:
                job.asked[by] = now
                if job.wrong:
                    # Said once: the next request starts again.
                    del self._jobs[given]
                return job
            # A job is forgotten after its forecast is kept, so there is no moment without both.
            kept = self._shared.kept(given)
            if kept is not None:
                return Job().take(kept.value)
            busy = self._why_busy(by, now)
            if busy:
                return Job(wrong=busy)
            job = self._jobs[given] = Job({by: now})
        made = self._shared.ask(given, None, lambda: lambda: self._make(given))
        made.add_done_callback(lambda made: self._end(given, job, made))
        return job

    def close(self) -> None:
        """Ends what runs, and lets the thread go."""
        self._closed = True
        # It may be silent for long on a busy machine: nobody waits for its next line.
        if (running := self._process) is not None:
            running.kill()
        self._shared.close()

    def _why_busy(self, by: int, now: float) -> str:
        """Why an account gets no forecast now, if so; where room is short, others end."""
        short = sum(not job.done for job in self._jobs.values()) >= MOST_WAITING
        for given, job in list(self._jobs.items()):
            if (short or job.done) and not job.was_asked_since(now - ASKS_SECONDS):
                del self._jobs[given]
        making = [job for job in self._jobs.values() if not job.done]
        if sum(job.asked.get(by, -math.inf) >= now - ASKS_SECONDS for job in making) >= MOST_OWN:
            return BUSY_WITH_YOURS
        waited_for = [job for job in making if job.was_asked_since(now - ASKS_SECONDS)]
        return BUSY if len(waited_for) >= MOST_WAITING else ""

    def _end(self, given: Asked, job: Job, made: "Future[Made]") -> None:
        error = made.exception()
        if error is None:
            job.take(made.result())
        else:
            job.wrong = str(error) if isinstance(error, PlauditError) else FAILED
        with self._lock:
            if not job.wrong and self._jobs.get(given) is job:
                del self._jobs[given]

    def _make(self, given: Asked) -> Made:
        began = self._clock()
        self._check_waited_for(given)
        with subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment_of(os.environ)
        ) as process:
            self._process = process
            try:
                self._check_waited_for(given)
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(msgspec.json.encode(given))
                process.stdin.close()
                for text in process.stdout:
                    line = msgspec.json.decode(text, type=_Line)
                    if (found := line.forecast or line.reach) is not None:
                        return found
                    if line.wrong:
                        raise NoForecast(line.wrong)
                    self._check_waited_for(given).share = line.share
                    if self._clock() - began > LONGEST_SECONDS:
                        break
            finally:
                process.kill()
        raise NoForecast("The forecast took too long, or its process ended. Try again.")

    def _check_waited_for(self, given: Asked) -> Job:
        """The job of a forecast; raises `NoForecast` if nobody waits for it any more."""
        job = self._jobs.get(given)
        idle = job is None or not job.was_asked_since(self._clock() - IDLE_SECONDS)
        if job is None or idle or self._closed:
            raise NoForecast("")
        return job
