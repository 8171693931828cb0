"""Charts drawn as SVG: in a page, where CSS gives the colours, or as a figure of its own.

Everything is 360 wide, about a phone's width, so that the numbers can be read on one. Whatever has
a value says it in `data-told`; `chart-values.js` shows that on hover, touch and arrow keys. Labels
are broken into lines, never cut.
"""

import re
import textwrap
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from markupsafe import Markup, escape

from plaudit.service.watch.chart import BARS, HISTOGRAM, INTERVALS, LINE, Axis, Chart
from plaudit.web.charts.axes import DAY, Scale, scale_of, short
from plaudit.words import _, number

WIDTH, HEIGHT = 360, 210
_TOP, _BOTTOM, _RIGHT = 24, 36, 18
_CHARACTER = 7.0
_LINE = 22
_MOST_CHARACTERS = 20
_WHOLE_LINE = 54
_STYLE = Path(__file__).parent.parent / "shared" / "static" / "chart.css"
_SHAPE = 'xmlns="http://www.w3.org/2000/svg" class="plot" role="img"'


def drawn(chart: Chart) -> Markup:
    """The chart as part of a page; screen readers hear its title and what it shows."""
    body, height = _PAINTERS[chart.kind](chart)
    return Markup(
        f'<svg {_SHAPE} tabindex="0" viewBox="0 0 {WIDTH} {height:g}"'
        f' aria-labelledby="{chart.id}-t" aria-describedby="{chart.id}-d">'
        f'<title id="{chart.id}-t">{escape(chart.title)}</title>'
        f'<desc id="{chart.id}-d">{escape(chart.about)}</desc>{body}</svg>'
    )


def figure(chart: Chart) -> str:
    """The chart as a file of its own, with its style and title, on white."""
    body, height = _PAINTERS[chart.kind](chart)
    top = 26
    return (
        f'<svg {_SHAPE} viewBox="0 {-top} {WIDTH} {height + top:g}" width="{2 * WIDTH}"'
        f' height="{2 * (height + top):g}"><title>{escape(chart.title)}</title>'
        f"<desc>{escape(chart.about)}</desc><style>{_style()}</style>"
        f'<rect x="0" y="{-top}" width="{WIDTH}" height="{height + top:g}" fill="#fff"/>'
        f'<text class="name" x="8" y="-8">{escape(chart.title)}</text>{body}</svg>\n'
    )


@cache
def _style() -> str:
    """The style with its colours in place: programs that print know no names of colours."""
    style = re.sub(r"var\(--[a-z]+, ([^)]+)\)", r"\1", _STYLE.read_text(encoding="utf-8"))
    return style.replace("<", "")


def _line(chart: Chart) -> tuple[str, float]:
    points = [(float(row[0] or 0), _number(row[1])) for row in chart.rows]
    heights = [y for x, y in points if y is not None]
    band = [(_number(row[2]), _number(row[3])) for row in chart.rows] if chart.has_band else []
    heights += [end for ends in band for end in ends if end is not None]
    across, up, parts = _frame(chart, [x for x, y in points], heights)
    if not heights:
        return _nothing(parts)
    if up.low < 0.0 < up.high:
        level = up.place(0.0)
        parts.append(f'<path class="zero" d="M{across.begin:g} {level:g}H{across.end:g}"/>')
    places = [(across.place(x), y) for x, y in points]
    for run in _runs([place[0] for place in places], band):
        ahead = " ".join(f"{x:g},{up.place(low):g}" for x, (low, high) in run)
        back = " ".join(f"{x:g},{up.place(high):g}" for x, (low, high) in reversed(run))
        parts.append(f'<polygon class="band" points="{ahead} {back}"/>')
    parts += _strokes([(x, None if y is None else up.place(y)) for x, y in places], chart.has_dots)
    for (at, y), (x, _known), row in zip(points, places, chart.rows, strict=True):
        if y is not None:
            parts.append(_spot(chart, x, up.place(y), at, y, row))
    return "".join(parts), HEIGHT


def _spot(chart: Chart, x: float, y: float, at: float, value: float, row: Sequence[object]) -> str:
    """A place on a line that says its value."""
    told = f"{_exact(value)} {chart.y.label}"
    if chart.has_band and _number(row[2]) is not None:
        told += f" ({_exact(row[2])} – {_exact(row[3])})"
    moment = f' data-instant="{at:.0f}"' if chart.x.is_time else ""
    before = "" if chart.x.is_time else f"{_exact(at)} {chart.x.label}: "
    return (
        f'<circle class="spot" cx="{x:g}" cy="{y:g}" r="5"{moment}'
        f' data-told="{escape(before + told)}"/>'
    )


