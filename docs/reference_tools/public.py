"""What is public: the names in `__all__` of these modules. Everything else may change."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

TOP = "plaudit"
MODULES = (
    "plaudit.race",
    "plaudit.scale",
    "plaudit.evaluation",
    "plaudit.bounds",
    "plaudit.theory",
    "plaudit.simulation",
    "plaudit.datasets",
    "plaudit.studies",
    "plaudit.errors",
    "plaudit.client",
    "plaudit.adapters.pandas",
    "plaudit.adapters.optuna",
    "plaudit.adapters.promptfoo",
    "plaudit.adapters.inspect_ai",
)
# A constant has no docstring: its page says what it is.
DIRECTIVE = re.compile(
    r"^\.\. (?:auto(?:class|exception|function):: (\S+)$|py:data:: (\S+)\n\n   \S)", re.MULTILINE
)


def public_names() -> list[str]:
    """Every public name with its module, such as `plaudit.race.Race`."""
    return [f"{module}.{name}" for module in MODULES for name in import_module(module).__all__]


def documented_names(page: str) -> list[str]:
    """The names that the directives of a page document."""
    return [code or constant for code, constant in DIRECTIVE.findall(page)]


def look_up(name: str) -> Any:
    """The object that a public name stands for."""
    module, _, rest = name.rpartition(".")
    return getattr(import_module(module), rest)


def members_of(found: Any) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class of Plaudit has or inherits from one."""
    homes = [one for one in inspect.getmro(found) if one.__module__.split(".")[0] == TOP]
    for home in homes:
        for name in vars(home):
            # As the class itself gives it: what a client's plan becomes depends on the client.
            member = inspect.getattr_static(found, name)
            member = getattr(found, name) if hasattr(member, "plan") else member
            if not name.startswith("_") and _is_code(member):
                yield name, member


def _is_code(member: Any) -> bool:
    return callable(member) or isinstance(member, property | classmethod | staticmethod)


def first_line(found: Any) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(found) or "").partition("\n")[0]


def top_table() -> str:
    """A Markdown table of the names that `plaudit` itself exports, each linked to its entry."""
    top, entries = import_module(TOP), public_names()
    homes = {id(look_up(name)): name for name in reversed(entries)}
    rows = [
        f"| {{py:obj}}`{TOP}.{name} <{_home(getattr(top, name), homes)}>` "
        f"| {first_line(getattr(top, name))} |"
        for name in top.__all__
    ]
    return "\n".join(["| name | what it is |", "|---|---|", *rows])


def _home(found: Any, homes: dict[int, str]) -> str:
    """The name under which the reference has an object."""
    return found.__name__ if isinstance(found, ModuleType) else homes[id(found)]
