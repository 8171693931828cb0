"""The notary: the keys of the service, and all that they sign.

Promises: the tree of a contest grows from its log, off the event loop; a checkpoint is made after
every event, at every verdict and at intervals, and none contradicts another; every certificate and
every receipt is signed. Nothing that is in the log already changes.

It may use `contest`, the secret of `accounts`, the store and `proof`. The hot path calls only
`receipts`, once a group, on the writer's thread.
"""
