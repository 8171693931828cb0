"""Someone whose browser visits a service over real HTTP, without a real browser."""

import html
import re
from typing import Any

import httpx2

PASSWORD = "four words put together"


class Visitor:
    """A browser: it keeps cookies, fills in forms from their pages, and follows nothing."""

    def __init__(self, url: str) -> None:
        self.url = url
        # Each request has a connection of its own: nobody closes a visitor.
        # Nothing is encrypted: without `verify` no certificates are read, which takes long.
        limits = httpx2.Limits(max_keepalive_connections=0)
        self.http = httpx2.Client(base_url=url, limits=limits, verify=False)

    def get(self, path: str, **given: Any) -> httpx2.Response:
        """A page."""
        return self.http.get(path, **given)

    def send(self, page: str, action: str, **fields: str) -> httpx2.Response:
        """Sends a form of a page."""
        found = re.search(r'name="form_token" value="([0-9a-f]+)"', self.get(page).text)
        assert found, f"there is no form at {page}"
        fields = {"form_token": found[1]} | fields
        return self.http.post(action, data=fields, headers={"origin": self.url})

    def leave(self, page: str, action: str, **fields: str) -> str:
        """Sends a form that leads to the provider; returns the address there."""
        answer = self.send(page, action, **fields)
        assert answer.status_code == 200, answer.text
        found = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', answer.text)
        assert found, answer.text
        return html.unescape(found[1])

    def set_out(self) -> str:
        """Leaves the page of signing in for the provider."""
        return self.leave("/desk/sign-in", "/desk/sign-in/provider", next="/desk/account")

    @property
    def session(self) -> str | None:
        """The cookie of the desk's session."""
        return self.http.cookies.get("plaudit_desk")

    @property
    def errand(self) -> str | None:
        """The cookie of an errand."""
        return self.http.cookies.get("plaudit_errand")
