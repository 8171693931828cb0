"""Accounts, links, sessions and lock-out, without HTTP."""

import threading

import argon2
import pytest

from plaudit.errors import (
    AccountExists,
    InvalidInput,
    LastOwner,
    LinkGone,
    NotAllowed,
    NotPermitted,
    SignInRefused,
    TooManyGuesses,
    UnknownName,
    WrongField,
)
from plaudit.service.accounts.accounts import HOUR_MS, Accounts, check_name, folded_name
from plaudit.service.accounts.api_keys import issue_key, revoke_key
from plaudit.service.accounts.lockout import FORGET_MS, FREE, LONGEST_WAIT_MS
from plaudit.service.accounts.passwords import Passwords, check_password
from plaudit.service.accounts.roles import COMMAND_LINE, actor_of
from plaudit.service.accounts.secret import Secret
from plaudit.service.accounts.sessions import IDLE_MS, LONGEST_MS, NOTED_MS, Sessions, browser_of
from plaudit.service.accounts.sign_in import SignIn
from plaudit.service.accounts.tokens import token_hash
from plaudit.service.deeds import worded
from plaudit.store import open_store

PASSWORD = "four words put together"
OTHER = "quite another password"
WRONG = "not the password at all"
CHEAP = Passwords(time_cost=1, memory_kib=8)


class Clock:
    def __init__(self):
        self.now = 1_800_000_000_000

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(tmp_path):
    store = open_store(str(tmp_path / "desk.db"))
    yield store
    store.close()


@pytest.fixture
def accounts(store, clock):
    return Accounts(store, CHEAP, clock=clock)


@pytest.fixture
def ana(accounts):
    return accounts.welcome(accounts.first_link(), name="Ana", password=PASSWORD)


@pytest.fixture
def sessions(store, clock):
    return Sessions(store, clock=clock)


@pytest.fixture
def sign_in(store, clock):
    return SignIn(store, CHEAP, Secret(b"s" * 32), clock=clock)


def join(accounts, name, role="editor"):
    return accounts.welcome(accounts.invite(COMMAND_LINE, role), name=name, password=PASSWORD)


# Names and passwords


@pytest.mark.parametrize("name", ["Ana", "ana.b@example.org", "Zoë O'Neil", "山田", "a_b-c+d", "7"])
def test_names_of_people(name):
    assert check_name(f"  {name} ") == name


@pytest.mark.parametrize(
    "name", ["", "  ", "-a", "a" * 65, "a\0b", "a\u202eb", "<b>", "a/b", "a\nb:"]
)
def test_names_that_cannot_be(name):
    with pytest.raises(WrongField) as error:
        check_name(name)
    assert error.value.field == "name"


def test_letters_that_look_the_same_are_the_same():
    assert folded_name("ＡＮＡ  Ｂell") == folded_name(" ana bELL") == "ana bell"
    assert folded_name("STRASSE") == folded_name("straße")


@pytest.mark.parametrize(
    "password",
    ["", "elevenchars", "a" * 500, "abababababababab", "ana maria lopez", "AnaMariaLopez1"],
)
def test_passwords_that_cannot_be(password):
    name = "Ana Maria Lopez" if " " in password else "AnaMariaLopez"
    with pytest.raises(WrongField) as error:
        check_password(password, name=name)
    assert error.value.field == "password"


def test_passwords_are_hashed_each_time_anew():
    first, second = CHEAP.hash(PASSWORD), CHEAP.hash(PASSWORD)
    assert first != second
    assert first.startswith("$argon2id$")
    assert CHEAP.matches(first, PASSWORD)
    assert CHEAP.matches(second, PASSWORD)
    assert not CHEAP.matches(first, WRONG)
    assert not CHEAP.matches(None, "the password of nobody")
    assert not CHEAP.matches("no hash", PASSWORD)
    assert CHEAP.matches(CHEAP.hash("pass\u0301word of mine"), "pas\u015bword of mine")


