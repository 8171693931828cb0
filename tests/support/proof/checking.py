"""The independent checker, loaded from its one file."""

import importlib.util
from pathlib import Path
from types import ModuleType

FILE = Path(__file__).parents[3] / "checker" / "plaudit_check.py"


def load() -> ModuleType:
    """The checker as a module."""
    spec = importlib.util.spec_from_file_location("plaudit_check", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECKER = load()
