"""A contest taken away and brought back: exports, archives, restoring, verifying.

Promises: files are streams, a restored contest is checked first, and `verify` replays the log.
It may use `contest` and the store.
"""
