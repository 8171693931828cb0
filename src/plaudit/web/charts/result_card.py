"""The result of a contest as one picture to share: SVG with the drawing inside, made offline.

Nothing is loaded from elsewhere, so the file shows the same wherever it is sent. Browsers turn it
into PNG (`result-card.js`).
"""

import base64
import unicodedata
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from plaudit.service.watch.outcome import Outcome, Place
from plaudit.store.contract import Asset
from plaudit.words import _, ngettext, number

WIDTH, MARGIN = 1200, 80
DRAWING_HEIGHT = 720
SERIF = (
    "'Iowan Old Style','Palatino Linotype',Palatino,'Noto Serif',Georgia,'Liberation Serif',serif"
)
SANS = "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif"
PAPER, INK, SOFT, ACCENT = "#faf8f3", "#1e1d1b", "#5a564e", "#0b5fa5"
# The mean width of a letter, in parts of the size of the font; a wide one takes about a whole.
LETTER, WIDE = 0.52, 1.0
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
            self.y += 1.3 * size
            self.parts.append(
                f'<text x="{WIDTH / 2:g}" y="{self.y - 0.3 * size:.1f}" text-anchor="middle" '
                f'font-family="{font}" font-size="{size}" fill="{fill}" {more}>'
                f"{escape(line)}</text>"
            )

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
    size = 64 if len(named) == 1 else 46
    for place in named:
        words = place.text or _("Picture %(number)s", number=place.id)
        card.text(f"“{words}”", size, font=SERIF, more='font-style="italic" font-weight="600"')
    card.y += 12
    card.text(headline(outcome), 34, fill=ACCENT, more='font-weight="700"')
    rest = [place for place in outcome.places[1:] if not place.is_winner]
    if rest:
        card.y += 26
        for place in rest:
            card.text(_line(place), 32, font=SERIF)
    card.y += 30
    card.text(crowd_words(outcome), 26, fill=SOFT)
    return card.svg(title)


def headline(outcome: Outcome) -> str:
    """Who these are: the winner, the winners, or the favourite so far."""
    if not outcome.is_decided:
        return _("The favourite so far")
    count = len(outcome.winners)
    return ngettext("The winner", "The %(count)s winners", count, count=count)


def crowd_words(outcome: Outcome) -> str:
    """How many people gave how many votes on how many items."""
    return _(
        "%(raters)s people gave %(votes)s votes on %(items)s entries",
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
