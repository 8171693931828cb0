"""The door of a contest: who may vote, and how they show it.

Promises: at a door other than `open` nobody is let in who has not passed it, and what the service
keeps of codes, ids and people is numbers and keyed hashes, never a name. It may use `contest`,
`accounts` for the secret, and the store.
"""
