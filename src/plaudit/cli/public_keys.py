"""The option --key of verbs that check signatures: a public key, or a file with keys."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plaudit.proof.note import PublicKey


def given_keys(given: str) -> "list[PublicKey]":
    """The keys of --key: NAME+HASH+KEY itself, or a file that lists some, as the service does."""
    from plaudit.errors import InvalidInput
    from plaudit.proof.note import read_vkey
    from plaudit.witness.folder import read_keys

    file = Path(given)
    if file.is_file():
        return read_keys(file.read_text("utf-8", errors="replace"), where=given)
    if "+" not in given:
        raise InvalidInput(
            f"--key {given}: there is no such file, and it is no public key (NAME+HASH+KEY, as "
            "the service lists them at /.well-known/plaudit-keys)."
        )
    return [read_vkey(given)]
