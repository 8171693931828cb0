"""Restoring whole contests: as they were, or not at all."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from plaudit.errors import ArchiveDamaged, ContestExists, InvalidInput
from plaudit.store.contract import Archive, Asset, Certificate, Item, Rater, Store
from plaudit.store.log import ANSWERS, NONE, Entry, Event, Kind, chain, first_digest
from plaudit.store.proofs import KeptCheckpoint, Signer
from plaudit.store.suite.samples import NAME, check_log, key_of, opened, raters_of, vote


def lived(store: Store, name: str = NAME) -> Archive:
    """The archive of a contest with something of each kind."""
    opened(store, name)
    picture = store.put_asset("image/svg+xml", b"<svg/>")
    store.append_answers(name, [vote(1, 0), vote(2, 0), vote(1, 1)])
    store.append_event(name, Event(Kind.ADD, 5, "{}"), epoch=1, items=[Item(3, "🐘", picture)])
    store.append_event(name, Event(Kind.ERASE, 6, "{}"), epoch=2, erase=1)
    store.append_answers(name, [vote(2, 0), vote(3, 3)])
    verdict = Certificate(7, 0, '{"sure": true}')
    closed = Event(Kind.VERDICT, 7, "{}")
    store.append_event(name, closed, epoch=3, state="closed", certificate=verdict)
    store.put_checkpoint(name, KeptCheckpoint(9, "of nine leaves"))
    store.put_checkpoint(name, KeptCheckpoint(3, "of three leaves"))
    return exported(store, name)


def exported(store: Store, name: str) -> Archive:
    """A contest as an archive, in memory."""
    items = store.items(name)
    pictures = [store.asset(item.image) for item in items if item.image]
    return Archive(
        record=store.contest(name),
        items=items,
        raters=list(store.raters(name)),
        entries=store.entries(name, limit=1_000_000),
        assets=[picture for picture in pictures if picture],
        certificates=store.certificates(name),
        signers=store.signers(name),
        checkpoints=store.checkpoints(name),
    )


def renamed(archive: Archive, name: str = "copy") -> Archive:
    """The archive under another name, with the digest for that name."""
    entries = list(archive.entries)
    digest = chain(first_digest(name, archive.record.settings), entries)
    return replace(archive, record=replace(archive.record, name=name, digest=digest))


def many(count: int) -> Iterator[Entry]:
    """A long log as a stream."""
    yield Entry(1, Kind.STATE, 0, NONE, NONE, NONE, NONE, NONE, "{}")
    for n in range(1, count):
        yield Entry(n + 1, Kind.VOTE, n, n % 1_000, n // 1_000, n % 3, 0, 500, "")


def without_last(archive: Archive) -> Archive:
    """The archive without its last entry."""
    return replace(archive, entries=list(archive.entries)[:-1])


def with_entry(archive: Archive, place: int, **changes: int) -> Archive:
    """The archive with one entry changed and the digest adapted to it."""
    entries = list(archive.entries)
    entries[place] = Entry(**entries[place]._asdict() | changes)
    return renamed(replace(archive, entries=entries), archive.record.name)


DAMAGES: dict[str, Callable[[Archive], Archive]] = {
    "entry lost": without_last,
    "digest": lambda a: replace(a, record=replace(a.record, digest=b"\0" * 32)),
    "settings": lambda a: replace(a, record=replace(a.record, settings="{}")),
    "position": lambda a: replace(a, record=replace(a.record, position=a.record.position + 1)),
    "epoch": lambda a: replace(a, record=replace(a.record, epoch=a.record.epoch - 1)),
    "level changed": lambda a: replace(
        a, entries=[e._replace(level=0) if e.kind in ANSWERS else e for e in a.entries]
    ),
    "order": lambda a: with_entry(with_entry(a, 2, position=4), 3, position=3),
    "gap": lambda a: with_entry(a, 2, position=99),
    "twice": lambda a: with_entry(a, 3, item=0),
    "stranger": lambda a: with_entry(a, 2, rater=77),
    "no item": lambda a: with_entry(a, 2, item=-5),
    "event with a rater": lambda a: with_entry(a, 0, rater=1),
    "number too large": lambda a: replace(a, entries=[e._replace(level=2**40) for e in a.entries]),
    "rater twice": lambda a: replace(a, raters=[*a.raters, Rater(0, key_of(9))]),
    "key twice": lambda a: replace(a, raters=[*a.raters, Rater(9, key_of(1))]),
    "short key": lambda a: replace(a, raters=[*a.raters, Rater(9, b"x")]),
    "raters lost": lambda a: replace(a, raters=()),
    "item twice": lambda a: replace(a, items=[*a.items, Item(0, "again")]),
    "NUL": lambda a: replace(a, items=[*a.items, Item(9, "\0")]),
    "picture": lambda a: replace(a, assets=[Asset("00" * 32, "image/png", b"x")]),
    "short salt": lambda a: replace(a, raters=[r._replace(salt=b"x" * 15) for r in a.raters]),
    "mark for a salt": lambda a: replace(a, raters=[r._replace(salt=b"x" * 32) for r in a.raters]),
    "checkpoint beyond": lambda a: replace(a, checkpoints=[KeptCheckpoint(11, "beyond")]),
    "checkpoint with NUL": lambda a: replace(a, checkpoints=[KeptCheckpoint(1, "\0")]),
    "key with NUL": lambda a: replace(a, signers=[Signer("\0", 1)]),
    "certificates": lambda a: replace(a, certificates=list(a.certificates) * 9),
}


class ArchiveContract:
    """An archive is restored as it was, or not at all."""

    def test_a_contest_comes_back_as_it_was(self, store: Store) -> None:
        """It is restored under another name, which changes only the digest."""
        signers = [Signer("a+00000000+AA==", 5), Signer("b+00000000+AA==", 5, 7)]
        archive = replace(renamed(lived(store)), signers=signers)
        assert store.restore(archive) == archive.record
        assert store.contest("copy") == archive.record
        assert exported(store, "copy") == archive
        check_log(store, "copy")
        check_log(store, NAME)

    def test_a_restored_contest_goes_on(self, store: Store) -> None:
        """Replays are recognised, and numbers, epochs and certificates continue."""
        store.restore(renamed(lived(store)))
        store.append_event("copy", Event(Kind.STATE, 8, "{}"), epoch=4, state="open")
        known, again, new = store.append_answers(
            "copy", [vote(1, 0, 2), vote(2, 0), vote(8, 0)]
        ).receipts
        assert (known.position, known.level, known.fresh) == (2, 1, False)
        assert (again.rater, again.fresh) == (2, False)
        assert (new.rater, new.fresh) == (4, True)
        verdict = Certificate(3, 1, "{}")
        store.append_event("copy", Event(Kind.VERDICT, 9, "{}"), epoch=5, certificate=verdict)
        assert store.certificates("copy")[-1] == verdict
        check_log(store, "copy")

    def test_an_archive_of_before_gets_blinding_and_salts(self, store: Store) -> None:
        """Each its own: they are random."""
        archive = renamed(lived(store))
        plain = [rater._replace(salt=b"") for rater in archive.raters]
        bare = replace(archive, record=replace(archive.record, blinding=b""), raters=plain)
        record = store.restore(bare)
        assert store.contest("copy") == record
        assert len(record.blinding) == 32
        assert record.blinding != archive.record.blinding
        assert raters_of(store, "copy") == plain
        assert len({rater.salt for rater in store.raters("copy")}) == len(plain)

    def test_a_blinding_has_one_length(self, store: Store) -> None:
        """Another is refused."""
        archive = renamed(lived(store))
        record = replace(archive.record, blinding=b"x" * 31)
        with pytest.raises(InvalidInput, match="31 bytes"):
            store.restore(replace(archive, record=record))

    def test_a_name_that_is_taken(self, store: Store) -> None:
        """The contest of that name stays as it is."""
        archive = lived(store)
        with pytest.raises(ContestExists):
            store.restore(archive)
        assert exported(store, NAME) == archive

    @pytest.mark.parametrize("damage", list(DAMAGES))
    def test_a_damaged_archive_leaves_no_trace(self, store: Store, damage: str) -> None:
        """The undamaged archive can be restored afterwards."""
        archive = renamed(lived(store))
        with pytest.raises(ArchiveDamaged):
            store.restore(DAMAGES[damage](archive))
        assert [record.name for record in store.contests()] == [NAME]
        assert store.asset("00" * 32) is None
        store.restore(archive)
        assert exported(store, "copy") == archive

    def test_a_name_that_cannot_be_kept(self, store: Store) -> None:
        """It is refused, as for a new contest."""
        archive = lived(store)
        for record in (
            replace(archive.record, name="a\0b"),
            replace(archive.record, name="x", settings="\ud83d"),
            replace(archive.record, name="x", state="\0"),
        ):
            with pytest.raises(InvalidInput):
                store.restore(replace(archive, record=record))
        assert len(store.contests()) == 1

    def test_an_archive_that_breaks_off(self, store: Store) -> None:
        """If a stream raises, nothing is kept, and the caller gets its error."""
        archive = renamed(lived(store))

        def broken() -> Iterator[Entry]:
            yield from list(archive.entries)[:4]
            raise OSError("the line is dead")

        with pytest.raises(OSError, match="the line is dead"):
            store.restore(replace(archive, entries=broken()))
        assert [record.name for record in store.contests()] == [NAME]
        store.restore(archive)
        check_log(store, "copy")

    def test_streams_are_enough(self, store: Store) -> None:
        """A long log is restored from generators."""
        count = 45_678
        digest = chain(first_digest("long", "{}"), many(count))
        opened(store)
        record = replace(
            store.contest(NAME), name="long", settings="{}", position=count, epoch=1, digest=digest
        )
        raters = (Rater(n, key_of(n)) for n in range(1_000))
        items = (Item(n, f"{n}") for n in range(12_345))
        store.restore(Archive(record, items, raters, many(count)))
        assert check_log(store, "long") == list(many(count))
        assert len(store.items("long")) == 12_345
