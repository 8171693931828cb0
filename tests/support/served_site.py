"""The app on a local port, in a thread, for tests that need real HTTP."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from plaudit.web.app import Serving, make_app
from plaudit.web.http.prompt import PromptHttp


@contextmanager
def served(
    serving: Serving, http: type[PromptHttp] = PromptHttp, *, port: int = 0
) -> Iterator[str]:
    """The address of the app, until the end of the block; any free port unless one is given."""
    with socket.create_server(("127.0.0.1", port)) as listening:
        config = uvicorn.Config(
            make_app(serving), http=http, ws="none", log_level="warning", server_header=False
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            give_up = time.monotonic() + 300
            while not server.started:
                assert thread.is_alive(), "the server ended at its start"
                assert time.monotonic() < give_up, "the server did not start"
                time.sleep(0.01)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
