"""A provider that lies, is slow or is away: nobody gets in, and nothing hangs."""

import asyncio
import base64
import hmac
import json
import logging
import socket
import time
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey

from plaudit.errors import ErrandRefused, InvalidInput, ProviderAway
from plaudit.service.accounts.secret import Secret
from plaudit.service.clock import now_ms
from plaudit.service.door.openid import documents
from plaudit.service.door.openid.errands import DESK, Subject
from plaudit.service.door.openid.provider import OpenIdProvider
from plaudit.service.door.openid.settings import ProviderSettings, check_provider
from support.provider.crooked import CLIENT, running

URL = "https://vote.example.org"
SECRET = Secret(b"s" * 32)


@pytest.fixture(scope="module")
def shared():
    with running() as provider:
        yield provider


@pytest.fixture
def crooked(shared):
    """The provider, honest again."""
    before = dict(vars(shared))
    shared.asked = []
    shared.metadata, shared.published = dict(shared.metadata), list(shared.published)
    yield shared
    vars(shared).update(before)


class Trip:
    """One service that sends somebody away, and sees them come back."""

    def __init__(self, crooked, clock=now_ms):
        self.crooked = crooked
        self.provider = OpenIdProvider(crooked.settings, SECRET, public_url=URL, clock=clock)
        self.errand = self.provider.errands.new(DESK, "/desk", now=now_ms())

    @property
    def nonce(self):
        return self.provider.errands.nonce(self.errand)

    async def back(self, **query):
        return await self.provider.who_came_back(self.errand, {"code": "c"} | query)


def run(trip, *steps):
    """The outcome of the last of some steps, in one event loop."""

    async def all_of_them():
        try:
            for step in steps[:-1]:
                await step()
            return await steps[-1]()
        finally:
            await trip.provider.close()

    return asyncio.run(all_of_them())


def test_an_honest_token_says_who_it_is(crooked):
    trip = Trip(crooked)
    crooked.sign(crooked.claims(trip.nonce))
    assert run(trip, trip.back) == Subject(crooked.issuer, "ana")
    assert repr(Subject(crooked.issuer, "ana")) == "Subject(…)"
    ((_, form),) = [one for one in crooked.asked if one[0] == "/token"]
    assert form["redirect_uri"] == f"{URL}/sign-in/return"
    assert form["code_verifier"] == trip.provider.errands.verifier(trip.errand)


HOUR = 3_600
# What is wrong about a token: changes of its claims, times from now on; None leaves a claim out.
LIES = {
    "another audience": {"aud": "another"},
    "audiences without us": {"aud": ["another", "third"]},
    "us among others, made for another": {"aud": [CLIENT, "another"], "azp": "another"},
    "us among others, made for nobody": {"aud": [CLIENT, "another"]},
    "no audience": {"aud": None},
    "another issuer": {"iss": "https://evil.example"},
    "no issuer": {"iss": None},
    "expired": {"exp": -120, "iat": -HOUR},
    "never expires": {"exp": None},
    "expires as text": {"exp": "tomorrow"},
    "made in the future": {"iat": HOUR, "exp": 2 * HOUR},
    "not made": {"iat": None},
    "not yet valid": {"nbf": HOUR},
    "another nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "an empty nonce": {"nonce": ""},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a number for a subject": {"sub": 7},
    "a subject without end": {"sub": "x" * 256},
    "another access token": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
}


@pytest.mark.parametrize("what", LIES)
def test_a_token_that_says_something_else_is_refused(crooked, caplog, what):
    trip, now = Trip(crooked), int(time.time())
    timed = {"exp", "iat", "nbf"}
    changes = {
        name: now + value if name in timed and isinstance(value, int) else value
        for name, value in LIES[what].items()
    }
    crooked.sign(crooked.claims(trip.nonce, **changes))
    with pytest.raises(ErrandRefused):
        run(trip, trip.back)
    assert "fails a check" in caplog.text
    for word in ("ana", "eyJ", trip.nonce):
        assert word not in caplog.text


