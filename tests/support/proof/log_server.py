"""A small log over HTTP, signed as a service signs: one that may lie, to see who notices.

It serves what a service serves to witnesses. A test changes its leaves, its items, its time or its
key, and publishes again.
"""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from plaudit.proof.checkpoint import Checkpoint
from plaudit.proof.digests import NO_ITEMS, NO_RATERS, with_items, with_raters
from plaudit.proof.merkle import consistency_path, leaf_hash, nodes_of, root_of
from plaudit.proof.note import SigningKey

CONTEST = "captions"
START = 1_700_000_000_000


class Log:
    """The log of one contest and the key that signs it."""

    def __init__(self, name: str = "plaudit-test") -> None:
        self.key = SigningKey(name, bytes(range(32)))
        self.listed = [self.key.vkey]
        self.leaves = [b"contest"]
        self.items = ["one", "two", "three"]
        self.raters: list[bytes] = []
        self.at = START
        self.checkpoints: dict[int, str] = {}
        self.is_away = False
        self.is_gone = False

    def grow(self, count: int, word: str = "vote") -> None:
        """Adds entries, each of a new rater, and publishes."""
        for _ in range(count):
            number = len(self.leaves)
            self.leaves.append(f"{word} {number}".encode())
            self.raters.append(f"{word} of rater {number}".encode().ljust(32))
        self.at += 1000 * count
        self.publish()

    def checkpoint(self) -> Checkpoint:
        """The checkpoint of the log as it is."""
        items = [(number, text, "") for number, text in enumerate(self.items)]
        return Checkpoint(
            f"{self.key.name}/{CONTEST}",
            len(self.leaves),
            root_of([leaf_hash(leaf) for leaf in self.leaves]),
            self.at,
            len(items),
            with_items(NO_ITEMS, items),
            len(self.raters),
            with_raters(NO_RATERS, self.raters),
        )

    def publish(self) -> str:
        """Signs and keeps a checkpoint."""
        note = self.key.note(self.checkpoint().text)
        self.checkpoints[len(self.leaves)] = note
        return note

    @property
    def latest(self) -> str:
        """The checkpoint that is served: that of the log as it is."""
        return self.checkpoints[len(self.leaves)]

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, str]:
        """What the service answers to an address."""
        if self.is_away:
            return 503, json.dumps({"error": {"code": "away", "message": "Try again."}})
        if path == "/.well-known/plaudit-keys":
            return 200, "# current\n" + "".join(f"{vkey}\n" for vkey in self.listed)
        if path == "/api/v1/witnessed":
            return 200, json.dumps({"contests": [CONTEST], "services": []})
        under = f"/api/v1/contests/{CONTEST}"
        if self.is_gone or not path.startswith(under):
            return 404, json.dumps({"error": {"code": "unknown", "message": "No such contest."}})
        return self._of_the_contest(path.removeprefix(under), query)

    def _of_the_contest(self, path: str, query: dict[str, str]) -> tuple[int, str]:
        if path == "/checkpoint":
            return 200, self.latest
        if path == "/checkpoints":
            sizes = sorted(self.checkpoints, reverse=True)
            chosen = [size for size in sizes if size < int(query["before"])][:1]
            found = [{"size": size, "text": self.checkpoints[size]} for size in chosen]
            return 200, json.dumps({"checkpoints": found})
        first, second = int(query["from"]), int(query["to"])
        if {first, second} - self.checkpoints.keys():
            return 404, json.dumps({"error": {"code": "unknown", "message": "No such size."}})
        nodes = nodes_of([leaf_hash(leaf) for leaf in self.leaves])
        hashes = consistency_path(nodes, first, second)
        return 200, json.dumps({"path": [base64.b64encode(one).decode() for one in hashes]})


@contextmanager
def served(log: Log) -> Iterator[str]:
    """The log at an address of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            status, text = log.answer(parts.path, query)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *given: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
