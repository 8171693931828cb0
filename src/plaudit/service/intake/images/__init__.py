"""Uploaded pictures: what they are, and whether they may be shown.

Promises: nothing here runs, fetches or expands what a picture says. It uses no other room.
"""