def test_an_unknown_name_costs_the_same_work(monkeypatch):
    worked = []
    passwords = Passwords(time_cost=1, memory_kib=8)
    verify = type(passwords._hasher).verify
    monkeypatch.setattr(
        type(passwords._hasher), "verify", lambda *given: worked.append(given) or verify(*given)
    )
    passwords.matches(None, WRONG)
    passwords.matches(passwords.hash(PASSWORD), WRONG)
    nobody, known = [argon2.extract_parameters(hashed) for _, hashed, _ in worked]
    assert nobody == known
    assert (known.memory_cost, known.time_cost) == (8, 1)
    # It is a sound hash: all the work is done before it does not match.
    with pytest.raises(argon2.exceptions.VerifyMismatchError):
        verify(*worked[0])


def test_the_defaults_are_as_strong_as_advised():
    # OWASP's minimum for argon2id: 19 MiB and two passes.
    _, _, _, costs, *_ = Passwords().hash(PASSWORD).split("$")
    memory, passes, _ = (int(part.partition("=")[2]) for part in costs.split(","))
    assert memory >= 19 * 1024
    assert passes >= 2


# Links


def test_the_first_link_makes_an_owner_once(accounts, store):
    token = accounts.first_link()
    assert store.invitation(token_hash(token)) is not None
    assert token.encode() not in token_hash(token)
    ana = accounts.welcome(token, name=" Ana ", password=PASSWORD)
    assert (ana.name, ana.role) == ("Ana", "owner")
    assert accounts.first_link() is None
    with pytest.raises(LinkGone):
        accounts.welcome(token, name="Eve", password=PASSWORD)


def test_each_start_has_a_first_link_of_its_own(accounts):
    old, new = accounts.first_link(), accounts.first_link()
    with pytest.raises(LinkGone):
        accounts.link(old)
    assert accounts.link(new).role == "owner"


@pytest.mark.parametrize(("kind", "hours"), [("first", 24), ("invite", 168), ("reset", 24)])
def test_links_end(accounts, clock, kind, hours):
    if kind == "first":
        token = accounts.first_link()
    else:
        ana = accounts.welcome(accounts.first_link(), name="Ana", password=PASSWORD)
        by = actor_of(ana)
        token = (
            accounts.invite(by, "viewer") if kind == "invite" else accounts.reset(by, ana.number)
        )
    clock.now += hours * HOUR_MS - 1
    assert accounts.link(token).kind == kind
    clock.now += 1
    with pytest.raises(LinkGone):
        accounts.link(token)
    with pytest.raises(LinkGone):
        accounts.welcome(token, name="Eve", password=PASSWORD)
    with pytest.raises(LinkGone):
        accounts.renew(token, password=OTHER)


def test_a_mistake_does_not_use_a_link_up(accounts, ana):
    token = accounts.invite(actor_of(ana), "viewer")
    for name, password in (("", PASSWORD), ("Bob", "short"), ("Bob", "")):
        with pytest.raises(WrongField):
            accounts.welcome(token, name=name, password=password)
    with pytest.raises(AccountExists):
        accounts.welcome(token, name="ANA", password=PASSWORD)
    assert accounts.welcome(token, name="Bob", password=PASSWORD).role == "viewer"


def test_a_link_does_only_what_it_is_for(accounts, ana):
    invited, reset = (
        accounts.invite(actor_of(ana), "viewer"),
        accounts.reset(COMMAND_LINE, ana.number),
    )
    with pytest.raises(LinkGone):
        accounts.renew(invited, password=OTHER)
    with pytest.raises(LinkGone):
        accounts.welcome(reset, name="Eve", password=PASSWORD)


def test_a_lost_password(accounts, ana, sessions, sign_in):
    old = sessions.begin(ana, agent="")
    token = accounts.reset(COMMAND_LINE, accounts.numbered("ANA"))
    assert sessions.find(old)
    with pytest.raises(WrongField):
        accounts.renew(token, password="short")
    renewed = accounts.renew(token, password=OTHER)
    assert sessions.find(old) is None
    assert sign_in.account("ana", OTHER, address="x") == renewed
    with pytest.raises(SignInRefused):
        sign_in.account("ana", PASSWORD, address="x")
    with pytest.raises(LinkGone):
        accounts.renew(token, password=PASSWORD)


