"""Contests with a verdict, made in a store without a service: what both checkers are run on."""

import json
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from plaudit.bounds import Bets
from plaudit.proof.note import PublicKey
from plaudit.service.accounts.secret import Secret
from plaudit.service.archive.format import contest_lines
from plaudit.service.contest.certificate import make_certificate, verdict_in
from plaudit.service.contest.events import to_log
from plaudit.service.contest.settings import Lane, Level
from plaudit.service.desk.desk import Desk
from plaudit.service.live.loading import load_contest
from plaudit.service.notary.notary import Notary
from plaudit.store import Store, open_store
from plaudit.store.contract import Certificate, Item
from plaudit.store.log import Answer, Kind
from support.live_worker import NAME, START, Clock, create
from support.proof.notarised import looked, notary_of

Body = dict[str, Any]
SIGNED = ("checkpoint", "origin", "items_digest", "raters_digest", "signature")
MEANS = (0.95, 0.2, 0.1, 0.25, 0.05, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1)
# A scale whose labels are not in the order of their values.
MIXED = (Level("good", 1.0), Level("bad", 0.0), Level("fair", 0.3), Level("better", 0.75))


# Weights of bets unlike the usual ones, and unlike on either side.
LEARNED = Bets(
    tuple(1.0 / (1 + abs(k - 15)) for k in range(24)),
    tuple(0.5 ** abs(k - 10) for k in range(24)),
).to_json()


class Proven(NamedTuple):
    """A certificate, and the export of its contest."""

    certificate: Body
    export: bytes


class Voters:
    """Raters who come in turn and vote on items by their means."""

    def __init__(self, store: Store, *, levels: Sequence[int], lanes: Sequence[int]) -> None:
        self._store = store
        self._random = random.Random(7)
        self._levels, self._lanes = levels, lanes
        self.number = 0

    def vote(self, raters: int, items: Iterable[int], means: Sequence[float] = MEANS) -> None:
        """So many new raters vote on each of these items; now and then one skips."""
        items, answers = list(items), []
        for _ in range(raters):
            for item in items:
                answers.append(self._answer(self.number, item, means[item]))
            self.number += 1
        self._store.append_answers(NAME, answers)

    def again(self, rater: int, items: Iterable[int], mean: float) -> None:
        """An earlier rater votes on more items."""
        self._store.append_answers(NAME, [self._answer(rater, item, mean) for item in items])

    def _answer(self, rater: int, item: int, mean: float) -> Answer:
        draw, key = self._random.random(), rater.to_bytes(16, "big")
        lane = self._lanes[rater % len(self._lanes)]
        if draw > 0.98:
            return Answer(Kind.SKIP, key, item, -1, lane, START, 800)
        low, middle, high = self._levels
        near = 0.1 if 0.1 < mean < 0.9 else 0.0
        level = high if draw < mean - near else middle if draw < mean + near else low
        return Answer(Kind.VOTE, key, item, level, lane, START + rater, 900)


