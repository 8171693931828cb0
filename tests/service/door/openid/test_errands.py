"""Errands: what a browser keeps that was sent to the provider."""

import base64
import json

import pytest

from plaudit.service.accounts.secret import Secret
from plaudit.service.door.openid.errands import DESK, LASTS_MS, Errands

SECRET = Secret(b"s" * 32)
ISSUER, CLIENT = "https://id.example.org", "plaudit"
NOW = 1_700_000_000_000
ERRANDS = Errands(SECRET, issuer=ISSUER, client=CLIENT)


def test_an_errand_comes_back_as_it_was():
    made = ERRANDS.new(DESK, "/desk/people", now=NOW, bound="b", name="Ána 🐘")
    assert ERRANDS.read(ERRANDS.cookie(made), now=NOW) == made
    assert ERRANDS.is_state(made, ERRANDS.state(made))


def test_an_errand_lasts_ten_minutes():
    cookie = ERRANDS.cookie(ERRANDS.new(DESK, "", now=NOW))
    assert LASTS_MS == 600_000
    assert ERRANDS.read(cookie, now=NOW + LASTS_MS - 1) is not None
    assert ERRANDS.read(cookie, now=NOW + LASTS_MS) is None
    assert ERRANDS.read(cookie, now=NOW - 1) is None


def test_two_errands_have_nothing_in_common():
    one, two = (ERRANDS.new(DESK, "/desk", now=NOW) for _ in range(2))
    made = [f(e) for e in (one, two) for f in (ERRANDS.state, ERRANDS.nonce, ERRANDS.verifier)]
    assert len(set(made)) == 6
    assert all(43 <= len(text) <= 128 for text in made), "as RFC 7636 wants a verifier"
    cookie = ERRANDS.cookie(one)
    assert not any(text in cookie for text in made)
    assert not ERRANDS.is_state(one, ERRANDS.state(two))
    assert not ERRANDS.is_state(one, "")


@pytest.mark.parametrize(
    "other",
    [
        Errands(Secret(b"t" * 32), issuer=ISSUER, client=CLIENT),
        Errands(SECRET, issuer="https://evil.example", client=CLIENT),
        Errands(SECRET, issuer=ISSUER, client="another"),
    ],
)
def test_an_errand_of_another_service_or_provider_is_not_ours(other):
    assert ERRANDS.read(other.cookie(other.new(DESK, "/desk", now=NOW)), now=NOW) is None


def test_a_cookie_that_was_changed_is_refused():
    made = ERRANDS.new(DESK, "/desk", now=NOW)
    body, _, signed = ERRANDS.cookie(made).partition(".")
    forged = json.dumps(["desk", "/desk", NOW, "known", "", ""]).encode()
    forged_body = base64.urlsafe_b64encode(forged).decode().rstrip("=")
    odd = [
        "",
        ".",
        "a.b",
        body,
        f"{body}.",
        f"{forged_body}.{signed}",
        f"{body}.{signed}é",
        "x" * 9999,
    ]
    for text in odd:
        assert ERRANDS.read(text, now=NOW) is None
    for place in range(0, len(body), 7):
        changed = body[:place] + ("A" if body[place] != "A" else "B") + body[place + 1 :]
        assert ERRANDS.read(f"{changed}.{signed}", now=NOW) is None
