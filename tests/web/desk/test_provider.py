"""Signing in at the desk through a real provider, and attacks on the way there and back."""

import sqlite3
import time
from urllib.parse import parse_qs, urlsplit

import pytest

from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.roles import COMMAND_LINE
from plaudit.service.door.openid import documents
from plaudit.service.door.openid import provider as provider_module
from plaudit.store import open_store
from plaudit.web import browser_sessions
from plaudit.web.app import Serving
from support.provider.real import NAME, log_in, new_keys, started
from support.provider.visitor import PASSWORD, Visitor
from support.served_site import served
from support.service_process import free_port

CHEAP = Passwords(time_cost=1, memory_kib=8)


class Place:
    """A service, the provider that it is connected to, and its store."""

    def __init__(self, url, provider, store, path):
        self.url, self.provider, self.store, self.path = url, provider, store, path
        self.accounts = Accounts(store, CHEAP)
        self.made = 0

    def visitor(self):
        return Visitor(self.url)

    def invited(self, role="editor"):
        """The path of an invitation."""
        token = self.accounts.invite(COMMAND_LINE, role)
        return f"/desk/welcome/{token}"

    def with_password(self, role="editor"):
        """Someone new with a password, signed in, and their name."""
        self.made += 1
        name, visitor, path = f"Person {self.made}", self.visitor(), self.invited(role)
        answer = visitor.send(path, path, name=name, password=PASSWORD, again=PASSWORD)
        assert answer.headers["location"] == "/desk"
        return visitor, name

    def with_subject(self, who, role="editor"):
        """Someone new without a password, signed in, and their name."""
        self.made += 1
        name, visitor, path = f"Person {self.made}", self.visitor(), self.invited(role)
        back = log_in(visitor.leave(path, f"{path}/provider", name=name), who)
        answer = visitor.get(back)
        assert (answer.status_code, answer.headers["location"]) == (303, "/desk")
        return visitor, name

    def number(self, name):
        return str(self.accounts.numbered(name))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("desk") / "desk.db")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with pytest.MonkeyPatch.context() as patch, started(url) as provider:
        patch.setattr(browser_sessions, "Passwords", lambda: CHEAP)
        # The tests restart the provider more often than people do.
        patch.setattr(documents, "AGAIN_SECONDS", 0.0)
        patch.setattr(provider_module, "YOUNG_KEYS_SECONDS", 0.0)
        serving = Serving(
            path, "x" * 40, public_url=url, provider=provider.settings, address_rate=""
        )
        store = open_store(path)
        Accounts(store, CHEAP).first_link()
        with served(serving, port=port):
            found = Place(url, provider, store, path)
            found.with_password("owner")
            yield found
        store.close()


def refused(answer, code=403):
    assert answer.status_code == code, answer.text
    assert "plaudit_desk" not in answer.headers.get("set-cookie", "")
    return True


# The way of people


def test_an_invitation_is_used_with_the_provider_and_then_one_signs_in_anywhere(place):
    first, name = place.with_subject("ines")
    assert name in first.get("/desk").text
    account = place.store.account(name.lower())
    assert (account.role, account.password) == ("editor", "")
    again = place.visitor()
    address = again.set_out()
    assert address.startswith(place.provider.issuer + "/auth?")
    answer = again.get(log_in(address, "ines"))
    assert (answer.status_code, answer.headers["location"]) == (303, "/desk/account")
    assert again.session
    assert again.session != first.session
    assert name in again.get("/desk/account").text
    assert again.errand is None


def test_the_provider_is_asked_only_who_it_is(place):
    asked = parse_qs(urlsplit(place.visitor().set_out()).query)
    assert asked["scope"] == ["openid"]
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == [f"{place.url}/sign-in/return"]
    assert set(asked) == {
        "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method",
    }  # fmt: skip


def test_contests_may_have_its_door(place):
    visitor, _ = place.with_password()
    page = visitor.get("/desk/new").text
    assert 'name="door" value="sign-in"' in page
    assert "--sign-in-issuer" not in page


def test_whom_the_provider_knows_gets_no_account_by_that(place):
    before = place.store.accounts(), place.store.deeds()
    stranger = place.visitor()
    answer = stranger.get(log_in(stranger.set_out(), "stranger"))
    assert refused(answer)
    assert "no account here is linked to you" in answer.text
    assert stranger.session is None
    assert (place.store.accounts(), place.store.deeds()) == before


