"""A witness beside a service: looks at others again and again, and tells what it has seen.

Of several workers one looks: whoever holds the lock of the folder. All of them tell what is in its
files. A witness also reads what the others have seen of this service, and believes only what this
service has signed itself.
"""

import fcntl
import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from plaudit.errors import PlauditError, ProofRefused
from plaudit.proof.checkpoint import open_checkpoint
from plaudit.proof.note import PublicKey
from plaudit.witness.folder import Folder, write_file
from plaudit.witness.remote import Remote
from plaudit.witness.watch import Witness

STATUS = "status.json"
SECONDS = 60.0
# A service that was away is asked again sooner.
SECONDS_IF_AWAY = 5.0
OwnKeys = Callable[[], list[PublicKey]]


class Background:
    """Watches services in a thread, with its files in `folder`; `own_keys` are this service's."""

    def __init__(
        self,
        folder: Path,
        urls: Sequence[str],
        *,
        own_keys: OwnKeys,
        seconds: float = SECONDS,
        make_remote: Callable[[str], Remote] = Remote,
    ) -> None:
        self._folder = folder
        self._remotes = [make_remote(url) for url in urls]
        self._own_keys = own_keys
        self._seconds = seconds
        self._stop = threading.Event()
        self._lock: IO[str] | None = None
        self._thread = threading.Thread(target=self._run, name="plaudit-witness", daemon=True)

    def start(self) -> None:
        """Begins to look, if there is anything to look at."""
        if self._remotes:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._thread.start()

    def close(self) -> None:
        """Stops looking."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        for remote in self._remotes:
            remote.close()
        if self._lock is not None:
            self._lock.close()

    def seen(self) -> list[dict[str, Any]]:
        """What was seen of each service, as plain values."""
        return [self._seen_of(remote) for remote in self._remotes]

    def _run(self) -> None:
        while not self._stop.is_set():
            answered = [self._look(remote) for remote in self._remotes] if self._is_mine() else []
            wait = self._seconds if all(answered) else min(self._seconds, SECONDS_IF_AWAY)
            self._stop.wait(wait)

    def _is_mine(self) -> bool:
        """Whether this worker is the one that looks."""
        if self._lock is not None:
            return True
        lock = (self._folder / ".lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            return False
        self._lock = lock
        return True

    def _look(self, remote: Remote) -> bool:
        """Looks at a service once; returns whether it answered."""
        folder = Folder(self._folder / remote.host)
        try:
            sight = Witness(remote, folder).look()
            away = "; ".join(sight.away)
            of_us = self._seen_of_us(remote)
        except (PlauditError, OSError) as error:
            away, of_us = str(error), []
        status = {"checked_at": int(1000 * time.time()), "away": away, "of_us": of_us}
        write_file(folder.path / STATUS, json.dumps(status))
        return not away

    def _seen_of_us(self, remote: Remote) -> list[dict[str, Any]]:
        """Checkpoints of this service that the other one keeps; only what this one has signed."""
        found = []
        keys = self._own_keys()
        for service in remote.witnessed().get("services", []):
            for kept in service.get("contests", []):
                try:
                    checkpoint = open_checkpoint(str(kept["checkpoint"]), keys)
                except (ProofRefused, KeyError, TypeError):
                    continue
                _, _, contest = checkpoint.origin.partition("/")
                found.append({"contest": contest, "size": checkpoint.size, "at": checkpoint.at})
        return found

    def _seen_of(self, remote: Remote) -> dict[str, Any]:
        folder = Folder(self._folder / remote.host)
        status = _status(folder.path / STATUS)
        keys = folder.pinned_keys()
        contests = []
        for name in folder.contests():
            if (latest := folder.latest(name)) is not None:
                note, facts = latest
                kept = {"contest": name, "size": facts.size, "at": facts.at, "checkpoint": note}
                contests.append(kept)
        alarms = [{"contest": alarm.contest, "what": alarm.what} for alarm in folder.alarms()]
        service = {"url": remote.url, "name": keys[0].name if keys else ""}
        return service | status | {"contests": contests, "alarms": alarms}


def _status(file: Path) -> dict[str, Any]:
    nothing: dict[str, Any] = {"checked_at": None, "away": "", "of_us": []}
    try:
        known: dict[str, Any] = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return nothing
    return nothing | known
