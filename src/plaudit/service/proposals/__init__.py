"""What raters propose: checked, compared with what is there, logged, listed for editors.

Promises: limits hold for all workers together; what was acknowledged is in the log. It writes by
steps of the desk alone.
"""
