"""Settings as fields of a form, and back; forecasts that nobody waits for."""

import pytest

from live_worker import FUNNY, settings
from plaudit.service import plans
from plaudit.service.contest import AUTOMATIC, Context, Lane, Level
from plaudit.service.contest_form import (
    DEFAULTS,
    FormMistakes,
    changes_between,
    form_of,
    read_form,
)
from plaudit.service.plans import BUSY, Plans, Wish

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
    assert (found.skip, found.listed, found.public_results) == (True, True, True)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def wish(**given):
    plain = {"items": 12, "levels": (0.0, 1.0), "delta": 0.1, "epsilon": 0.3, "top": 1}
    return Wish(**(plain | {"algorithm": "plaudit", "votes_per_rater": 10} | given))


def test_what_nobody_waits_for_is_given_up_and_few_may_wait(monkeypatch):
    monkeypatch.setattr(plans, "MOST_WAITING", 2)
    clock = Clock()
    made = Plans(clock=clock)
    # An item more than can be is refused by the process itself.
    first, second = made.ask(wish(top=12)), made.ask(wish(epsilon=0.2))
    assert made.ask(wish()).wrong == BUSY
    assert made.ask(wish(top=12)) is first
    clock.now = 5.0
    first.asked_at = 1e9
    made._thread.submit(lambda: setattr(clock, "now", 1e3))
    second.asked_at = -1e9
    made._thread.submit(lambda: None).result(60)
    assert "top" in first.wrong
    assert not second.done
    assert made.ask(wish(epsilon=0.2)) is not second
    made.close()
