"""The processes of a service with several workers: who starts them, and the one that writes.

Promises: a process that ends or hangs is replaced, and all of them end with the one that started
them. `supervisor` starts workers and the scribe, `scribing` is the scribe's process, and `children`
what every process does. The workers themselves are `web/server.py`.
"""
