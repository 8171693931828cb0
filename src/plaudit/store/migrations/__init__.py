"""The schemas: one folder of numbered SQL files for each engine, applied in order.

A file is never changed once it is released: databases of every earlier version go on from the
number they have. `sql.schema` reads the files. Both engines have the same numbers and names.
"""
