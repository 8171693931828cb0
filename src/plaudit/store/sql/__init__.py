"""What both SQL engines share: the parts of a store, written once over any SQL database.

An engine only implements `database.Database`: how to read rows, write in a transaction and append
a group of answers. `store.SqlStore` puts the parts together over one.

It promises that both engines check, write and read in the same way. It may use `contract`, `log`,
`people` and `checks`, and knows neither engine.
"""
