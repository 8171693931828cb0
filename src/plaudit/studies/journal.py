"""The journal of a study: results of finished parts, one line each, kept on disk.

A part's key is a hash of all that its result depends on: the study, the part's record, and
the fingerprint of the compiled code. A line torn by a crash is dropped when read.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from plaudit.compiled import kernel_fingerprint
from plaudit.errors import NotAllowed
from plaudit.studies.study import Record


def part_key(study: str, part: Record) -> str:
    """The name of a part's result in the journal."""
    text = json.dumps([study, kernel_fingerprint(), part], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Journal:
    """Results by key; what is added is on disk before `add` returns."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self.path = path
        self._results: dict[str, Record] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: TextIO = path.open("a", encoding="utf-8")
        self._lock()
        # A torn last line must not swallow the next one.
        self._file.truncate(0 if fresh else self._read())

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *problem: Any) -> None:
        self._file.close()

    def __contains__(self, key: str) -> bool:
        return key in self._results

    def results(self, keys: Sequence[str]) -> list[Record]:
        """The results of these parts, in their order."""
        return [self._results[key] for key in keys]

    def add(self, key: str, result: Record) -> None:
        """Keeps the result of a part."""
        line = json.dumps({"key": key, "result": result}, allow_nan=False)
        # The first run also uses what comes back from disk, so that all runs conclude the same.
        self._results[key] = json.loads(line)["result"]
        self._file.write(line + "\n")
        self._file.flush()

    def _lock(self) -> None:
        """Keeps other runs away from this journal, where the system can, until it is closed."""
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise NotAllowed(
                f"Another run is at work in {str(self.path.parent)!r}. Wait for it, or choose "
                "another --out."
            ) from None

    def _read(self) -> int:
        """Reads all whole lines; how many bytes they take."""
        whole = 0
        with self.path.open("rb") as lines:
            for line in lines:
                try:
                    entry = json.loads(line)
                    key, result = entry["key"], entry["result"]
                except (ValueError, KeyError, TypeError):
                    break
                if not line.endswith(b"\n"):
                    break
                self._results[key] = result
                whole += len(line)
        return whole
