"""One contest: its settings, events, state, races, words and certificate.

Promises: everything here is a function of the log; no clock, no thread, no file. It may use the
race and the store's contract (`store.log`, `store.contract`), but no other room of the service.
"""