# Roles


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_only_owners_see_to_people(accounts, ana, store, role):
    bob = join(accounts, "Bob", role)
    by, before = actor_of(bob), (store.accounts(), store.invitations(), store.deeds(), store.keys())
    for step in (
        lambda: accounts.invite(by, "viewer"),
        lambda: accounts.reset(by, ana.number),
        lambda: accounts.set_role(by, bob.number, "owner"),
        lambda: accounts.remove(by, ana.number),
        lambda: accounts.cancel(by, b"x"),
        lambda: issue_key(store, by, "bot", ("read",)),
        lambda: revoke_key(store, by, "bot"),
    ):
        with pytest.raises(NotPermitted, match="owner"):
            step()
    assert before == (store.accounts(), store.invitations(), store.deeds(), store.keys())


def test_roles_change_at_once(accounts, ana, sessions):
    bob = join(accounts, "Bob")
    token = sessions.begin(bob, agent="")
    accounts.set_role(actor_of(ana), bob.number, "viewer")
    assert sessions.find(token).account.role == "viewer"
    accounts.remove(actor_of(ana), bob.number)
    assert sessions.find(token) is None
    with pytest.raises(NotAllowed):
        accounts.remove(actor_of(ana), bob.number)
    with pytest.raises(WrongField):
        accounts.set_role(actor_of(ana), ana.number, "king")


def test_the_last_owner_stays(accounts, ana):
    for step in (
        lambda: accounts.set_role(actor_of(ana), ana.number, "editor"),
        lambda: accounts.remove(COMMAND_LINE, ana.number),
    ):
        with pytest.raises(LastOwner):
            step()


def test_deeds_say_who_did_what(accounts, ana, store):
    by = actor_of(ana)
    bob = accounts.welcome(accounts.invite(by, "editor"), name="Bob", password=PASSWORD)
    accounts.set_role(by, bob.number, "viewer")
    accounts.change_password(bob, old=PASSWORD, new=OTHER)
    accounts.renew(accounts.reset(by, bob.number), password=PASSWORD)
    token = accounts.invite(by, "owner")
    accounts.cancel(by, token_hash(token))
    issue_key(store, by, "bot", ("read", "export"))
    revoke_key(store, by, "bot")
    accounts.remove(by, bob.number)
    assert [f"{deed.who} {worded(deed.what)}" for deed in reversed(store.deeds())] == [
        "the command line made a first link",
        "Ana joined as owner with the first link",
        "Ana invited a new editor",
        "Bob joined as editor with an invitation",
        "Ana gave Bob the role viewer",
        "Bob set a new password",
        "Ana made a link for a new password for Bob",
        "Bob set a new password with a link",
        "Ana invited a new owner",
        "Ana cancelled a link for owner",
        "Ana made the API key bot (read, export)",
        "Ana revoked the API key bot",
        "Ana removed Bob",
    ]
    kept = " ".join(str(deed) for deed in store.deeds())
    assert PASSWORD not in kept
    assert token not in kept


def test_names_that_are_not_there(accounts, ana):
    with pytest.raises(UnknownName, match="Did you mean 'Ana'"):
        accounts.numbered("Anna")
    with pytest.raises(NotAllowed):
        accounts.cancel(actor_of(ana), b"nothing")


def test_no_accounts_at_all(accounts):
    with pytest.raises(InvalidInput, match="plaudit account link"):
        accounts.numbered("Ana")


def test_keys_need_a_new_name_and_a_scope(ana, store):
    by = actor_of(ana)
    assert issue_key(store, by, " the  bot ", ("read",)).startswith("plaudit_")
    for name, scopes, field in (
        ("the bot", ("read",), "name"),
        ("", ("read",), "name"),
        ("x" * 65, ("read",), "name"),
        ("a\0b", ("read",), "name"),
        ("new", (), "scopes"),
        ("new", ("all",), "scopes"),
    ):
        with pytest.raises(WrongField) as error:
            issue_key(store, by, name, scopes)
        assert error.value.field == field
    assert [key.name for key in list(store.keys())] == ["the bot"]


