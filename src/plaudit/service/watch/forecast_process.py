"""A process that makes one forecast, or says what is within reach: it reads its input, and writes
progress and the answer as lines.

Simulated races take all of a processor, and compiling them holds Python's lock: neither may
happen where raters are served.
"""

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

import msgspec

RACES = 8
BEAT_SECONDS = 1.0


def main() -> None:
    """Reads what a contest is like, writes its forecast."""
    if hasattr(os, "nice"):
        os.nice(10)
    given = msgspec.json.decode(sys.stdin.buffer.read())
    share = [0.0]
    done = threading.Event()

    def beat() -> None:
        # If the service is gone, the pipe is broken, and this process ends.
        while not done.wait(BEAT_SECONDS):
            try:
                _write({"share": share[0]})
            except OSError:
                os._exit(1)

    beating = threading.Thread(target=beat, daemon=True)
    beating.start()
    answer = _answer(given, share)
    done.set()
    beating.join()
    _write(answer)


def _answer(given: dict[str, Any], share: list[float]) -> dict[str, Any]:
    from plaudit.errors import PlauditError

    def note(done: float) -> None:
        share[0] = done

    make = _reach if given.pop("type", "") == "reach" else _forecast
    try:
        return make(given, note)
    except PlauditError as error:
        return {"wrong": str(error)}


def _reach(given: dict[str, Any], note: Callable[[float], None]) -> dict[str, Any]:
    from plaudit.service.watch.within_reach import ReachInput, within_reach

    return {"reach": within_reach(msgspec.convert(given | {"type": "reach"}, ReachInput), note)}


def _forecast(given: dict[str, Any], note: Callable[[float], None]) -> dict[str, Any]:
    from plaudit.scale import Scale
    from plaudit.simulation import plan
    from plaudit.simulation.forecast import TOLERANCES

    levels = given.pop("levels")
    scale = Scale(tuple(f"level {number + 1}" for number in range(len(levels))), tuple(levels))
    forecast = plan(
        scale=scale, races=RACES, threads=1, progress=note, tolerances=TOLERANCES, **given
    )
    return {"forecast": forecast}


def _write(line: dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
