"""Ctrl-C while calls are under way: once to end with what is there, twice to give up."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from plaudit.evaluation.session import Session


@contextmanager
def ctrl_c_ends(session: Session) -> Iterator[None]:
    """Lets Ctrl-C end the session, so that no answer is lost between two steps.

    A second one raises KeyboardInterrupt, as usual. Where this is not the main thread, or somebody
    else listens to Ctrl-C, it is left to them.
    """
    usual = signal.default_int_handler
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not usual:
        yield
        return

    def end(_signal: int, _frame: FrameType | None) -> None:
        session.interrupted = True
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