class Contest:
    """An open contest in a store of its own, its desk and its raters."""

    # Certificates of before are not signed.
    signs = True

    def __init__(self, folder: Path, *, items: int = 5, mixed: bool = False, **given: Any) -> None:
        self.store = open_store(str(folder / "proven.db"))
        self.notary = notary_of(self.store)
        plain: Body = {"epsilon": 0.3, "delta": 0.2, "lanes": (Lane("plaudit"),)}
        if mixed:
            plain["scale"] = MIXED
        settings = plain | given
        create(self.store, items, **settings)
        self.desk = Desk(self.store, clock=Clock()).revoking()
        lanes = [*range(len(settings["lanes"])), *([-1] if settings.get("uniform") else [])]
        self.voters = Voters(self.store, levels=(1, 2, 0) if mixed else (0, 1, 2), lanes=lanes)

    def until_verdict(self, items: Iterable[int], *, lane: int = 0, step: int = 20) -> Body:
        """Raters vote on these items until a lane has its verdict; its certificate."""
        chosen = list(items)
        for _ in range(60):
            live = load_contest(self.store, NAME)
            due = dict(live.verdict_due())
            if lane in due:
                return self._certify(live, lane, due[lane])
            self.voters.vote(step, chosen)
        raise AssertionError("no verdict")

    def _certify(self, live: Any, lane: int, verdict: Any) -> Body:
        race = live.races[lane]
        made = make_certificate(NAME, live.settings, live.contest, race, lane=lane, verdict=verdict)
        if self.signs:
            made = self.notary.certified(made)
        epoch = self.store.contest(NAME).epoch
        text = json.dumps(made, separators=(",", ":"))
        self.store.append_event(
            NAME,
            to_log(verdict_in(made), START),
            epoch=epoch,
            certificate=Certificate(made["judged_at"], lane, text),
        )
        body: Body = json.loads(json.dumps(made))
        return body

    def signed_anew(self, body: Body) -> tuple[Body, bytes, PublicKey]:
        """A certificate and an export, signed by another service, and the key of that."""
        notary = Notary(self.store, Secret(b"a secret of somebody else, as long as it must be"))
        plain = {name: value for name, value in body.items() if name not in SIGNED}
        made = json.loads(json.dumps(notary.certified(plain)))
        looked(notary)
        return made, b"".join(contest_lines(self.store, NAME)), notary.keys.public[0]

    def export(self) -> bytes:
        """The export of the contest as it is now, with checkpoints up to its end."""
        looked(self.notary)
        return b"".join(contest_lines(self.store, NAME))


def _plain(algorithm: str, **given: Any) -> Callable[[Path], Proven]:
    def made(folder: Path) -> Proven:
        contest = Contest(folder, lanes=(Lane(algorithm),), **given)
        body = contest.until_verdict(range(given.get("items", 5)))
        return Proven(body, contest.export())

    return made


def _two_lanes(folder: Path) -> Proven:
    lanes = (Lane("lil-klucb", 2.0), Lane("plaudit"))
    contest = Contest(folder, lanes=lanes, uniform=0.2, mixed=True)
    body = contest.until_verdict(range(5), lane=1)
    contest.voters.vote(3, range(5))
    return Proven(body, contest.export())


def _all_changes(folder: Path, **given: Any) -> Proven:
    """Items are withdrawn, corrected, merged, added and brought back; raters come and go."""
    contest = Contest(folder, items=8, **given)
    desk, voters = contest.desk, contest.voters
    desk.withdraw(NAME, [7])
    voters.vote(30, range(7))
    desk.replace(NAME, [1, 2], "both", keep_votes=True)
    for rater in range(4):
        voters.again(rater, [8], 0.5)
    desk.replace(NAME, [3], "corrected", keep_votes=True)
    desk.replace(NAME, [4], "anew", keep_votes=False)
    desk.add_items(NAME, [Item(0, "late")])
    desk.withdraw(NAME, [5, 6])
    desk.restore(NAME, [5])
    desk.restore(NAME, [7])
    voters.vote(10, [0, 5, 7, 8, 9, 10, 11])
    out = desk.exclude(NAME, 2, 3, 5).position
    desk.exclude(NAME, 6, 7, grounds="speed")
    desk.erase(NAME, 9)
    desk.readmit(NAME, 6)
    desk.undo(NAME, out)
    desk.exclude(NAME, 4, 11)
    desk.change(NAME, {"title": "Other words", "closes": 10**13})
    body = contest.until_verdict([0, 5, 7, 8, 9, 10, 11])
    voters.vote(5, [0, 8])
    return Proven(body, contest.export())


def _proposed(folder: Path) -> Proven:
    """Raters propose; some of it is taken as it is or corrected, some refused, some at once."""
    contest = Contest(folder, proposals="held", door="codes")
    desk, voters = contest.desk, contest.voters
    desk.make_codes(NAME, 3)
    voters.vote(12, range(5))
    first, second, third = (
        desk.propose(NAME, n, f"A joke of rater {n}").position for n in range(3)
    )
    desk.undo(NAME, desk.refuse_proposals(NAME, [third], "unclear", "Say more.").position)
    desk.take_proposals(NAME, {first: None, second: "A better joke"})
    desk.refuse_proposals(NAME, [third], "unclear")
    desk.change(NAME, {"proposals": "at-once"})
    desk.propose(NAME, 4, "At once")
    desk.let_in(NAME)
    voters.vote(10, range(8))
    body = contest.until_verdict(range(8))
    return Proven(body, contest.export())


