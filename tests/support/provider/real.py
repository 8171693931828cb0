"""A real OpenID provider on this machine: the certified npm package `oidc-provider`.

`make provider` installs it beside the virtual environment's packages. A provider is started by
`started`, and its login page is filled in by `log_in`.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx2
import pytest
from joserfc.jwk import RSAKey

from plaudit.service.door.openid.settings import ProviderSettings
from support.service_process import free_port

SCRIPT = Path(__file__).parent / "serve.mjs"
PACKAGES = Path(sys.prefix) / "provider"
CLIENT, SECRET, NAME = "plaudit", "a secret: 100 % for + the tests", "Example University"


def new_keys() -> dict[str, Any]:
    """A key of a provider, as a JWKS document."""
    key = RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256"}, auto_kid=True)
    return {"keys": [key.as_dict(private=True)]}


@dataclass
class RealProvider:
    """A provider that runs, or ran: it can be stopped, and started again with other keys."""

    port: int
    clients: list[dict[str, Any]]
    keys: dict[str, Any] = field(default_factory=new_keys)
    process: "subprocess.Popen[str] | None" = None

    @property
    def issuer(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def settings(self) -> ProviderSettings:
        """How a service is connected to it."""
        return ProviderSettings(self.issuer, CLIENT, SECRET, NAME)

    def start(self) -> None:
        """Starts it, and waits until it listens."""
        node = shutil.which("node")
        if node is None or not (PACKAGES / "node_modules" / "oidc-provider").is_dir():
            pytest.skip("signing in is tested with Node.js and `make provider`")
        self.process = subprocess.Popen(
            [node, str(SCRIPT), str(PACKAGES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        given = {"port": self.port, "clients": self.clients, "jwks": self.keys}
        # Its input stays open: it ends when we do, however that is.
        self.process.stdin.write(json.dumps(given) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "listening\n"

    def stop(self) -> None:
        """Stops it, if it runs."""
        if self.process is not None:
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
            self.process = None


@contextmanager
def started(public_url: str) -> Iterator[RealProvider]:
    """A provider that knows the service at this address as a client, until the block ends."""
    addresses = [f"{public_url}/sign-in/return"]
    clients = [
        {"client_id": CLIENT, "client_secret": SECRET, "redirect_uris": addresses},
        {"client_id": "another", "client_secret": SECRET, "redirect_uris": addresses},
    ]
    provider = RealProvider(free_port(), clients)
    provider.start()
    try:
        yield provider
    finally:
        provider.stop()


def log_in(address: str, who: str, *, cookies: httpx2.Cookies | None = None) -> str:
    """Logs in at the provider as a person would; returns where it sends the browser back to."""
    with httpx2.Client(cookies=cookies, verify=False) as person:
        answer = person.get(address)
        for _ in range(12):
            if answer.is_redirect:
                onward = urljoin(str(answer.url), answer.headers["location"])
                if "/sign-in/return" in onward:
                    return onward
                answer = person.get(onward)
                continue
            answer.raise_for_status()
            form = re.search(r'<form[^>]* action="([^"]+)"', answer.text)
            assert form, answer.text
            prompt = re.search(r'name="prompt" value="([a-z]+)"', answer.text)
            assert prompt, answer.text
            typed = {"prompt": prompt[1], "login": who, "password": "any"}
            answer = person.post(urljoin(str(answer.url), form[1]), data=typed)
    raise AssertionError("the provider did not send the browser back")
