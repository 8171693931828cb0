"""A race: ask for items to show, tell the votes, read the verdict."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.bounds.learned import Bets
from plaudit.errors import InvalidInput, NotAllowed
from plaudit.race import asking, judge, saving
from plaudit.race.algorithms import check_tolerance, trims
from plaudit.race.arguments import VoteReader, check_count, plain
from plaudit.race.display.report import Report
from plaudit.race.engine import Engine
from plaudit.race.goals import TOP_GOAL
from plaudit.race.item_names import ItemId, read_items
from plaudit.race.lead.parts import APPOINTING
from plaudit.race.membership import Membership, check_left, check_places, check_pools
from plaudit.race.settings import DEFAULT_ALGORITHM, Settings, method_of
from plaudit.race.state import EVIDENCE, FRESH, LEAD
from plaudit.race.verdict import Verdict
from plaudit.scale import Scale

_tell = judge.tell.taking("ifi")
_NOTHING: tuple[ItemId, ...] = ()
_NO_ITEMS = np.zeros(0, dtype=np.int64)


class Race(Report):
    """Finds the `top` items of largest mean among `items`, with total error `delta`.

    >>> race = Race(3, delta=0.05, seed=1)
    >>> while not race.verdict():
    ...     for item in race.ask(2):
    ...         race.tell(item, 1.0 if item == 2 else 0.0)
    >>> race.verdict().items
    (2,)

    Items are numbered from 0, or have the names that the race is started with:
    `Race(["tea", "coffee"])` takes and gives names wherever it takes and gives items.

    Votes lie in [0, 1], or on `scale` if one is given. They may come
    late, in any order, or never, as long as that does not depend on what they say. If it does,
    nothing is proven for votes judged as they come: tell the votes on each item in the order of
    asking, or read the verdict only when none is pending (docs/theory/crowds.md). Under the rules
    balance, pair, largest-upper and fewest-votes, stopped by evidence or separation, the race is a
    function of the votes that it was told: their order does not matter; with the stoppings `fresh`
    and `lead` it does. `seed` breaks ties.

    Raters may be of any kind, and the votes of one rater on several items may depend on each
    other in any way, if each votes once on an item and what a rater is shown is chosen before
    the visit's first vote: one `ask` for the whole visit. Only `stopping="evidence"`, which saves
    votes where rivals are few, needs independent votes (docs/theory/crowds.md).

    For one item of a fixed set `stopping="fresh"` saves a tenth of the votes, and without slack
    `stopping="lead"` up to half, in every crowd and most where each rater votes on one item. The
    votes on each item must then be told in the order of asking, or given up, and every vote must
    answer an ask: the race is no function of the counts (docs/theory/fresh.md and lead.md).

    `delta` is the probability that a verdict is wrong, in total; `accounting="paper"`
    reads it as the paper does, where the total is twice as much. `epsilon` is the slack
    allowed. `reserve` is the share of delta kept for items that join or leave later (1/16
    unless told otherwise). `choosing_delta` makes the choice of items bolder or shyer than
    the judgement; it touches no guarantee. `bound`, `rule` and `stopping` replace parts of
    the named algorithm.

    `tolerance` is the number of dishonest raters that a verdict must withstand: it is right with
    probability 1 - delta even if any so many raters lied, in league and whenever they liked. A
    rater must have at most one vote on an item (docs/theory/tolerance.md).

    With `goal="all-good"` the race looks for all items whose mean is within `epsilon` of the
    best, and names none that is more than 2 epsilon below it.

    `bets` are weights of the bets that were learned from past contests (`plaudit.learn`). They
    must be fixed before the first vote; then the verdict is as sure as with the usual ones
    (docs/theory/learned-bets.md).

    `engine` is what the race runs on: simulations use it, asking and telling need not.
    """

    def __init__(
        self,
        items: int | Iterable[str],
        *,
        delta: float = 0.01,
        top: int = 1,
        epsilon: float = 0.0,
        algorithm: str = DEFAULT_ALGORITHM,
        bound: str | None = None,
        rule: str | None = None,
        stopping: str | None = None,
        N: int = 8,
        seed: int = 0,
        scale: Scale | None = None,
        accounting: str = "total",
        reserve: float | None = None,
        choosing_delta: float | None = None,
        goal: str = TOP_GOAL,
        tolerance: int = 0,
        bets: Bets | None = None,
    ) -> None:
        self._items = read_items(items)
        given = (
            self._items.count, delta, top, epsilon, algorithm, bound, rule, stopping, N, seed,
            scale, accounting, reserve, choosing_delta, goal, tolerance, bets,
        )  # fmt: skip
        self._start(Settings(*map(plain, given)))

    def _start(self, settings: Settings) -> None:
        self.engine = self._make_engine(settings)
        self.settings = self.engine.settings
        self._method = self.engine.method
        self._stood: Verdict | None = None
        self._usual: Verdict | None = None
        self._outstanding = 0
        self._off_rule = False
        self._votes = VoteReader(self.settings.scale)
        self._needs_asks = self._method.algorithm.stopping in APPOINTING

    def _make_engine(self, settings: Settings) -> Engine:
        return Engine(settings, method_of(settings))

    @classmethod
    def from_votes(
        cls,
        votes: ArrayLike,
        totals: ArrayLike,
        *,
        levels: ArrayLike | None = None,
        **settings: Any,
    ) -> "Race":
        """A race that starts with votes: counts and sums of each item, or counts of each level.

        `names` gives the items their names.
        """
        known = settings.pop("names", None) or len(np.atleast_1d(np.asarray(votes)))
        race = cls(known, **settings)
        race.recount(votes, totals, levels=levels)
        return race

    def recount(
        self, votes: ArrayLike, totals: ArrayLike, *, levels: ArrayLike | None = None
    ) -> None:
        """Replaces all votes told so far by these counts, after votes were moderated or moved.

        Items that joined or left stay as they are, and asks stay pending. A verdict is judged anew.
        A race whose leaders are appointed needs the order of the votes, and takes no counts.
        """
        stopping = self._method.algorithm.stopping
        if stopping in APPOINTING:
            raise NotAllowed(
                f"Cannot give counts to a race that stops by {stopping!r}: it needs to know which "
                "votes came after an item was appointed. Tell it the votes in their order, or use "
                "'separation'."
            )
        self.engine.recount(votes, totals, levels)
        self._off_rule = True
        self._stood = None

    @property
    def ended(self) -> bool:
        """Whether a verdict was given: it stands, and `ask` gives no more items."""
        return self._stood is not None

    def ask(
        self, count: int = 2, *, exclude: Iterable[ItemId] = _NOTHING, distinct: bool = True
    ) -> list[Any]:
        """The items to show next; pending until told or forgotten.

        `exclude` lists the items that this rater has seen. Fewer than `count` come back, or none,
        where no other item can change the verdict. Ask for one rater at a time, or pass
        `distinct=False` for a batch that many raters share. lil-ucb is proven for one item at a
        time and gives only one.
        """
        count = check_count(count)
        if self._stood is not None:
            return []
        barred = self._items.numbers(exclude) if exclude is not _NOTHING else _NO_ITEMS
        if self._method.dominance and self._method.proven_delta is not None:
            count = 1
            self._off_rule = self._off_rule or len(barred) > 0
        found = self.engine.ask(count, barred, distinct=distinct)
        if self._method.dominance:
            self._outstanding += len(found)
        return self._items.shown(found)

    def tell(self, item: ItemId, vote: float | str) -> None:
        """Counts one vote: a number in [0, 1], or a label or value of the scale."""
        number = self._items.number(item)
        value, level = self._votes.read(vote)
        if self._method.dominance:
            self._note_answers(1, asked=self._outstanding == 1 and self.engine.is_pending(number))
        if self._needs_asks and not self.engine.is_pending(number):
            raise self._unasked(number)
        _tell(self.engine.state)(number, value, level)

    def tell_many(
        self, items: Sequence[ItemId] | NDArray[Any], votes: Sequence[float | str] | ArrayLike
    ) -> None:
        """Counts many votes at once, all of them or none; votes as in `tell`."""
        numbers = self._items.many(items)
        values, levels = self._votes.read_many(votes)
        if values.shape != numbers.shape:
            raise InvalidInput(f"There are {numbers.size} items and {values.size} votes.")
        if not numbers.size:
            return
        if self._method.dominance:
            self._note_answers(numbers.size, asked=False)
        if self._needs_asks:
            told = np.bincount(numbers, minlength=len(self))
            for item in np.flatnonzero(told > self.engine.records["pending"])[:1]:
                raise self._unasked(item)
        judge.tell_all(self.engine.state, numbers.astype(np.int64), values, levels)

    def forget(self, item: ItemId) -> None:
        """Gives up on one vote that was asked for; it may still be told later.

        Only for reasons that do not depend on the vote; that a verdict is wanted sooner is none. A
        race that stops by `fresh` or `lead` is not told a vote that was given up.
        """
        number = self._items.number(item)
        if self._outstanding and self.engine.is_pending(number):
            self._outstanding -= 1
        asking.forget(self.engine.state, number)

    def add(self, items: int | str | Iterable[str] = 1) -> Any:
        """Lets new items join: so many, or those with these names; the numbers or names they get.

        A race whose items have names needs the names of new ones.
        """
        joining = self._items.joining(items)
        self._check_changes("add items to")
        self.engine.add(len(joining))
        self._items.join(joining)
        self._stood = None
        return joining

    def withdraw(self, items: ItemId | Iterable[ItemId]) -> None:
        """Takes items out of the race for good; late votes on them count for nothing."""
        given = items if isinstance(items, Iterable) and not isinstance(items, str) else [items]
        numbers = sorted({self._items.number(item) for item in given})
        self._check_changes("withdraw items from")
        gone = self.engine.withdrawn
        if gone[numbers].all():
            return
        gone[numbers] = True
        check_left(int((~gone).sum()), self.settings.top)
        self._change_items(self.engine.membership, gone)

    def arrange(
        self,
        *,
        joined: Sequence[int],
        absent: Iterable[int] = (),
        withdrawn: Iterable[int] = (),
        pools: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        """Takes over from a log which items came, went and were merged.

        `joined` are the items that joined after the first vote, in order; `absent` those that
        were out when it came; `withdrawn` those that are out now. A merged item stands for others
        that are the same: `pools` lists them for each such item, and `recount` gives it its votes.
        """
        self._check_changes("change the items of")
        gone = np.zeros(len(self), dtype=bool)
        gone[self._items.numbers(withdrawn)] = True

        def known(items: Iterable[int]) -> tuple[int, ...]:
            return tuple(self._items.numbers(items).tolist())

        stand_for = {known([item])[0]: known(members) for item, members in (pools or {}).items()}
        check_pools(stand_for, gone)
        check_left(int((~gone).sum()), self.settings.top)
        membership = Membership(
            self.settings.items, known(joined), frozenset(known(absent)), stand_for
        )
        check_places(membership, gone)
        if self.engine.is_all_good and any(len(members) > 1 for members in stand_for.values()):
            raise NotAllowed(
                "Cannot merge items of a race for all good items: no share of delta is kept for "
                "that. Withdraw the duplicates instead."
            )
        self._change_items(membership, gone)

    def verdict(self) -> Verdict:
        """The items named, with how sure that is; false while it is "not yet".

        A verdict stands once it is given, whatever late votes say: with probability
        1 - delta no verdict is ever wrong. Only adding or withdrawing items reopens it.
        """
        if self._stood is None:
            stop, gap, votes, items = self.engine.look()
            if not stop:
                shown = tuple(self._items.shown(items))
                top = len(items) if self.engine.is_all_good else self.settings.top
                return self._open_verdict(shown, top, votes, gap)
            self._stood = self._final_verdict(items, gap)
        return self._stood

    def _open_verdict(self, items: tuple[Any, ...], top: int, votes: int, gap: float) -> Verdict:
        """A verdict that says "not yet": made for every vote, so nearly all of it is ready."""
        if self._usual is None:
            self._usual = Verdict(
                stopped=False,
                items=(),
                delta=None,
                epsilon=self.settings.epsilon,
                top=self.settings.top,
                votes=0,
                algorithm=self._method.algorithm.name,
                gap=0.0,
                goal=self.settings.goal,
                tolerance=self.tolerance,
                stopping=self._method.algorithm.stopping,
            )
        return self._usual.but(items=items, delta=self._proven_delta, top=top, votes=votes, gap=gap)

    @property
    def tolerance(self) -> int:
        """How many dishonest raters a verdict must withstand; `tolerate` changes it."""
        return self.settings.tolerance

    def tolerate(self, raters: int) -> None:
        """Changes how many dishonest raters a verdict must withstand; it is judged anew.

        This may depend on the votes: the proof is for every number at once.
        """
        settings = replace(self.settings, tolerance=plain(raters))
        if settings.tolerance:
            check_tolerance(self._method.algorithm)
        self.settings = settings
        self.engine.tolerate(settings)
        self._stood = self._usual = None

    def withstands(self) -> int | None:
        """How many dishonest raters the verdict withstands by now, or the leaders' lead before it.

        With probability 1 - delta these items are the best, up to epsilon, if no more raters than
        that were dishonest. None while even honest votes do not certify them, and for algorithms
        without such a proof.
        """
        verdict = self.verdict()
        numbers = tuple(self._items.numbers(verdict.items).tolist())
        return self._withstood(numbers, stopped=verdict.stopped)

    def _withstood(self, items: tuple[int, ...], *, stopped: bool) -> int | None:
        if self._proven_delta is None:
            return None
        if not trims(self._method.algorithm):
            return 0 if stopped else None
        return self.engine.withstands(items, least=self.tolerance if stopped else -1)

    @property
    def _proven_delta(self) -> float | None:
        off = self._off_rule and self._method.dominance
        return None if off else self._method.proven_delta

    def _repr_html_(self) -> str:
        said = escape(str(self.verdict())).replace("\n", "<br>")
        return f"<p>{said}</p>{self.plot().svg}"

    def save(self, file: str | Path | BinaryIO) -> None:
        """Writes the race, to go on from with `restore`: votes, pending asks, settings."""
        history: dict[str, Any] = {
            "_additions": len(self) - self.settings.items,
            "_outstanding": self._outstanding,
            "_off_rule": self._off_rule,
            "_changes": self.engine.membership.to_record(),
        }
        if self.names is not None:
            history["_names"] = list(self.names)
        if self._stood is not None:
            history["_stood"] = self._stood.to_record()
        saving.save(file, self.engine.state, self.settings, history)

    @classmethod
    def restore(cls, file: str | Path | BinaryIO) -> "Race":
        """The race that `save` wrote, equal in every later ask, tell and verdict."""
        race = cls.__new__(cls)
        race._take_over(*saving.read(file))  # noqa: SLF001
        return race

    def _take_over(
        self, settings: Settings, arrays: dict[str, NDArray[Any]], history: dict[str, Any]
    ) -> None:
        self._items = read_items(history.get("_names", len(arrays["items"])))
        self._start(settings)
        self.engine.membership = Membership.from_record(settings.items, history["_changes"])
        self.engine.load(arrays)
        self._outstanding = history["_outstanding"]
        self._off_rule = history["_off_rule"]
        if "_stood" in history:
            self._stood = Verdict.from_record(history["_stood"])

    def _final_verdict(self, items: tuple[int, ...], gap: float) -> Verdict:
        engine, table = self.engine, self.intervals()
        if not engine.is_all_good:
            # Settled items have left the trees that the gap was read from.
            inside = np.isin(np.arange(len(self)), items)
            outside = ~inside & ~engine.withdrawn
            gap = float(table.upper[outside].max() - table.lower[inside].min())
            if engine.header["stopping"] in (EVIDENCE, LEAD, FRESH):
                # Pairs were compared directly, which may say more than their intervals.
                gap = min(gap, self.settings.epsilon)
        shown = tuple(self._items.shown(items))
        top = len(items) if engine.is_all_good else self.settings.top
        withstood = self._withstood(items, stopped=True)
        open_still = self._open_verdict(shown, top, self.votes, gap)
        return open_still.but(stopped=True, intervals=table, withstands=withstood)

    def _note_answers(self, count: int, *, asked: bool) -> None:
        """Notes whether votes answer asks: lil-ucb is proven only where each answers one ask."""
        self._off_rule = self._off_rule or not asked
        self._outstanding = max(0, self._outstanding - count)

    def _unasked(self, number: int) -> NotAllowed:
        """The refusal of a vote that nobody asked for, where it matters when that was."""
        (item,) = self._items.shown([int(number)])
        stopping = self._method.algorithm.stopping
        return NotAllowed(
            f"A race that stops by {stopping!r} counts answers to its own asks, and has to know "
            f"when each was asked for: item {item!r} has more votes than asks. Call ask once when "
            "a visit begins, or use 'separation'."
        )

    def _change_items(self, membership: Membership, gone: NDArray[np.bool_]) -> None:
        """Takes over who is in the race; its verdict is open again."""
        self.engine.membership = membership
        self.engine.put_out(gone)
        self.engine.share_error_anew()
        self._stood = None

    def _check_changes(self, what: str) -> None:
        if self._method.accepts_changes:
            return
        if self._method.dominance:
            reason = f"{self._method.algorithm.name} is proven for a fixed set of items"
        else:
            reason = "no share of delta was kept for changes"
        raise NotAllowed(
            f"Cannot {what} this race: {reason}. Start it with an algorithm that stops by "
            "separation or evidence, such as plaudit, and reserve=0.0625."
        )
