"""The engine for one SQLite file: one process serves from it, others may read and write it too.

It promises what the contract does, with two statements for a group of answers of any size. It may
use `sql` and everything below that, and never PostgreSQL.
"""