def encoded(text):
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def by_hmac(kid, body, secret):
    """A token that is signed with HS256, as if a text that everybody knows were the key."""
    signed = f"{encoded(json.dumps({'alg': 'HS256', 'kid': kid}).encode())}.{body}"
    return f"{signed}.{encoded(hmac.digest(secret, signed.encode(), 'sha256'))}"


def forgeries(crooked, claims):
    """Tokens with the right claims that the provider did not sign."""
    crooked.sign(claims)
    head, body, signature = crooked.answer["id_token"].split(".")
    for header in (b'{"alg":"none"}', b'{"alg":"None"}', b'{"alg":"NONE","kid":"x"}', b"{}", b"[]"):
        yield f"{encoded(header)}.{body}."
        yield f"{encoded(header)}.{body}.{signature}"
    yield from (f"{head}.{body}.", f"{head}.{body}", f"{head}..{signature}", "", "...", "é.é.é")
    yield f"{head}.{body}.{signature[:-8]}"
    yield f"{head}.{encoded(json.dumps(claims | {'sub': 'eve'}).encode())}.{signature}"
    for secret in (crooked.key.as_pem(private=False), b"secret", b""):
        yield by_hmac(crooked.key.kid, body, secret)
    other = RSAKey.generate_key(2048, {"kid": "other"})
    public = other.as_dict(private=False)
    for header in ({}, {"kid": "other"}, {"jwk": public}, {"kid": "other", "jwk": public}):
        crooked.sign(claims, key=other, **header)
        yield crooked.answer["id_token"]
    yield jwt.encode({"alg": "RS256"}, claims, other)


def test_signatures_that_others_can_make_are_refused(crooked):
    """`none`, HS256 with the public key, another key, a key in the header, a cut signature."""
    first = Trip(crooked)
    claims = crooked.claims(first.nonce)
    taken = {}
    for text in forgeries(crooked, claims):
        crooked.answer = {"id_token": text, "access_token": "x"}
        trip = Trip(crooked)
        trip.errand = first.errand
        try:
            taken[text] = run(trip, trip.back)
        except ErrandRefused:
            continue
    assert taken == {}
    crooked.sign(claims)
    assert run(first, first.back).subject == "ana", "all else about the tokens was right"


def test_a_provider_that_offers_weak_algorithms_is_not_believed(crooked):
    crooked.metadata["id_token_signing_alg_values_supported"] = ["none", "HS256"]
    secret = OctKey.import_key(b"secret" * 6)
    crooked.published = [*crooked.published, secret.as_dict(private=True) | {"kid": "weak"}]
    trip = Trip(crooked)
    header = {"alg": "HS256", "kid": "weak"}
    text = jwt.encode(header, crooked.claims(trip.nonce), secret, ["HS256"])
    crooked.answer = {"id_token": text}
    with pytest.raises(ErrandRefused):
        run(trip, trip.back)
    trip = Trip(crooked)
    crooked.sign(crooked.claims(trip.nonce))
    assert run(trip, trip.back).subject == "ana", "RS256 is what every provider has"


def test_keys_of_several_kinds_are_read(crooked):
    """A kind of key that nobody knows yet does not hide the others."""
    curve = ECKey.generate_key("P-256", {"use": "sig"}, auto_kid=True)
    strange = [{"kty": "NEW", "kid": "n"}, {"kty": "RSA", "kid": "broken"}, {"kty": "EC"}, {}]
    crooked.published = [*strange, *crooked.published, curve.as_dict(private=False)]
    crooked.metadata["id_token_signing_alg_values_supported"] = ["RS256", "ES256"]
    trip = Trip(crooked)
    crooked.sign(crooked.claims(trip.nonce), key=curve, alg="ES256", kid=curve.kid)
    assert run(trip, trip.back).subject == "ana"