# Sessions


def test_sessions_slide_and_end(ana, sessions, clock, store):
    token = sessions.begin(ana, agent="")
    assert store.session(token.encode()) is None
    for _ in range(3):
        clock.now += IDLE_MS - 1
        assert sessions.find(token).account == ana
    clock.now += IDLE_MS
    assert sessions.find(token) is None
    assert store.sessions(ana.number) == []


def test_a_session_has_a_longest_time(ana, sessions, clock):
    token = sessions.begin(ana, agent="")
    end = clock.now + LONGEST_MS
    while clock.now + IDLE_MS // 2 < end:
        clock.now += IDLE_MS // 2
        assert sessions.find(token)
    clock.now = end - 1
    assert sessions.find(token)
    clock.now = end
    assert sessions.find(token) is None


def test_use_is_noted_now_and_then(ana, sessions, clock, store):
    token = sessions.begin(ana, agent="")
    begun = clock.now
    clock.now += NOTED_MS - 1
    sessions.find(token)
    assert store.sessions(ana.number)[0].seen_at == begun
    clock.now += 1
    sessions.find(token)
    assert store.sessions(ana.number)[0].seen_at == clock.now


def test_sessions_are_ended_by_their_own_account_alone(accounts, ana, sessions):
    bob = join(accounts, "Bob")
    mine, other, bobs = (sessions.begin(one, agent="") for one in (ana, ana, bob))
    assert not sessions.end_one(ana, token_hash(bobs))
    assert sessions.end_others(sessions.find(mine)) == 1
    assert sessions.find(mine)
    assert sessions.find(bobs)
    assert sessions.find(other) is None
    sessions.end(mine)
    assert sessions.find(mine) is None


def test_a_new_password_ends_sessions_and_stops_one_that_just_begins(accounts, ana, sessions):
    tokens = [sessions.begin(ana, agent="") for _ in range(2)]
    changed = accounts.change_password(ana, old=PASSWORD, new=OTHER)
    assert [sessions.find(token) for token in tokens] == [None, None]
    assert sessions.begin(ana, agent="") is None
    assert sessions.begin(changed, agent="")
    with pytest.raises(SignInRefused):
        accounts.change_password(changed, old=PASSWORD, new=OTHER)


@pytest.mark.parametrize("token", ["", "x", "\ud83d", "a" * 5000])
def test_tokens_of_nobody(sessions, token):
    assert sessions.find(token) is None


def test_browsers_in_words():
    chrome = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36"
    assert browser_of(chrome) == "Chrome on Android"
    assert browser_of("<script>") == "A browser"


# Guessing


def guess(sign_in, name="ana", password=WRONG, address="192.0.2.1", device=""):
    """The text of the refusal, "" if there is none."""
    try:
        sign_in.account(name, password, address=address, device=device)
    except SignInRefused as error:
        return "wait" if isinstance(error, TooManyGuesses) else str(error)
    return ""


def test_a_wrong_name_is_answered_like_a_wrong_password(ana, sign_in):
    answers = {
        name: [guess(sign_in, name, address=f"{name}{n}") for n in range(FREE["name"] + 3)]
        for name in ("ana", "nobody")
    }
    assert answers["ana"] == answers["nobody"]
    assert answers["ana"][0] == "The name or the password is wrong."
    assert answers["ana"][-1] == "wait"


def test_the_wait_for_a_name_grows_and_has_an_end(ana, sign_in, clock):
    for n in range(FREE["name"]):
        assert guess(sign_in, address=str(n)).startswith("The name")
    waits = []
    for n in range(12):
        with pytest.raises(TooManyGuesses) as error:
            sign_in.account("ANA ", PASSWORD, address=f"other {n}")
        waits.append(error.value.seconds)
        # An attempt that is refused does not lengthen the wait.
        clock.now += error.value.seconds * 1000 - 1
        assert guess(sign_in, password=PASSWORD, address=f"other {n}") == "wait"
        clock.now += 1
        assert guess(sign_in, address=f"other {n}").startswith("The name")
    assert waits[:4] == [5, 10, 20, 40]
    assert max(waits) == waits[-1] == LONGEST_WAIT_MS // 1000
    clock.now += LONGEST_WAIT_MS
    assert guess(sign_in, password=PASSWORD, address="home") == ""
    # Signing in forgets the failures of the name.
    assert guess(sign_in, address="home").startswith("The name")


