"""Forecasts at the desk: what a crowd can decide, and how many votes and days a contest takes.

The simulations run in processes of their own (`service/watch`); this room words what they found.
"""
