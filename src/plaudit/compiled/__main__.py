"""`python -m plaudit.compiled` makes all listed kernels, for whoever starts Plaudit next.

`python -m plaudit.compiled ship` makes them for a package that others will install.
"""

import sys

from plaudit.compiled.making import make_all, ship

if __name__ == "__main__":
    ship() if sys.argv[1:] == ["ship"] else make_all()
