"""Commands that are run by hand: they write files that tests check, or print tables of the docs."""
