"""What people see of a contest: dashboard, results, tables and forecasts.

Promises: requests for the same result share one computation, from a snapshot. It changes nothing.
"""
