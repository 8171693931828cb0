"""The provider: where a browser is sent, and who it is that comes back."""

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote_plus

import httpx2
import msgspec
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc.jwk import KeySet

from plaudit.errors import ErrandRefused, ProviderAway
from plaudit.service.accounts.secret import Secret
from plaudit.service.door.openid import id_tokens
from plaudit.service.door.openid.documents import Kept, Metadata, Requests, read_metadata
from plaudit.service.door.openid.errands import RETURN, Errand, Errands, Subject
from plaudit.service.door.openid.id_tokens import Expected, Refused, UnknownKey
from plaudit.service.door.openid.settings import ProviderSettings

log = logging.getLogger("plaudit")
# Keys that are younger than this are not asked for again, whatever a token says.
YOUNG_KEYS_SECONDS = 10.0
LONGEST_CODE = 4_096


class TokenAnswer(msgspec.Struct, frozen=True):
    """What the provider gives for a code; all else in it is not read."""

    id_token: str
    access_token: str = ""


class OpenIdProvider:
    """The provider of a service, as one worker talks to it."""

    def __init__(
        self,
        settings: ProviderSettings,
        secret: Secret,
        *,
        public_url: str,
        clock: Callable[[], int],
    ) -> None:
        self.name = settings.name
        self.issuer = settings.issuer
        self.errands = Errands(secret, issuer=settings.issuer, client=settings.client)
        self._settings = settings
        self._return = public_url.rstrip("/") + RETURN
        self._clock = clock
        self._requests = Requests()
        self._metadata: Kept[Metadata] = Kept(self._read_metadata)
        self._keys: Kept[KeySet] = Kept(self._read_keys)

    async def close(self) -> None:
        """Closes the connections to the provider."""
        await self._requests.close()

    async def way_there(self, errand: Errand, *, anew: bool = False) -> str:
        """The address at the provider that a browser is sent to.

        With `anew` the provider asks who it is, even if it knows somebody in this browser.
        """
        metadata = await self._metadata.get()
        verifier = self.errands.verifier(errand)
        address: str = prepare_grant_uri(
            metadata.authorization_endpoint,
            client_id=self._settings.client,
            response_type="code",
            redirect_uri=self._return,
            # Only who it is: no name, no mail, no picture.
            scope="openid",
            state=self.errands.state(errand),
            nonce=self.errands.nonce(errand),
            code_challenge=create_s256_code_challenge(verifier),
            code_challenge_method="S256",
            prompt="login" if anew else None,
        )
        return address

    async def who_came_back(self, errand: Errand, query: Mapping[str, str]) -> Subject:
        """Who the browser of an errand is, from the address that the provider sent it to.

        `ErrandRefused` if that cannot be said for certain, `ProviderAway` if not now.
        """
        metadata = await self._metadata.get()
        self._check_sender(metadata, query)
        if "error" in query:
            said = query["error"] if re.fullmatch(r"[a-z_]{1,64}", query["error"]) else "?"
            raise self._refused(f"the provider said {said}")
        code = query.get("code", "")
        if not 0 < len(code) <= LONGEST_CODE:
            raise self._refused("there is no code")
        answer = await self._exchange(metadata, code, self.errands.verifier(errand))
        return Subject(self._settings.issuer, await self._subject(metadata, answer, errand))

    def _check_sender(self, metadata: Metadata, query: Mapping[str, str]) -> None:
        """Refuses an answer of another provider (RFC 9207)."""
        required = metadata.authorization_response_iss_parameter_supported
        if query.get("iss", "" if required else self._settings.issuer) != self._settings.issuer:
            raise self._refused("the answer is from another provider")

    async def _exchange(self, metadata: Metadata, code: str, verifier: str) -> TokenAnswer:
        """What the provider gives for a code, which it takes once, from us, with the verifier."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._return,
            "code_verifier": verifier,
        }
        status, body = await self._requests.json(
            "POST", metadata.token_endpoint, **self._signed(metadata, form)
        )
        if status >= 500 or status == 429:
            log.warning("The provider answered with status %d to a code.", status)
            raise ProviderAway
        if status != 200:
            if status == 401:
                log.error("The provider does not accept our client id and secret.")
            raise self._refused(f"the provider refused the code with status {status}")
        try:
            return msgspec.json.decode(body, type=TokenAnswer)
        except msgspec.DecodeError:
            raise self._refused("there is no ID token") from None

    def _signed(self, metadata: Metadata, form: dict[str, str]) -> dict[str, Any]:
        """A request with the client's secret, in the way that the provider takes it."""
        client, secret = self._settings.client, self._settings.secret
        if "client_secret_basic" in metadata.token_endpoint_auth_methods_supported:
            # RFC 6749, section 2.3.1: encoded like the fields of a form.
            return {"data": form, "auth": httpx2.BasicAuth(quote_plus(client), quote_plus(secret))}
        return {"data": form | {"client_id": client, "client_secret": secret}}

    async def _subject(self, metadata: Metadata, answer: TokenAnswer, errand: Errand) -> str:
        """The subject of a valid ID token; keys that are new at the provider are fetched."""
        named = frozenset(metadata.id_token_signing_alg_values_supported or [id_tokens.USUAL])
        expected = Expected(
            issuer=self._settings.issuer,
            client=self._settings.client,
            nonce=self.errands.nonce(errand),
            access_token=answer.access_token,
            algorithms=named & id_tokens.ALGORITHMS or frozenset({id_tokens.USUAL}),
        )
        now = self._clock() // 1000
        try:
            try:
                keys = await self._keys.get()
                return id_tokens.subject_of(answer.id_token, keys, expected, now=now)
            except UnknownKey:
                keys = await self._keys.get(young=YOUNG_KEYS_SECONDS)
                return id_tokens.subject_of(answer.id_token, keys, expected, now=now)
        except UnknownKey:
            raise self._refused("the ID token is signed with an unknown key") from None
        except Refused as error:
            raise self._refused(f"the ID token fails a check: {error}") from None

    async def _read_metadata(self) -> Metadata:
        return await read_metadata(self._requests, self._settings.issuer)

    async def _read_keys(self) -> KeySet:
        metadata = await self._metadata.get()
        status, body = await self._requests.json("GET", metadata.jwks_uri)
        try:
            return id_tokens.keys_of(body if status == 200 else b"")
        except Refused:
            log.error("The provider has no keys at %s (status %d).", metadata.jwks_uri, status)
            raise ProviderAway from None

    def _refused(self, why: str) -> ErrandRefused:
        """The error for the person; the reason is for those who run the service."""
        log.warning("Nobody was signed in: %s.", why)
        return ErrandRefused()