def test_one_links_the_own_account_with_the_password_and_unlinks_it(place):
    visitor, name = place.with_password()
    wrong = visitor.send("/desk/account", "/desk/account/link", password="not the password")
    assert wrong.status_code == 422
    assert "This is not your current password" in wrong.text
    back = log_in(visitor.leave("/desk/account", "/desk/account/link", password=PASSWORD), "lin")
    assert visitor.get(back).headers["location"] == "/desk/account?done=linked"
    assert "Linked since" in visitor.get("/desk/account").text
    by_provider, by_password = place.visitor(), place.visitor()
    assert by_provider.get(log_in(by_provider.set_out(), "lin")).status_code == 303
    assert by_password.send("/desk/sign-in", "/desk/sign-in", name=name, password=PASSWORD)
    assert by_password.session
    assert visitor.send("/desk/account", "/desk/account/unlink").status_code == 303
    assert visitor.get("/desk/account").status_code == 200
    assert by_provider.get("/desk/account").status_code == 303, "its session ended"
    late = place.visitor()
    assert refused(late.get(log_in(late.set_out(), "lin")))
    said = [deed.what for deed in place.store.deeds(limit=3)]
    assert any("unlinked" in what for what in said)


def test_the_last_way_in_is_not_cut_off(place):
    visitor, name = place.with_subject("only", "owner")
    assert "It is your only way in" in visitor.get("/desk/account").text
    answer = visitor.send("/desk/account", "/desk/account/unlink")
    assert answer.status_code == 409
    assert "no password" in answer.text
    other, _ = place.with_password("owner")
    number = place.number(name)
    answer = other.send("/desk/people", "/desk/people/unlink", account=number)
    assert answer.status_code == 409
    assert visitor.get("/desk/account").status_code == 200
    # By a link to a password there is another way in, and then the provider can go.
    token = place.accounts.reset(COMMAND_LINE, int(number))
    path = f"/desk/welcome/{token}"
    answer = visitor.send(path, path, password=PASSWORD, again=PASSWORD)
    assert answer.status_code == 303
    answer = other.send("/desk/people", "/desk/people/unlink", account=number)
    assert answer.headers["location"] == "/desk/people?done=unlinked-other"
    assert visitor.get("/desk/account").status_code == 303, "signed out everywhere"


def test_an_owner_names_someone_and_an_editor_may_not(place):
    owner, _ = place.with_password("owner")
    editor, name = place.with_password()
    number = place.number(name)
    fields = {"account": number, "subject": "  named "}
    assert editor.send("/desk/account", "/desk/people/subject", **fields).status_code == 403
    answer = owner.send("/desk/people", "/desk/people/subject", **fields)
    assert answer.headers["location"] == "/desk/people?done=named"
    visitor = place.visitor()
    assert visitor.get(log_in(visitor.set_out(), "named")).status_code == 303
    assert name in visitor.get("/desk/account").text
    _, another = place.with_password()
    fields = {"account": place.number(another), "subject": "named"}
    answer = owner.send("/desk/people", "/desk/people/subject", **fields)
    assert answer.status_code == 409
    assert "belongs to another account" in answer.text
    answer = owner.send("/desk/people", "/desk/people/subject", account=number, subject=" ")
    assert answer.status_code == 409
    assert "Type the subject" in answer.text


def test_a_link_to_a_new_password_may_bring_the_provider_instead(place):
    visitor, name = place.with_password()
    token = place.accounts.reset(COMMAND_LINE, int(place.number(name)))
    path = f"/desk/welcome/{token}"
    back = log_in(visitor.leave(path, f"{path}/provider"), "reset")
    assert visitor.get(back).headers["location"] == "/desk"
    assert place.visitor().get(path).status_code == 410
    by_password = place.visitor()
    answer = by_password.send("/desk/sign-in", "/desk/sign-in", name=name, password=PASSWORD)
    assert answer.status_code == 401, "the old password works no longer"


@pytest.mark.parametrize("password", ["", "the password of nobody"])
def test_an_account_without_a_password_has_none_that_can_be_guessed(place, password):
    who = f"none-{len(password)}"
    _, name = place.with_subject(who)
    visitor = place.visitor()
    answer = visitor.send("/desk/sign-in", "/desk/sign-in", name=name, password=password)
    assert answer.status_code == 401
    assert visitor.session is None


def test_a_name_that_is_taken_is_told_before_one_leaves(place):
    _, name = place.with_password()
    path, visitor = place.invited(), place.visitor()
    answer = visitor.send(path, f"{path}/provider", name=name.upper())
    assert answer.status_code == 422
    assert "Choose another name" in answer.text
    assert visitor.send(path, f"{path}/provider", name="").status_code == 422


