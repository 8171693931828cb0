"""ID tokens: whether the provider made one for us, for this errand, and just now.

Signatures and claims are checked by Authlib and joserfc. Here is only what they are told: which
algorithms, which keys, which claims.
"""

import json
from typing import Any, NamedTuple

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import BadSignatureError, ClaimError, InvalidKeyIdError, JoseError
from joserfc.jwk import JWKRegistry, KeySet
from joserfc.jws import JWSRegistry

# Only signatures that nobody but the provider can make: never `none`, and no HS256, whose key
# others know.
ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519"}
)
USUAL = "RS256"
# How far the provider's clock may be off.
LEEWAY_SECONDS = 60
LONGEST_SUBJECT = 255


class UnknownKey(Exception):
    """A token whose signature is by none of the keys that we know of the provider."""


class Refused(Exception):
    """A token that is not what it should be; the text names the check, and no value."""


class Expected(NamedTuple):
    """What an ID token must say."""

    issuer: str
    client: str
    nonce: str
    access_token: str
    algorithms: frozenset[str]


def keys_of(body: bytes) -> KeySet:
    """The keys in a JWKS document, without those that sign no ID token."""
    try:
        found = json.loads(body)["keys"]
        given = [one for one in found if isinstance(one, dict)]
    except (ValueError, KeyError, TypeError):
        raise Refused("keys") from None
    return KeySet([key for one in given if (key := _key(one)) is not None])


def _key(given: dict[str, Any]) -> Any:
    if given.get("kty") not in ("RSA", "EC", "OKP") or given.get("use", "sig") != "sig":
        return None
    try:
        return JWKRegistry.import_key(given)
    except (JoseError, ValueError, TypeError, KeyError):
        return None  # of a kind that we do not know


def subject_of(text: str, keys: KeySet, expected: Expected, *, now: int) -> str:
    """Whom the provider means; `now` is in seconds since 1970.

    `UnknownKey` if other keys may help, `Refused` if nothing can.
    """
    registry = JWSRegistry(algorithms=sorted(expected.algorithms), strict_check_header=False)
    if not keys:
        raise UnknownKey
    try:
        token = jwt.decode(text, keys, registry=registry)
        claims = CodeIDToken(token.claims, token.header, _options(expected), _params(expected))
        claims.validate(now=now, leeway=LEEWAY_SECONDS)
        subject = claims["sub"]
    except (InvalidKeyIdError, BadSignatureError):
        raise UnknownKey from None
    except ClaimError as error:
        raise Refused(f"{type(error).__name__} {error.claim}") from None
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise Refused(type(error).__name__) from None
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
        raise Refused("sub")
    return subject


def _options(expected: Expected) -> dict[str, Any]:
    return {
        "iss": {"essential": True, "value": expected.issuer},
        "sub": {"essential": True},
        "aud": {"essential": True, "value": expected.client},
        "exp": {"essential": True},
        "iat": {"essential": True},
        "nonce": {"essential": True, "value": expected.nonce},
    }


def _params(expected: Expected) -> dict[str, str]:
    given = {"nonce": expected.nonce, "client_id": expected.client}
    return given | ({"access_token": expected.access_token} if expected.access_token else {})
