"""The load: raters over HTTP who ask, vote, and send again what was not answered.

A vote that was not answered is sent again with another level, so that only the log can tell which
of them stands. Now and then a rater cuts the line: in the middle of a request, right after it, or
in the middle of the answer.
"""

import json
import random
import socket
import threading
import time
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from itertools import pairwise
from typing import Any

from benchmarks.faults.contests import Contests
from benchmarks.faults.records import History, Sent, Shown, Told
from benchmarks.faults.service import SECRET
from plaudit.service.accounts.secret import Secret
from plaudit.service.live.tickets import Signer

# Longer than a vote may wait for its database; a paused worker may take longer.
ANSWER_SECONDS = 12.0
THINK_SECONDS = 0.03
CUT_SHARE = 0.02
# Votes of one rater in the long contest, before somebody new comes.
MOST_VOTES = 40


class Board:
    """When votes were acknowledged, for all to see."""

    def __init__(self) -> None:
        self.acknowledged: list[tuple[float, float]] = []
        self.cuts = 0

    def first_after(self, moment: float) -> float | None:
        """When the first vote that was sent after a moment was acknowledged, if one was."""
        found = None
        for sent, got in reversed(self.acknowledged):
            if got < moment:
                break
            if sent >= moment:
                found = got
        return found

    def gap(self, began: float, back: float) -> float:
        """The longest time without an acknowledgement between two moments, or across them."""
        moments = [began]
        for _, got in reversed(self.acknowledged):
            if got <= back:
                moments.append(got)
            if got < began:
                break
        moments.sort()
        return max((after - before for before, after in pairwise(moments)), default=0.0)


