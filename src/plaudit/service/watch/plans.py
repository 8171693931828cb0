"""Forecasts of contests to come: made one at a time in a process of its own, and remembered."""

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
# Places that one account may take of those, and how often whoever still looks asks at least.
MOST_OWN, LOOKS_SECONDS = 2, 5.0
# Nobody looks any more after so long; and no forecast may take longer than that.
IDLE_SECONDS, LONGEST_SECONDS = 20.0, 600.0
# With -P nothing is imported from the folder that the service happens to run in.
COMMAND = (sys.executable, "-P", "-m", "plaudit.service.watch.plan_process")
# Variables that hold secrets and addresses of the store, with passwords: no forecast needs them.
PRIVATE = ("PLAUDIT_SERVING", "PLAUDIT_SECRET", "PLAUDIT_DATABASE", "PLAUDIT_KEY", "PG")
BUSY_WITH_YOURS = (
    "Two forecasts of yours are being made just now. Try again when one of them is there, or some "
    "seconds after you left it."
)
BUSY = "Too many forecasts are being made just now. Try again in a minute."


def environment_of(given: Mapping[str, str]) -> dict[str, str]:
    """What the process of a forecast is told of this one's environment.

    >>> environment_of({"PATH": "/bin", "PLAUDIT_SERVING": "a secret", "PGPASSWORD": "too"})
    {'PATH': '/bin'}
    """
    return {name: text for name, text in given.items() if not name.startswith(PRIVATE)}


class Wish(msgspec.Struct, frozen=True):
    """What a forecast depends on: the contest, as `plan` knows it."""

    items: int
    levels: tuple[float, ...]
    delta: float
    epsilon: float
    top: int
    algorithm: str
    votes_per_rater: int


class _Line(msgspec.Struct):
    """What the process says."""

    share: float = 0.0
    wrong: str = ""
    forecast: Forecast | None = None


@dataclass
class Job:
    """A forecast in the making, or made: `share` is how far it is, `wrong` why there is none.

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


class Plans:
    """The forecasts of one worker; close it to end what runs."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._jobs: OrderedDict[Wish, Job] = OrderedDict()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="plaudit-plan")
        self._closed = False

    def ask(self, wish: Wish, *, by: int) -> Job:
        """The forecast for a wish, as far as it is; asking again and again keeps it going.

        `by` is the number of an account. Places are for those who still look: a few for each
        account, so that nobody has them all.
        """
        now = self._clock()
        with self._lock:
            job = self._jobs.get(wish)
            if job is not None:
                job.asked[by] = now
                self._jobs.move_to_end(wish)
                return job
            looked_at = self._looked_at(now)
            if (
                sum(job.asked.get(by, -math.inf) >= now - LOOKS_SECONDS for job in looked_at)
                >= MOST_OWN
            ):
                return Job(wrong=BUSY_WITH_YOURS)
            if len(looked_at) >= MOST_WAITING:
                return Job(wrong=BUSY)
            job = self._jobs[wish] = Job({by: now})
            while len(self._jobs) > MOST_KEPT:
                self._jobs.popitem(last=False)
        self._thread.submit(self._make, wish, job)
        return job

    def _looked_at(self, now: float) -> list[Job]:
        """What is in the making and looked at; where places are short, others lose theirs."""
        making = {wish: job for wish, job in self._jobs.items() if not job.done}
        looked_at = [job for job in making.values() if job.was_asked_since(now - LOOKS_SECONDS)]
        if len(making) >= MOST_WAITING:
            for wish, job in making.items():
                if not job.was_asked_since(now - LOOKS_SECONDS):
                    del self._jobs[wish]
                    job.asked.clear()
        return looked_at

    def close(self) -> None:
        """Ends what runs, and lets the thread go."""
        self._closed = True
        self._thread.shutdown(cancel_futures=True)

    def _make(self, wish: Wish, job: Job) -> None:
        try:
            self._follow(wish, job)
        except Exception:
            job.wrong = "The forecast could not be made. Try again."
        if not job.done or job.wrong:
            # Nobody waits for it, or it failed: whoever asks next begins anew.
            with self._lock:
                if self._jobs.get(wish) is job:
                    del self._jobs[wish]

    def _follow(self, wish: Wish, job: Job) -> None:
        began = self._clock()
        if self._is_idle(job):
            return
        with subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment_of(os.environ)
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(msgspec.json.encode(wish))
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