def test_a_link_works_once_also_by_the_provider(place):
    path = place.invited()
    one, two = place.visitor(), place.visitor()
    address_one = one.leave(path, f"{path}/provider", name="First come")
    address_two = two.leave(path, f"{path}/provider", name="Second come")
    assert one.get(log_in(address_one, "first-come")).status_code == 303
    assert refused(two.get(log_in(address_two, "second-come")), 410)
    assert place.store.account("second come") is None


def test_one_person_at_the_provider_has_one_account(place):
    place.with_subject("single")
    path, visitor = place.invited(), place.visitor()
    answer = visitor.get(log_in(visitor.leave(path, f"{path}/provider", name="Twin"), "single"))
    assert refused(answer, 409)
    assert place.store.account("twin") is None
    assert place.visitor().get(path).status_code == 200, "the link still works"


def test_only_a_keyed_hash_is_kept(place):
    place.with_subject("very-unusual-subject")
    place.store.check()
    connection = sqlite3.connect(place.path)
    rows = connection.execute("SELECT hash FROM subjects").fetchall()
    dump = "\n".join(connection.iterdump())
    connection.close()
    assert all(len(hash) == 24 for (hash,) in rows)
    for secret in ("very-unusual-subject", "example.org", "The name of", place.provider.issuer):
        assert secret not in dump


# Attacks


def test_the_code_of_another_browser_is_refused(place):
    """Login CSRF: a victim is given the address that the attacker came back with."""
    place.with_subject("attacker")
    attacker, victim = place.visitor(), place.visitor()
    back = log_in(attacker.set_out(), "attacker")
    assert refused(victim.get(back))
    victim.set_out()
    assert refused(victim.get(back))
    assert victim.session is None
    # The victim's own errand is not lost by that.
    assert victim.errand


def test_a_code_with_the_state_of_another_errand_is_refused(place):
    """A swapped code: the state is the victim's, the code the attacker's. PKCE and nonce differ."""
    place.with_subject("swapper")
    attacker, victim = place.visitor(), place.visitor()
    code = parse_qs(urlsplit(log_in(attacker.set_out(), "swapper")).query)["code"][0]
    state = parse_qs(urlsplit(victim.set_out()).query)["state"][0]
    query = {"code": code, "state": state, "iss": place.provider.issuer}
    assert refused(victim.get("/sign-in/return", params=query))
    assert victim.session is None


def test_an_address_of_return_works_once(place):
    place.with_subject("replayed")
    visitor = place.visitor()
    address = visitor.set_out()
    errand = visitor.errand
    back = log_in(address, "replayed")
    assert visitor.get(back).status_code == 303
    assert refused(visitor.get(back))
    # Not even with the cookie of the errand: the provider takes a code once.
    thief = place.visitor()
    thief.http.cookies.set("plaudit_errand", errand, domain="127.0.0.1")
    assert refused(thief.get(back))
    assert thief.session is None


@pytest.mark.parametrize("change", ["state", "iss", "code", "error", "twice"])
def test_an_answer_that_was_changed_is_refused(place, change):
    place.with_subject(f"changed-{change}")
    visitor = place.visitor()
    back = log_in(visitor.set_out(), f"changed-{change}")
    query = {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}
    if change == "state":
        query["state"] = query["state"][:-1] + ("0" if query["state"][-1] != "0" else "1")
    elif change == "iss":
        query["iss"] = "https://evil.example"
    elif change == "code":
        query["code"] += "x"
    elif change == "error":
        query["error"] = "<script>"
    # The right code comes last, which is the one that would be read.
    pairs = [*([("code", "x")] if change == "twice" else []), *query.items()]
    answer = visitor.get("/sign-in/return", params=pairs)
    assert refused(answer)
    assert "script>" not in answer.text
    assert visitor.session is None


def test_an_answer_without_its_issuer_is_refused_if_the_provider_states_it(place):
    place.with_subject("mixed-up")
    visitor = place.visitor()
    back = log_in(visitor.set_out(), "mixed-up")
    query = {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}
    del query["iss"]
    assert refused(visitor.get("/sign-in/return", params=query))


def test_a_cancelled_sign_in_says_so_and_leads_back(place):
    visitor = place.visitor()
    state = parse_qs(urlsplit(visitor.set_out()).query)["state"][0]
    query = {"error": "access_denied", "state": state, "iss": place.provider.issuer}
    answer = visitor.get("/sign-in/return", params=query)
    assert refused(answer)
    assert 'href="/desk/sign-in"' in answer.text


