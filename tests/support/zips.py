"""Archives of files, as an editor would upload them."""

import io
import warnings
import zipfile
from collections.abc import Mapping
from typing import Any

from support.images import PLAIN_SVG

SCRIPT = PLAIN_SVG.replace(b"<rect", b"<script>alert(1)</script><rect")


def zipped(files: Mapping[str, bytes], **options: Any) -> bytes:
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w", **options) as archive:
        warnings.simplefilter("ignore")  # a name that occurs twice
        for name, body in files.items():
            archive.writestr(name, body)
    return made.getvalue()
