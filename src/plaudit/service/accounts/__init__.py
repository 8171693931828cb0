"""People who run contests: accounts, roles, passwords, sessions, API keys and the secret.

Promises: the store holds no password, token or key, only hashes. It may use the store and the
clock.
"""
