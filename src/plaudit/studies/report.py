"""One offline HTML page of all studies in a folder: text, tables and figures inside it."""

import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from plaudit.errors import InvalidInput
from plaudit.studies import TITLES
from plaudit.studies.output import FIGURE, PAGE, RESULT
from plaudit.studies.study import RULE

REPORT = "report.html"


def write_report(out: Path) -> Path:
    """Writes `report.html` into the folder of the studies; its path."""
    finished = [name for name in TITLES if (out / name / RESULT).exists()]
    if not finished:
        raise InvalidInput(
            f"There is no finished study in {str(out)!r}. Run one first, such as "
            f"`plaudit study run figure-1 --out {out}`."
        )
    path = out / REPORT
    path.write_text("\n".join(_document(out, finished)) + "\n", "utf-8")
    return path


def _document(out: Path, finished: list[str]) -> Iterator[str]:
    style = files("plaudit.studies").joinpath("report.css").read_text("utf-8")
    yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>Plaudit: the paper's claims, repeated</title><style>{style}</style></head><body>"
    yield "<main><h1>The paper's claims, repeated</h1>"
    yield "<p>Each table, figure and claim of “A KL-LUCB Bandit Algorithm for Large-Scale "
    yield "Crowdsourcing”, run again by Plaudit, with what agrees and what does not; and what "
    yield f"Plaudit's own algorithm is worth.</p><p>{html.escape(RULE)}</p><nav><ul>"
    for name in finished:
        tally = html.escape(_tally(out / name))
        yield f'<li><a href="#{name}">{html.escape(TITLES[name])}</a>: {tally}</li>'
    yield "</ul></nav>"
    for name in finished:
        yield f'<section id="{name}">{_section(out / name)}</section>'
    missing = [TITLES[name] for name in TITLES if name not in finished]
    if missing:
        yield f"<p>Not run yet: {html.escape('; '.join(missing))}.</p>"
    yield "</main></body></html>"


def _tally(folder: Path) -> str:
    """How many claims of a study agree, and so on, in words."""
    claims = json.loads((folder / RESULT).read_text("utf-8"))["claims"]
    counts = Counter(claim["agreement"] for claim in claims)
    return ", ".join(f"{count} × {agreement}" for agreement, count in counts.most_common())


def _section(folder: Path) -> str:
    from markdown_it import MarkdownIt

    # Raw HTML in a page stays text: captions of contests come from strangers.
    renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
    body: str = renderer.render((folder / PAGE).read_text("utf-8"))
    body = re.sub(r"<(/?)h1>", r"<\1h2>", body)
    body = body.replace("<table>", '<div class="wide"><table>').replace(
        "</table>", "</table></div>"
    )
    figure = (folder / f"{FIGURE}.svg").read_text("utf-8")
    # A function, since a replacement text would read backslashes in the figure.
    return re.sub(r'<p><img src="figure\.svg"[^>]*></p>', lambda _: _figure(figure, folder), body)


def _figure(svg: str, folder: Path) -> str:
    """The figure inside the page; its ids carry the study's name, since pages share one space."""
    own = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{folder.name}-", svg)
    return f'<div class="wide figure">{own[own.index("<svg") :]}</div>'
