"""What a new rater does first where the service asks for work."""

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from plaudit.client.plan import Compute, Plan, fetch
from plaudit.client.refusal import ServiceError
from plaudit.service.door.puzzle import PUZZLES, solve

_NOT_STARTED = (0,) * PUZZLES


def come_in(path: str, body: dict[str, Any]) -> Plan[str]:
    """The token of a new rater, after the work that the service asks for, if any.

    The work may get harder meanwhile, if others come in from the same network.
    """
    while True:
        try:
            return str((yield from fetch("POST", path, json=body))["rater"])
        except ServiceError as error:
            if error.work is None:
                raise
            asked, before = error.work, body.get("work")
        body["work"] = yield Compute(partial(work_done, asked, before))


def work_done(asked: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What to send for the work that a new rater is asked for; `before` was not enough.

    Whoever is not done after the waiting time may come in without.
    """
    again = before is not None and before["challenge"] == asked["challenge"] and before["nonces"]
    late = time.monotonic() + asked["wait_ms"] / 1000
    found = solve(
        asked["challenge"], asked["bits"], start=again or _NOT_STARTED,
        give_up=lambda: time.monotonic() > late,
    )  # fmt: skip
    return {"challenge": asked["challenge"], "nonces": found or []}
