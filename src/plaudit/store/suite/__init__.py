"""The contract of a store as tests, for anyone who writes an engine.

Subclass `StoreContract` in a test module and give it two fixtures:

- `store`: a new, empty `Store`;
- `reopen`: a function that opens the same store once more, as another process would. The
  suite closes what it opens.

Each promise at the heads of `plaudit.store.contract` and `plaudit.store.people`, and each
method, has its tests here.
"""

from plaudit.store.suite.answers import AnswerContract
from plaudit.store.suite.archives import ArchiveContract
from plaudit.store.suite.contests import ContestContract
from plaudit.store.suite.events import EventContract
from plaudit.store.suite.keeping import KeepingContract
from plaudit.store.suite.people import PeopleContract
from plaudit.store.suite.together import TogetherContract

__all__ = ["StoreContract"]


class StoreContract(
    ContestContract,
    AnswerContract,
    EventContract,
    KeepingContract,
    PeopleContract,
    ArchiveContract,
    TogetherContract,
):
    """All that a store must do."""
