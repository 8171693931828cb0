"""A slow phone: how soon its rater sees an item, and the work of a newcomer, 6 times slower.

The page's own script is timed on the page's main thread, because that is what the DevTools
protocol slows down; workers run at full speed there.
"""

import functools
import http.server
import shutil
import statistics
import threading
from pathlib import Path

import plaudit.web
from benchmarks import first_item
from benchmarks.report import Report
from plaudit.service.door.puzzle import EASIEST_BITS, PUZZLES

SLOWER = 6
STATIC = Path(plaudit.web.__file__).parent / "public/static"
# Solves a challenge of its own, and returns how many hashes it took and how long.
PROGRAM = """
async ([text, bits, puzzles]) => {
  const { search, seedOf } = await import("/puzzle.js");
  const seed = seedOf(text);
  const began = performance.now();
  let hashes = 0;
  for (let puzzle = 0; puzzle < puzzles; puzzle += 1) {
    hashes += search(seed, puzzle, 0, bits, 2 ** 40) + 1;
  }
  return [hashes, performance.now() - began];
}
"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Writes nothing."""


def run(quick: bool = False) -> Report:
    """Opens the rater's page; solves some challenges at full speed and slowed down."""
    from playwright.sync_api import sync_playwright

    rounds = 5 if quick else 15
    report = Report("phone", f"the first item, then {PUZZLES} puzzles of {EASIEST_BITS} bits")
    handler = functools.partial(_Quiet, directory=str(STATIC))
    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
        sync_playwright() as playwright,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        first_item.measure(report, browser, rounds)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/puzzle.js")
        slow_down = page.context.new_cdp_session(page)
        for name, rate in (("this machine", 1), (f"{SLOWER} times slower", SLOWER)):
            slow_down.send("Emulation.setCPUThrottlingRate", {"rate": rate})
            times = [
                page.evaluate(PROGRAM, [f"{name} {turn}", EASIEST_BITS, PUZZLES])
                for turn in range(rounds)
            ]
            seconds = sorted(ms / 1000 for _, ms in times)
            speed = statistics.median(hashes / ms for hashes, ms in times) / 1000
            report.add(f"{name}: million hashes a second", speed)
            best = max(hashes / ms for hashes, ms in times) / 1000
            report.add(f"{name}: the same, at the quietest moment", best)
            report.add(f"{name}: half of the challenges", statistics.median(seconds), "s")
            report.add(f"{name}: the slowest of {rounds}", seconds[-1], "s")
        browser.close()
        server.shutdown()
    return report
