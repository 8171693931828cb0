"""Static files of the pages: how long they are kept, who may load them, packed on their way."""

import gzip
import mimetypes
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FONT = ".woff2"
KEPT = "public, max-age=31536000, immutable"
# Files that get much smaller; fonts and pictures are packed already.
PACKED = (".css", ".js", ".svg")
# Not every system knows the type of fonts.
mimetypes.add_type("font/woff2", FONT)


class Checked(StaticFiles):
    """Static files that browsers ask about each time: an upgrade must not mix old and new.

    Fonts have a checksum of their content in their names, so they are kept for a year. Pages of
    other sites may load all files too, since the script that votes from there is among them.
    """

    def file_response(
        self, full_path: Any, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """A file, packed if the browser can unpack it, or that it has not changed."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        name = str(full_path)
        response.headers["cache-control"] = KEPT if name.endswith(FONT) else "no-cache"
        response.headers["access-control-allow-origin"] = "*"
        response.headers["cross-origin-resource-policy"] = "cross-origin"
        if not name.endswith(PACKED):
            return response
        response.headers["vary"] = "accept-encoding"
        takes = Headers(scope=scope).get("accept-encoding", "")
        if "gzip" in takes and isinstance(response, FileResponse):
            return _packed(response, _bytes(name, stat_result.st_mtime_ns))
        return response


def _packed(response: FileResponse, body: bytes) -> Response:
    kept = {key: value for key, value in response.headers.items() if key != "content-length"}
    kept["content-encoding"] = "gzip"
    kept.pop("accept-ranges", None)
    # The bytes differ from those of the plain file, and say the same.
    kept["etag"] = f"W/{kept['etag']}"
    return Response(body, headers=kept)


@lru_cache(maxsize=128)
def _bytes(name: str, changed: int) -> bytes:
    """A file, packed; `changed` is when it was changed, so that it is packed anew."""
    return gzip.compress(Path(name).read_bytes(), mtime=0)
