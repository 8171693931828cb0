"""What a contest file, a form or JSON says, as a tree: values stay text until a reader asks."""

from typing import Any, NamedTuple, TypeAlias

MAX_DEPTH = 8


class Scalar(NamedTuple):
    """A single value. `kind`: "plain" (could be a number), "text", "number", "flag", "nothing"."""

    text: str
    line: int | None
    kind: str


class Listing(NamedTuple):
    """A list."""

    children: list["Node"]
    line: int | None


class Table(NamedTuple):
    """Keys with their values, in order; a key may be there twice."""

    pairs: list[tuple[Scalar, "Node"]]
    line: int | None


Node: TypeAlias = Scalar | Listing | Table


def tree_of(data: Any, *, depth: int = MAX_DEPTH) -> Node:
    """The same tree from decoded JSON; it has no lines.

    >>> tree_of({"top": 3}).pairs
    [(Scalar(text='top', line=None, kind='text'), Scalar(text='3', line=None, kind='number'))]
    """
    if isinstance(data, dict | list) and depth == 0:
        return Scalar("more than is read", None, "nesting")
    if isinstance(data, dict):
        keys = (Scalar(str(key), None, "text") for key in data)
        return Table(
            [
                (key, tree_of(v, depth=depth - 1))
                for key, v in zip(keys, data.values(), strict=True)
            ],
            None,
        )
    if isinstance(data, list):
        return Listing([tree_of(child, depth=depth - 1) for child in data], None)
    if data is None:
        return Scalar("", None, "nothing")
    if isinstance(data, bool):
        return Scalar(str(data).lower(), None, "flag")
    return Scalar(str(data), None, "number" if isinstance(data, int | float) else "text")
