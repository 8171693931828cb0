"""The desk over HTTP without a browser: forms, cookies and tokens as a browser sends them."""

import re

from starlette.testclient import TestClient

from plaudit.service.accounts.roles import COMMAND_LINE

SECRET = "a secret for the tests of the desk"
PASSWORD = "four words put together"
ORIGIN = {"origin": "http://testserver"}


class Browser:
    """A browser at the desk: it fills in forms from their pages."""

    def __init__(self, site, base="http://testserver"):
        self.client = TestClient(site.app, follow_redirects=False, base_url=base)
        # One event loop as in a real service: what waits for a step is woken by it.
        self.client.portal = site.portal
        self.base = base

    def get(self, path, **given):
        return self.client.get(path, **given)

    def token(self, path):
        found = re.search(r'name="form_token" value="([0-9a-f]+)"', self.get(path).text)
        assert found, f"there is no form at {path}"
        return found[1]

    def send(self, page, action=None, **fields):
        """Sends a form of a page."""
        fields = {"form_token": self.token(page)} | fields
        return self.client.post(action or page, data=fields, headers={"origin": self.base})

    def sign_in(self, name, password=PASSWORD, **fields):
        return self.send("/desk/sign-in", name=name, password=password, **fields)

    def welcome(self, token, name="", password=PASSWORD):
        path = f"/desk/welcome/{token}"
        return self.send(path, name=name, password=password, again=password)

    @property
    def session(self):
        return self.client.cookies.get("plaudit_desk")


def welcomed(site, accounts, name, role):
    """The browser of a new person with a role, signed in."""
    token = accounts.first_link() or accounts.invite(COMMAND_LINE, role)
    browser = Browser(site)
    response = browser.welcome(token, name)
    assert (response.status_code, response.headers["location"]) == (303, "/desk")
    return browser
