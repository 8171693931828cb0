"""Logs and verdicts with their proofs, true and false, for the tests of outsiders."""
