"""The benchmarks are a folder beside the source, which only these tests import."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
