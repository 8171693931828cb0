"""The files that a witness keeps of one service: plain text, to read, copy and post anywhere.

    HOST/keys.txt                   the public keys, those of the first sight first
    HOST/CONTEST/00000001234.txt    a signed checkpoint, named by its size
    HOST/alarm-CONTEST-1a2b3c4d/    what contradicts it: about.txt, earlier.txt, later.txt, keys.txt

A file is written whole or not at all, and never changed.
"""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plaudit.errors import InvalidInput, ProofRefused
from plaudit.proof.checkpoint import Checkpoint, open_checkpoint
from plaudit.proof.note import PublicKey, read_vkey

KEYS = "keys.txt"
ABOUT = "about.txt"
LATEST = "latest.txt"
# The names of contests become names of folders: a service must not choose any other.
_CONTEST = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")


@dataclass(frozen=True)
class Alarm:
    """Something that no honest service does; `folder` has the evidence."""

    contest: str
    what: str
    folder: Path


def is_contest(name: str) -> bool:
    """Whether a contest can have this name."""
    return _CONTEST.fullmatch(name) is not None


class Folder:
    """The files about one service, in a folder of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pinned_keys(self) -> list[PublicKey]:
        """The keys that are trusted: those of the first sight, and those that came later."""
        file = self.path / KEYS
        return read_keys(file.read_text("utf-8"), where=str(file)) if file.exists() else []

    def put_keys(self, keys: list[PublicKey]) -> None:
        """Keeps the keys."""
        write_file(self.path / KEYS, "".join(f"{key.vkey}\n" for key in keys))

    def contests(self) -> list[str]:
        """The contests of which there are checkpoints."""
        if not self.path.is_dir():
            return []
        return sorted(at.parent.name for at in self.path.glob(f"*/{LATEST}"))

    def latest(self, contest: str) -> tuple[str, Checkpoint] | None:
        """The largest checkpoint that is kept of a contest, checked again; None without any."""
        file = self.path / contest / LATEST
        if not file.exists():
            return None
        note = file.read_text("utf-8")
        try:
            return note, open_checkpoint(note, self.pinned_keys())
        except ProofRefused as error:
            raise InvalidInput(f"{file} is damaged: {error} Put it back from a copy.") from None

    def put(self, contest: str, note: str, size: int) -> None:
        """Keeps a checkpoint that was checked; the latest has a second name."""
        file = self.path / contest / f"{size:012}.txt"
        if not file.exists():
            write_file(file, note)
        write_file(self.path / contest / LATEST, note)

    def alarm(self, contest: str, what: str, files: Mapping[str, str]) -> Alarm:
        """Keeps evidence; the same evidence once."""
        mark = hashlib.sha256("\n".join([what, *files.values()]).encode()).hexdigest()[:8]
        folder = self.path / f"alarm-{contest}-{mark}"
        if not (folder / ABOUT).exists():
            write_file(folder / KEYS, "".join(f"{key.vkey}\n" for key in self.pinned_keys()))
            for name, text in files.items():
                write_file(folder / name, text)
            write_file(
                folder / ABOUT, f"{what}\n\nCheck it: plaudit witness check earlier.txt later.txt\n"
            )
        return Alarm(contest, what, folder)

    def alarms(self) -> list[Alarm]:
        """All alarms so far, by name."""
        found = sorted(self.path.glob(f"alarm-*/{ABOUT}")) if self.path.is_dir() else []
        return [
            Alarm(at.parent.name.removeprefix("alarm-").rpartition("-")[0],
                  at.read_text("utf-8").partition("\n")[0], at.parent)
            for at in found
        ]  # fmt: skip


def read_keys(text: str, *, where: str) -> list[PublicKey]:
    """The keys in a text, one a line; # begins a comment."""
    lines = [line.strip() for line in text.splitlines()]
    found = [read_vkey(line) for line in lines if line and not line.startswith("#")]
    if not found:
        raise InvalidInput(f"There is no public key in {where}.")
    return found


def write_file(file: Path, text: str) -> None:
    """Writes a file whole, so that a crash leaves the old one or the new one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    with beside.open("w", encoding="utf-8", newline="") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(file)
