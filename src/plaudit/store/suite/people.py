"""Those who run contests: accounts, links, sessions, guesses and deeds."""

import threading

import pytest

from plaudit.errors import AccountExists, InvalidInput, LastOwner, LinkGone
from plaudit.store.contract import Store
from plaudit.store.people import (
    FIRST,
    INVITE,
    NOBODY,
    RESET,
    Account,
    Deed,
    Guesses,
    Invitation,
    Session,
)
from plaudit.store.suite.samples import Reopen

LATE = 1_000
DEED = Deed(10, "ana", "did something")


def link(store: Store, hash: bytes, kind: str = INVITE, role: str = "editor", **more: int) -> bytes:
    """The hash of a new link."""
    given = {"account": NOBODY, "made_by": NOBODY, "created_at": 1, "expires_at": LATE} | more
    store.put_invitation(Invitation(hash, kind, role, **given), deed=DEED)
    return hash


def joined(store: Store, name: str, role: str = "editor", password: str = "hash") -> Account:
    """A new account, by a link of its own."""
    hash = link(store, f"link of {name}".encode(), role=role)
    return store.add_account(Account(0, name, name.lower(), "", password, 5), link=hash, deed=DEED)


def begun(store: Store, account: Account, hash: bytes, at: int = 5) -> bool:
    """Whether a session begins."""
    return store.put_session(
        Session(hash, account.number, "Browser 1.0", at, at), password=account.password
    )