@pytest.mark.parametrize("same_name", [False, True])
def test_new_keys_are_fetched_when_a_signature_needs_them(crooked, monkeypatch, same_name):
    monkeypatch.setattr("plaudit.service.door.openid.provider.YOUNG_KEYS_SECONDS", 0.0)
    trip = Trip(crooked)
    crooked.sign(crooked.claims(trip.nonce))
    name = crooked.key.kid if same_name else "new"
    new = RSAKey.generate_key(2048, {"use": "sig", "kid": name})

    async def rotate():
        crooked.published = [new.as_dict(private=False)]
        crooked.sign(crooked.claims(trip.nonce), key=new, kid=name)

    assert run(trip, trip.back, rotate, trip.back).subject == "ana"
    assert [path for path, _ in crooked.asked].count("/jwks") == 2


def test_tokens_with_unknown_keys_do_not_make_us_ask_for_keys_again_and_again(crooked):
    trip = Trip(crooked)
    crooked.sign(crooked.claims(trip.nonce), kid="unknown")

    async def refused():
        with pytest.raises(ErrandRefused):
            await trip.back()

    run(trip, *[refused] * 5)
    assert [path for path, _ in crooked.asked].count("/jwks") == 1


@pytest.mark.parametrize(
    "change",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://evil.example/token"},
        {"jwks_uri": "ftp://127.0.0.1/jwks"},
        {"authorization_endpoint": None},
        {"jwks_uri": 7},
    ],
)
def test_a_provider_that_publishes_nonsense_is_not_used(crooked, change):
    crooked.metadata |= change
    trip = Trip(crooked)
    with pytest.raises(ProviderAway):
        run(trip, lambda: trip.provider.way_there(trip.errand))
    assert {path for path, _ in crooked.asked} == {"/.well-known/openid-configuration"}


@pytest.mark.parametrize(
    ("status", "answer", "error"),
    [
        (400, {"error": "invalid_grant"}, ErrandRefused),
        (401, {"error": "invalid_client"}, ErrandRefused),
        (302, {}, ErrandRefused),
        (200, {}, ErrandRefused),
        (200, b"<html>", ErrandRefused),
        (200, {"id_token": ["x"]}, ErrandRefused),
        (200, {"id_token": "x" * 600_000}, ProviderAway),
        (500, {}, ProviderAway),
        (429, {}, ProviderAway),
    ],
)
def test_an_answer_to_a_code_that_is_no_token_is_refused(crooked, status, answer, error):
    crooked.status, crooked.answer = status, answer
    trip = Trip(crooked)
    with pytest.raises(error):
        run(trip, trip.back)
    assert "/elsewhere" not in [path for path, _ in crooked.asked]


def test_without_a_code_the_provider_is_not_asked(crooked):
    for query in ({"code": ""}, {"code": "x" * 5_000}, {"error": "access_denied"}):
        trip = Trip(crooked)
        with pytest.raises(ErrandRefused):
            run(trip, lambda trip=trip, query=query: trip.back(**query))
    assert "/token" not in [path for path, _ in crooked.asked]


def test_the_secret_goes_the_way_that_the_provider_takes(crooked):
    crooked.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    trip = Trip(crooked)
    crooked.sign(crooked.claims(trip.nonce))
    run(trip, trip.back)
    ((_, form),) = [one for one in crooked.asked if one[0] == "/token"]
    assert (form["client_id"], form["client_secret"]) == (CLIENT, "secret")


def test_the_way_there_has_what_must_come_back(crooked):
    trip = Trip(crooked)
    address = run(trip, lambda: trip.provider.way_there(trip.errand))
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    assert asked["state"] == trip.provider.errands.state(trip.errand)
    assert asked["nonce"] == trip.nonce
    assert trip.provider.errands.verifier(trip.errand) not in address


# Away or slow


