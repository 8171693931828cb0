"""People who sign in through a provider: subjects and the accounts that they lead to."""

import threading

import pytest

from plaudit.errors import LastWayIn, LinkGone, SubjectTaken
from plaudit.store.contract import Store
from plaudit.store.people import RESET, Account, Session
from plaudit.store.suite.accounts import DEED, begun, joined, link
from plaudit.store.suite.samples import Reopen


def began(store: Store, account: Account, hash: bytes, subject: bytes) -> bool:
    """Starts a session by a subject. Returns whether it started."""
    session = Session(hash, account.number, "Browser 1.0", 5, 5)
    return store.put_session(session, password=account.password, subject=subject)


class SubjectContract:
    """The promises at the top of `plaudit.store.people` about subjects."""

    def test_a_subject_leads_to_its_account(self, store: Store, reopen: Reopen) -> None:
        """Until it is taken away, or the account goes."""
        joined(store, "eve", "owner")
        ana = joined(store, "ana")
        assert store.put_subject(ana.number, b"\0\xff", deed=DEED)
        other = reopen()
        assert other.account_of(b"\0\xff") == ana
        assert other.subjects() == {ana.number: DEED.at}
        assert other.account_of(b"") is other.account_of(b"\0") is None
        other.close()
        assert store.drop_subject(ana.number, deed=DEED)
        assert store.account_of(b"\0\xff") is None
        assert store.put_subject(ana.number, b"again", deed=DEED)
        assert store.drop_account(ana.number, deed=DEED)
        assert store.account_of(b"again") is None
        assert store.subjects() == {}

    def test_an_unknown_account_has_no_subject(self, store: Store) -> None:
        """Nothing is written, not even a deed."""
        ana = joined(store, "ana", "owner")
        deeds = store.deeds()
        assert not store.put_subject(ana.number + 1, b"s", deed=DEED)
        assert not store.drop_subject(ana.number, deed=DEED)
        assert store.subjects() == {}
        assert store.deeds() == deeds

    def test_a_subject_leads_to_one_account(self, store: Store) -> None:
        """Linking it to a second one is refused, and changes nothing."""
        ana, bob = joined(store, "ana", "owner"), joined(store, "bob")
        assert store.put_subject(ana.number, b"s", deed=DEED)
        assert begun(store, ana, b"1")
        hash, reset = link(store, b"one"), link(store, b"two", RESET, account=bob.number)
        deeds = store.deeds()
        with pytest.raises(SubjectTaken):
            store.put_subject(bob.number, b"s", deed=DEED)
        with pytest.raises(SubjectTaken):
            store.add_account(Account(0, "c", "c", "", "", 5), link=hash, deed=DEED, subject=b"s")
        with pytest.raises(SubjectTaken):
            store.reset_password("", link=reset, deed=DEED, subject=b"s")
        assert store.account_of(b"s") == ana
        assert store.accounts() == [ana, bob]
        assert store.deeds() == deeds
        assert {found.hash for found in store.invitations()} == {hash, reset}
        assert store.put_subject(ana.number, b"s", deed=DEED)
        assert store.session(b"1") is not None

    def test_of_many_at_once_one_account_gets_a_subject(self, store: Store, reopen: Reopen) -> None:
        """The others are refused."""
        people = [joined(store, name, "owner") for name in "abcd"]
        got: list[int] = []

        def take(number: int) -> None:
            other = reopen()
            try:
                other.put_subject(number, b"s", deed=DEED)
                got.append(number)
            except SubjectTaken:
                pass
            finally:
                other.close()

        threads = [threading.Thread(target=take, args=(one.number,)) for one in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(got) == 1
        assert list(store.subjects()) == got

    def test_another_subject_ends_the_sessions(self, store: Store) -> None:
        """A first one does not: who is signed in stays so."""
        ana = joined(store, "ana", "owner")
        assert begun(store, ana, b"1")
        assert store.put_subject(ana.number, b"old", deed=DEED)
        assert store.session(b"1") is not None
        assert store.put_subject(ana.number, b"new", deed=DEED)
        assert store.session(b"1") is None
        assert store.account_of(b"old") is None
        assert begun(store, ana, b"2")
        assert store.drop_subject(ana.number, deed=DEED)
        assert store.session(b"2") is None

    def test_a_session_begins_only_by_the_subject_of_its_account(self, store: Store) -> None:
        """Not by one that was taken away in the meantime, nor by that of another account."""
        ana, bob = joined(store, "ana", "owner"), joined(store, "bob")
        assert store.put_subject(ana.number, b"s", deed=DEED)
        assert began(store, ana, b"1", b"s")
        assert not began(store, bob, b"2", b"s")
        assert not began(store, ana, b"3", b"unknown")
        assert store.drop_subject(ana.number, deed=DEED)
        assert not began(store, ana, b"4", b"s")
        assert store.session(b"1") is store.session(b"4") is None

    def test_the_last_way_in_stays(self, store: Store) -> None:
        """An account without a password keeps its subject and its sessions."""
        hash = link(store, b"one", role="owner")
        given = Account(0, "ana", "ana", "", "", 5)
        ana = store.add_account(given, link=hash, deed=DEED, subject=b"s")
        assert (ana.password, store.account_of(b"s")) == ("", ana)
        assert began(store, ana, b"1", b"s")
        deeds = store.deeds()
        with pytest.raises(LastWayIn):
            store.drop_subject(ana.number, deed=DEED)
        assert store.account_of(b"s") == ana
        assert store.session(b"1") is not None
        assert store.deeds() == deeds
        assert store.change_password(ana.number, "hash", deed=DEED)
        assert store.drop_subject(ana.number, deed=DEED)

    def test_a_link_may_bring_a_subject(self, store: Store) -> None:
        """A link to a new password can put a subject in its place, once; the sessions end."""
        ana = joined(store, "ana", "owner")
        assert begun(store, ana, b"1")
        hash = link(store, b"two", RESET, account=ana.number)
        assert store.reset_password("", link=hash, deed=DEED, subject=b"s").password == ""
        assert store.session(b"1") is None
        assert store.account_of(b"s") == store.account("ana")
        with pytest.raises(LinkGone):
            store.reset_password("", link=hash, deed=DEED, subject=b"t")
        assert store.account_of(b"t") is None
