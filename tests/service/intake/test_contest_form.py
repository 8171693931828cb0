"""Settings as fields of a form, and back; forecasts that nobody waits for."""

import io
import sys
import threading
import time

import msgspec
import pytest

from plaudit.service.contest.changes import changes_between
from plaudit.service.contest.settings import AUTOMATIC, Context, Lane, Level
from plaudit.service.intake.contest_form import FormMistakes, read_form
from plaudit.service.intake.filled_form import DEFAULTS, form_of
from plaudit.service.watch import new_contest_forecasts
from plaudit.service.watch.new_contest_forecasts import (
    BUSY,
    BUSY_WITH_YOURS,
    ForecastInput,
    NewContestForecasts,
)
from plaudit.simulation.forecast import Forecast
from support.live_worker import FUNNY, settings

HASH = "ab" * 32
VARIED = [
    {},
    {"scale": (Level("a = b", 0.0), Level("5 stars", 0.125), Level("Good", 1.0)), "top": 3},
    {"lanes": (Lane("plaudit", 0.7), Lane("lil-klucb", 2.5)), "uniform": 0.1, "seed": 7},
    {"context": Context("Two\nlines", HASH, "A cat"), "completion_code": AUTOMATIC},
    {"completion_code": "DONE", "return_url": "https://example.org/x?y=1", "votes_per_visit": 20},
    {"opens": 1796115600000, "closes": 1796115601000, "embed": ("https://a.org", "https://b.org")},
    {"goal": "all-good", "epsilon": 0.25},
    {"skip": False, "flag": False, "listed": False, "public_results": False},
    {"consent": "Yes?", "instructions": "Read.", "thanks": "Bye", "delta": 1e-7, "epsilon": 0.0},
]


@pytest.mark.parametrize("given", VARIED)
def test_reading_the_fields_of_settings_gives_the_settings(given):
    wanted = settings(**given)
    found = read_form(form_of(wanted), items=10, is_there=lambda hash: hash == HASH)
    assert found == wanted
    assert changes_between(settings(), wanted).keys() == {
        name for name in given if given[name] != getattr(settings(), name)
    }


def test_the_form_begins_with_what_can_be_used():
    found = read_form(DEFAULTS | {"title": "Which?"}, items=5, is_there=lambda hash: False)
    assert not isinstance(found, FormMistakes)
    assert (found.scale, found.lanes) == (FUNNY, (Lane("plaudit"),))
    assert (found.skip, found.listed, found.public_results) == (True, True, "end")


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def given(**given):
    plain = {"items": 12, "levels": (0.0, 1.0), "delta": 0.1, "epsilon": 0.3, "top": 1}
    return ForecastInput(**(plain | {"algorithm": "plaudit", "votes_per_rater": 10} | given))


def test_what_nobody_waits_for_is_given_up_and_few_may_wait(monkeypatch):
    monkeypatch.setattr(new_contest_forecasts, "MOST_WAITING", 2)
    clock = Clock()
    made = NewContestForecasts(clock=clock)
    # An item more than can be is refused by the process itself.
    first, second = made.ask(given(top=12), by=1), made.ask(given(epsilon=0.2), by=2)
    assert made.ask(given(), by=3).wrong == BUSY
    assert made.ask(given(top=12), by=2) is first
    clock.now = 1.0
    first.asked[1] = 1e9
    thread = made._shared._threads
    thread.submit(lambda: setattr(clock, "now", 1e3))
    second.asked[2] = -1e9
    thread.submit(lambda: None).result(60)
    assert "top" in first.wrong
    assert not second.done
    assert made.ask(given(epsilon=0.2), by=2) is not second
    # Why there is none is said once, also to who asks later; then it is tried again.
    assert made.ask(given(top=12), by=3) is first
    assert made.ask(given(top=12), by=3) is not first
    made.close()


def test_a_service_that_stops_does_not_wait_for_the_next_word_of_a_forecast(monkeypatch):
    silent = (sys.executable, "-c", "import time; time.sleep(60)")
    monkeypatch.setattr(new_contest_forecasts, "COMMAND", silent)
    made = NewContestForecasts()
    job = made.ask(given(), by=1)
    while made._process is None and not job.done:
        time.sleep(0.01)
    began = time.monotonic()
    made.close()
    assert time.monotonic() - began < 30.0
    assert job.done


FORECAST = Forecast(12, 1, 0.1, 0.3, "plaudit", "contests", "", 8, 10, 0, 0, (), ())


def test_a_forecast_is_made_once_and_kept(monkeypatch):
    shares, ready = [], msgspec.json.encode({"forecast": FORECAST}) + b"\n"

    class Process:
        """Says how far it is, and then what came out."""

        def __init__(self, command, **pipes):
            self.stdin, self.stdout = io.BytesIO(), self

        def __iter__(self):
            yield b'{"share":0.25}\n'
            shares.append(job.share)
            yield ready

        def __enter__(self):
            return self

        def __exit__(self, *raised):
            pass

        def kill(self):
            pass

    made, begin = NewContestForecasts(), threading.Event()
    made._shared._threads.submit(begin.wait, 30)
    monkeypatch.setattr(new_contest_forecasts.subprocess, "Popen", Process)
    job = made.ask(given(), by=1)
    assert made.ask(given(), by=2) is job
    assert not job.done
    begin.set()
    made._shared._threads.submit(lambda: None).result(30)
    assert (job.forecast, job.wrong, shares) == (FORECAST, "", [0.25])
    assert made.ask(given(), by=3).forecast == FORECAST
    assert (made._shared.computed, made._jobs) == (1, {})
    made.close()


def test_an_account_has_its_share_of_forecasts(monkeypatch):
    clock = Clock()
    made = NewContestForecasts(clock=clock)
    # Nothing is ever made: only who waits counts here.
    monkeypatch.setattr(made._shared._threads, "submit", lambda *given: None)
    mine = [made.ask(given(items=items), by=1) for items in (20, 21, 22)]
    assert [job.wrong for job in mine] == ["", "", BUSY_WITH_YOURS]
    # Others get the places that are left, and looking at the same takes none.
    others = [made.ask(given(items=items), by=items // 2) for items in (20, 30, 31, 32, 33, 34)]
    assert [job.wrong for job in others] == ["", "", "", "", "", BUSY]
    # Whoever left makes room, first for themselves, and where places are short for all.
    clock.now = 6.0
    assert made.ask(given(items=30), by=15) is others[1]
    assert made.ask(given(items=40), by=1).wrong == ""
    assert made.ask(given(items=20), by=1) is not mine[0]
    assert made.ask(given(items=30), by=15) is others[1]