def test_a_provider_that_drips_is_given_up_and_holds_nobody_up(crooked, monkeypatch):
    monkeypatch.setattr(documents, "LONGEST_SECONDS", 0.5)
    trip = Trip(crooked)
    crooked.sign(crooked.claims(trip.nonce))
    crooked.drip = 0.05
    gaps = []

    async def others():
        """Everyone else on the event loop, who must not notice."""
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.01)
            gaps.append(time.monotonic() - began)

    async def while_others_work():
        task = asyncio.create_task(others())
        began = time.monotonic()
        with pytest.raises(ProviderAway):
            await trip.back()
        task.cancel()
        return time.monotonic() - began

    assert 0.4 < run(trip, while_others_work) < 5
    assert len(gaps) > 10
    assert max(gaps) < 0.4


def test_many_who_wait_for_a_provider_that_hangs_wait_once(monkeypatch):
    monkeypatch.setattr(documents, "LONGEST_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0), backlog=64) as deaf:
        issuer = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        settings = ProviderSettings(issuer, CLIENT, "secret", "Deaf")
        provider = OpenIdProvider(settings, SECRET, public_url=URL, clock=now_ms)
        errand = provider.errands.new(DESK, "/desk", now=now_ms())

        async def all_at_once():
            tries = [provider.way_there(errand) for _ in range(100)]
            outcomes = await asyncio.gather(*tries, return_exceptions=True)
            await provider.close()
            return outcomes

        began = time.monotonic()
        outcomes = asyncio.run(all_at_once())
    assert {type(one) for one in outcomes} == {ProviderAway}
    assert time.monotonic() - began < 3


def test_nobody_waits_in_a_line_without_end(crooked, monkeypatch):
    monkeypatch.setattr(documents, "MOST_WAITING", 2)
    monkeypatch.setattr(documents, "LONGEST_SECONDS", 1.0)
    trip = Trip(crooked)
    crooked.sign(crooked.claims(trip.nonce))
    crooked.drip = 0.05

    async def many():
        await trip.provider.way_there(trip.errand)
        began = time.monotonic()
        tries = [asyncio.create_task(trip.back()) for _ in range(5)]
        done, _ = await asyncio.wait(tries, return_when=asyncio.FIRST_COMPLETED)
        quick = time.monotonic() - began
        await asyncio.gather(*tries, return_exceptions=True)
        return len(done), quick

    done, quick = run(trip, many)
    assert done == 3
    assert quick < 0.5


def test_what_is_logged_names_no_secret_and_no_person(crooked, caplog):
    caplog.set_level(logging.DEBUG, logger="plaudit")
    trip = Trip(crooked)
    crooked.sign(crooked.claims(trip.nonce, aud="another"))
    with pytest.raises(ErrandRefused):
        run(trip, lambda: trip.back(code="a-code"))
    told = [r.getMessage() for r in caplog.records if r.name == "plaudit"]
    assert told == ["Nobody was signed in: the ID token fails a check: InvalidClaimError aud."]


# Settings


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"issuer": "http://id.example.org"}, "Plain http"),
        ({"issuer": "id.example.org"}, "not the address"),
        ({"issuer": "https://id.example.org?x=1"}, "not the address"),
        ({"issuer": "https://user@id.example.org"}, "not the address"),
        ({"client": ""}, "--sign-in-client"),
        ({"secret": ""}, "PLAUDIT_SIGN_IN_SECRET"),
        ({"name": ""}, "--sign-in-name"),
        ({"name": "x" * 65}, "--sign-in-name"),
    ],
)
def test_settings_that_cannot_work_are_refused(change, words):
    good = {"issuer": "https://id.example.org/a", "client": "c", "secret": "s", "name": "n"}
    assert check_provider(ProviderSettings(**good)).name == "n"
    with pytest.raises(InvalidInput, match=words):
        check_provider(ProviderSettings(**good | change))


def test_the_secret_is_in_no_text_of_the_settings():
    assert "hush" not in repr(ProviderSettings("https://id.example.org", "c", "hush", "n"))
