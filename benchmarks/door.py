"""How many raters one machine makes at an open door: a real attack, and what the schedule allows.

The attack runs for a minute or two against `plaudit serve`: two threads of native code solve
challenges from one address, a third waits for turns. What follows for hours is computed from the
service's own schedule (`plaudit.service.door.work`) and the hashes a second that were measured.
"""

import contextlib
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

from benchmarks.load import CONTEST, SECRET, make_contest, plaudit_serving
from benchmarks.native_hashes import solve_natively
from benchmarks.report import Report
from plaudit.service.accounts.secret import Secret
from plaudit.service.door.puzzle import PUZZLES
from plaudit.service.door.work import Newcomer, Passed, Work

RATERS = f"/api/v1/contests/{CONTEST}/raters"
CORES = 2
# What the browser of a slow phone does (`python -m benchmarks phone`), in hashes a second.
PHONE = 300_000
# A large graphics card, by published figures of password crackers.
CARD = 10_000_000_000
FEW_HUNDRED = 400


class Attack:
    """Makes raters from one address until the time is over."""

    def __init__(self, url: str, seconds: float) -> None:
        self.raters: set[str] = set()
        self.at: list[float] = []
        self.hashes = 0
        self._url = url
        self._began = time.monotonic()
        self._end = self._began + seconds
        self._lock = threading.Lock()

    def run(self) -> None:
        """Works on all cores, and waits for turns beside."""
        threads = [threading.Thread(target=self._solve) for _ in range(CORES)]
        threads.append(threading.Thread(target=self._wait))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _over(self) -> bool:
        return time.monotonic() > self._end

    def _post(self, http: Any, **body: Any) -> dict[str, Any] | None:
        """What the service asks for; None if it made a rater."""
        http.cookies.clear()
        response = http.post(RATERS, json=body)
        if response.status_code == 428:
            work: dict[str, Any] = response.json()["error"]["work"]
            return work
        response.raise_for_status()
        with self._lock:
            self.raters.add(response.json()["rater"])
            self.at.append(time.monotonic() - self._began)
        return None

    def _solve(self) -> None:
        with httpx2.Client(base_url=self._url) as http:
            while not self._over():
                asked = self._post(http)
                nonces: list[int] = [0] * PUZZLES
                while asked is not None and not self._over():
                    found, hashes = solve_natively(
                        asked["challenge"], asked["bits"], start=nonces, give_up=self._over
                    )
                    with self._lock:
                        self.hashes += hashes
                    if found is None:
                        return
                    nonces = found
                    done = {"challenge": asked["challenge"], "nonces": nonces}
                    asked = self._post(http, work=done)

    def _wait(self) -> None:
        with httpx2.Client(base_url=self._url) as http:
            while not self._over():
                asked = self._post(http)
                while asked is not None and not self._over():
                    time.sleep(min(1.0, asked["wait_ms"] / 1000 + 0.05))
                    asked = self._post(http, work={"challenge": asked["challenge"], "nonces": []})


class Hours:
    """The schedule of a service with `automatic` work, with a clock of its own."""

    def __init__(self) -> None:
        self.now = 0
        self.work = Work(Secret(SECRET.encode()), clock=lambda: self.now)
        self._waiting: dict[Newcomer, str] = {}

    def cost(self, who: Newcomer) -> float:
        """The hashes that the next rater takes, on average."""
        bits = self.work.bits(who, "automatic")
        return PUZZLES * 2.0**bits if bits else 0.0

    def waited(self, who: Newcomer, place: int = 0) -> bool:
        """Whether a newcomer who only waits comes in now."""
        key = who._replace(external=f"{place}")
        found = self.work.judge(key, "automatic", challenge=self._waiting.get(key, ""))
        if isinstance(found, Passed):
            self._waiting.pop(key, None)
            return True
        self._waiting[key] = found.challenge
        return False


