"""A client of the service: ask, vote and run contests over HTTP.

```python
rater = Client("http://127.0.0.1:8000").rater("office-elephant")
for shown in rater.ask(3):
    rater.vote(shown, level=2)
```
"""

import copy
import time
from collections.abc import Mapping, Sequence
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, NamedTuple

import httpx2

from plaudit.errors import PlauditError
from plaudit.service.door.puzzle import PUZZLES, solve

__all__ = ["Client", "DeskClient", "RaterClient", "ServiceError", "Shown"]

TRIES = 6
LONGEST_WAIT = 8.0
UNREACHABLE = "unreachable"
_NOT_STARTED = (0,) * PUZZLES
TRY_AGAIN = frozenset({429, 502, 503, 504})


class ServiceError(PlauditError):
    """The service refused a request; `status` and `code` tell programs why.

    If no answer came at all, the status is 0 and the code `unreachable`. With the code
    `changed_meanwhile`, `epoch` is the contest's epoch now, and `steps` are the steps since yours;
    with `work_required`, `work` is what a new rater must do first.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        epoch: int | None = None,
        steps: Sequence[dict[str, Any]] = (),
        work: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.epoch = epoch
        self.steps = list(steps)
        self.work = work


class Shown(NamedTuple):
    """An item to judge, and the ticket to answer it with."""

    item: int
    text: str
    image: str
    ticket: str


class Client:
    """A service at an address; `key` is an API key, for everything except asking and voting.

    A call that fails for a moment (no connection, no database, too many requests) is repeated.
    That is safe, because an answer counts once.
    """

    def __init__(self, url: str, *, key: str | None = None, http: Any = None) -> None:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        # Many raters may share the connections: who they are goes in a header, not in a cookie.
        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
        self._http = http or httpx2.Client(
            base_url=url, headers=headers, cookies=no_cookies, timeout=30.0
        )

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def call(self, method: str, path: str, *, tries: int = TRIES, **given: Any) -> Any:
        """The answer to one request as plain values; repeated while the service does not answer."""
        for attempt in range(tries):
            try:
                response = self._http.request(method, path, **given)
            except httpx2.TransportError as error:
                if attempt == tries - 1:
                    told = f"No answer from the service ({error}). Is it running?"
                    raise ServiceError(0, UNREACHABLE, told) from None
                asked = ""
            else:
                if response.status_code not in TRY_AGAIN or attempt == tries - 1:
                    return read_answer(response)
                asked = response.headers.get("retry-after", "")
            time.sleep(waiting_time(attempt, asked=asked))
        raise AssertionError("unreachable")

    def contests(self) -> list[dict[str, Any]]:
        """All contests; needs a key with the scope `read`."""
        listed: list[dict[str, Any]] = self.call("GET", "/api/v1/contests")["contests"]
        return listed

    def contest(self, name: str) -> dict[str, Any]:
        """A contest as raters see it."""
        shown: dict[str, Any] = self.call("GET", f"/api/v1/contests/{name}")
        return shown

    def results(self, name: str, *, limit: int = 20) -> dict[str, Any]:
        """The leaders of a contest with their intervals."""
        path = f"/api/v1/contests/{name}/results"
        found: dict[str, Any] = self.call("GET", path, params={"limit": limit})
        return found

    def rater(
        self,
        contest: str,
        *,
        external: str | None = None,
        code: str | None = None,
        signature: str | None = None,
    ) -> "RaterClient":
        """A rater in a contest; `external` is an id of your own.

        A contest with a door asks for a `code`, or for the `signature` of the id. Where the service
        asks for work first, this takes a moment, and longer the more raters you make. A key with
        the scope `raters` passes any door, and does without work.
        """
        given = {"external": external, "code": code, "signature": signature}
        body: dict[str, Any] = {name: each for name, each in given.items() if each is not None}
        return RaterClient(self, contest, self._come_in(f"/api/v1/contests/{contest}/raters", body))

    def _come_in(self, path: str, body: dict[str, Any]) -> str:
        """The token of a new rater, after the work that the service asks for, if any.

        The work may get harder meanwhile, if others come in from the same network.
        """
        while True:
            try:
                return str(self.call("POST", path, json=body)["rater"])
            except ServiceError as error:
                if error.work is None:
                    raise
                body["work"] = work_done(error.work, before=body.get("work"))

    def desk(self, contest: str) -> "DeskClient":
        """The desk of a contest, for those who run it; needs a key with the scopes for it."""
        return DeskClient(self, contest)


class RaterClient:
    """One rater: asks, votes, skips and flags."""

    def __init__(self, client: Client, contest: str, token: str) -> None:
        self._client = client
        self._path = f"/api/v1/contests/{contest}"
        self._headers = {"x-plaudit-rater": token}
        self.end: dict[str, Any] | None = None

    def ask(self, count: int = 1, *, visit: int = 1, consent: bool = True) -> list[Shown]:
        """The next items; no items if the visit or the contest has ended, and `end` says why."""
        body = {"count": count, "visit": visit, "consent": consent}
        asked = self._post("/ask", body)
        self.end = asked["end"]
        return [Shown(**shown) for shown in asked["items"]]

    def vote(self, shown: Shown, level: int, *, response_ms: int | None = None) -> dict[str, Any]:
        """Votes on an item, by the place of the label on the scale; returns once it is on disk."""
        body = {"ticket": shown.ticket, "level": level, "response_ms": response_ms}
        return self._post("/votes", body)

    def skip(self, shown: Shown) -> dict[str, Any]:
        """Passes over an item for good."""
        return self._post("/skips", {"ticket": shown.ticket})

    def flag(self, shown: Shown, reason: str = "other") -> dict[str, Any]:
        """Asks someone to look at an item."""
        return self._post("/flags", {"ticket": shown.ticket, "reason": reason})

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = self._client.call(
            "POST", self._path + path, json=body, headers=self._headers
        )
        return answer


class DeskClient:
    """One contest at the desk: take steps, each an event in its log, and read the trail of them.

    Every answer has the contest's `epoch`. If you give it to a step and somebody has changed the
    contest since, nothing is done, and a `ServiceError` (`changed_meanwhile`) says what they did.
    A step with an epoch is taken at most once, so only such a step is repeated while the service
    does not answer.

    A step that would take back a verdict is refused (`verdict_stands`), unless it is taken by
    `revoking()`.
    """

    def __init__(self, client: Client, contest: str) -> None:
        self._client = client
        self._path = f"/api/v1/contests/{contest}"
        self._consent: dict[str, bool] = {}

    def revoking(self) -> "DeskClient":
        """The same desk, whose steps may take back verdicts."""
        desk = copy.copy(self)
        desk._consent = {"revoke_verdict": True}  # noqa: SLF001
        return desk

    def step(self, step: str, *, epoch: int | None = None) -> dict[str, Any]:
        """Takes a step such as `open`, `pause` or `close`."""
        return self._post("/step", epoch, step=step)

    def add_items(self, texts: Sequence[str], *, epoch: int | None = None) -> dict[str, Any]:
        """Lets items join; `item` of the answer is the number of the first."""
        return self._post("/items", epoch, items=[{"text": text} for text in texts])

    def withdraw(self, items: Sequence[int], *, epoch: int | None = None) -> dict[str, Any]:
        """Takes items out."""
        return self._post("/withdraw", epoch, items=list(items))

    def bring_back(self, items: Sequence[int], *, epoch: int | None = None) -> dict[str, Any]:
        """Brings withdrawn items back, with their votes."""
        return self._post("/bring-back", epoch, items=list(items))

    def merge(
        self, items: Sequence[int], *, text: str | None = None, epoch: int | None = None
    ) -> dict[str, Any]:
        """Replaces items that say the same by one; `item` of the answer is its number."""
        return self._post("/merge", epoch, items=list(items), text=text)

    def edit(
        self, item: int, text: str, *, keep_votes: bool, epoch: int | None = None
    ) -> dict[str, Any]:
        """Replaces an item by one with a new text, which keeps the votes or starts without any."""
        votes = "keep" if keep_votes else "anew"
        return self._post("/edit", epoch, item=item, text=text, votes=votes)

    def exclude(
        self, raters: Sequence[str], *, grounds: str = "votes", epoch: int | None = None
    ) -> dict[str, Any]:
        """Lets no vote of these raters count; name raters as exports show them.

        `grounds` says why: `votes`, or without a look at votes `speed`, `address`, `robot`
        or `door`.
        """
        return self._post("/raters/exclude", epoch, raters=list(raters), grounds=grounds)

    def readmit(self, raters: Sequence[str], *, epoch: int | None = None) -> dict[str, Any]:
        """Lets the votes of excluded raters count again."""
        return self._post("/raters/readmit", epoch, raters=list(raters))

    def erase(self, rater: str, *, epoch: int | None = None) -> dict[str, Any]:
        """Deletes what links the votes of a rater to a person, for good."""
        return self._post("/raters/erase", epoch, rater=rater)

    def undo(self, position: int, *, epoch: int | None = None) -> dict[str, Any]:
        """Undoes the step at a position of the log."""
        return self._post("/undo", epoch, position=position)

    def make_codes(self, count: int, *, epoch: int | None = None) -> dict[str, Any]:
        """Makes so many codes more; each lets one person be one rater."""
        return self._post("/codes", epoch, count=count)

    def codes(self, *, first: int = 1, limit: int = 1_000) -> dict[str, Any]:
        """The codes with their links and states, and how many are used, unused and revoked."""
        params = {"first": first, "limit": limit}
        found: dict[str, Any] = self._client.call("GET", f"{self._path}/codes", params=params)
        return found

    def revoke_codes(
        self, codes: Sequence[int | str], *, epoch: int | None = None
    ) -> dict[str, Any]:
        """Lets codes, by number or text, get nobody in any more; their votes stay."""
        return self._post("/codes/revoke", epoch, codes=list(codes))

    def reinstate_codes(
        self, codes: Sequence[int | str], *, epoch: int | None = None
    ) -> dict[str, Any]:
        """Lets revoked codes work again."""
        return self._post("/codes/reinstate", epoch, codes=list(codes))

    def change_list(
        self, *, add: Sequence[str] = (), remove: Sequence[str] = (), epoch: int | None = None
    ) -> dict[str, Any]:
        """Puts ids on the list of those who may vote, and takes others off it."""
        return self._post("/list", epoch, add=list(add), remove=list(remove))

    def link_key(self) -> dict[str, Any]:
        """The key with which your site signs its links to the contest, and its number."""
        found: dict[str, Any] = self._client.call("GET", f"{self._path}/link-key")
        return found

    def change_link_key(self, *, epoch: int | None = None) -> dict[str, Any]:
        """Gives the contest another key; links that the old one signed let nobody in any more."""
        return self._post("/link-key", epoch)

    def door(self) -> dict[str, Any]:
        """Who came in how, and what the door turned away."""
        found: dict[str, Any] = self._client.call("GET", f"{self._path}/door")
        return found

    def settings(self) -> dict[str, Any]:
        """The current settings, by the keys of a contest file, and which of them may change."""
        found: dict[str, Any] = self._client.call("GET", f"{self._path}/settings")
        return found

    def change(self, keys: Mapping[str, Any], *, epoch: int | None = None) -> dict[str, Any]:
        """Changes settings, by the keys of a contest file."""
        return self._post("/settings", epoch, set=dict(keys))

    def trail(self, *, since: int | None = None, limit: int = 100) -> dict[str, Any]:
        """What was done to the contest, latest first; only what came after an epoch, if given."""
        params = {"limit": limit} | ({} if since is None else {"since": since})
        found: dict[str, Any] = self._client.call("GET", f"{self._path}/trail", params=params)
        return found

    def _post(self, path: str, epoch: int | None, **body: Any) -> dict[str, Any]:
        tries = 1 if epoch is None else TRIES
        done: dict[str, Any] = self._client.call(
            "POST", self._path + path, json=body | self._consent | {"epoch": epoch}, tries=tries
        )
        return done


def waiting_time(attempt: int, *, asked: str = "") -> float:
    """How long to wait after so many failures, in seconds; `asked` is the service's own wish.

    >>> waiting_time(0), waiting_time(0, asked="2"), waiting_time(9, asked="3600")
    (0.2, 2.0, 8.0)
    """
    wish = float(asked) if asked.isascii() and asked.isdigit() else 0.0
    return float(min(max(0.2 * 2.0**attempt, wish), LONGEST_WAIT))


def work_done(asked: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What to send for the work that a new rater is asked for; `before` was not enough.

    Whoever is not done after the waiting time may come in without.
    """
    again = before is not None and before["challenge"] == asked["challenge"] and before["nonces"]
    late = time.monotonic() + asked["wait_ms"] / 1000
    found = solve(
        asked["challenge"], asked["bits"], start=again or _NOT_STARTED,
        give_up=lambda: time.monotonic() > late,
    )  # fmt: skip
    return {"challenge": asked["challenge"], "nonces": found or []}


def read_answer(response: Any) -> Any:
    """The answer as plain values; `ServiceError` where the service refused."""
    if response.is_success:
        return response.json()
    try:
        error = response.json()["error"]
        code, message = str(error["code"]), str(error["message"])
        more = {key: error[key] for key in ("epoch", "steps", "work") if key in error}
    except (ValueError, KeyError, TypeError):
        code, message = "unknown", f"Status {response.status_code}: {response.text[:200]}"
        more = {}
    raise ServiceError(response.status_code, code, message, **more)
