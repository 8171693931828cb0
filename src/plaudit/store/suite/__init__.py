"""The contract as tests, for anyone who writes an engine.

Subclass `StoreContract` in a test module and give it two fixtures:

- `store`: a new, empty `Store`;
- `reopen`: a function that opens the same store once more, as another process would. The suite
  closes what it opens.

Each promise at the top of `plaudit.store.contract`, `people`, `proofs`, `doors` and `notices`, and
each method, has its tests here. The suite uses a store only through its contract. It needs pytest,
and only tests may import it.
"""

from plaudit.store.suite.accounts import AccountContract
from plaudit.store.suite.answers import AnswerContract
from plaudit.store.suite.archives import ArchiveContract
from plaudit.store.suite.concurrency import ConcurrencyContract
from plaudit.store.suite.contests import ContestContract
from plaudit.store.suite.doors import DoorContract
from plaudit.store.suite.events import EventContract
from plaudit.store.suite.keeping import KeepingContract
from plaudit.store.suite.notices import NoticeContract
from plaudit.store.suite.proofs import ProofContract
from plaudit.store.suite.sessions import SessionContract
from plaudit.store.suite.subjects import SubjectContract

__all__ = ["StoreContract"]


class StoreContract(
    ContestContract,
    AnswerContract,
    EventContract,
    KeepingContract,
    DoorContract,
    AccountContract,
    SessionContract,
    SubjectContract,
    ProofContract,
    NoticeContract,
    ArchiveContract,
    ConcurrencyContract,
):
    """Everything that a store must do."""
