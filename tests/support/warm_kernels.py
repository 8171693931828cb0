"""Makes the kernels that all test processes share, as `python -m plaudit.compiled` does.

Otherwise every process would wait for them: run it before the tests.
"""

from plaudit.compiled.making import make_all

if __name__ == "__main__":
    make_all()
