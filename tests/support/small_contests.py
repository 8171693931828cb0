"""Small contests on disk: a summary with a few captions, in the public format."""

from collections.abc import Sequence
from pathlib import Path

HEADER = "caption,mean,precision,votes,not_funny,somewhat_funny,funny\n"


def write_contest(folder: Path, stem: str, counts: Sequence[tuple[str, int, int, int]]) -> Path:
    """Writes a summary: each row is a caption with its votes at each level."""
    rows = []
    for caption, low, middle, high in counts:
        votes = low + middle + high
        mean = (low + 2 * middle + 3 * high) / votes
        quoted = caption.replace('"', '""')
        rows.append(f'"{quoted}",{mean},0.1,{votes},{low},{middle},{high}\n')
    path = folder / f"{stem}.csv"
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return path


def easy_counts(items: int, best: str = "The best") -> list[tuple[str, int, int, int]]:
    """One caption far ahead of the others."""
    others = [(f"Caption {number}", 90 - number % 7, 5, 5) for number in range(1, items)]
    return [(best, 10, 20, 70), *others]
