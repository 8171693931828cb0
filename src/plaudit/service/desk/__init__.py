"""What editors do to a contest: each step is one event in the log, and can be undone.

Promises: a step is written with who took it, or not at all. It writes to the store alone; live
workers follow.
"""
