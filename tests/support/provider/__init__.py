"""Providers that people sign in with, and visitors who do."""
