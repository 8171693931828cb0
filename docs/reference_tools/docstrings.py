"""Docstrings as reStructuredText: plain text with `code`, indented formulas and examples."""

import re

SPECIAL = re.compile(r"([\\*_|])")
CODE = re.compile(r"(``[^`]*``|`[^`]*`)")


def to_rst(lines: list[str]) -> list[str]:
    """The lines of a docstring for Sphinx: stars and bars as they are, formulas as they are set.

    >>> to_rst(["D* of `a*b`:", "", "    x * y", "", "after"])
    ['D\\\\* of ``a*b``:', '', '::', '', '    x * y', '', 'after']
    """
    made: list[str] = []
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
        elif paragraph:
            made += [*_paragraph(paragraph), ""]
            paragraph = []
    return made[:-1]


def _paragraph(lines: list[str]) -> list[str]:
    if lines[0].lstrip().startswith(">>>"):
        return lines
    if all(line.startswith("    ") for line in lines):
        return ["::", "", *lines]
    head = [_escaped(line) for line in lines]
    # An example may follow the text without an empty line.
    for place, line in enumerate(lines):
        if line.lstrip().startswith(">>>"):
            return [*head[:place], "", *lines[place:]]
    return head


def _escaped(line: str) -> str:
    parts = CODE.split(line)
    return "".join(
        _as_code(part) if part.startswith("`") else SPECIAL.sub(r"\\\1", part) for part in parts
    )


def _as_code(part: str) -> str:
    return f"``{part.strip('`')}``"
