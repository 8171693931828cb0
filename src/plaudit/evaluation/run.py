"""`evaluate` and `evaluate_async`: the two ways in."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from plaudit.errors import EvaluationFailed, InvalidInput
from plaudit.evaluation.cache import ScoreCache
from plaudit.evaluation.candidates import Candidates, KeyOf, read_examples
from plaudit.evaluation.evaluation import Evaluation
from plaudit.evaluation.interrupts import ctrl_c_ends
from plaudit.evaluation.progress import Progress, progress_of
from plaudit.evaluation.retrying import CallFailed, Retrying
from plaudit.evaluation.scores import OUTCOMES, ScoreReader, check_score
from plaudit.evaluation.session import Session
from plaudit.evaluation.tasks import is_async, run_tasks
from plaudit.evaluation.threads import run_threads
from plaudit.race.arguments import check_whole, is_number
from plaudit.race.finite import FiniteRace
from plaudit.scale import Scale

MOST_CONCURRENT = 1000


def evaluate(
    candidates: Sequence[Any] | Mapping[str, Any],
    examples: Sequence[Any],
    score: Callable[..., Any],
    *,
    delta: float = 0.05,
    epsilon: float = 0.0,
    top: int = 1,
    scale: Scale | tuple[float, float] | None = None,
    against: str | None = None,
    concurrency: int = 8,
    retries: int = 2,
    pause_seconds: float = 1.0,
    failed: Any = None,
    budget: int | None = None,
    cache: str | Path | None = None,
    version: str = "",
    key: KeyOf | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> Evaluation:
    """The best candidates on the examples, by calling `score` as little as certainty allows.

    >>> def score(prompt, question):
    ...     return len(prompt) > question % 10
    >>> found = evaluate(["Hi", "Please", "Answer shortly"], range(300), score)
    >>> found.winner, found.saved > 500
    ('Answer shortly', True)

    `score(candidate, example)` returns a number in [0, 1], or True or False; a label of a
    `plaudit.Scale`; or a number between the two ends of `scale=(low, high)`. With `against`, the
    name of one candidate, every other is compared with it: `score(one, other, example)` returns
    "won", "tied" or "lost" for the first, is asked with both sides first, and both answers count.

    With probability at least 1 - `delta` no candidate that is not named is better by more than
    `epsilon`, on the mean over all `examples`, than one of the `top` that are. Examples are met in
    random order by `seed`, each by all candidates that may still win (docs/theory/finite.md).

    At most `concurrency` calls run at once, in threads; coroutine functions are awaited. A call
    that raises is tried `retries` times more, after `pause_seconds` and then twice as long each
    time; then `failed` counts as its score, or EvaluationFailed is raised if there is none.
    `budget` is the largest number of calls. `cache` is a file that keeps every answer, by
    candidate, example and `version`: a rerun costs nothing for what is there. `key` gives an
    example a text that the cache knows it by, where JSON cannot. `progress` shows a bar; without
    it, if there is a terminal. After Ctrl-C no call is begun, and when those under way have ended,
    what was found comes back; a second Ctrl-C gives them up.
    """
    with _session(
        candidates, examples, score, delta=delta, epsilon=epsilon, top=top, scale=scale,
        against=against, concurrency=concurrency, budget=budget, cache=cache, version=version,
        key=key, seed=seed,
    ) as session:  # fmt: skip
        retrying = _retrying(retries, pause_seconds, failed)
        with _reported(session, progress_of(progress)) as shown, ctrl_c_ends(session):
            if is_async(score):
                _run_here(session, score, concurrency, retrying, shown)
            else:
                run_threads(
                    session, score, concurrency=concurrency, retrying=retrying, progress=shown
                )
        return session.result()


async def evaluate_async(
    candidates: Sequence[Any] | Mapping[str, Any],
    examples: Sequence[Any],
    score: Callable[..., Any],
    *,
    delta: float = 0.05,
    epsilon: float = 0.0,
    top: int = 1,
    scale: Scale | tuple[float, float] | None = None,
    against: str | None = None,
    concurrency: int = 8,
    retries: int = 2,
    pause_seconds: float = 1.0,
    failed: Any = None,
    budget: int | None = None,
    cache: str | Path | None = None,
    version: str = "",
    key: KeyOf | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> Evaluation:
    """The same as `evaluate`, to be awaited: for notebooks and programs with an event loop.

    `score` is a coroutine function, or a plain one, which is then called in threads. Cancelling
    raises as usual; what was answered by then is in the cache.
    """
    with _session(
        candidates, examples, score, delta=delta, epsilon=epsilon, top=top, scale=scale,
        against=against, concurrency=concurrency, budget=budget, cache=cache, version=version,
        key=key, seed=seed,
    ) as session:  # fmt: skip
        retrying = _retrying(retries, pause_seconds, failed)
        with _reported(session, progress_of(progress)) as shown:
            await run_tasks(
                session, score, concurrency=concurrency, retrying=retrying, progress=shown
            )
        return session.result()


def _run_here(
    session: Session,
    score: Callable[..., Any],
    concurrency: int,
    retrying: Retrying,
    progress: Progress,
) -> None:
    """Runs a coroutine function in an event loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise InvalidInput(
            "An event loop is running here, as in notebooks: write "
            "`await plaudit.evaluate_async(…)` instead."
        )
    asyncio.run(
        run_tasks(session, score, concurrency=concurrency, retrying=retrying, progress=progress)
    )


@contextmanager
def _session(
    candidates: Any,
    examples: Any,
    score: Any,
    *,
    delta: float,
    epsilon: float,
    top: int,
    scale: Any,
    against: str | None,
    concurrency: int,
    budget: int | None,
    cache: str | Path | None,
    version: str,
    key: KeyOf | None,
    seed: int,
) -> Iterator[Session]:
    """Everything that is checked before the first call."""
    named, listed = Candidates.read(candidates), read_examples(examples)
    if against is not None and scale is not None:
        raise InvalidInput("A judge of two candidates says won, tied or lost: leave out scale.")
    reader = ScoreReader(scale if against is None else OUTCOMES)
    reference = None if against is None else named.number(against)
    check_score(score, ("candidate", "example") if against is None else ("one", "other", "example"))
    slack = epsilon / reader.span if is_number(epsilon) else epsilon
    race = FiniteRace(
        named.names, examples=len(listed), delta=delta, top=top, epsilon=slack, seed=seed
    )
    check_whole("concurrency", concurrency, 1, MOST_CONCURRENT)
    if budget is not None:
        check_whole("budget", budget, 0, None)
    with ScoreCache(cache) as kept:
        yield Session(
            named, listed, race, reader=reader, cache=kept, against=reference,
            budget=budget, version=str(version), key=key,
        )  # fmt: skip


def _retrying(retries: int, pause_seconds: float, failed: Any) -> Retrying:
    check_whole("retries", retries, 0, 100)
    if not is_number(pause_seconds) or pause_seconds < 0:
        raise InvalidInput(f"pause_seconds must be a number of at least 0; got {pause_seconds!r}.")
    return Retrying(retries, pause_seconds, failed)


@contextmanager
def _reported(session: Session, progress: Progress) -> Iterator[Progress]:
    """Closes what is shown, and says what is kept where a call failed for good."""
    try:
        yield progress
    except CallFailed as failure:
        cause = failure.__cause__
        raise EvaluationFailed(
            f"The call for {session.describe(failure.cell)} failed: {cause!r}. What was answered "
            "is in the cache, if there is one: mend the cause and run again, or say failed=… for "
            "the score that counts instead.",
            session.result(),
        ) from cause
    finally:
        progress.close()