class PeopleContract:
    """The promises at the head of `plaudit.store.people`."""

    def test_an_account_is_kept_as_given(self, store: Store, reopen: Reopen) -> None:
        """With the role of its link, whatever it says of itself."""
        assert store.accounts() == []
        hash = link(store, b"\0\xff", role="viewer")
        given = Account(99, "Ána 🐘", "ána 🐘", "owner", "$argon2id$…", 7)
        made = store.add_account(given, link=hash, deed=DEED)
        assert made == Account(made.number, "Ána 🐘", "ána 🐘", "viewer", "$argon2id$…", 7)
        assert made.number > NOBODY
        other = reopen()
        assert other.accounts() == [made]
        assert other.account("ána 🐘") == made
        assert other.account("Ána 🐘") is None
        assert other.account("a\0b") is None
        other.close()

    def test_a_number_is_never_given_twice(self, store: Store) -> None:
        """Not even that of the last account."""
        joined(store, "owner", "owner")
        first = joined(store, "Ana")
        assert store.drop_account(first.number, deed=DEED)
        assert joined(store, "Ana").number > first.number

    def test_a_link_works_once(self, store: Store) -> None:
        """A second account by it is refused, and nothing of it is written."""
        hash = link(store, b"one")
        first = store.add_account(Account(0, "a", "a", "", "", 5), link=hash, deed=DEED)
        deeds = store.deeds()
        for wrong in (hash, b"never there", b""):
            with pytest.raises(LinkGone):
                store.add_account(Account(0, "b", "b", "", "", 5), link=wrong, deed=DEED)
        assert store.accounts() == [first]
        assert store.deeds() == deeds

    @pytest.mark.parametrize("at", [LATE, LATE + 1])
    def test_a_link_that_is_too_old_does_not_work(self, store: Store, at: int) -> None:
        """From the moment it says."""
        hash = link(store, b"one")
        late = Deed(at, "ana", "came late")
        with pytest.raises(LinkGone):
            store.add_account(Account(0, "a", "a", "", "", 5), link=hash, deed=late)
        store.add_account(
            Account(0, "a", "a", "", "", 5), link=hash, deed=late._replace(at=LATE - 1)
        )

    def test_of_many_at_once_one_uses_a_link(self, store: Store, reopen: Reopen) -> None:
        """The others are refused."""
        hash = link(store, b"one")
        made: list[str] = []

        def use(name: str) -> None:
            other = reopen()
            try:
                other.add_account(Account(0, name, name, "", "", 5), link=hash, deed=DEED)
                made.append(name)
            except LinkGone:
                pass
            finally:
                other.close()

        threads = [threading.Thread(target=use, args=(name,)) for name in "abcdef"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == 1
        assert [account.name for account in store.accounts()] == made

    def test_a_name_is_taken_once(self, store: Store) -> None:
        """The first stands, and the link of the second still works."""
        first = joined(store, "Ana")
        hash = link(store, b"two")
        with pytest.raises(AccountExists):
            store.add_account(Account(0, "ANA", "ana", "", "", 5), link=hash, deed=DEED)
        assert store.accounts() == [first]
        store.add_account(Account(0, "Bob", "bob", "", "", 5), link=hash, deed=DEED)

    def test_the_first_link_is_for_the_first_account(self, store: Store) -> None:
        """A newer one takes its place, and an account by any link ends it."""
        link(store, b"old", FIRST, "owner")
        link(store, b"new", FIRST, "owner")
        assert [found.hash for found in store.invitations()] == [b"new"]
        joined(store, "ana")
        assert store.invitation(b"new") is None
        late = link(store, b"late", FIRST, "owner")
        with pytest.raises(LinkGone):
            store.add_account(Account(0, "b", "b", "", "", 5), link=late, deed=DEED)

    def test_links_are_listed_and_dropped(self, store: Store, reopen: Reopen) -> None:
        """As they were given; one that is gone cannot be dropped again."""
        given = Invitation(b"\0\xff", INVITE, "viewer", NOBODY, 3, 4, 5)
        store.put_invitation(given, deed=DEED)
        other = reopen()
        assert other.invitations() == [given]
        assert other.invitation(given.hash) == given
        other.close()
        deeds = len(store.deeds())
        assert store.drop_invitation(given.hash, deed=DEED)
        assert not store.drop_invitation(given.hash, deed=DEED)
        assert store.invitation(given.hash) is None
        assert len(store.deeds()) == deeds + 1

    def test_there_is_always_an_owner(self, store: Store) -> None:
        """The last one keeps the role and the account, with its sessions."""
        owner = joined(store, "ana", "owner")
        joined(store, "bob")
        assert begun(store, owner, b"s")
        deeds = store.deeds()
        with pytest.raises(LastOwner):
            store.change_role(owner.number, "viewer", deed=DEED)
        with pytest.raises(LastOwner):
            store.drop_account(owner.number, deed=DEED)
        assert store.account("ana") == owner
        assert store.session(b"s") is not None
        assert store.deeds() == deeds
        second = joined(store, "eve", "owner")
        assert store.change_role(owner.number, "viewer", deed=DEED)
        assert store.drop_account(owner.number, deed=DEED)
        assert [account.name for account in store.accounts()] == ["bob", second.name]

    def test_of_two_owners_one_stays(self, store: Store, reopen: Reopen) -> None:
        """Whoever of them goes first."""
        owners = [joined(store, name, "owner") for name in ("ana", "bob")]
        gone: list[int] = []

        def leave(number: int) -> None:
            other = reopen()
            try:
                other.drop_account(number, deed=DEED)
                gone.append(number)
            except LastOwner:
                pass
            finally:
                other.close()

        threads = [threading.Thread(target=leave, args=(owner.number,)) for owner in owners]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(gone) == len(store.accounts()) == 1

    def test_an_account_that_is_not_there(self, store: Store) -> None:
        """Cannot change, and no deed says that it did."""
        joined(store, "ana", "owner")
        deeds = store.deeds()
        assert not store.change_role(99, "viewer", deed=DEED)
        assert not store.change_password(99, "x", deed=DEED)
        assert not store.drop_account(99, deed=DEED)
        assert store.deeds() == deeds

    def test_a_session_comes_with_its_account(self, store: Store, reopen: Reopen) -> None:
        """As both are now."""
        ana = joined(store, "ana", "owner")
        bob = joined(store, "bob", "owner")
        assert begun(store, ana, b"\0\xff", 5)
        assert begun(store, ana, b"later", 6)
        store.change_role(ana.number, "viewer", deed=DEED)
        store.touch_session(b"\0\xff", 50)
        store.touch_session(b"\0\xff", 40)
        other = reopen()
        found = other.session(b"\0\xff")
        assert found is not None
        session, account = found
        assert session == Session(b"\0\xff", ana.number, "Browser 1.0", 5, 50)
        assert account.role == "viewer"
        assert [one.hash for one in other.sessions(ana.number)] == [b"\0\xff", b"later"]
        assert other.sessions(bob.number) == []
        assert other.session(b"unknown") is None
        assert other.drop_session(b"later")
        other.close()
        assert not store.drop_session(b"later")
        assert store.session(b"later") is None

    def test_a_new_password_ends_all_sessions(self, store: Store) -> None:
        """Of its own account, and none begins with the old one."""
        ana, bob = joined(store, "ana", "owner"), joined(store, "bob")
        for account, hash in ((ana, b"1"), (ana, b"2"), (bob, b"3")):
            assert begun(store, account, hash)
        assert store.change_password(ana.number, "new", deed=DEED)
        assert store.sessions(ana.number) == []
        assert len(store.sessions(bob.number)) == 1
        assert not begun(store, ana, b"4")
        changed = store.account("ana")
        assert changed is not None
        assert changed.password == "new"
        assert begun(store, changed, b"4")

    def test_a_link_sets_a_password(self, store: Store) -> None:
        """Of its account alone; a newer link takes its place, and it makes no account."""
        ana = joined(store, "ana", "owner")
        assert begun(store, ana, b"1")
        link(store, b"old", RESET, account=ana.number)
        link(store, b"new", RESET, account=ana.number)
        invited = link(store, b"invited")
        for hash in (b"old", invited):
            with pytest.raises(LinkGone):
                store.reset_password("stolen", link=hash, deed=DEED)
        with pytest.raises(LinkGone):
            store.add_account(Account(0, "b", "b", "", "", 5), link=b"new", deed=DEED)
        assert store.reset_password("new", link=b"new", deed=DEED).password == "new"
        assert store.session(b"1") is None
        with pytest.raises(LinkGone):
            store.reset_password("again", link=b"new", deed=DEED)
        assert [account.password for account in store.accounts()] == ["new"]
        assert store.invitation(invited) is not None

    @pytest.mark.parametrize("how", ["dropped", "demoted"])
    def test_nobody_stays_through_another(self, store: Store, how: str) -> None:
        """What an owner handed out goes with the account or the role."""
        joined(store, "bob", "owner")
        ana = joined(store, "ana", "owner")
        assert begun(store, ana, b"1")
        link(store, b"made", role="owner", made_by=ana.number)
        link(store, b"another", role="owner")
        link(store, b"reset", RESET, account=ana.number)
        if how == "dropped":
            store.drop_account(ana.number, deed=DEED)
            assert store.session(b"1") is None
            assert [found.hash for found in store.invitations()] == [b"another"]
        else:
            store.change_role(ana.number, "editor", deed=DEED)
            assert {found.hash for found in store.invitations()} == {b"another", b"reset"}
        assert not begun(store, ana, b"2") or how == "demoted"

    def test_guesses_compare_and_set(self, store: Store, reopen: Reopen) -> None:
        """Of two who saw the same, one counts."""
        who = b"\0\xff"
        none, one, two = Guesses(0, 0), Guesses(1, 5), Guesses(2, 6)
        assert store.guesses(who) == none
        assert store.count_guess(who, seen=none, now=one)
        assert not store.count_guess(who, seen=none, now=one)
        assert store.count_guess(who, seen=one, now=two)
        other = reopen()
        assert other.guesses(who) == two
        assert other.guesses(b"") == none
        other.close()
        store.forget_guesses(who)
        assert store.guesses(who) == none

    def test_deeds_are_kept_latest_first(self, store: Store, reopen: Reopen) -> None:
        """With those of changes among them."""
        joined(store, "ana", "owner")
        for number in range(3):
            store.note(Deed(number, "bob", f"deed {number}"))
        other = reopen()
        assert other.deeds(limit=2) == [Deed(2, "bob", "deed 2"), Deed(1, "bob", "deed 1")]
        assert other.deeds()[3:] == [DEED, DEED]
        other.close()

    def test_what_is_stale_is_forgotten(self, store: Store) -> None:
        """By the time it names, and nothing else."""
        ana = joined(store, "ana", "owner")
        for hash, at in ((b"old", 5), (b"idle", 20), (b"new", 20)):
            assert begun(store, ana, hash, at)
        store.touch_session(b"new", 50)
        link(store, b"kept", expires_at=30)
        link(store, b"over", expires_at=29)
        store.count_guess(b"a", seen=Guesses(0, 0), now=Guesses(1, 39))
        store.count_guess(b"b", seen=Guesses(0, 0), now=Guesses(1, 40))
        store.forget_stale(begun_before=10, seen_before=30, expired_before=30, guessed_before=40)
        assert [session.hash for session in store.sessions(ana.number)] == [b"new"]
        assert [found.hash for found in store.invitations()] == [b"kept"]
        assert store.guesses(b"a") == Guesses(0, 0)
        assert store.guesses(b"b") == Guesses(1, 40)

    @pytest.mark.parametrize("text", ["a\0b", "half \ud83d"])
    def test_bad_text_of_people_is_refused(self, store: Store, text: str) -> None:
        """Everywhere, before anything is written."""
        ana = joined(store, "ana", "owner")
        hash, deeds = link(store, b"one"), store.deeds()
        with pytest.raises(InvalidInput):
            store.add_account(Account(0, text, text, "", "", 5), link=hash, deed=DEED)
        with pytest.raises(InvalidInput):
            store.note(Deed(1, text, ""))
        with pytest.raises(InvalidInput):
            store.change_role(ana.number, text, deed=DEED)
        with pytest.raises(InvalidInput):
            store.put_session(Session(b"s", ana.number, text, 1, 1), password=ana.password)
        assert store.accounts() == [ana]
        assert store.deeds() == deeds
