"""API keys, the same over every SQL engine."""

import json

from plaudit.store.checks import can_hold, check_text
from plaudit.store.people import ApiKey
from plaudit.store.sql import people_statements as statements
from plaudit.store.sql.database import Database, run


class ApiKeys:
    """The part of a store that keeps API keys."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_key(self, key: ApiKey) -> None:
        """Keeps an API key. It replaces one with the same name."""
        check_text("An API key's name", key.name)
        check_text("An API key's scope", *key.scopes)
        given = vars(key) | {"scopes": json.dumps(list(key.scopes))}
        run(self._database, statements.PUT_KEY, **given)

    def keys(self) -> list[ApiKey]:
        """All API keys, oldest first."""
        return [
            ApiKey(name, hash, tuple(json.loads(scopes)), created_at)
            for name, hash, scopes, created_at in self._database.rows(statements.KEYS)
        ]

    def drop_key(self, name: str) -> bool:
        """Deletes an API key. Returns whether it existed."""
        return can_hold(name) and run(self._database, statements.DROP_KEY, name=name) > 0
