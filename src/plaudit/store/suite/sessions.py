"""Sessions, failures to sign in, and deeds."""

from plaudit.store.contract import Store
from plaudit.store.people import Deed, Guesses, Session
from plaudit.store.suite.accounts import DEED, begun, joined, link
from plaudit.store.suite.samples import Reopen


class SessionContract:
    """The promises at the top of `plaudit.store.people` about sessions and deeds."""

    def test_a_session_comes_with_its_account(self, store: Store, reopen: Reopen) -> None:
        """Both are up to date."""
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
        """Only those of its account, and none starts with the old password."""
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

    def test_guesses_compare_and_set(self, store: Store, reopen: Reopen) -> None:
        """If two callers saw the same count, only one of them can change it."""
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
        """Deeds that came with changes are among them."""
        joined(store, "ana", "owner")
        for number in range(3):
            store.note(Deed(number, "bob", f"deed {number}"))
        other = reopen()
        assert other.deeds(limit=2) == [Deed(2, "bob", "deed 2"), Deed(1, "bob", "deed 1")]
        assert other.deeds()[3:] == [DEED, DEED]
        other.close()

    def test_what_is_stale_is_forgotten(self, store: Store) -> None:
        """What is older than the given times goes, and nothing else."""
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
