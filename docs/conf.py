"""Sphinx: the pages of this folder as HTML, readable without a network."""

from importlib.util import find_spec

project = "Plaudit"
author = "The Plaudit authors"
copyright = "the Plaudit authors, BSD-3-Clause"

extensions = ["myst_parser", "sphinx.ext.mathjax"]
# A bundled MathJax, copied into the output; without the package, Sphinx links to a CDN.
if find_spec("sphinx-mathjax-offline"):
    extensions.append("sphinx-mathjax-offline")

source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
language = "en"

myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "Plaudit"
html_show_sphinx = False