def _runs(
    across: Sequence[float], band: Sequence[tuple[float | None, float | None]]
) -> list[list[tuple[float, tuple[float, float]]]]:
    """The stretches in which a band is known."""
    runs: list[list[tuple[float, tuple[float, float]]]] = [[]]
    for x, (low, high) in zip(across, band, strict=False):
        if low is None or high is None:
            runs.append([])
        else:
            runs[-1].append((x, (low, high)))
    return [run for run in runs if len(run) > 1]


def _strokes(places: Sequence[tuple[float, float | None]], has_dots: bool) -> list[str]:
    """A line with gaps where nothing is known; dots where asked for, or a point is alone."""
    path, dots, before = "", [], False
    for place, (x, y) in enumerate(places):
        if y is None:
            before = False
            continue
        path += f"{'L' if before else 'M'}{x:g} {y:g}"
        alone = not before and (place + 1 == len(places) or places[place + 1][1] is None)
        if has_dots or alone:
            dots.append(f'<circle class="dot" cx="{x:g}" cy="{y:g}" r="3"/>')
        before = True
    return [f'<path class="line" d="{path}"/>', *dots]


def _histogram(chart: Chart) -> tuple[str, float]:
    spans = [(float(row[0] or 0), float(row[1] or 0), float(row[2] or 0)) for row in chart.rows]
    ends = [end for low, high, _ in spans for end in (low, high)]
    across, up, parts = _frame(chart, ends, [count for *_, count in spans])
    words = str(escape(_("%(low)s to %(high)s: %(count)s")))
    for low, high, count in spans:
        left, right, top = across.place(low), across.place(high), up.place(count)
        told = words % {"low": f"{low:g}", "high": f"{high:g}", "count": number(count)}
        parts.append(
            f'<rect class="bar" x="{left + 0.5:g}" y="{top:g}" width="{max(right - left - 1, 1):g}"'
            f' height="{up.begin - top:g}" data-told="{told}"/>'
        )
    return "".join(parts), HEIGHT


def _bars(chart: Chart) -> tuple[str, float]:
    """Bars that lie, each with its label before it and its number after it."""
    labels = [_lines(str(row[0]), _MOST_CHARACTERS) for row in chart.rows]
    longest = max((len(line) for lines in labels for line in lines), default=0)
    left = 8 + longest * _CHARACTER
    most = max((float(row[1] or 0) for row in chart.rows), default=0.0) or 1.0
    parts, y = [], 6.0
    for lines, row in zip(labels, chart.rows, strict=True):
        value = float(row[1] or 0)
        width = round((WIDTH - left - 62) * value / most, 1)
        told = escape(f"{' '.join(lines)}: {_exact(row[1])} {chart.y.label}")
        parts += [
            f'<text class="label" x="{left - 6:g}" y="{y + 14 + 13 * place:g}">'
            f"{escape(line)}</text>"
            for place, line in enumerate(lines)
        ]
        parts.append(
            f'<rect class="bar" x="{left:g}" y="{y + 2:g}" width="{max(width, 0.5):g}" height="16"'
            f' data-told="{told}"/>'
            f'<text class="value" x="{left + width + 5:g}" y="{y + 14:g}">{_exact(row[1])}</text>'
        )
        y += _LINE + 13 * (len(lines) - 1)
    height = y + 22
    name = escape(chart.y.label)
    parts.append(f'<text class="axis-name" x="{left:g}" y="{height - 6}">{name}</text>')
    return "".join(parts), height


