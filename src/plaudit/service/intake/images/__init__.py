"""Uploaded pictures: their types and sizes, and whether they may be shown.

Promises: nothing here runs, loads or expands the content of a picture. It uses no other room.
"""
