"""The numbered migrations of each engine, in order."""

from importlib import resources
from typing import NamedTuple

from plaudit.errors import InvalidInput


class Migration(NamedTuple):
    """One step of a schema: `number` counts from 1, without gaps."""

    number: int
    name: str
    sql: str


def migrations(engine: str) -> list[Migration]:
    """The migrations of an engine, `sqlite` or `postgres`, in order."""
    folder = resources.files("plaudit.store") / "migrations" / engine
    found = [
        Migration(int(path.name[:4]), path.name.removesuffix(".sql"), path.read_text("utf-8"))
        for path in folder.iterdir()
        if path.name.endswith(".sql")
    ]
    return sorted(found)


def outstanding(engine: str, *, version: int, where: str) -> list[Migration]:
    """The migrations that a database of this version needs; `InvalidInput` if it is too new."""
    known = migrations(engine)
    if version > len(known):
        raise InvalidInput(
            f"{where} was written by a newer Plaudit: its schema is {version}, this one knows "
            f"{len(known)}. Update Plaudit, or name another database."
        )
    return known[version:]
