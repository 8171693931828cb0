"""The words of charts: what each is called, how to read it, and what its axes show."""

from dataclasses import replace
from typing import Any, NamedTuple

from plaudit.phrase import Phrase
from plaudit.service.watch.answer_figures import STEP
from plaudit.service.watch.chart import Chart
from plaudit.web.rendering import shown
from plaudit.words import N_


class ChartWords(NamedTuple):
    """The title of a chart, what it shows, and the labels of its axes."""

    title: str
    about: str
    x: str
    y: str


_TIME = N_("time ({zone})")
_SLACK = N_("at most so far below")
WORDS = {
    "leaders": ChartWords(
        N_("Leaders"),
        N_(
            "The items of largest mean, best first. A dot is the mean of the votes; the line is "
            "the item's interval, the very one that the verdict uses."
        ),
        N_("score"),
        N_("item"),
    ),
    "epsilons": ChartWords(
        N_("How good the first few certainly are"),
        N_(
            "If you took the first 3 items, or the first 10: how far could the worst of them be "
            "below the true third, or tenth? At most so far, on the scale from 0 to 1, with "
            "{sure} % confidence for all numbers at once. It is a proof of its own, so its figures "
            "may differ from the verdict's."
        ),
        N_("how many of the first items"),
        _SLACK,
    ),
    "ranks": ChartWords(
        N_("Votes by place"),
        N_(
            "Votes on an item against its place, best first. Votes go where they decide "
            "something: many near the top, few far below it."
        ),
        N_("place"),
        N_("votes an item"),
    ),
    "means": ChartWords(
        N_("Scores of the items"),
        N_("How many items have a mean of so much; items without votes are left out."),
        N_("mean score"),
        N_("items"),
    ),
    "forecast": ChartWords(
        N_("Forecast"),
        N_(
            "How far below the true best a winner could be at most, after so many votes in all: "
            "the middle of {races} simulated contests that go on from here; 8 of 10 lie in the "
            "band."
        ),
        N_("votes in all"),
        _SLACK,
    ),
    "labels": ChartWords(
        N_("Answers"), N_("How often raters chose each answer."), N_("answer"), N_("votes")
    ),
    "algorithms": ChartWords(
        N_("How close each algorithm is"),
        N_("How far below the true best its leaders could be at most, now: less is better."),
        N_("algorithm"),
        _SLACK,
    ),
    "pace": ChartWords(
        N_("Votes a minute"),
        N_("How many votes came in a minute, over time."),
        _TIME,
        N_("votes a minute"),
    ),
    "scores": ChartWords(
        N_("Mean score over time"),
        N_(
            "The mean of all votes in each stretch of time. It usually rises while better items "
            "are shown more often, so it says little about raters: for that, see the drift."
        ),
        _TIME,
        N_("mean score"),
    ),
    "drift": ChartWords(
        N_("Drift"),
        N_(
            "How far votes lie above or below the other votes on the same item, by time. While "
            "raters stay alike the line keeps to 0. If it leaves 0 by more than the band, look at "
            "who came then: another crowd, or a prank."
        ),
        _TIME,
        N_("above or below"),
    ),
    "raters": ChartWords(
        N_("Raters so far"),
        N_("How many different raters have voted, over time."),
        _TIME,
        N_("raters"),
    ),
    "visits": ChartWords(
        N_("Votes of each rater"),
        N_("How many raters gave so many votes."),
        N_("votes"),
        N_("raters"),
    ),
    "times": ChartWords(
        N_("Response times"),
        N_(
            "How long raters looked at an item before they voted. Very short times by many may be "
            "programs, or people who do not read."
        ),
        N_("seconds"),
        N_("votes"),
    ),
}


ESTIMATED = N_("Estimated from one rater in {step}.")

# Where a script puts the name of the reader's time zone.
ZONE = "{zone}"


def _shown_label(cell: Any) -> Any:
    return shown(cell) if isinstance(cell, Phrase) else cell


def _about(chart: Chart, about: str) -> str:
    """What a chart shows, and that it is an estimate where it is one."""
    step = chart.facts.get(STEP, 1)
    return about if step == 1 else f"{about} {shown(Phrase(ESTIMATED, step=int(step)))}"


def in_words(chart: Chart) -> Chart:
    """A chart with its words filled in."""
    words = WORDS[chart.name]
    facts = {name: f"{fact:.6g}" for name, fact in chart.facts.items()}
    if "delta" in chart.facts:
        facts["sure"] = f"{100 * (1 - chart.facts['delta']):.6g}"
    title = Phrase(words.title)
    if chart.algorithm:
        title = Phrase(N_("{algorithm}: {title}"), algorithm=chart.algorithm, title=title)
    return replace(
        chart,
        rows=[[_shown_label(row[0]), *row[1:]] for row in chart.rows],
        title=shown(title),
        about=_about(chart, shown(Phrase(words.about, **facts))),
        x=chart.x._replace(
            label=shown(Phrase(words.x, zone="UTC")),
            zoned=shown(Phrase(words.x, zone=ZONE)) if chart.x.is_time else "",
        ),
        y=chart.y._replace(label=shown(Phrase(words.y))),
    )
