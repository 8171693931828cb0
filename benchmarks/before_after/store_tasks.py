"""Tasks on a store alone, and on a race alone."""

from benchmarks.before_after.content import ALGORITHM, CONTEST, ITEMS, make_database, new_answers
from benchmarks.before_after.task import AT_ONCE, VOTES_A_ROUND, Task
from plaudit import Race
from plaudit.store import open_store


class SqliteAppend(Task):
    """Groups of answers are appended to a log."""

    def begin(self) -> None:
        self.store = open_store(self.copied())

    def prepare(self) -> None:
        self.answers = new_answers(self.turn, VOTES_A_ROUND, self.side.now_ms())

    def act(self) -> None:
        for first in range(0, VOTES_A_ROUND, AT_ONCE):
            self.store.append_answers(CONTEST, self.answers[first : first + AT_ONCE])

    def close(self) -> None:
        self.store.close()


class SqliteRead(SqliteAppend):
    """Two pages of entries are read from a log."""

    def prepare(self) -> None:
        """Nothing: a round reads what is there."""

    def act(self) -> None:
        for after in (0, 5_000):
            assert len(self.store.entries(CONTEST, after=after)) == 10_000


class OnPostgres(Task):
    """A task whose store is on PostgreSQL."""

    def begin(self) -> None:
        make_database(self.side, self.url, 20_000)
        self.store = open_store(self.url)


class PostgresAppend(OnPostgres, SqliteAppend):
    """The same on PostgreSQL."""


class PostgresRead(OnPostgres, SqliteRead):
    """The same on PostgreSQL."""


class RaceTell(Task):
    """A race is told votes one by one."""

    def begin(self) -> None:
        self.race = Race(ITEMS, algorithm=ALGORITHM, seed=0)

    def act(self) -> None:
        tell = self.race.tell
        for number in range(5_000):
            tell(number * 97 % ITEMS, number % 2)


class RaceAsk(RaceTell):
    """A race is asked which items to show, and told about some of them."""

    def begin(self) -> None:
        super().begin()
        for number in range(5_000):
            self.race.tell(number * 97 % ITEMS, number % 2)

    def act(self) -> None:
        for number in range(500):
            for item in self.race.ask(2):
                self.race.tell(item, number % 2)
