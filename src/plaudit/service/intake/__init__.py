"""What people type or upload: contest files, forms, items and pictures, with every mistake found.

Promises: whatever comes in is checked whole, and a mistake is told with its place. It changes no
contest. It may use the room `contest`.
"""
