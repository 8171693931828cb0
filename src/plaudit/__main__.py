"""`python -m plaudit` is `plaudit`."""

from plaudit.cli import main

if __name__ == "__main__":
    main()
