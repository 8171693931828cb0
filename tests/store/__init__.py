"""The tests of the store: the suite over both engines, and what only one of them can do."""
