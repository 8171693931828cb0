"""Live contests in the memory of one worker: asking, answering, writing and following the log.

Promises: a vote is answered only once it is durable, and one thread owns the state. `worker` is
what others call; `contests` folds, `writer` commits, `follower` reads what others wrote. It may use
`contest`, `notary`, `intake` for pictures, `accounts` for the secret, and the store.
"""
