"""Makes the kernels that all test processes share, as `python -m plaudit.compiled` does.

Otherwise every process would wait for them: run it before the tests.
"""

from plaudit.compiled.making import make_all

# What a test may run in place of the builder: it takes the files from where they are, once a gate
# is there, which is quicker than compiling.
PLACE_KERNELS = """
import json, shutil, sys, time
from pathlib import Path
made, gate = map(Path, sys.argv[1:3])
end = time.monotonic() + 60
while not gate.exists() and time.monotonic() < end:
    time.sleep(0.01)
now, later = json.load(sys.stdin)
for name, _ in now + later:
    part = Path(name).with_suffix(".part")
    shutil.copy(made / Path(name).name, part)
    part.rename(name)
"""

if __name__ == "__main__":
    make_all()