@pytest.mark.parametrize(
    "wanted", ["https://evil.example", "//evil.example", "/desk/../../evil", "/c/x", "javascript:1"]
)
def test_nobody_is_sent_elsewhere_after_signing_in(place, wanted):
    who = f"sent-{wanted[:14]}"
    place.with_subject(who)
    visitor = place.visitor()
    address = visitor.leave("/desk/sign-in", "/desk/sign-in/provider", next=wanted)
    assert visitor.get(log_in(address, who)).headers["location"] == "/desk"


def test_a_session_that_was_planted_is_not_the_one_that_one_gets(place):
    """Session fixation: the cookie from before ends, and a new one is made."""
    attacker, _ = place.with_password()
    place.with_subject("fixed")
    victim = place.visitor()
    planted = attacker.session
    victim.http.cookies.update(attacker.http.cookies)
    address = victim.leave("/desk/account", "/desk/sign-in/provider", next="/desk")
    victim.get(log_in(address, "fixed"))
    assert victim.session != planted
    assert attacker.get("/desk/account").status_code == 303, "the planted session ended"


def test_linking_is_finished_by_the_session_that_began_it(place):
    """An attacker's code must not be linked to the account of a victim."""
    one, name = place.with_password()
    two, other = place.with_password()
    address = one.leave("/desk/account", "/desk/account/link", password=PASSWORD)
    back = log_in(address, "linked-by-one")
    two.http.cookies.set("plaudit_errand", one.errand, domain="127.0.0.1")
    assert refused(two.get(back))
    one.send("/desk/account", "/desk/sign-out")
    assert refused(one.get(log_in(address, "linked-by-one")))
    numbers = {place.accounts.numbered(name), place.accounts.numbered(other)}
    assert numbers.isdisjoint(place.store.subjects())


def test_forms_of_other_sites_start_nothing(place):
    visitor, _ = place.with_password()
    page = visitor.get("/desk/account").text
    token = page.partition('name="form_token" value="')[2].partition('"')[0]
    for path in ("/desk/sign-in/provider", "/desk/account/link", "/desk/account/unlink"):
        given = {"form_token": token, "password": PASSWORD}
        evil = {"origin": "https://evil.example"}
        assert visitor.http.post(path, data=given, headers=evil).status_code == 403
        assert visitor.http.post(path, data={"password": PASSWORD}).status_code == 403
        assert visitor.get(path).status_code == 405


def test_an_errand_is_for_ten_minutes(place, monkeypatch):
    place.with_subject("slow")
    visitor = place.visitor()
    back = log_in(visitor.set_out(), "slow")
    monkeypatch.setattr("plaudit.service.door.openid.errands.LASTS_MS", 0)
    answer = visitor.get(back)
    assert refused(answer)
    assert "ten minutes" in answer.text


def test_the_pages_say_what_to_do_at_another_address(place):
    port = place.url.rpartition(":")[2]
    elsewhere = Visitor(f"http://localhost:{port}")
    assert f'href="{place.url}/desk/sign-in"' in elsewhere.get("/desk/sign-in").text
    answer = elsewhere.send("/desk/sign-in", "/desk/sign-in/provider", next="/desk")
    assert answer.status_code == 409
    assert place.url in answer.text


# The provider changes, or is away


def test_keys_that_are_new_at_the_provider_are_found(place):
    place.with_subject("rotated")
    place.provider.stop()
    place.provider.keys = new_keys()
    place.provider.start()
    visitor = place.visitor()
    assert visitor.get(log_in(visitor.set_out(), "rotated")).status_code == 303


def test_a_provider_that_is_away_is_said_to_be(place):
    place.with_subject("patient")
    visitor = place.visitor()
    back = log_in(visitor.set_out(), "patient")
    place.provider.stop()
    try:
        began = time.monotonic()
        answer = visitor.get(back)
        assert refused(answer, 503)
        assert time.monotonic() - began < 5
        assert "does not answer" in answer.text
        assert 'href="/desk/sign-in"' in answer.text
        assert place.visitor().get("/desk/sign-in").status_code == 200
    finally:
        place.provider.start()
    visitor = place.visitor()
    assert visitor.get(log_in(visitor.set_out(), "patient")).status_code == 303


def test_the_name_of_the_provider_is_on_the_buttons(place):
    for path in ("/desk/sign-in", place.invited()):
        assert f"Sign in with {NAME}" in place.visitor().get(path).text
