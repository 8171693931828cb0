"""One contest as its log tells it: settings, events, state, races, words and certificate.

Promises: everything here is a function of the log; no clock, no thread, no file. It may use the
race and the store's formats (`store.log`, `store.contract`), and no other room of the service.
"""
