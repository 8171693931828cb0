"""The files of a plan: its curve as a chart; its curve, choices and tolerances as CSV."""

import csv
import json
from pathlib import Path
from typing import Any

POINTS = ("low", "median", "high")


def write_plan(forecast: Any, folder: Path, raters_per_day: float) -> None:
    """Writes `curve` as SVG, PNG, PDF, Vega-Lite JSON and CSV, and `choices.csv`.

    What it costs to withstand dishonest raters is in `tolerances.csv`, where an algorithm can.
    """
    from plaudit.charts.files import save_chart
    from plaudit.charts.forecast import forecast_chart

    folder.mkdir(parents=True, exist_ok=True)
    chart = forecast_chart(forecast, title=f"{forecast.items:,} items like {forecast.like}")
    save_chart(chart, folder / "curve")
    spec = json.dumps(chart.to_dict(), indent=1)
    (folder / "curve.vl.json").write_text(spec + "\n", "utf-8")
    _write(folder / "curve.csv", [_named("epsilon", point.epsilon) | {"votes": point.votes}
                                  for point in forecast.curve])  # fmt: skip
    _write(folder / "choices.csv", [_choice(forecast, choice, raters_per_day)
                                    for choice in forecast.choices])  # fmt: skip
    if forecast.tolerances:
        _write(folder / "tolerances.csv", [_choice(forecast, choice, raters_per_day)
                                           for choice in forecast.tolerances])  # fmt: skip


def _choice(forecast: Any, choice: Any, raters_per_day: float) -> dict[str, Any]:
    days = forecast.days(choice, raters_per_day=raters_per_day)
    columns = {"votes": choice.votes, "raters": choice.raters, "days": days}
    row: dict[str, Any] = {
        "epsilon": choice.epsilon,
        "tolerance": choice.tolerance,
        "limit": choice.limit,
    }
    for name, spread in columns.items():
        row |= _named(name, spread)
    return row


def _named(name: str, spread: Any) -> dict[str, Any]:
    """The three points by name; a point that was not reached stays empty."""
    return {f"{name}_{point}": getattr(spread, point) for point in POINTS}


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
