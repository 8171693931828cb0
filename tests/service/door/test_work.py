"""Work for newcomers: the schedule, what a challenge is bound to, and what attackers try."""

import itertools
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from plaudit.service.accounts.secret import Secret
from plaudit.service.door import puzzle
from plaudit.service.door import work as schedule
from plaudit.service.door.puzzle import (
    EASIEST_BITS,
    PUZZLES,
    are_solved,
    is_solved,
    seed_of,
    solve,
)
from plaudit.service.door.tallies import Tally, Turns
from plaudit.service.door.work import Demand, Newcomer, Passed, Work
from plaudit.service.live.tickets import Signer
from support.live_worker import SECRET, Clock

ROOT = next(place for place in Path(__file__).parents if (place / "pyproject.toml").is_file())
SCRIPT = ROOT / "src/plaudit/web/public/static/puzzle.js"
ANN = Newcomer("captions", "192.0.2.7")


@pytest.fixture
def easy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puzzles that a test solves at once."""
    monkeypatch.setattr(schedule, "EASIEST_BITS", 4)


def door(clock: Clock | None = None, *, secret: Secret = SECRET, workers: int = 1) -> Work:
    return Work(secret, clock=clock or Clock(), workers=workers)


def demand(work: Work, who: Newcomer = ANN, mode: str = "on", **given: object) -> Demand:
    found = work.judge(who, mode, **given)  # type: ignore[arg-type]
    assert isinstance(found, Demand)
    return found


def passes(work: Work, who: Newcomer, asked: Demand, mode: str = "on") -> bool:
    """Whether whoever solved what was asked comes in."""
    nonces = solve(asked.challenge, asked.bits)
    assert nonces is not None
    return isinstance(work.judge(who, mode, challenge=asked.challenge, nonces=nonces), Passed)


# The schedule


def bits_of(work: Work, raters: int, *, mode: str, who: Newcomer = ANN) -> list[int]:
    """How hard it is for each of so many raters who come in one after another."""
    found = []
    for _ in range(raters):
        found.append(work.bits(who, mode))
        work.count(who)
    return found


def test_off_asks_nothing_of_anybody() -> None:
    assert set(bits_of(door(), 5_000, mode="off")) == {0}


def test_a_household_comes_in_freely_and_a_class_for_a_second_each() -> None:
    found = bits_of(door(), 40, mode="automatic")
    assert found == [0] * 8 + [EASIEST_BITS] * 32
    assert bits_of(door(), 40, mode="on") == [EASIEST_BITS] * 40


def test_the_work_doubles_with_every_sixteen_raters_of_a_network() -> None:
    found = bits_of(door(), 40 + 5 * 16, mode="automatic")[40:]
    assert found == [EASIEST_BITS + 1 + place // 16 for place in range(5 * 16)]


def test_other_networks_and_contests_are_not_held_up() -> None:
    work = door()
    bits_of(work, 100, mode="automatic")
    assert work.bits(Newcomer("captions", "198.51.100.7"), "automatic") == 0
    assert work.bits(Newcomer("drawings", "192.0.2.7"), "automatic") == 0
    # A neighbour in the same wide network still comes in for little.
    assert work.bits(Newcomer("captions", "192.0.2.8"), "automatic") == EASIEST_BITS


@pytest.mark.parametrize("networks", ["2001:db8:1:{:x}::1", "192.0.2.{}"])
def test_many_networks_of_one_customer_count_together(networks: str) -> None:
    work = door()
    for number in range(250):
        work.count(Newcomer("captions", networks.format(number % 256)))
    fresh = Newcomer("captions", networks.format(251))
    assert work.bits(fresh, "automatic") >= EASIEST_BITS + 2


def test_addresses_of_one_household_are_one_network() -> None:
    work = door()
    for number in range(60):
        work.count(Newcomer("captions", f"2001:db8::{number:x}"))
    assert work.bits(Newcomer("captions", "2001:db8::ffff"), "automatic") > EASIEST_BITS


def test_an_unknown_address_is_held_up_by_the_contest_alone() -> None:
    unknown = Newcomer("captions", "unknown")
    assert bits_of(door(), 200, mode="automatic", who=unknown) == [0] * 200


def test_when_very_many_come_everybody_works_a_little() -> None:
    work = door()
    crowd = (Newcomer("captions", f"10.{n >> 8}.{n & 255}.1") for n in itertools.count())
    stranger = Newcomer("captions", "203.0.113.5")
    found = {}
    for count in range(1, 20_000):
        work.count(next(crowd))
        found[count] = work.bits(stranger, "automatic")
    assert found[299] == 0
    assert found[300] == found[2399] == EASIEST_BITS
    assert found[2400] == EASIEST_BITS + 1
    # An endless crowd does not lock itself out.
    assert found[4800] == found[19_999] == EASIEST_BITS + 2


def test_the_count_fades_within_hours() -> None:
    clock = Clock()
    work = door(clock)
    bits_of(work, 100, mode="automatic")
    clock.now += 2 * 3600_000
    assert work.bits(ANN, "automatic") == EASIEST_BITS
    clock.now += 4 * 3600_000
    assert work.bits(ANN, "automatic") == 0
    clock.now -= 9 * 3600_000  # a clock that is set back makes nothing fade, nor fail
    work.count(ANN)
    assert work.bits(ANN, "automatic") == EASIEST_BITS + 1 + (101 - 40) // 16


def test_workers_share_what_is_easy() -> None:
    together = [bits_of(door(workers=4), 30, mode="automatic") for _ in range(4)]
    assert [found.count(0) for found in together] == [2] * 4
    assert [found.count(EASIEST_BITS) for found in together] == [8] * 4


# Challenges


@pytest.mark.usefixtures("easy")
def test_whoever_solves_comes_in_and_a_replay_is_the_same_rater() -> None:
    work, other = door(), door()
    asked = demand(work)
    nonces = solve(asked.challenge, asked.bits)
    assert nonces is not None
    found = [w.judge(ANN, "on", challenge=asked.challenge, nonces=nonces) for w in (work, other)]
    assert found[0] == found[1] == Passed(bytes.fromhex(asked.challenge))
    signer = Signer(SECRET, "captions")
    assert len({signer.solved_rater(each.challenge) for each in found}) == 1  # type: ignore[union-attr]


@pytest.mark.usefixtures("easy")
@pytest.mark.parametrize(
    "thief",
    [
        Newcomer("drawings", "192.0.2.7"),
        Newcomer("captions", "192.0.2.8"),
        Newcomer("captions", "192.0.2.7", "bob"),
    ],
)
def test_a_challenge_is_for_one_contest_network_and_external_id(thief: Newcomer) -> None:
    work = door()
    asked = demand(work)
    assert passes(work, ANN, asked)
    assert not passes(work, thief, asked)
    assert demand(work, thief, challenge=asked.challenge).challenge != asked.challenge


@pytest.mark.usefixtures("easy")
def test_old_future_and_foreign_challenges_are_worth_nothing() -> None:
    clock = Clock()
    work = door(clock)
    asked = demand(work)
    clock.now += schedule.LIFE_MS - 1
    assert passes(work, ANN, asked)
    clock.now += 1
    assert not passes(work, ANN, asked)
    ahead = Clock()
    ahead.now = clock.now + schedule.SKEW_MS + 1
    assert not passes(work, ANN, demand(door(ahead)))
    foreign = door(clock, secret=Secret(b"the secret of another service....."))
    assert not passes(work, ANN, demand(foreign))


@pytest.mark.usefixtures("easy")
def test_a_challenge_of_another_worker_is_as_good() -> None:
    assert passes(door(), ANN, demand(door()))


@pytest.mark.parametrize("text", ["", "x", "00" * 31, "00" * 32, "é" * 64, "0" * 63])
def test_texts_that_are_no_challenge_lead_to_a_new_one(text: str) -> None:
    asked = demand(door(), challenge=text, nonces=[0] * PUZZLES)
    assert re.fullmatch("[0-9a-f]{64}", asked.challenge)


def test_a_challenge_in_other_letters_is_no_second_one() -> None:
    work = door()
    asked = demand(work)
    assert demand(work, challenge=asked.challenge.upper()).challenge != asked.challenge


@pytest.mark.usefixtures("easy")
def test_wrong_missing_and_swapped_nonces_are_not_enough() -> None:
    work = door()
    asked = demand(work)
    right = solve(asked.challenge, asked.bits)
    assert right is not None
    wrong = next(
        n for n in range(1000) if not is_solved(seed_of(asked.challenge), 3, n, asked.bits)
    )
    for nonces in ([*right[:3], wrong, *right[4:]], right[:-1], [*right, 0], right[::-1]):
        again = demand(work, challenge=asked.challenge, nonces=nonces)
        assert (again.challenge, again.bits) == (asked.challenge, asked.bits)


@pytest.mark.usefixtures("easy")
def test_a_stock_of_easy_challenges_is_worth_nothing_later() -> None:
    work = door()
    stock = [demand(work) for _ in range(200)]
    came = 0
    for asked in stock:
        if passes(work, ANN, asked):
            work.count(ANN)
            came += 1
    assert came == 40
    # What was found is not lost: the search goes on from there.
    harder = demand(work, challenge=stock[-1].challenge)
    assert (harder.challenge, harder.bits) == (stock[-1].challenge, stock[-1].bits + 1)
    before = solve(harder.challenge, stock[-1].bits)
    assert before is not None
    after = solve(harder.challenge, harder.bits, start=before)
    assert after == solve(harder.challenge, harder.bits)


# Waiting instead


def test_waiting_lets_one_in_and_the_next_after_a_turn() -> None:
    clock = Clock()
    work = door(clock)
    challenges = [demand(work).challenge for _ in range(100)]
    assert demand(work, challenge=challenges[0]).wait_ms == 20_000
    clock.now += 19_999
    assert demand(work, challenge=challenges[0]).wait_ms == 1
    clock.now += 1
    came = []
    for _ in range(600):
        for challenge in challenges[:3]:
            if isinstance(work.judge(ANN, "on", challenge=challenge), Passed):
                challenges.remove(challenge)
                came.append(clock.now)
        clock.now += 1000
    # Two at once after a pause, then one every half minute.
    assert len(came) == 2 + (600 - 1) // 30
    assert all(later - sooner >= 30_000 for sooner, later in itertools.pairwise(came[1:]))


def test_turns_of_many_networks_are_bounded_by_the_contest() -> None:
    clock = Clock()
    work = door(clock)
    crowd = [Newcomer("captions", f"10.0.{number}.1") for number in range(100)]
    asked = [demand(work, who).challenge for who in crowd]
    clock.now += 20_000
    pairs = zip(crowd, asked, strict=True)
    came = [isinstance(work.judge(who, "on", challenge=text), Passed) for who, text in pairs]
    assert sum(came) == 10


def test_wrong_nonces_take_no_turn() -> None:
    clock = Clock()
    work = door(clock)
    challenge = demand(work).challenge
    clock.now += 60_000
    demand(work, challenge=challenge, nonces=[1] * PUZZLES)
    assert isinstance(work.judge(ANN, "on", challenge=challenge), Passed)


# Parts


def test_a_tally_forgets_those_that_count_least() -> None:
    tally = Tally(fade_ms=1e9, most=10)
    for _ in range(5):
        tally.add("many", 0)
    for number in range(100):
        tally.add(number, 0)
    assert tally.of("many", 0) == 5.0
    assert sum(tally.of(number, 0) > 0 for number in range(100)) <= 10


def test_turns_forget_those_that_are_over() -> None:
    turns = Turns(every_ms=10, at_once=1, most=5)
    for now in range(0, 1000, 20):
        turns.take(now, now)
    turns.take("last", 1000)
    assert turns.wait("last", 1001) == 9
    assert turns.wait(0, 1001) == 0


@pytest.mark.parametrize("bits", [31, 32, 33, 44])
def test_the_hardest_puzzles_look_at_more_than_one_word(
    bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Digest:
        def __init__(self, zeros: int) -> None:
            self.zeros = zeros

        def digest(self) -> bytes:
            return (1 << (255 - self.zeros)).to_bytes(32, "big")

    for zeros, solved in ((bits, True), (bits - 1, False)):
        monkeypatch.setattr(puzzle, "sha256", lambda _, zeros=zeros: Digest(zeros))
        assert is_solved(bytes(32), 0, 0, bits) is solved


def test_several_small_puzzles_vary_less_than_one_large() -> None:
    """The expected work is PUZZLES * 2**bits; with 16 puzzles its spread is a quarter of that."""
    bits = 6
    total = [sum(solve(f"text {n}", bits) or ()) + PUZZLES for n in range(200)]
    mean = sum(total) / len(total)
    spread = (sum((each - mean) ** 2 for each in total) / len(total)) ** 0.5
    assert 0.9 < mean / (PUZZLES * 2**bits) < 1.1
    assert 0.18 < spread / mean < 0.32


@pytest.mark.skipif(shutil.which("node") is None, reason="runs the page's script in node")
def test_the_script_of_the_page_finds_the_same_nonces() -> None:
    program = f"""
        import {{ search, seedOf }} from "{SCRIPT.as_uri()}";
        const nonces = [];
        const seed = seedOf("a challenge");
        for (let puzzle = 0; puzzle < {PUZZLES}; puzzle += 1) {{
            nonces.push(search(seed, puzzle, 0, 10, 2 ** 20));
        }}
        // A nonce beyond 32 bits, which has a word of its own.
        nonces.push(search(seed, 0, 2 ** 33, 8, 2 ** 20));
        // More bits than one word has: the known nonce is no solution, fewer bits are.
        if (search(seed, 0, nonces[0], 40, 1) !== null) throw new Error("too easy");
        console.log(JSON.stringify(nonces));
    """
    done = subprocess.run(
        ["node", "--input-type=module", "-e", program], capture_output=True, text=True, check=True
    )
    *nonces, far = map(int, done.stdout.strip().strip("[]").split(","))
    assert nonces == solve("a challenge", 10)
    assert are_solved("a challenge", nonces, 10)
    assert far == solve("a challenge", 8, start=[2**33, *nonces[1:]])[0]  # type: ignore[index]
