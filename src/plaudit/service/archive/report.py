"""What came of checking a certificate against an export."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from plaudit.service.archive.superseded import Superseded


class Check(NamedTuple):
    """One thing that was compared."""

    what: str
    agrees: bool
    detail: str = ""


@dataclass(frozen=True)
class Report:
    """Every comparison, and what became of the verdict.

    `signed_by` is the key that signed the certificate, as text, or "" if it is unsigned. With
    `own_keys` that key was taken from the export itself: whoever wrote it may have made it.
    """

    checks: tuple[Check, ...]
    superseded: Superseded | None = None
    signed_by: str = ""
    own_keys: bool = False

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    @property
    def agrees(self) -> bool:
        """Whether everything that the certificate says is so."""
        return all(check.agrees for check in self.checks)

    @property
    def holds(self) -> bool:
        """Whether it agrees and stands: no later event of the export took the verdict back."""
        return self.agrees and self.superseded is None
