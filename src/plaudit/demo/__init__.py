"""The demo contest: a drawing, captions for it, and how funny a simulated crowd finds them.

The drawing and the captions were made for Plaudit and have its licence. `qualities.txt` has one
number for each caption, in the same order: the mean vote of the simulated crowd. `proposals.txt`
has captions that this crowd proposes.
"""

from importlib.resources import files
from pathlib import Path

NAME = "snowman"

__all__ = ["NAME", "captions_file", "contest_file", "drawing_file", "proposals", "qualities"]


def contest_file() -> Path:
    """The path of the contest file; the drawing and the captions lie beside it."""
    return _path("contest.yaml")


def drawing_file() -> Path:
    """The path of the drawing."""
    return _path("drawing.svg")


def captions_file() -> Path:
    """The path of the captions, one a line."""
    return _path("captions.txt")


def qualities() -> dict[int, float]:
    """The mean vote of the simulated crowd by item number, in [0, 1].

    >>> 0.0 < qualities()[0] < 1.0
    True
    """
    lines = _path("qualities.txt").read_text(encoding="utf-8").split()
    return {item: float(line) for item, line in enumerate(lines)}


def proposals() -> list[str]:
    """What the simulated crowd proposes, one after the other."""
    return _path("proposals.txt").read_text(encoding="utf-8").splitlines()


def _path(name: str) -> Path:
    return Path(str(files(__name__).joinpath(name)))