def test_an_address_that_tries_many_names_waits(ana, sign_in, clock):
    for n in range(FREE["address"]):
        assert guess(sign_in, f"name {n}").startswith("The name")
    assert guess(sign_in, "ana", PASSWORD) == "wait"
    assert guess(sign_in, "ana", PASSWORD, address="192.0.2.2") == ""
    clock.now += 5_000
    assert guess(sign_in, "ana", PASSWORD) == ""
    # Signing in to one's own account does not clear guesses at others.
    assert guess(sign_in, "another").startswith("The name")
    assert guess(sign_in, "another") == "wait"


def test_an_address_that_waits_does_not_make_the_name_wait(ana, sign_in):
    for n in range(FREE["address"]):
        guess(sign_in, f"name {n}")
    for _ in range(3 * FREE["name"]):
        assert guess(sign_in, "ana") == "wait"
    assert guess(sign_in, "ana", PASSWORD, address="home") == ""


def test_strangers_cannot_keep_a_known_browser_out(ana, sign_in, clock):
    device = sign_in.device_of(ana)
    for n in range(200):
        guess(sign_in, "ana", address=str(n % 7))
        clock.now += 1_000
    assert guess(sign_in, "ana", PASSWORD) == "wait"
    assert guess(sign_in, "ana", PASSWORD, device=device) == ""
    for forged in ("x", device[:-1] + ("0" if device[-1] != "0" else "1"), ".", "a.b", "\ud83d."):
        assert guess(sign_in, "ana", PASSWORD, device=forged) == "wait"


def test_a_known_browser_may_not_guess_for_ever(accounts, ana, sign_in):
    bob = join(accounts, "Bob")
    device = sign_in.device_of(bob)
    answers = [guess(sign_in, "bob", device=device) for _ in range(FREE["device"] + 1)]
    assert answers[-1] == "wait"
    assert "wait" not in answers[:-1]
    # The browser is known for its own account only.
    for _ in range(FREE["name"]):
        guess(sign_in, "ana", device=sign_in.device_of(bob), address="x")
    assert guess(sign_in, "ana", PASSWORD, device=sign_in.device_of(bob), address="x") == "wait"


def test_failures_are_forgotten_after_a_day(ana, sign_in, clock):
    for n in range(FREE["name"]):
        guess(sign_in, address=str(n))
    clock.now += FORGET_MS
    assert guess(sign_in).startswith("The name")
    assert guess(sign_in).startswith("The name")


def test_many_guesses_at_once_are_many(ana, sign_in):
    answers = []
    threads = [
        threading.Thread(target=lambda n=n: answers.append(guess(sign_in, address=str(n))))
        for n in range(24)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(answer != "wait" for answer in answers) <= FREE["name"]


def test_a_link_lets_in_whoever_must_wait(accounts, ana, sign_in):
    for n in range(50):
        guess(sign_in, address=str(n))
    renewed = accounts.renew(accounts.reset(COMMAND_LINE, ana.number), password=OTHER)
    assert renewed.name == "Ana"


def test_the_present_password_is_not_to_be_guessed_either(accounts, ana, sign_in):
    def change(old):
        sign_in.change_password(accounts, ana, old=old, new=OTHER, address="x")

    for _ in range(FREE["device"]):
        with pytest.raises(SignInRefused, match="current"):
            change(WRONG)
    with pytest.raises(TooManyGuesses):
        change(PASSWORD)


def test_the_store_learns_no_name_or_address_from_guesses(tmp_path, clock):
    path = tmp_path / "guessed.db"
    store = open_store(str(path))
    guess(SignIn(store, CHEAP, Secret(b"s" * 32), clock=clock), "very-secret", address="192.0.2.77")
    store.close()
    assert b"very-secret" not in path.read_bytes()
    assert b"192.0.2.77" not in path.read_bytes()
