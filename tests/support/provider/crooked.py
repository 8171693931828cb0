"""A provider that lies: it publishes what it is told, and signs whatever a test wants signed."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from plaudit.service.door.openid.settings import ProviderSettings

CLIENT = "plaudit"


class CrookedProvider:
    """What it publishes and answers can be replaced; `asked` has what it was asked for."""

    def __init__(self, port: int) -> None:
        self.issuer = f"http://127.0.0.1:{port}"
        self.settings = ProviderSettings(self.issuer, CLIENT, "secret", "Crooked")
        self.key = RSAKey.generate_key(2048, {"use": "sig"}, auto_kid=True)
        self.metadata: dict[str, Any] = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/auth",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "id_token_signing_alg_values_supported": ["RS256"],
        }
        self.published: list[dict[str, Any]] = [self.key.as_dict(private=False)]
        self.answer: Any = {}
        self.status = 200
        self.asked: list[tuple[str, dict[str, str]]] = []
        # Seconds before each byte of an answer of the token endpoint, and whether it answers.
        self.drip = 0.0

    def claims(self, for_nonce: str, **more: Any) -> dict[str, Any]:
        """The claims of an honest ID token, and others in their place; None leaves one out."""
        now = int(time.time())
        honest = {
            "iss": self.issuer,
            "sub": "ana",
            "aud": CLIENT,
            "exp": now + 300,
            "iat": now,
            "nonce": for_nonce,
        }
        return {name: value for name, value in (honest | more).items() if value is not None}

    def sign(self, claims: dict[str, Any], *, key: Any = None, **header: Any) -> None:
        """Answers the next codes with an ID token of these claims."""
        key = self.key if key is None else key
        text = jwt.encode({"alg": "RS256", "kid": self.key.kid} | header, claims, key)
        self.answer = {"id_token": text, "access_token": "x", "token_type": "Bearer"}

    def body(self, path: str) -> bytes:
        """What an address answers."""
        known = {
            "/.well-known/openid-configuration": self.metadata,
            "/jwks": {"keys": self.published},
            "/token": self.answer,
        }
        found = known[path]
        return found if isinstance(found, bytes) else json.dumps(found).encode()


@contextmanager
def running() -> Iterator[CrookedProvider]:
    """Such a provider, until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            path = urlsplit(self.path).path
            size = int(self.headers.get("content-length") or 0)
            form = parse_qs(self.rfile.read(size).decode())
            provider.asked.append((path, {name: values[0] for name, values in form.items()}))
            body = provider.body(path)
            self.send_response(provider.status if path == "/token" else 200)
            self.send_header("content-length", str(len(body)))
            if provider.status == 302:
                self.send_header("location", f"{provider.issuer}/elsewhere")
            self.end_headers()
            try:
                self.write(body, provider.drip if path == "/token" else 0.0)
            except OSError:
                self.close_connection = True

        def write(self, body: bytes, drip: float) -> None:
            if not drip:
                self.wfile.write(body)
                return
            for byte in body:
                time.sleep(drip)
                self.wfile.write(bytes([byte]))
                self.wfile.flush()

        do_GET = do_POST = answer  # noqa: N815

        def log_message(self, *given: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        provider = CrookedProvider(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
