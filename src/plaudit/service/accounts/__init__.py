"""People who run contests: accounts, roles, passwords, sessions, API keys and the secret.

Promises: no password, token or key is stored as text. It may use the store and the clock.
"""
