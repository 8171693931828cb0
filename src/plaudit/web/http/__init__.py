"""Connections and the bytes on them: their bounds, a short way for votes, static files.

Promises: what one connection can take is limited, and a request that takes the short way is
answered as it would be on the usual one. It may use uvicorn, Starlette and the counts of addresses,
and knows nothing of contests.
"""
