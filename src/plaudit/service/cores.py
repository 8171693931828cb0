"""Which processor cores threads run on: those that pass votes on keep to one, others roam.

Python lets one thread of a process run at a time. Where the threads of a worker take turns on
different cores, each finds its data on the other, and a vote costs up to a third more processor
time. It touches nothing but the calling thread, and nothing where the system has no such calls.
"""

import os

_CAN_KEEP = hasattr(os, "sched_setaffinity")
# All that this process may use, read before any thread keeps to one.
_ALLOWED = os.sched_getaffinity(0) if _CAN_KEEP else set[int]()


def cores_of(workers: int) -> list[int | None]:
    """The core of each worker: all cores in turn, where workers fill the machine.

    Fewer workers have none: whoever else runs there would be in the way of one, and they of others.
    """
    if not _CAN_KEEP or workers < len(_ALLOWED):
        return [None] * workers
    cores = sorted(_ALLOWED)
    return [cores[place % len(cores)] for place in range(workers)]


def keep_to(core: int) -> None:
    """Lets this thread, and those that it starts from now on, run on one core alone."""
    if _CAN_KEEP:
        os.sched_setaffinity(0, {core})


def roam() -> None:
    """Lets this thread run on all cores again: it computes for long, and holds up no vote."""
    if _CAN_KEEP:
        os.sched_setaffinity(0, _ALLOWED)
