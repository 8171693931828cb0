"""Connections and the bytes on them: their bounds, and a short way for votes.

Promises: what one connection can take is limited, and a request that takes the short way is
answered as it would be on the usual one. It may use uvicorn and the counts of addresses, and knows
nothing of contests.
"""
