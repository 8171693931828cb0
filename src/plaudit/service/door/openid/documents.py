"""What the provider publishes: its addresses and its keys, fetched when needed and kept a while.

All requests to the provider go through here: bounded in time and in bytes, without redirects.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

import httpx2
import msgspec

from plaudit.errors import ProviderAway
from plaudit.service.door.openid.settings import is_safe

T = TypeVar("T")
log = logging.getLogger("plaudit")
# One request to the provider, from the first byte sent to the last one read.
LONGEST_SECONDS = 8.0
MOST_BYTES = 512 * 1024
# How long a document is kept, and how soon one that could not be had is asked for again.
KEPT_SECONDS, AGAIN_SECONDS = 3_600.0, 3.0
# People who may wait for the provider at the same time, in this worker.
MOST_WAITING = 64


class Metadata(msgspec.Struct, frozen=True):
    """What a provider says of itself (OpenID Connect Discovery 1.0)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    id_token_signing_alg_values_supported: tuple[str, ...] = ()
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    authorization_response_iss_parameter_supported: bool = False


class Kept(Generic[T]):
    """A document that is fetched when it is first needed, and again when it is old."""

    def __init__(self, fetch: Callable[[], Awaitable[T]]) -> None:
        self._fetch = fetch
        self._found: T | None = None
        self._found_at = self._failed_at = float("-inf")
        self._turn = asyncio.Lock()

    async def get(self, *, young: float = KEPT_SECONDS) -> T:
        """The document, not older than this many seconds; `ProviderAway` if it cannot be had."""
        async with self._turn:
            now = time.monotonic()
            if self._found is not None and now - self._found_at < young:
                return self._found
            # All who waited in line learn at once that the first of them waited in vain.
            if now - self._failed_at < AGAIN_SECONDS:
                raise ProviderAway
            try:
                self._found = await self._fetch()
            except ProviderAway:
                self._failed_at = time.monotonic()
                raise
            self._found_at = time.monotonic()
            return self._found


class Requests:
    """Requests to the provider."""

    def __init__(self) -> None:
        limits = httpx2.Limits(max_connections=16)
        self._http = httpx2.AsyncClient(timeout=LONGEST_SECONDS, limits=limits)
        self._waiting = 0

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def json(self, method: str, address: str, **given: Any) -> tuple[int, bytes]:
        """The status and the body of an answer; `ProviderAway` if there is none in time."""
        if self._waiting >= MOST_WAITING:
            raise ProviderAway
        self._waiting += 1
        try:
            async with asyncio.timeout(LONGEST_SECONDS):
                return await self._read(method, address, given)
        except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            log.warning("The provider at %s did not answer: %s", address, type(error).__name__)
            raise ProviderAway from None
        finally:
            self._waiting -= 1

    async def _read(self, method: str, address: str, given: Any) -> tuple[int, bytes]:
        headers = {"accept": "application/json"}
        async with self._http.stream(method, address, headers=headers, **given) as answer:
            body = b""
            async for part in answer.aiter_bytes():
                body += part
                if len(body) > MOST_BYTES:
                    raise httpx2.ReadError("the answer is too long")
            return answer.status_code, body


async def read_metadata(requests: Requests, issuer: str) -> Metadata:
    """What the provider says of itself; `ProviderAway` if that cannot be used."""
    address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    status, body = await requests.json("GET", address)
    try:
        found = msgspec.json.decode(body if status == 200 else b"", type=Metadata)
    except msgspec.DecodeError as error:
        log.error("There is no OpenID provider at %s (status %d): %s", address, status, error)
        raise ProviderAway from None
    if found.issuer != issuer:
        log.error("The provider calls itself %r, and not %r.", found.issuer, issuer)
        raise ProviderAway
    locally = issuer.startswith("http:")
    places = (found.authorization_endpoint, found.token_endpoint, found.jwks_uri)
    if not all(is_safe(place, locally=locally) for place in places):
        log.error("The provider at %s has addresses without https.", issuer)
        raise ProviderAway
    return found