def _intervals(chart: Chart) -> tuple[str, float]:
    """A line from lower to upper bound for each item, under its label, with its mean."""
    top = 22
    labels = [
        _lines(f"{place}. {row[0]}", _WHOLE_LINE) for place, row in enumerate(chart.rows, start=1)
    ]
    height = top + sum(20 + 14 * len(lines) for lines in labels) + 6
    across = scale_of(chart.x, [], 10, WIDTH - 10, 4)
    parts = [
        f'<path class="grid" d="M{across.place(at):g} {top - 4}V{height - 4:g}"/>'
        f'<text class="tick" x="{across.place(at):g}" y="12">{words}</text>'
        for at, words in across.ticks
    ]
    y = top
    for lines, row in zip(labels, chart.rows, strict=True):
        low, high = across.place(float(row[2] or 0)), across.place(float(row[3] or 0))
        parts.append(f'<g class="standing-{escape(row[4])}" data-told="{escape(_reading(row))}">')
        for line in lines:
            y += 14
            parts.append(f'<text class="words" x="10" y="{y - 2}">{escape(line)}</text>')
        parts.append(f'<path class="reach" d="M{low:g} {y + 9}H{high:g}"/>')
        if row[1] is not None:
            parts.append(f'<circle cx="{across.place(float(row[1])):g}" cy="{y + 9}" r="4.5"/>')
        parts.append("</g>")
        y += 20
    return "".join(parts), height


def _reading(row: Sequence[object]) -> str:
    """What the line of an item says, in numbers."""
    facts = {"low": _exact(row[2]), "high": _exact(row[3]), "votes": _exact(row[5])}
    if row[1] is None:
        return _("between %(low)s and %(high)s, no votes", **facts)
    return _(
        "mean %(mean)s, between %(low)s and %(high)s, %(votes)s votes", mean=_exact(row[1]), **facts
    )


def _frame(
    chart: Chart, across: Sequence[float], heights: Sequence[float]
) -> tuple[Scale, Scale, list[str]]:
    """The two scales, and the drawing of their ticks, grid and names."""
    floor = HEIGHT - _BOTTOM
    up = scale_of(chart.y, heights, floor, _TOP, 4)
    left = 12 + max((len(words) for _, words in up.ticks), default=1) * _CHARACTER
    along = scale_of(_tight(chart.x, across), across, left, WIDTH - _RIGHT, 4)
    parts = [
        f'<path class="grid" d="M{left:g} {up.place(at):g}H{WIDTH - _RIGHT}"/>'
        f'<text class="tick-up" x="{left - 6:g}" y="{up.place(at) + 4:g}">{words}</text>'
        for at, words in up.ticks
    ]
    parts += [
        f'<path class="mark" d="M{along.place(at):g} {floor}v4"/>'
        f'<text class="tick" x="{along.place(at):g}" y="{floor + 16}"{_instant(chart, along, at)}>'
        f"{words}</text>"
        for at, words in along.ticks
    ]
    zoned = f' data-zoned="{escape(chart.x.zoned)}"' if chart.x.zoned else ""
    parts.append(
        f'<path class="axis" d="M{left:g} {floor}H{WIDTH - _RIGHT}"/>'
        f'<text class="axis-name" x="4" y="12">{escape(chart.y.label)}</text>'
        f'<text class="axis-end" x="{WIDTH - _RIGHT}" y="{HEIGHT - 5}"{zoned}>'
        f"{escape(chart.x.label)}</text>"
    )
    return along, up, parts


def _instant(chart: Chart, along: Scale, at: float) -> str:
    """The time of a tick, for a script that shows it in the reader's zone; days stay as they are.

    The stretches of a chart that counts by days begin at midnight UTC.
    """
    of_day = chart.x.is_time and any(tick % DAY for tick, _ in along.ticks)
    return f' data-at="{at:.0f}"' if of_day else ""


def _tight(axis: Axis, values: Sequence[float]) -> Axis:
    """An axis that ends with its values, not at the next tick."""
    known = [*values, *(end for end in (axis.low, axis.high) if end is not None)]
    return axis._replace(low=min(known), high=max(known)) if known else axis


def _nothing(parts: Sequence[str]) -> tuple[str, float]:
    said = escape(_("nothing yet"))
    middle = f'<text class="none" x="{WIDTH / 2:g}" y="{HEIGHT / 2:g}">{said}</text>'
    return "".join(parts) + middle, HEIGHT


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _exact(value: object) -> str:
    number = _number(value) or 0.0
    return f"{int(number):,}" if number == int(number) else short(number, 3)


def _lines(text: str, most: int) -> list[str]:
    """A label in lines of at most so many characters."""
    return textwrap.wrap(" ".join(text.split()), most) or [""]


_PAINTERS: dict[str, Callable[[Chart], tuple[str, float]]] = {
    LINE: _line,
    HISTOGRAM: _histogram,
    BARS: _bars,
    INTERVALS: _intervals,
}
