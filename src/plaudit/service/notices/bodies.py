"""What a notice says: its body, made once and sent as it is however often it is tried."""

import json
import secrets
from datetime import UTC, datetime
from typing import Any

from plaudit.service.notices.news import Notice
from plaudit.store.notices import Destination, NewDelivery

ID_BYTES = 16


def new_delivery(
    destination: Destination, notice: Notice, title: str, public_url: str
) -> NewDelivery:
    """A notice for one destination, under an id of its own."""
    contest = destination.contest
    about = {
        "contest": contest,
        "title": title,
        "url": f"{public_url}/c/{contest}",
        "desk": f"{public_url}/desk/contests/{contest}",
    }
    body = {"type": notice.kind, "timestamp": _iso(notice.at), "data": about | notice.facts}
    id = f"msg_{secrets.token_hex(ID_BYTES)}"
    return NewDelivery(
        destination.number, id, notice.kind, json.dumps(body, ensure_ascii=False), notice.at
    )


def data_of(body: str) -> dict[str, Any]:
    """The facts in a body."""
    found: dict[str, Any] = json.loads(body)["data"]
    return found


def _iso(at: int) -> str:
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