def raters_by_hour(speed: float, networks: int, hours: int) -> list[int]:
    """What whoever has this many hashes a second and networks makes in each hour."""
    service, made, left = Hours(), [0] * hours, 0.0
    who = [Newcomer(CONTEST, f"10.{n >> 8}.{n & 255}.1") for n in range(networks)]
    for second in range(hours * 3600):
        service.now, left = second * 1000, left + speed
        came = [each for each in who if service.waited(each)]
        cheapest = min(who, key=service.cost)
        while service.cost(cheapest) <= left:
            left -= service.cost(cheapest)
            came.append(cheapest)
            service.work.count(came.pop())
            made[second // 3600] += 1
            cheapest = min(who, key=service.cost)
        for each in came:
            service.work.count(each)
            made[second // 3600] += 1
    return made


def waits_of_a_class(pupils: int, minutes: float, *, speed: float, seed: int) -> list[float]:
    """How long each of the pupils waits who come from one address, with slow phones."""
    generator = np.random.default_rng(seed)
    # The work of several puzzles varies a little.
    luck = generator.gamma(PUZZLES, 1.0 / PUZZLES, size=pupils)
    arrivals = np.sort(generator.random(pupils)) * minutes * 60.0
    service, who, waits = Hours(), Newcomer(CONTEST, "192.0.2.1"), [0.0] * pupils
    there: set[int] = set()
    left = set(range(pupils))
    step = 0.1
    while left:
        clock = service.now / 1000
        there |= {place for place in left if arrivals[place] <= clock}
        for place in sorted(there):
            waits[place] = clock - arrivals[place]
            done = waits[place] * speed >= service.cost(who) * luck[place]
            if done or service.waited(who, place):
                service.work.count(who)
                left.discard(place)
        there &= left
        service.now += round(1000 * step)
    return waits


def run(quick: bool = False) -> Report:
    """Attacks a service of its own, then computes what hours would bring."""
    seconds = 20.0 if quick else 90.0
    report = Report("door", f"raters made by one machine at one address, {seconds:g} s of attack")
    solve_natively("to compile", 8, start=[0] * PUZZLES, give_up=lambda: False)
    for mode in ("off", "automatic"):
        attack = _attacked(mode, 5.0 if mode == "off" else seconds)
        report.add(f"work {mode}: raters made", len(attack.raters))
        if mode == "off":
            per_hour = len(attack.raters) / max(attack.at) * 3600
            report.add("work off: raters an hour", per_hour)
    speed = attack.hashes / seconds
    report.add("million hashes a second meanwhile", speed / 1e6)
    _add_hours(report, "this machine", speed, 1)
    _add_hours(report, "twice 20 million a second, an idle machine", 40e6, 1)
    if not quick:
        _add_hours(report, "a large graphics card", CARD, 1, bar=None)
        _add_hours(report, "this machine with 20 addresses", speed, 20, bar=None)
    for pupils, minutes in ((30, 3.0), (60, 3.0), (100, 5.0)):
        waits = waits_of_a_class(pupils, minutes, speed=PHONE, seed=1)
        named = f"{pupils} slow phones at one address in {minutes:g} minutes"
        report.add(f"{named}: half wait at most", statistics.median(waits), "s")
        if pupils == 30:
            report.at_most(f"{named}: the longest wait", max(waits), 5.0, "s")
        else:
            report.add(f"{named}: the longest wait", max(waits), "s")
    return report


def _attacked(mode: str, seconds: float) -> Attack:
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "door.db")
        make_contest(database, 100, work=mode)
        with plaudit_serving(database) as url:
            attack = Attack(url, seconds)
            with contextlib.suppress(httpx2.TransportError):
                attack.run()
    return attack


def _add_hours(
    report: Report, name: str, speed: float, networks: int, *, bar: float | None = FEW_HUNDRED
) -> None:
    first, *_, later = raters_by_hour(speed, networks, 4)
    for when, count in (("the first hour", first), ("the fourth", later)):
        if bar is None:
            report.add(f"{name}: {when}", count)
        else:
            report.at_most(f"{name}: {when}", count, bar)
