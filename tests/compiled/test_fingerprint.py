"""The cache of compiled kernels: which sources it depends on."""

from pathlib import Path

import plaudit
from plaudit.compiled import kernel_sources

HOME = Path(plaudit.__file__).parent


def test_every_file_that_compiles_something_counts_in_the_fingerprint():
    sources = set(kernel_sources())
    uses = {
        path
        for path in HOME.rglob("*.py")
        if path.parent.name != "compiled"
        and "from plaudit.compiled import" in path.read_text("utf-8")
        and {"@compiled", "@inlined", "@rarely"} & set(path.read_text("utf-8").split())
    }
    assert HOME / "race" / "top_two" / "keys.py" in uses
    assert uses <= sources


def test_where_a_part_runs_does_not_count():
    assert not [path for path in kernel_sources() if path.parent.name == "executors"]