class Line:
    """One connection, opened when it is needed."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket: socket.socket | None = None

    def request(
        self, method: str, path: str, token: str = "", body: Any = None, *, cut: float = 0.0
    ) -> tuple[int, Any]:
        """Status and body of the answer; an `OSError` if there is none.

        `cut` in (0, 1) hangs up after that share of the request, in (1, 2) of the answer.
        """
        text = "" if body is None else json.dumps(body)
        head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(text)}\r\n"
        if token:
            head += f"x-plaudit-rater: {token}\r\n"
        data = f"{head}content-type: application/json\r\n\r\n{text}".encode()
        line = self.open()
        if cut:
            self._cut(data, cut)
        line.sendall(data)
        response = HTTPResponse(line, method=method)
        response.begin()
        return response.status, json.loads(response.read() or b"null")

    def open(self) -> socket.socket:
        """The connection, made now if there is none."""
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port), ANSWER_SECONDS)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._socket

    def _cut(self, data: bytes, cut: float) -> None:
        assert self._socket is not None
        self._socket.sendall(data[: int(len(data) * min(cut, 1.0))])
        if cut > 1.0:
            self._socket.recv(int(1 + 60 * (cut - 1.0)))
        raise ConnectionAbortedError("cut by the rater")

    @property
    def local(self) -> int:
        """The port at this end."""
        return self._socket.getsockname()[1] if self._socket else 0

    def hang_up(self) -> None:
        """Closes the connection, with what is under way on it."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class Rater(threading.Thread):
    """One after another, people who come to a contest and vote."""

    def __init__(
        self, place: int, port: int, contests: Contests, history: History, board: Board, seed: int
    ) -> None:
        super().__init__(name=f"rater-{place}", daemon=True)
        self._contests, self._history, self._board = contests, history, board
        self._random = random.Random(f"{seed} {place}")
        self._line = Line(port)
        self._leave = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        self.waiting = threading.Event()
        self.last = 0.0
        self._come()

    def leave(self) -> None:
        """Stops after the request that is under way."""
        self._leave.set()
        self.go_on.set()

    def run(self) -> None:
        """Asks and votes until told to leave."""
        while not self._leave.is_set():
            if not self.go_on.is_set():
                self.waiting.set()
                self.go_on.wait()
                self.waiting.clear()
            try:
                self._take_step()
            except (OSError, HTTPException, ValueError):
                self._line.hang_up()
                self._leave.wait(self._random.uniform(0.02, 0.2))
            self._leave.wait(THINK_SECONDS * self._random.random() * 2)
        self._line.hang_up()

    def _come(self) -> None:
        """Somebody new comes, to one of the contests that are open."""
        self._contest = self._contests.pick(self._random)
        self._token = self._key = ""
        self._open: list[dict[str, Any]] = []
        self._votes = 0

    def _take_step(self) -> None:
        if not self._token:
            self._introduce()
        elif not self._open:
            self._ask()
        else:
            self._vote(self._open[0])

    def _introduce(self) -> None:
        status, body = self._post("raters", {})
        if status == 200:
            rater = Signer(Secret(SECRET.encode()), self._contest).rater(body["rater"])
            assert rater is not None
            self._token, self._key = body["rater"], rater.key.hex()

    def _ask(self) -> None:
        if self._votes >= MOST_VOTES:
            self._come()
            return
        status, body = self._post("ask", {"count": 3})
        if status != 200:
            return
        self._open = body["items"]
        if body["end"]:
            if body["end"]["reason"] == "decided":
                self._history.add(Told(self._contest, time.monotonic()))
                self._contests.note_decided(self._contest)
            self._come()

    def _vote(self, shown: dict[str, Any]) -> None:
        level = self._contests.level(self._contest, shown["item"], self._random)
        body = {"ticket": shown["ticket"], "level": level}
        status, answer = self._post("votes", body, item=shown["item"], level=level)
        if status == 200 and answer["item"] == shown["item"]:
            self._votes += 1
            self._open.pop(0)
        elif status == 410:
            self._open = []

    def _post(
        self, path: str, body: Any, *, item: int = -1, level: int = -1
    ) -> tuple[int, dict[str, Any]]:
        """Sends a request and notes what came of it."""
        what = {"votes": "vote"}.get(path, path)
        sent, status, answer = time.monotonic(), 0, {}
        cut = self._random.uniform(0.01, 2.0) if self._random.random() < CUT_SHARE else 0.0
        self._board.cuts += cut > 0
        try:
            where = f"/api/v1/contests/{self._contest}/{path}"
            status, answer = self._line.request("POST", where, self._token, body, cut=cut)
        finally:
            self._note(what, item, level, sent, status, answer)
        if status not in (200, 410):
            self._leave.wait(self._random.uniform(0.02, 0.2))
        return status, answer

    def _note(
        self, what: str, item: int, level: int, sent: float, status: int, answer: dict[str, Any]
    ) -> None:
        got = time.monotonic()
        code = "" if status in (0, 200) else str(answer["error"]["code"])
        recorded = answer.get("level") if status == 200 else None
        recorded = -1 if recorded is None else int(recorded)
        if what == "vote" or status not in (0, 200, 503):
            given = (what, self._contest, self._key, item, level, sent, got, status, code, recorded)
            self._history.add(Sent(*given, self._line.local))
        if what == "vote" and status == 200:
            self.last = got
            self._board.acknowledged.append((sent, got))


class Onlooker(threading.Thread):
    """Somebody who reads the results all the time."""

    def __init__(self, port: int, contests: Contests, history: History) -> None:
        super().__init__(name="onlooker", daemon=True)
        self._line = Line(port)
        self._contests, self._history = contests, history
        self._leave = threading.Event()

    def leave(self) -> None:
        """Stops reading."""
        self._leave.set()

    def run(self) -> None:
        """Reads the results of the latest contests in turn."""
        while not self._leave.wait(0.3):
            for contest in self._contests.latest():
                with suppress(OSError, HTTPException, ValueError):
                    self._look(contest)
                    continue
                # Each time a new connection, so that it meets every worker.
                self._line.hang_up()
        self._line.hang_up()

    def _look(self, contest: str) -> None:
        where = f"/api/v1/contests/{contest}/results?limit=1"
        status, body = self._line.request("GET", where)
        self._line.hang_up()
        if status == 200:
            lane = body["lanes"][0]
            winners = lane["winners"] if lane["decided"] else None
            self._history.add(
                Shown(contest, time.monotonic(), body["position"], body["votes"], winners)
            )
