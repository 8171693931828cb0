"""Caption-contest summaries: one row per caption, with its votes at each of three levels.

The form of github.com/nextml/caption-contest-data (`summaries/`), with or
without the column `rank`. The counts at the levels are what is believed. The
columns `votes` and `mean` are only compared with them, because the public files
do not always agree with themselves: in contest 686 the levels of 73 captions
do not add up to their `votes`, and 224 have another `mean` than their levels.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plaudit.datasets.csv_reader import Sheet, name_lines, number, shorten
from plaudit.datasets.table import VoteTable, level_totals
from plaudit.errors import VoteFileError
from plaudit.scale import FUNNY, Scale

LEVELS = ("not_funny", "somewhat_funny", "funny")
COLUMNS = ("caption", "votes", *LEVELS)
MAX_COUNT = 10**12
# A mean that someone rounded to two decimals is no news.
MEAN_TOLERANCE = 0.005 + 1e-9


@dataclass(frozen=True)
class _Rows:
    captions: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    means: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)


def read_summary(sheet: Sheet, *, scale: Scale | None = None) -> VoteTable:
    """The table of a summary: every row is an item, its votes on the scale `FUNNY`.

    Rows with the same caption stay apart and are reported, as are empty
    captions, items without votes, and rows that disagree with themselves. A
    `scale` with other values than FUNNY's is reported as unused.
    """
    rows = _read_rows(sheet)
    counts = np.array(rows.counts, dtype=np.int64).reshape(len(rows.lines), -1)
    levels = counts[:, 1:].copy()
    votes = levels.sum(axis=1)
    totals = level_totals(levels, FUNNY)
    warnings = (
        *sheet.warnings,
        *_unused(scale),
        *_duplicates(rows),
        *_findings(rows, counts[:, 0], votes, totals),
    )
    return VoteTable(tuple(rows.captions), votes, totals, levels, FUNNY, warnings)


def _read_rows(sheet: Sheet) -> _Rows:
    rows = _Rows()
    caption_at, *counts_at = (sheet.position(name) for name in COLUMNS)
    mean_at = sheet.position("mean") if sheet.has("mean") else None
    known: dict[str, int] = {}
    for line, fields in sheet.rows:
        for position in counts_at:
            text = fields[position]
            if text not in known:
                known[text] = _count(text, sheet.columns[position], line)
            rows.counts.append(known[text])
        rows.lines.append(line)
        rows.captions.append(fields[caption_at])
        rows.means.append(_given_mean(fields, mean_at))
    return rows


def _count(text: str, column: str, line: int) -> int:
    count = number(text)
    if count is not None and count.is_integer() and 0 <= count <= MAX_COUNT:
        return int(count)
    raise VoteFileError(
        f"The column {column!r} holds {shorten(text)}, {_fault(count)}. It counts votes: a whole "
        f"number from 0 to {MAX_COUNT}. Correct the field, or delete the row.",
        line=line,
    )


def _fault(count: float | None) -> str:
    if count is None or math.isnan(count):
        return "which is not a number"
    if count < 0:
        return "which is negative"
    return "which is too large" if count > MAX_COUNT else "which is not a whole number"


def _given_mean(fields: list[str], position: int | None) -> float:
    """The row's own mean, on the summaries' scale of 1 to 3; NaN if it gives none."""
    mean = None if position is None else number(fields[position])
    return math.nan if mean is None else mean


def _unused(scale: Scale | None) -> Iterator[str]:
    if scale is not None and scale.values != FUNNY.values:
        yield (
            "The scale given was not used: a caption-contest summary has its own, "
            f"{', '.join(LEVELS)} with the values 0, 0.5 and 1."
        )


def _duplicates(rows: _Rows) -> Iterator[str]:
    places: defaultdict[str, list[int]] = defaultdict(list)
    for caption, line in zip(rows.captions, rows.lines, strict=True):
        places[caption].append(line)
    shared = {text: at for text, at in places.items() if len(at) > 1 and text.strip()}
    if shared:
        examples = [f"{shorten(text)} ({name_lines(at)})" for text, at in shared.items()][:3]
        yield (
            f"Captions that occur more than once: {len(shared)}, on "
            f"{sum(map(len, shared.values()))} rows. Every row stays an item of its own. "
            f"{'Such as' if len(shared) > 3 else 'They are'} {'; '.join(examples)}."
        )


def _findings(
    rows: _Rows,
    given_votes: NDArray[np.int64],
    votes: NDArray[np.int64],
    totals: NDArray[np.float64],
) -> Iterator[str]:
    empty = np.array([not caption.strip() for caption in rows.captions])
    # 0, 1/2, 1 are written 1, 2, 3 there; NaN compares as no difference.
    own_mean = 1 + 2 * totals / np.maximum(votes, 1)
    off_mean = (np.abs(own_mean - np.array(rows.means)) > MEAN_TOLERANCE) & (votes > 0)
    for found, what in (
        (empty, "Empty captions, each kept as an item"),
        (votes == 0, "Items without votes"),
        (given_votes != votes, "Rows whose 'votes' is not the sum of their levels (used: the sum)"),
        (off_mean, "Rows whose 'mean' does not follow from their levels (used: the levels)"),
    ):
        lines = [rows.lines[row] for row in np.flatnonzero(found)]
        if lines:
            yield f"{what}: {len(lines)} ({name_lines(lines)})."
