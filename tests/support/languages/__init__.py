"""Translations of texts: their files, and what can be wrong with them."""
