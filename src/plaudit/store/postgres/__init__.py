"""The engine for PostgreSQL: several servers, on one machine or many, share a database.

It promises what the contract does, and never waits for a server without a time limit. It may use
`sql` and everything below that, and never SQLite. It needs the extra `service`, for psycopg.
"""
