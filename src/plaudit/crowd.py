"""A simulated crowd: raters who ask and vote through the real HTTP interface.

Many raters vote at the same time, each with items on the screen and time to think; a few threads
send their requests. When the visit of a rater ends, a new rater takes the place. What kind of
people they are, fakes among them, is a `Population`, as in simulated races.
"""

import hashlib
import heapq
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from plaudit.client import UNREACHABLE, Client, RaterClient, ServiceError, Shown
from plaudit.rehearsal import Cast, quality_at
from plaudit.simulation.crowds import Person, Population

AHEAD = 3
THREADS = 32
# Where raters may propose items, one in so many does, after so many votes, until this is all.
PROPOSES_ONE_IN, PROPOSES_AFTER, MOST_PROPOSALS = 8, 4, 10


@dataclass(order=True)
class Turn:
    """When a rater acts next, what is on their screen, and how long they look at it."""

    due: float
    place: int
    rater: RaterClient | None = field(compare=False, default=None)
    person: Person | None = field(compare=False, default=None)
    voted: int = field(compare=False, default=0)
    shown: list[Shown] = field(compare=False, default_factory=list)
    thought: float = field(compare=False, default=0.0)


class Crowd:
    """`raters` simulated people in one contest; `qualities` are mean votes by item number.

    Other items get a quality from their text, which is low for most. `think_seconds` is the mean
    time that a rater looks at an item. `people` is who comes: raters whose votes are independent,
    unless told otherwise. Where the contest lets them, a few propose `ideas`.
    """

    def __init__(
        self,
        client: Client,
        contest: str,
        *,
        raters: int,
        qualities: Mapping[int, float] | None = None,
        think_seconds: float = 1.0,
        people: Population | None = None,
        ideas: Sequence[str] = (),
        seed: int = 0,
    ) -> None:
        self.votes = 0
        self.decided = threading.Event()
        self._client = client
        self._contest = contest
        shown = client.contest(contest)
        self._goes_on = bool(shown.get("votes_after_verdict"))
        made_up = [f"Idea {number} of the crowd" for number in range(1, MOST_PROPOSALS + 1)]
        # The next one is the last.
        self._ideas = list(ideas or made_up)[::-1] if shown["proposals"] != "off" else []
        self._qualities = dict(qualities or {})
        self._think = think_seconds
        self._random = np.random.default_rng(seed)
        self._cast = Cast(
            people or Population(), levels=len(shown["scale"]), items=shown["items"],
            visit=shown["votes_per_visit"], qualities=self._qualities, generator=self._random,
        )  # fmt: skip
        self._lock = threading.Lock()
        start = time.monotonic()
        spread = self._random.random(raters) * think_seconds
        self._turns = [Turn(start + wait, place) for place, wait in enumerate(spread)]
        heapq.heapify(self._turns)
        self._stop = threading.Event()

    def run(self, *, until: Callable[[], bool] = lambda: False, threads: int = THREADS) -> None:
        """Votes until the contest is decided, or until `until` returns true."""
        # Daemons: a thread that waits for an answer must not keep the process alive.
        workers = [
            threading.Thread(target=self._work, args=(until,), daemon=True) for _ in range(threads)
        ]
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                worker.join()
        finally:
            self._stop.set()

    def _work(self, until: Callable[[], bool]) -> None:
        while not self._stop.is_set() and not self.decided.is_set() and not until():
            turn = self._next_turn()
            if turn is None:
                time.sleep(0.002)
                continue
            try:
                self._act(turn)
            except ServiceError as error:
                # A paused contest, or a ticket that is too old: try again later.
                turn.shown.clear()
                turn.due += 2.0 if error.code in ("not_open", "rate_limited", UNREACHABLE) else 0.2
            except RuntimeError:
                if self._stop.is_set():
                    return  # the connections were closed while this thread used them
                raise
            with self._lock:
                heapq.heappush(self._turns, turn)

    def _next_turn(self) -> Turn | None:
        with self._lock:
            if self._turns and self._turns[0].due <= time.monotonic():
                return heapq.heappop(self._turns)
        return None

    def _act(self, turn: Turn) -> None:
        if turn.rater is None:
            turn.rater = self._client.rater(self._contest)
            with self._lock:
                turn.person, turn.voted = self._cast.next_person(), 0
        if not turn.shown:
            turn.shown = turn.rater.ask(AHEAD)
            if not turn.shown:
                self._leave(turn)
        else:
            shown = turn.shown[0]
            with self._lock:
                level = self._level(turn, shown)
            turn.rater.vote(shown, level, response_ms=int(1000 * turn.thought))
            turn.shown.pop(0)
            turn.voted += 1
            with self._lock:
                self.votes += 1
                idea = self._idea(turn)
            if idea:
                turn.rater.propose(idea, anyway=True)
        if turn.shown:
            self._look(turn)

    def _idea(self, turn: Turn) -> str:
        """What the rater proposes now, if anything."""
        if not self._ideas or turn.voted != PROPOSES_AFTER:
            return ""
        return self._ideas.pop() if self._random.random() < 1 / PROPOSES_ONE_IN else ""

    def _look(self, turn: Turn) -> None:
        """Sets the time of the rater's next vote: after looking at the item."""
        with self._lock:
            turn.thought = self._random.exponential(self._think) if self._think else 0.0
        turn.due = time.monotonic() + turn.thought

    def _leave(self, turn: Turn) -> None:
        """A rater leaves, and a new one comes, unless the contest is decided."""
        end = turn.rater.end if turn.rater is not None else None
        if end is not None and (end["reason"] == "decided" or self._is_decided()):
            self.decided.set()
        turn.rater = None

    def _is_decided(self) -> bool:
        """Asks the service, where raters may vote on after the verdict."""
        return self._goes_on and bool(self._client.contest(self._contest)["decided"])

    def _level(self, turn: Turn, shown: Shown) -> int:
        quality = self._qualities.get(shown.item)
        if quality is None:
            quality = self._qualities[shown.item] = quality_of(shown)
        assert turn.person is not None
        return self._cast.level(turn.person, shown.item, quality, place=turn.voted)


def quality_of(shown: Shown) -> float:
    """A made-up mean vote for an item, always the same for the same item; most are low.

    >>> 0.0 <= quality_of(Shown(1, "a caption", "", "")) <= 0.8
    True
    """
    digest = hashlib.sha256(f"{shown.text}\n{shown.image}".encode()).digest()
    share = int.from_bytes(digest[:8], "little") / 2**64
    return quality_at(share)


def open_contests(client: Client) -> list[str]:
    """The names of the open contests of a service."""
    return [str(each["name"]) for each in client.contests() if each["state"] == "open"]


def only_contest(client: Client) -> str:
    """The only open contest of a service; an error lists them if there is not exactly one."""
    from plaudit.errors import InvalidInput

    names = open_contests(client)
    if len(names) != 1:
        raise InvalidInput(f"Name the contest; open now: {', '.join(names) or 'none'}.")
    return names[0]
