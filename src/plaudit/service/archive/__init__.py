"""Contests as files: exports, archives, restoring and verifying.

Promises: files are streams, an archive is checked before it is restored, and `verify` replays the
log. It may use `contest`, the picture checks of `intake`, and the store.
"""
