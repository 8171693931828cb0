"""The page of a study, in Markdown: the claims, what was measured, the figure, the numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plaudit.studies.study import Claim, Findings, Study, StudyTable


def make_page(study: Study, findings: Findings, command: str) -> str:
    """The page as text; the figure is linked as `figure.svg`."""
    return "\n".join(_lines(study, findings, command)) + "\n"


def _lines(study: Study, findings: Findings, command: str) -> Iterator[str]:
    yield f"# {study.title}"
    yield f"\n{study.question}\n"
    yield from _claims(findings.claims, study.claims_heading)
    yield f"\n![{study.title}](figure.svg)\n"
    yield f"*{findings.figure_caption}*"
    for table in findings.tables:
        if table.on_page:
            yield from _table(table)
    if findings.notes:
        yield ""
        yield from (f"- {note}" for note in findings.notes)
    yield f"\nMade by `{command}`. All numbers: `result.json`, and a CSV file for each table."


def _claims(claims: Sequence[Claim], heading: str) -> Iterator[str]:
    yield f"| {heading} | measured | |"
    yield "|---|---|---|"
    for claim in claims:
        told = f"**{claim.agreement}**{_held(claim)}"
        yield f"| {_cell(claim.paper)} | {_cell(claim.measured)} | {told} |"


def _held(claim: Claim) -> str:
    """How many checks hold, where it is not all of them."""
    held, number = sum(claim.checks), len(claim.checks)
    return f" ({held} of {number} checks)" if held < number > 1 else ""


def _table(table: StudyTable) -> Iterator[str]:
    if not table.rows:
        return
    names = list(table.rows[0])
    yield f"\n{table.caption}\n" if table.caption else ""
    yield "| " + " | ".join(name.replace("_", " ") for name in names) + " |"
    yield "|" + "|".join(_alignment(table.rows, name) for name in names) + "|"
    for row in table.rows:
        yield "| " + " | ".join(_cell(show(row[name])) for name in names) + " |"


def _alignment(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    return "---:" if all(isinstance(row[name], int | float | None) for row in rows) else "---"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def show(value: Any) -> str:
    """A value as people read it: thousands grouped, three digits that count.

    >>> show(1234567), show(0.012345), show(1234.5), show(None)
    ('1,234,567', '0.0123', '1,234', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return str(value)
