"""One try to deliver a notice to a webhook: a request by hand, since little is wanted of it.

The answer's status is all that is read. No redirect is followed, no body is read, the head may
have so many bytes, and all of it together takes so many seconds at most.
"""

import asyncio
import re
import ssl
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from plaudit import __version__
from plaudit.service.notices.addresses import Refused, Target, machines_of

SECONDS = 10.0
HEAD_BYTES = 16_384
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})\b")
_RETRY = re.compile(rb"^retry-after:\s*([0-9]{1,6})\s*$", re.IGNORECASE | re.MULTILINE)
GONE = 410


class Outcome(NamedTuple):
    """What came of a try; `words` are for editors. `wait` is how long the receiver asks to wait.

    `is_final`: it will never be taken.
    """

    is_taken: bool
    words: str
    wait: int = 0
    is_final: bool = False


def post(
    target: Target,
    headers: Mapping[str, str],
    body: bytes,
    *,
    private: bool = False,
    seconds: float = SECONDS,
    context: ssl.SSLContext | None = None,
) -> Outcome:
    """Sends a notice once. It takes no longer than the name server and `seconds` together."""
    try:
        machines = machines_of(target, private=private)
        return asyncio.run(_post(target, machines, headers, body, seconds, context))
    except Refused as error:
        return Outcome(False, str(error))
    except TimeoutError:
        return Outcome(False, f"No answer within {seconds:g} seconds.")
    except ssl.SSLError as error:
        return Outcome(False, f"The certificate or TLS is not right ({error.reason}).")
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
        return Outcome(False, f"The connection failed ({error or type(error).__name__}).")


async def _post(
    target: Target,
    machines: Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    seconds: float,
    context: ssl.SSLContext | None,
) -> Outcome:
    async with asyncio.timeout(seconds):
        reader, writer = await _connected(target, machines, context)
        try:
            writer.write(_request(target, headers, body))
            return _judged(await _head(reader))
        finally:
            writer.transport.abort()


async def _connected(
    target: Target, machines: Sequence[str], context: ssl.SSLContext | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the first of these machines that answers."""
    tls = (context or ssl.create_default_context()) if target.scheme == "https" else None
    name = target.host if tls else None
    failed: OSError = OSError("no machine")
    for machine in machines:
        try:
            return await asyncio.open_connection(
                machine, target.port, ssl=tls, server_hostname=name, limit=HEAD_BYTES
            )
        except ssl.SSLError:
            raise
        except OSError as error:
            failed = error
    raise failed


def _request(target: Target, headers: Mapping[str, str], body: bytes) -> bytes:
    whole = {
        "host": target.host_header,
        "user-agent": f"Plaudit/{__version__}",
        "content-type": "application/json",
        "content-length": str(len(body)),
        "connection": "close",
        **headers,
    }
    lines = [f"POST {target.path} HTTP/1.1", *(f"{key}: {value}" for key, value in whole.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


async def _head(reader: asyncio.StreamReader) -> bytes:
    """The head of the answer; those of answers that only announce it are passed over."""
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith((b"HTTP/1.1 1", b"HTTP/1.0 1")):
            return head


def _judged(head: bytes) -> Outcome:
    found = _STATUS.match(head)
    if found is None:
        return Outcome(False, "What answered does not speak HTTP.")
    status = int(found[1])
    if 200 <= status < 300:
        return Outcome(True, str(status))
    if 300 <= status < 400:
        return Outcome(False, f"{status}: redirects are not followed. Give the final address.")
    wish = _RETRY.search(head)
    return Outcome(False, str(status), int(wish[1]) if wish else 0, is_final=status == GONE)
