"""The events of a contest: one struct for each kind. Only this room reads and writes their JSON.

An event records what somebody who runs a contest did, or a verdict. Each struct has the fields of
its JSON in the log. `change` changes the state, `touches` lists the items, settings, raters or
state that it changes, `before` gives the values that it replaces, and `reopens` says whether the
races are built anew after it. `opposite` has the event that undoes it, and `words` describes it.
CONTRIBUTING.md says how to add a kind.
"""

from plaudit.service.contest.events.door import CodesMade, CodesRevoked, LinkKeyChanged, ListChanged
from plaudit.service.contest.events.event import AnswersOf, ContestEvent, Past, Thing
from plaudit.service.contest.events.items import (
    ItemEvent,
    ItemsAdded,
    ItemsReplaced,
    ItemsRestored,
    ItemsWithdrawn,
)
from plaudit.service.contest.events.proposals import ItemProposed, ProposalsRefused
from plaudit.service.contest.events.raters import (
    RaterEvent,
    RatersErased,
    RatersExcluded,
    RatersReadmitted,
)
from plaudit.service.contest.events.running import (
    Exclusions,
    SettingsChanged,
    StateChanged,
    VerdictReached,
)
from plaudit.service.contest.events.written import (
    EVENTS,
    as_written,
    events_in,
    items_to_read,
    payload_of,
    raters_to_read,
    read_event,
    to_log,
)

__all__ = [
    "EVENTS",
    "AnswersOf",
    "CodesMade",
    "CodesRevoked",
    "ContestEvent",
    "Exclusions",
    "ItemEvent",
    "ItemProposed",
    "ItemsAdded",
    "ItemsReplaced",
    "ItemsRestored",
    "ItemsWithdrawn",
    "LinkKeyChanged",
    "ListChanged",
    "Past",
    "ProposalsRefused",
    "RaterEvent",
    "RatersErased",
    "RatersExcluded",
    "RatersReadmitted",
    "SettingsChanged",
    "StateChanged",
    "Thing",
    "VerdictReached",
    "as_written",
    "events_in",
    "items_to_read",
    "payload_of",
    "raters_to_read",
    "read_event",
    "to_log",
]
