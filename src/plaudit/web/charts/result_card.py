"""The result of a contest as one picture to share: SVG with the drawing inside, made offline.

Nothing is loaded from elsewhere, so the file shows the same wherever it is sent. Browsers turn it
into PNG (`result-card.js`).
"""

import base64
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from plaudit.service.watch.outcome import Outcome, Place
from plaudit.store.contract import Asset
from plaudit.words import _, ngettext, number

WIDTH, MARGIN = 1200, 80
DRAWING_HEIGHT = 720
SERIF = "Newsreader,'Iowan Old Style',Palatino,'Noto Serif',Georgia,'Liberation Serif',serif"
SANS = "Figtree,system-ui,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif"
PAPER, INK, SOFT, LINE = "#f7f6f2", "#1b1a17", "#5b574e", "#e4e0d7"
GOLD, ON_GOLD = "#f2b134", "#2b1f00"
_FONTS = Path(__file__).parent.parent / "shared" / "static" / "fonts"
# The mean width of a letter, in parts of the size of the font; a wide one takes about a whole.
LETTER, WIDE = 0.52, 1.0
LEADING = 1.25
MOST_LINES = 8
MOST_NAMED = 10


class _Card:
    """The parts of a picture from top to bottom, and how far down it has got."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.y = float(MARGIN)

    def text(
        self, words: str, size: int, *, font: str = SANS, fill: str = INK, more: str = ""
    ) -> None:
        """A paragraph in the middle, broken into lines."""
        for line in lines_of(words, (WIDTH - 2 * MARGIN) / size):
            self.y += LEADING * size
            self.parts.append(
                f'<text x="{WIDTH / 2:g}" y="{self.y - 0.3 * size:.1f}" text-anchor="middle" '
                f'font-family="{font}" font-size="{size}" fill="{fill}" {more}>'
                f"{escape(line)}</text>"
            )

    def pill(self, words: str, size: int) -> None:
        """A few words on gold, which say what is below them."""
        across, high = _width(words) * size * 1.1 + 1.6 * size, 1.9 * size
        self.parts.append(
            f'<rect x="{(WIDTH - across) / 2:.1f}" y="{self.y:.1f}" width="{across:.1f}" '
            f'height="{high:.1f}" rx="{high / 2:.1f}" fill="{GOLD}"/>'
        )
        self.y += (high - LEADING * size) / 2
        self.text(words, size, fill=ON_GOLD, more='font-weight="700"')
        self.y += (high - LEADING * size) / 2

    def rule(self) -> None:
        """A line across the middle."""
        self.parts.append(
            f'<path d="M{WIDTH / 2 - 200:g} {self.y:.1f}h400" stroke="{LINE}" stroke-width="2"/>'
        )
        self.y += 12

    def drawing(self, picture: Asset, alt: str) -> None:
        """A picture inside the file, as large as it fits."""
        data = base64.b64encode(picture.body).decode()
        self.parts.append(
            f'<image x="{MARGIN}" y="{self.y:g}" width="{WIDTH - 2 * MARGIN}" '
            f'height="{DRAWING_HEIGHT}" preserveAspectRatio="xMidYMid meet" '
            f'href="data:{picture.media_type};base64,{data}"><title>{escape(alt)}</title></image>'
        )
        self.y += DRAWING_HEIGHT + 20

    def svg(self, title: str) -> bytes:
        """The whole picture."""
        height = self.y + MARGIN
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
            f'width="{WIDTH}" height="{height:g}" role="img" aria-label={quoteattr(title)}>'
            f"<style>{_fonts()}</style>"
            f'<rect width="100%" height="100%" fill="{PAPER}"/>{"".join(self.parts)}</svg>'
        ).encode()


def result_card(
    title: str, outcome: Outcome, *, picture: Asset | None, alt: str, winning: Asset | None = None
) -> bytes:
    """The picture: the question, the drawing, the winner under it, second and third, how sure.

    `picture` is the drawing of the contest, `winning` the picture of the winning item.
    """
    card = _Card()
    card.text(title, 40, fill=SOFT)
    card.y += 20
    shown = winning or picture
    if shown is not None:
        card.drawing(shown, alt)
    named = (outcome.winners or outcome.places[:1])[:MOST_NAMED]
    size = 72 if len(named) == 1 else 48
    card.pill(headline(outcome), 30)
    card.y += 24
    for place in named:
        words = place.text or _("Picture %(number)s", number=place.id)
        card.text(f"“{words}”", size, font=SERIF, more='font-weight="500"')
    rest = [place for place in outcome.places[1:] if not place.is_winner]
    if rest:
        card.y += 36
        card.rule()
        for place in rest:
            card.y += 12
            card.text(_line(place), 34, font=SERIF)
    card.y += 36
    card.text(crowd_words(outcome), 26, fill=SOFT)
    return card.svg(title)


@cache
def _fonts() -> str:
    """Both fonts inside the file, so that it looks the same wherever it is sent."""
    faces = []
    for family in ("Newsreader", "Figtree"):
        (path,) = _FONTS.glob(f"{family.lower()}-latin-????????.woff2")
        data = base64.b64encode(path.read_bytes()).decode()
        faces.append(
            f"@font-face{{font-family:{family};font-weight:400 700;"
            f"src:url(data:font/woff2;base64,{data}) format('woff2')}}"
        )
    return "".join(faces)


def headline(outcome: Outcome) -> str:
    """Who these are: the winner, the winners, or the favourite so far."""
    if not outcome.is_decided:
        return _("The favourite so far")
    count = len(outcome.winners)
    if count == 1:
        return _("The winner")
    return ngettext("The %(count)s winner", "The %(count)s winners", count, count=count)


def crowd_words(outcome: Outcome) -> str:
    """How many people gave how many votes on how many items."""
    return _(
        "%(raters)s people gave %(votes)s votes on %(items)s entries.",
        raters=number(outcome.raters),
        votes=number(outcome.votes),
        items=number(outcome.items),
    )


def _line(place: Place) -> str:
    words = place.text or _("Picture %(number)s", number=place.id)
    return f"{place.place}.  {words}"


def lines_of(words: str, width: float) -> list[str]:
    """A text in lines of a width, which is in sizes of the font; the rest is cut after a few.

    >>> lines_of("one two three", 4.5)
    ['one two', 'three']
    """
    lines: list[str] = []
    for word in _pieces(words.split(), width):
        if lines and _width(f"{lines[-1]} {word}") <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1]} …"]
    return lines


def _pieces(words: Sequence[str], width: float) -> list[str]:
    """Words, cut where one alone is too wide, as in scripts without spaces."""
    pieces: list[str] = []
    for word in words:
        piece = ""
        for sign in word:
            if piece and _width(piece + sign) > width:
                pieces.append(piece)
                piece = ""
            piece += sign
        pieces.append(piece)
    return pieces


def _width(text: str) -> float:
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return LETTER * (len(text) - wide) + WIDE * wide
