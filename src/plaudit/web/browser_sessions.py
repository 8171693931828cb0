"""Browsers at the desk: who is signed in, their cookies, and the CSRF check of forms."""

import asyncio
import hmac
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from plaudit.phrase import Phrase
from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.secret import Secret
from plaudit.service.accounts.sessions import LONGEST_MS, Sessions
from plaudit.service.accounts.sign_in import SignIn
from plaudit.service.accounts.subjects import Subjects
from plaudit.service.accounts.tokens import mark, new_token
from plaudit.service.cores import roam
from plaudit.service.door.openid.errands import LASTS_MS as ERRAND_MS
from plaudit.store.contract import Store
from plaudit.web.problem import Problem
from plaudit.words import N_

R = TypeVar("R")
# With an underscore: the cookies of raters are named plaudit-CONTEST.
SESSION, DEVICE, FORM = "plaudit_desk", "plaudit_device", "plaudit_form"
# What a browser keeps that was sent to the provider.
ERRAND = "plaudit_errand"
_LASTS_SECONDS = {
    SESSION: LONGEST_MS // 1000,
    DEVICE: 365 * 86_400,
    FORM: None,
    ERRAND: ERRAND_MS // 1000,
}
# How many passwords may wait to be hashed, each for a fraction of a second; more are refused.
_MOST_WAITING = 32


class BrowserSessions:
    """What all requests to the desk share in a worker."""

    def __init__(
        self,
        store: Store,
        secret: Secret,
        *,
        public_url: str,
        clock: Callable[[], int],
        passwords: Passwords | None = None,
    ) -> None:
        passwords = Passwords() if passwords is None else passwords
        self.store = store
        self.public_url = public_url.rstrip("/")
        self.clock = clock
        self.accounts = Accounts(store, passwords, clock=clock)
        self.sessions = Sessions(store, clock=clock)
        self.sign_in = SignIn(store, passwords, secret, clock=clock)
        self.subjects = Subjects(store, self.accounts, secret, clock=clock)
        self._forms = secret.key("forms")
        # One hash at a time: a flood of passwords must not take the processors from raters.
        self._hashing = ThreadPoolExecutor(
            1, thread_name_prefix="plaudit-password", initializer=roam
        )
        self._waiting = 0

    async def slowly(self, work: Callable[[], R]) -> R:
        """Runs work that hashes a password, one at a time, in order."""
        if self._waiting >= _MOST_WAITING:
            told = Phrase(N_("Too many people are signing in right now. Try again."))
            raise Problem(503, "try_again", told, retry=5)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._hashing, work)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Stops the thread."""
        self._hashing.shutdown()

    def is_secure(self, request: Request) -> bool:
        """Whether the browser uses https, also behind a proxy that does not say so."""
        public = self.public_url.startswith("https:") and self.is_public(request)
        return request.url.scheme == "https" or public

    def is_public(self, request: Request) -> bool:
        """Whether the browser uses the public address."""
        public = urlsplit(self.public_url).netloc
        return request.headers.get("host", "").lower() == public.lower()

    def cookie(self, request: Request, name: str) -> str:
        """A cookie of the desk, or ""."""
        return request.cookies.get(self._named(request, name), "")

    def set_cookie(self, request: Request, response: Response, name: str, value: str) -> None:
        """Gives the browser a cookie that scripts and other sites cannot use; "" deletes it."""
        response.set_cookie(
            self._named(request, name),
            value,
            max_age=_LASTS_SECONDS[name] if value else 0,
            path="/",
            secure=self.is_secure(request),
            httponly=True,
            samesite="lax",
        )

    def _named(self, request: Request, name: str) -> str:
        # With this prefix, browsers refuse a cookie that another host or plain http set.
        return f"__Host-{name}" if self.is_secure(request) else name

    def form_token(self, request: Request, *, signed_in: bool) -> tuple[str, str]:
        """The token that a form must carry, and the value of a new cookie if it needs one.

        The token belongs to the session; before sign-in, to a cookie of its own.
        """
        if signed_in:
            return mark(self._forms, SESSION, self.cookie(request, SESSION)), ""
        known = self.cookie(request, FORM)
        bound = known or new_token()
        return mark(self._forms, FORM, bound), "" if known else bound

    def check_form(self, request: Request, given: str, *, signed_in: bool) -> None:
        """Returns if a form was made here for this browser and sent from a page of ours."""
        origin = request.headers.get("origin")
        if origin is not None and not self.is_ours(request, origin):
            foreign = N_("This form was sent from another site. Use the form on this one.")
            raise Problem(403, "foreign_form", Phrase(foreign))
        wanted, missing = self.form_token(request, signed_in=signed_in)
        same = hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
        if missing or not same:
            told = N_(
                "This form is out of date: you signed in or out since, or cookies are off. Go "
                "back, load the page again, and send the form again."
            )
            raise Problem(403, "stale_form", Phrase(told))

    def is_ours(self, request: Request, origin: str) -> bool:
        """Whether an origin is that of this service."""
        if origin.lower() == self._origin_of(self.public_url):
            return True
        host = request.headers.get("host", "").lower()
        scheme = "https" if self.is_secure(request) else request.url.scheme
        return bool(host) and origin.lower() == f"{scheme}://{host}"

    @staticmethod
    def _origin_of(url: str) -> str:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}".lower()
