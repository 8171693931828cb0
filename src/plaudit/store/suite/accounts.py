"""People who run contests: their accounts and the links to them."""

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
    """A new account, made with its own link."""
    hash = link(store, f"link of {name}".encode(), role=role)
    return store.add_account(Account(0, name, name.lower(), "", password, 5), link=hash, deed=DEED)


def begun(store: Store, account: Account, hash: bytes, at: int = 5) -> bool:
    """Starts a session. Returns whether it started."""
    return store.put_session(
        Session(hash, account.number, "Browser 1.0", at, at), password=account.password
    )


class AccountContract:
    """The promises at the top of `plaudit.store.people` about accounts and links."""

    def test_an_account_is_kept_as_given(self, store: Store, reopen: Reopen) -> None:
        """Its role is the link's, whatever role the given account has."""
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
        """Not even if the last account was deleted."""
        joined(store, "owner", "owner")
        first = joined(store, "Ana")
        assert store.drop_account(first.number, deed=DEED)
        assert joined(store, "Ana").number > first.number

    def test_a_link_works_once(self, store: Store) -> None:
        """A second account with it is refused, and nothing is written."""
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
        """It expires at the time it says."""
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
        """A newer first link replaces it, and any new account ends it."""
        link(store, b"old", FIRST, "owner")
        link(store, b"new", FIRST, "owner")
        assert [found.hash for found in store.invitations()] == [b"new"]
        joined(store, "ana")
        assert store.invitation(b"new") is None
        late = link(store, b"late", FIRST, "owner")
        with pytest.raises(LinkGone):
            store.add_account(Account(0, "b", "b", "", "", 5), link=late, deed=DEED)

    def test_links_are_listed_and_dropped(self, store: Store, reopen: Reopen) -> None:
        """They are listed as given. Dropping one twice returns False."""
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
        """The last owner keeps role, account and sessions."""
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
        """Both try to leave at the same time; one succeeds."""
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
        """It cannot be changed, and no deed is written."""
        joined(store, "ana", "owner")
        deeds = store.deeds()
        assert not store.change_role(99, "viewer", deed=DEED)
        assert not store.change_password(99, "x", deed=DEED)
        assert not store.drop_account(99, deed=DEED)
        assert store.deeds() == deeds

    def test_a_link_sets_a_password(self, store: Store) -> None:
        """It works for its account only, makes no account, and a newer link replaces it."""
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
        """Invitations of an owner go when the account or the role goes."""
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

    @pytest.mark.parametrize("text", ["a\0b", "half \ud83d"])
    def test_bad_text_of_people_is_refused(self, store: Store, text: str) -> None:
        """All methods refuse it before they write anything."""
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
