"""The edition of Plaudit that runs here: equal editions give equal results.

Processors may still differ in the last bit, where a compiler fuses a product and a sum.
"""

import hashlib
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("plaudit", "numpy", "numba", "scipy")


@cache
def edition() -> dict[str, str]:
    """What must be the same on every machine for results to be the same."""
    sources = hashlib.sha256()
    room = Path(__file__).parents[2]
    for source in sorted(room.rglob("*.py")):
        sources.update(source.relative_to(room).as_posix().encode() + source.read_bytes())
    return {
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "sources of plaudit": sources.hexdigest()[:16],
        **{package: version(package) for package in PACKAGES},
    }


def differences(theirs: dict[str, str], ours: dict[str, str]) -> str:
    """What differs between two editions, in words; empty if nothing does."""
    return ", ".join(
        f"{name} {theirs.get(name, 'unknown')} instead of {ours[name]}"
        for name in ours
        if theirs.get(name) != ours[name]
    )
