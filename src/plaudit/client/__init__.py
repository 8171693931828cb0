"""A client of the service: everything that the HTTP API can do, by waiting or by awaiting.

```python
rater = Client("http://127.0.0.1:8000").rater("office-elephant")
for shown in rater.ask(3):
    rater.vote(shown, level=2)
```

Promises: every route of the API has a method, in both kinds of client; a call is repeated only if
that cannot do its work twice. It may use `errors` and the puzzles of the door, and one package for
HTTP, so that the extra `client` installs nothing of the server. Calls are written once, in
`service_calls`, `rater_calls` and `desk_calls`, as plans (`plan`) that `lines` runs.
"""

from plaudit.client.clients import (
    AsyncClient,
    AsyncDeskClient,
    AsyncRaterClient,
    Client,
    DeskClient,
    RaterClient,
)
from plaudit.client.newcomer import work_done as work_done
from plaudit.client.rater_calls import Shown
from plaudit.client.refusal import LONGEST_WAIT as LONGEST_WAIT
from plaudit.client.refusal import TRIES as TRIES
from plaudit.client.refusal import TRY_AGAIN as TRY_AGAIN
from plaudit.client.refusal import UNREACHABLE as UNREACHABLE
from plaudit.client.refusal import ServiceError
from plaudit.client.refusal import read_answer as read_answer
from plaudit.client.refusal import waiting_time as waiting_time

__all__ = [
    "AsyncClient",
    "AsyncDeskClient",
    "AsyncRaterClient",
    "Client",
    "DeskClient",
    "RaterClient",
    "ServiceError",
    "Shown",
]
