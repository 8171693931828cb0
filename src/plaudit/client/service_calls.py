"""Calls to a service as a whole: its contests, results, keys and proofs."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from plaudit.client.newcomer import come_in
from plaudit.client.plan import Pause, Plan, Request, fetch, persist, planned
from plaudit.client.refusal import TRIES, check_answer, read_answer

ROOT = "/api/v1"
UNCHANGED = 304


def path_of(contest: str, *parts: str) -> str:
    """The address of a contest, or of a part of it."""
    return "/".join((f"{ROOT}/contests/{quote(contest, safe='')}", *parts))


def given(**named: Any) -> dict[str, Any]:
    """What was given at all."""
    return {name.rstrip("_"): each for name, each in named.items() if each is not None}


class ServiceCalls:
    """What a client can ask of a service."""

    @planned
    def call(self, /, method: str, path: str, *, tries: int = TRIES, **given: Any) -> Plan[Any]:
        """The answer to one request as plain values; repeated while the service does not answer.

        `json`, `content`, `params` and `headers` may be given.
        """
        return fetch(method, path, tries=tries, **given)

    # Contests

    @planned
    def contests(self) -> Plan[list[dict[str, Any]]]:
        """All contests; needs a key with the scope `read`."""
        listed: list[dict[str, Any]] = (yield from fetch("GET", f"{ROOT}/contests"))["contests"]
        return listed

    @planned
    def create(self, keys: Mapping[str, Any]) -> Plan[dict[str, Any]]:
        """Makes a draft from the keys of a contest file, `items` among them; sent only once.

        The answer has the name of the contest. Pictures are named by their hashes.
        """
        return fetch("POST", f"{ROOT}/contests", json=dict(keys), tries=1)

    @planned
    def restore(self, export: bytes) -> Plan[dict[str, Any]]:
        """Restores a contest from its export `contest.jsonl.gz`, all or nothing; sent only once."""
        return fetch("POST", f"{ROOT}/restore", content=export, tries=1)

    @planned
    def put_picture(self, picture: bytes) -> Plan[str]:
        """Keeps a picture; returns the hash that names it in a contest."""
        return str((yield from fetch("POST", f"{ROOT}/assets", content=picture))["hash"])

    @planned
    def contest(self, name: str) -> Plan[dict[str, Any]]:
        """A contest as raters see it."""
        return fetch("GET", path_of(name))

    @planned
    def results(self, name: str, *, limit: int = 20) -> Plan[dict[str, Any]]:
        """The leaders of a contest with their intervals."""
        return fetch("GET", path_of(name, "results"), params={"limit": limit})

    @planned
    def changed_results(
        self, name: str, tag: str = "", *, every: float = 2.0, limit: int = 20
    ) -> Plan[tuple[str, dict[str, Any]]]:
        """The results as soon as they are not those with this tag any more, with their own tag.

        It asks again every so many seconds.
        """
        headers, params = {"if-none-match": tag}, {"limit": limit}
        request = Request("GET", path_of(name, "results"), params=params, headers=headers)
        while (answer := (yield from persist(request))).status == UNCHANGED:
            yield Pause(every)
        return answer.headers.get("etag", ""), read_answer(answer)

    @planned
    def come_in(
        self,
        contest: str,
        *,
        external: str | None = None,
        code: str | None = None,
        signature: str | None = None,
    ) -> Plan[str]:
        """The token of a rater, which says who they are from now on; `rater` is what uses it."""
        body = given(external=external, code=code, signature=signature)
        return come_in(path_of(contest, "raters"), body)

    # Proof

    @planned
    def keys(self) -> Plan[dict[str, Any]]:
        """The public keys of the service, the current one first."""
        return fetch("GET", f"{ROOT}/keys")

    @planned
    def checkpoint(self, contest: str) -> Plan[str]:
        """The latest signed checkpoint of a contest, as text."""
        answer = yield from persist(Request("GET", path_of(contest, "checkpoint")))
        return check_answer(answer).text

    @planned
    def checkpoints(
        self, contest: str, *, before: int | None = None, limit: int = 100
    ) -> Plan[dict[str, Any]]:
        """The signed checkpoints of a contest, the largest first; those smaller than `before`."""
        params = given(before=before, limit=limit)
        return fetch("GET", path_of(contest, "checkpoints"), params=params)

    @planned
    def consistency(
        self, contest: str, first: int, second: int | None = None
    ) -> Plan[dict[str, Any]]:
        """The proof that a log only grew between two checkpoints, by their sizes."""
        params = given(from_=first, to=second)
        return fetch("GET", path_of(contest, "proofs", "consistency"), params=params)

    @planned
    def inclusion(
        self, contest: str, position: int, *, size: int | None = None
    ) -> Plan[dict[str, Any]]:
        """The proof that an entry is in the log of a checkpoint, the latest unless told."""
        params = given(position=position, size=size)
        return fetch("GET", path_of(contest, "proofs", "inclusion"), params=params)

    @planned
    def check_receipt(self, receipt: str) -> Plan[dict[str, Any]]:
        """What the log has for the receipt of an answer, and whether the answer counts."""
        path = path_of(receipt.partition(":")[0], "receipts")
        return fetch("POST", path, json={"receipt": receipt})

    @planned
    def witnessed(self) -> Plan[dict[str, Any]]:
        """What the service has seen of others as their witness, and what may be watched here."""
        return fetch("GET", f"{ROOT}/witnessed")
