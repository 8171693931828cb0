"""What this service has seen of others as their witness, and what others have seen of it."""

from pathlib import Path
from typing import Any

from plaudit.service.notary.notary import Notary
from plaudit.witness.background import Background


class Witnessing:
    """The witness beside one worker. It looks only if there are services to watch."""

    def __init__(
        self, notary: Notary, folder: str, urls: tuple[str, ...], *, public_url: str
    ) -> None:
        self.public_url = public_url
        self._background = Background(Path(folder), urls, own_keys=lambda: notary.keys.public)

    def start(self) -> None:
        """Begins to look."""
        self._background.start()

    def close(self) -> None:
        """Stops looking."""
        self._background.close()

    def seen(self) -> list[dict[str, Any]]:
        """What was seen of each service that is watched."""
        return self._background.seen()

    def of_us(self, contest: str) -> list[dict[str, Any]]:
        """Who keeps which checkpoint of a contest of this service."""
        return [
            {"url": service["url"], "entries": kept["size"] - 1, "at": kept["at"]}
            for service in self.seen()
            for kept in service["of_us"]
            if kept["contest"] == contest
        ]
