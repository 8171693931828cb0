"""Helpers of the tests: definitions to check against, plain references, servers and crowds."""
