"""Signing in with a name and a password."""

import hmac
from collections.abc import Callable

from plaudit.errors import SignInRefused
from plaudit.phrase import Phrase
from plaudit.service.accounts.accounts import Accounts, folded_name
from plaudit.service.accounts.lockout import Guard
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.secret import Secret
from plaudit.service.accounts.tokens import mark, new_token
from plaudit.service.clock import now_ms
from plaudit.store.people import Account, PeopleStore
from plaudit.words import N_


class SignIn:
    """Finds the account for a name and password, and slows guessing down."""

    def __init__(
        self,
        store: PeopleStore,
        passwords: Passwords,
        secret: Secret,
        *,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self._store = store
        self._passwords = passwords
        self._guard = Guard(store, secret.key("guesses"), clock=clock)
        self._devices = secret.key("devices")

    def account(self, name: str, password: str, *, address: str, device: str = "") -> Account:
        """The account; `SignInRefused` says the same for a wrong name as for a wrong password.

        `device` is what `device_of` gave this browser at an earlier sign-in.
        """
        folded = folded_name(name)
        counted = self._guard.count(folded, address=address, device=self._known(folded, device))
        found = self._store.account(folded)
        right = self._passwords.matches(found.password if found else None, password)
        if found is None or not right:
            raise SignInRefused(Phrase(N_("The name or the password is wrong.")))
        self._guard.succeeded(counted)
        return found

    def change_password(
        self, accounts: Accounts, account: Account, *, old: str, new: str, address: str
    ) -> Account:
        """The account with a new password; a wrong current password counts as a guess."""
        # Whoever is signed in has a count of their own: guesses of strangers do not matter.
        counted = self._guard.count(account.folded, address=address, device="signed in")
        changed = accounts.change_password(account, old=old, new=new)
        self._guard.succeeded(counted)
        return changed

    def confirm(self, account: Account, password: str, *, address: str) -> Account:
        """The account, if its owner knows the password; a wrong one counts as a guess."""
        counted = self._guard.count(account.folded, address=address, device="signed in")
        if not self._passwords.matches(account.password, password):
            raise SignInRefused(Phrase(N_("This is not your current password.")))
        self._guard.succeeded(counted)
        return account

    def device_of(self, account: Account) -> str:
        """What a browser keeps, so that guesses of strangers never make it wait."""
        nonce = new_token()
        return f"{nonce}.{mark(self._devices, account.folded, nonce)}"

    def _known(self, folded: str, device: str) -> str:
        nonce, _, signed = device.partition(".")
        right = hmac.compare_digest(
            signed.encode("utf-8", "replace"), mark(self._devices, folded, nonce).encode()
        )
        return nonce if nonce and right else ""
