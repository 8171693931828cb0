import gc
import signal

import pytest
from hypothesis import settings

# The first example compiles kernels; the same examples on every run.
settings.register_profile("plaudit", deadline=None, derandomize=True)
settings.load_profile("plaudit")

# A shell's background jobs ignore Ctrl-C, and so would the programs that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What is imported and collected stays to the end: looking through it for garbage, again and
# again, took two fifths of the time that collecting takes.
gc.disable()


def pytest_collection_finish() -> None:
    """From now on garbage is collected, without what is there already."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts first what waits for browsers and processes; other tests use the cores meanwhile."""
    waiting = {each.path for each in items if each.get_closest_marker("slow")}
    items.sort(key=lambda each: (each.path not in waiting, "browser" not in each.path.parts))
    # Claims about frequencies take many simulations.
    for each in items:
        if each.get_closest_marker("statistical"):
            each.add_marker(pytest.mark.slow)