def _merged_twice(folder: Path) -> Proven:
    """A pair is merged, taken apart, corrected, and merged again with a third."""
    contest = Contest(folder, items=6)
    desk, voters = contest.desk, contest.voters
    voters.vote(12, range(6))
    desk.undo(NAME, desk.replace(NAME, [1, 2], "both", keep_votes=True).position)
    desk.replace(NAME, [1], "better said", keep_votes=True)
    voters.vote(5, [7, 0])
    for rater in range(3):
        voters.again(rater, [7], 0.9)
    desk.undo(NAME, desk.replace(NAME, [7, 2, 3], "all three", keep_votes=True).position)
    voters.vote(5, [7, 3])
    desk.replace(NAME, [7, 2, 3], "all three again", keep_votes=True)
    return Proven(contest.until_verdict([0, 4, 5, 9]), contest.export())


def _all_good(algorithm: str, *, changed: bool = False, **given: Any) -> Callable[[Path], Proven]:
    def made(folder: Path) -> Proven:
        lanes = (Lane(algorithm),)
        contest = Contest(folder, items=6, goal="all-good", lanes=lanes, epsilon=0.25, **given)
        items = list(range(6))
        if changed:
            contest.voters.vote(5, items)
            contest.desk.add_items(NAME, [Item(0, "late")])
            contest.desk.withdraw(NAME, [5])
            contest.desk.exclude(NAME, 0, 1)
            items = [0, 1, 2, 3, 4, 6]
        return Proven(contest.until_verdict(items, step=60), contest.export())

    return made


def _tolerant(tolerance: float, **given: Any) -> Callable[[Path], Proven]:
    def made(folder: Path) -> Proven:
        contest = Contest(folder, tolerance=tolerance, **given)
        contest.voters.vote(3, range(5), [0.0, 1.0, 1.0, 1.0, 1.0])
        contest.desk.exclude(NAME, 0)
        return Proven(contest.until_verdict(range(5)), contest.export())

    return made


GOOD: dict[str, Callable[[Path], Proven]] = {
    "the default": _plain("plaudit"),
    "two of five": _plain("plaudit", top=2, epsilon=0.5),
    "no slack": _plain("plaudit", epsilon=0.0),
    "another scale": _plain("plaudit", mixed=True),
    "lil-klucb": _plain("lil-klucb"),
    "ucb": _plain("ucb"),
    "uniform": _plain("uniform", top=2, epsilon=0.5),
    "kl-lucb": _plain("kl-lucb"),
    "lucb": _plain("lucb"),
    "lucb++": _plain("lucb++"),
    "successive elimination": _plain("successive-elimination"),
    "two lanes and uniform traffic": _two_lanes,
    "all changes": _all_changes,
    "all changes, lil-klucb": lambda folder: _all_changes(folder, lanes=(Lane("lil-klucb"),)),
    "all changes, lucb": lambda folder: _all_changes(folder, lanes=(Lane("lucb"),)),
    "all changes, tolerant": lambda folder: _all_changes(folder, tolerance=2.0),
    "merged twice": _merged_twice,
    "proposals": _proposed,
    "all good": _all_good("plaudit"),
    "all good, changed": _all_good("plaudit", changed=True),
    "all good, lil-klucb": _all_good("lil-klucb", changed=True),
    "all good, lucb": _all_good("lucb"),
    "all good, kl-lucb": _all_good("kl-lucb"),
    "all good, tolerant": _all_good("plaudit", tolerance=2.0, changed=True),
    "tolerant": _tolerant(3.0),
    "a tolerant share": _tolerant(0.04),
    "tolerant lil-klucb": _tolerant(2.0, lanes=(Lane("lil-klucb"),)),
    "tolerant kl-lucb": _tolerant(2.0, lanes=(Lane("kl-lucb"),)),
    "learned bets": _plain("plaudit", bets=LEARNED),
    "learned bets, all changes": lambda folder: _all_changes(folder, bets=LEARNED, tolerance=2.0),
}
