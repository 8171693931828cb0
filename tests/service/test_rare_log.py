"""Lines that come in a while."""

import logging

import pytest

from plaudit.service.rare_log import MOST_KINDS, RareLog


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_one_line_at_once_and_then_one_in_a_while(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    rarely = RareLog(30.0, clock=clock)
    with caplog.at_level(logging.WARNING, logger="plaudit"):
        for _ in range(1_500):
            rarely.say("full", "The disk is %d%% full.", 100)
        rarely.say("other", "Something else.")
        clock.now += 30.0
        rarely.say("full", "The disk is %d%% full.", 100)
        clock.now += 300.0
        rarely.say("full", "The disk is %d%% full.", 100)
    assert [record.getMessage() for record in caplog.records] == [
        "The disk is 100% full.",
        "Something else.",
        "The disk is 100% full. (1,499 more like this since the last such line)",
        "The disk is 100% full.",
    ]


def test_strangers_cannot_fill_the_memory() -> None:
    rarely = RareLog(clock=Clock())
    for number in range(5 * MOST_KINDS):
        rarely.say(str(number), "Line")
    assert len(rarely._known) == MOST_KINDS
