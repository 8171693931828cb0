"""Sphinx: the pages of this folder as HTML, readable without a network."""

import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike
from sphinx.util.typing import stringify_annotation

sys.path.insert(0, str(Path(__file__).parent))

from reference_tools.docstrings import to_rst
from reference_tools.public import top_table
from reference_tools.verbs import verbs_page

project = "Plaudit"
author = "The Plaudit authors"
copyright = "the Plaudit authors, BSD-3-Clause"

extensions = ["myst_parser", "sphinx.ext.mathjax", "sphinx.ext.autodoc"]
# A bundled MathJax, copied into the output; without the package, Sphinx links to a CDN.
if find_spec("sphinx-mathjax-offline"):
    extensions.append("sphinx-mathjax-offline")

source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
language = "en"
# Commands and code stay as they are typed.
smartquotes = False

myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 3

# What a class inherits from another of Plaudit is listed with it; Python's own classes are known.
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseException,Exception,LookupError,ValueError,tuple,object",
    "member-order": "bysource",
    "show-inheritance": True,
}
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88

html_theme = "furo"
html_title = "Plaudit"
html_show_sphinx = False


def fill_in(_app: object, _page: str, source: list[str]) -> None:
    """Puts what is generated in the place of its mark."""
    if "<!-- every name of plaudit -->" in source[0]:
        source[0] = source[0].replace("<!-- every name of plaudit -->", top_table())
    if "<!-- every verb -->" in source[0]:
        from plaudit.cli import main

        source[0] = source[0].replace("<!-- every verb -->", verbs_page(main, "plaudit"))


def make_rst(*given: Any) -> None:
    """Docstrings are plain text; Sphinx reads reStructuredText."""
    lines = given[-1]
    lines[:] = to_rst(lines)


# NumPy's names for types, which Sphinx sees only written out in full.
ARRAY_LIKE = stringify_annotation(ArrayLike, "smart")
ARRAY = re.compile(r"~numpy\.ndarray\[[^\[\]]*\[[^\[\]]*\], ~numpy\.dtype\[(~?[\w.]+)\]\]")


def shorten(*given: Any) -> tuple[str | None, str | None]:
    """A signature with NumPy's own names for the types of arrays."""
    parts = (part and part.replace(ARRAY_LIKE, "ArrayLike") for part in given[-2:])
    arguments, result = (part and ARRAY.sub(r"NDArray[\1]", part) for part in parts)
    return arguments, result


def setup(app: Any) -> None:
    """Joins the generated parts to the pages."""
    app.connect("source-read", fill_in)
    app.connect("autodoc-process-docstring", make_rst)
    app.connect("autodoc-process-signature", shorten)
