"""A service over HTTP, as a stranger sees it: keys, checkpoints and proofs."""

import base64
import binascii
import re
from typing import Any
from urllib.parse import quote, urlsplit

from plaudit.errors import InvalidInput, PlauditError
from plaudit.proof.note import PublicKey, read_vkey

SECONDS = 20.0
LONGEST_ANSWER = 4 * 2**20
KEYS = "/.well-known/plaudit-keys"
GONE = 404


class Away(PlauditError):
    """The service gave no usable answer; it may do so later."""


class Denied(PlauditError):
    """The service says that there is no such thing."""


class Remote:
    """A service at an address; `http` is a client to use in place of one of its own."""

    def __init__(self, url: str, *, http: Any = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput(
                f"{url!r} is no address of a service: write https://vote.example.org."
            )
        self.url = url.rstrip("/")
        # The name of a folder.
        self.host = re.sub(r"[^a-z0-9.-]+", "_", parts.netloc.rpartition("@")[2].lower()).lstrip(
            "."
        )
        # Late: every service has a witness, and few of them watch others.
        import httpx2

        self._http = http or httpx2.Client(base_url=self.url, timeout=SECONDS)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def keys(self) -> list[PublicKey]:
        """The public keys that the service lists, the current one first."""
        lines = [line.strip() for line in self._text(KEYS).splitlines()]
        found = [read_vkey(line) for line in lines if line and not line.startswith("#")]
        if not found:
            raise Away(f"{self.url} lists no public key at {KEYS}.")
        return found

    def contests(self) -> list[str]:
        """The contests that the service shows to everybody."""
        listed = self._json("/api/v1/witnessed").get("contests", [])
        return [name for name in listed if isinstance(name, str)]

    def checkpoint(self, contest: str) -> str:
        """The latest signed checkpoint of a contest."""
        return self._text(f"{_path(contest)}/checkpoint")

    def kept_checkpoint(self, contest: str, size: int) -> str | None:
        """The checkpoint that the service keeps for a size, or None."""
        found = self._json(f"{_path(contest)}/checkpoints", before=size + 1, limit=1)
        for kept in found.get("checkpoints", []):
            if isinstance(kept, dict) and kept.get("size") == size:
                return str(kept.get("text"))
        return None

    def consistency(self, contest: str, first: int, second: int) -> list[bytes]:
        """The proof that the log of one size is the beginning of the log of another."""
        answer = self._json(f"{_path(contest)}/proofs/consistency", **{"from": first, "to": second})
        return hashes_in(answer)

    def check_receipt(self, contest: str, receipt: str) -> dict[str, Any]:
        """What the service says of a receipt."""
        answer = self._ask("POST", f"{_path(contest)}/receipts", json={"receipt": receipt})
        return _object(answer)

    def witnessed(self) -> dict[str, Any]:
        """What this service, a witness itself, has seen of others."""
        return self._json("/api/v1/witnessed")

    def _text(self, path: str) -> str:
        text: str = self._ask("GET", path).text
        return text

    def _json(self, path: str, **query: Any) -> dict[str, Any]:
        return _object(self._ask("GET", path, params=query))

    def _ask(self, method: str, path: str, **given: Any) -> Any:
        import httpx2

        try:
            response = self._http.request(method, path, **given)
        except httpx2.HTTPError as error:
            raise Away(f"No answer from {self.url} ({error}).") from None
        if response.status_code in (GONE, 410):
            raise Denied(f"{self.url} says that there is nothing at {path}: {_told(response)}")
        if not response.is_success:
            raise Away(f"{self.url}{path} answers {response.status_code}: {_told(response)}")
        if len(response.content) > LONGEST_ANSWER:
            raise Away(f"{self.url}{path} answers with more than {LONGEST_ANSWER:,} bytes.")
        return response


def hashes_in(answer: dict[str, Any]) -> list[bytes]:
    """The hashes of a proof; whatever else stands there proves nothing."""
    given = answer.get("path")
    try:
        return [base64.b64decode(text, validate=True) for text in given or []]
    except (TypeError, binascii.Error, ValueError):
        return [b""]


def _path(contest: str) -> str:
    return f"/api/v1/contests/{quote(contest, safe='')}"


def _object(response: Any) -> dict[str, Any]:
    try:
        found = response.json()
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Away("The service answers with something else than an object of JSON.")
    return found


def _told(response: Any) -> str:
    try:
        return str(response.json()["error"]["message"])[:300]
    except (ValueError, KeyError, TypeError):
        return str(response.text[:200])
