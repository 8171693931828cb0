"""How soon a rater on a slow phone sees the first item, and what the page weighs."""

import tempfile
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.load import CONTEST, make_contest, plaudit_serving
from benchmarks.processor_time import family_seconds
from benchmarks.report import Report

SLOWER = 4
BAR_MS, BAR_KB = 300.0, 60.0
ITEMS = 500
# The bytes of scripts, styles and fonts: as they were sent, and unpacked.
SIZES = """
() => {
  const kinds = { script: [0, 0], style: [0, 0], font: [0, 0] };
  for (const { name, encodedBodySize, decodedBodySize } of performance.getEntriesByType("resource")) {
    const kind = /\\.js$/.test(name) ? "script" : /\\.css$/.test(name) ? "style" : "font";
    if (kind === "font" && !name.endsWith(".woff2")) continue;
    kinds[kind][0] += encodedBodySize;
    kinds[kind][1] += decodedBodySize;
  }
  return kinds;
}
"""  # noqa: E501


def measure(report: Report, browser: Any, rounds: int) -> None:
    """Opens the page of a new rater some times, on a processor that is slowed down."""
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "phone.db")
        make_contest(database, ITEMS)
        with plaudit_serving(database) as url:
            visits = [_visit(browser, url) for _ in range(rounds + 1)][1:]
    # The system counts in ticks of a hundredth of a second.
    server = mean(visit[0] for visit in visits)
    script, task = (median(visit[place] for visit in visits) for place in (1, 2))
    sizes = visits[-1][3]
    what = f"first item, {SLOWER} times slower"
    report.at_most(f"{what}: server and script", server + script, BAR_MS, "ms")
    report.add(f"{what}: the server's processor time", server, "ms")
    report.add(f"{what}: script", script, "ms")
    report.add(f"{what}: all tasks of the page, layout too", task, "ms")
    sent, plain = (sum(sizes[kind][place] for kind in ("script", "style")) for place in (0, 1))
    report.at_most("script and style, as sent", sent / 1000, BAR_KB, "kB")
    report.add("script and style, unpacked", plain / 1000, "kB")
    report.add("fonts, which are kept for a year", sizes["font"][0] / 1000, "kB")


def _visit(browser: Any, url: Any) -> tuple[float, float, float, dict[str, list[int]]]:
    """A new rater's way to the first item: milliseconds of server, script and all tasks; bytes."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    protocol = context.new_cdp_session(page)
    protocol.send("Performance.enable")
    protocol.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    before = family_seconds(url.pid)
    page.goto(f"{url}/c/{CONTEST}")
    page.locator("#item-box .words").wait_for()
    spent = (family_seconds(url.pid) - before) * 1000
    told = protocol.send("Performance.getMetrics")["metrics"]
    found = {one["name"]: one["value"] for one in told}
    sizes: dict[str, list[int]] = page.evaluate(SIZES)
    context.close()
    return spent, found["ScriptDuration"] * 1000, found["TaskDuration"] * 1000, sizes
