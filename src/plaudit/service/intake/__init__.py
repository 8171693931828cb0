"""What people type or upload: contest files, forms, items and pictures, with all their mistakes.

Promises: everything that comes in is checked, and every mistake is shown with its place. It
changes no contest. It may use the rooms `contest` and `accounts`.
"""
