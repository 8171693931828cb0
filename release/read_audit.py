"""Reads the report of `make audit`: what was looked up, what was not, and the holes that are known.

pip-audit says "no known vulnerabilities" also where it could look up nothing. Exits with 0 only if
every package was looked up and none has a known hole; with 1 for holes, with 3 for gaps.
"""

import json
import sys
from pathlib import Path
from typing import Any

CLEAN, HOLES, GAPS = 0, 1, 3


def judged(packages: list[dict[str, Any]]) -> tuple[int, str]:
    """The exit code for a report, and what to say."""
    holes = [
        f"{package['name']} {package['version']}: {hole['id']}"
        for package in packages
        for hole in package.get("vulns", ())
    ]
    gaps = [package["name"] for package in packages if "skip_reason" in package]
    if holes:
        return HOLES, "\n".join(["Known holes:", *holes])
    if gaps or not packages:
        told = f"{len(gaps)} of {len(packages)} packages could not be looked up"
        return GAPS, f"NOT AUDITED: {told}. Run this where the network reaches the advisories."
    return CLEAN, f"No known holes in {len(packages)} packages."


def main(report: str) -> int:
    """Reads a report, says what it says, and returns the exit code."""
    path = Path(report)
    found = json.loads(path.read_text())["dependencies"] if path.is_file() else []
    code, words = judged(found)
    sys.stdout.write(words + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
