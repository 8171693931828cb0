"""The steps that editors take on a contest: each is one event in the log, and most can be undone.

Promises: a step and who took it are written together, or not at all. It writes only to the store;
live workers read the step from there.
"""
