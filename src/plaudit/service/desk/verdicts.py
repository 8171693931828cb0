"""The verdicts that a step would take back, in words: nobody loses one without seeing it."""

from datetime import UTC, datetime

from plaudit.errors import VerdictStands
from plaudit.phrase import Items, Phrase, sentence
from plaudit.service.contest.events import ContestEvent, VerdictReached
from plaudit.service.contest.history import History
from plaudit.words import N_


def check_verdicts(history: History, event: ContestEvent) -> None:
    """Raises `VerdictStands`, which names them, if an event would take back verdicts that stand."""
    if not event.reopens or not history.contest.verdicts:
        return
    lost = verdicts_standing(history)
    text = N_(
        "{lost} The votes would be judged again. If you want that, say so: with --revoke-verdict "
        "on the command line, with revoke_verdict in the API."
    )
    raise VerdictStands(Phrase(text, lost=sentence(lost, " ")), lost)


def verdicts_standing(history: History) -> list[Phrase]:
    """For each verdict that stands what would be lost: its day (UTC), and the items it names."""
    standing, lanes = history.contest.verdicts, history.settings.lanes
    found = []
    for logged in history.events:
        event = logged.event
        if not isinstance(event, VerdictReached) or standing.get(event.lane) is not event:
            continue
        text = N_("This would take back the verdict of {day}, which names {items}.")
        if len(lanes) > 1:
            text = N_(
                "This would take back the verdict of {algorithm} of {day}, which names {items}."
            )
        day = datetime.fromtimestamp(logged.at / 1000, UTC)
        facts = {"day": f"{day:%Y-%m-%d}", "algorithm": lanes[event.lane].algorithm}
        found.append(Phrase(text, items=Items(event.winners), **facts))
    return found
