"""Plaudit inside other tools: one module for each, named as the tool is.

`pandas` ranks a frame of votes, `optuna` has a pruner, `promptfoo` reads its result files,
`inspect_ai` stops tasks early. Each turns what the tool has into a race and the race's answer into
what the tool takes; it decides nothing that a race does not decide. An adapter imports races, data
sets and the tool that it adapts, which is an extra of its own; nothing but the command line imports
an adapter.
"""
