"""What every executor promises.

The result of a part depends on the part alone, so every executor gives the same results, in
whatever order the parts finish. Few parts are under way at a time, so memory does not grow with
the number of parts.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from plaudit.errors import PlauditError

Work = Callable[[Any, Any], Any]


class ClusterError(PlauditError):
    """The cluster cannot do the work; the message says what to do."""


class Executor(Protocol):
    """Something that runs parts."""

    def run(self, work: Work, shared: Any, parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """(index, work(shared, parts[index])) of every part, in the order in which they finish.

        An error of a part is raised here, and no further part is started; the same when the
        iterator is closed. Nothing may change `shared`, which all parts see.
        """
