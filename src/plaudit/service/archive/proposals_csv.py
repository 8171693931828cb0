"""The file of what raters proposed, and what became of it."""

from collections.abc import Iterator

from plaudit.phrase import item_id
from plaudit.service.archive.csv_rows import Cell, csv_chunks
from plaudit.service.archive.export import utc_text
from plaudit.service.archive.rater_keys import RaterNames
from plaudit.service.contest.grounds import grounds_name
from plaudit.service.contest.history import History, history_of
from plaudit.store.contract import Store
from plaudit.store.log import NONE

COLUMNS = (
    "proposal", "time", "rater", "text", "status", "reason", "note", "excluded", "item_text", "id",
)  # fmt: skip


def proposals_csv(store: Store, name: str, *, spreadsheet: bool = False) -> Iterator[bytes]:
    """Every proposal, one a row, in the order of the log.

    `rater` is named as in the file of votes. `status` is waiting, taken, refused or withdrawn (its
    item was taken out again). `item_text` is what its item says, which an editor may have changed.
    """
    return csv_chunks(COLUMNS, _rows(store, history_of(store, name)), spreadsheet=spreadsheet)


def _rows(store: Store, history: History) -> Iterator[tuple[Cell, ...]]:
    contest, name = history.contest, history.record.name
    raters = RaterNames(store.raters(name))
    texts = [item.text for item in store.items(name)]
    times = {logged.position: logged.at for logged in history.events}
    for position, one in contest.proposals.items():
        is_item = one.item != NONE
        yield (
            position,
            utc_text(times[position]),
            raters[one.rater],
            one.text,
            contest.standing_of(one),
            one.reason,
            one.note,
            grounds_name(contest.grounds[one.rater]) if one.rater in contest.excluded else "",
            texts[one.item] if is_item else "",
            item_id(one.item) if is_item else "",
        )
