"""What `plaudit serve` says once it answers: where, to whom, where its data is, how to stop it."""

from collections.abc import Callable
from typing import Any

from plaudit.cli.database import public_name


def once(say: Callable[[], None]) -> Callable[[], None]:
    """A function that calls another the first time only."""
    left = [say]

    def call() -> None:
        if left:
            left.pop()()

    return call


def ready_words(serving: Any) -> str:
    """A few lines for the person at the terminal."""
    from plaudit.web.reach import ANYBODY, MACHINE, NETWORK, network_address, reach_of

    reach = {
        MACHINE: "this computer only",
        NETWORK: "everybody in your local network",
        ANYBODY: "everybody who can open that address",
    }[reach_of(serving.public_url)]
    if reach_of(serving.public_url) == MACHINE and network_address() is not None:
        reach += " (for a class or an office: plaudit serve --share)"
    return "\n".join(
        (
            f"Plaudit is ready at {serving.public_url}",
            f"  your desk    {serving.public_url.rstrip('/')}/desk",
            f"  who can vote {reach}",
            f"  data         {public_name(serving.database)}",
            "  stop         Ctrl-C; nothing is lost",
        )
    )
