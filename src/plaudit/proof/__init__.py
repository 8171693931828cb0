"""Proof for outsiders: hash trees, signed notes, checkpoints and receipts.

Promises: bytes in, bytes out. What one side makes, anybody can check with nothing but the public
key; whatever was changed by one bit is refused. The formats are in docs/live/proof-formats.md.

It may use `errors`, `phrase` and `words`, and knows nothing of stores, contests, clocks or HTTP.

- `merkle`: hashing of RFC 9162, roots, proofs of inclusion and consistency, made and checked.
- `tiles`: a tree that grows, kept as tiles of 256 hashes.
- `digests`: what binds items and raters, and what keeps leaves from being guessed.
- `note`: Ed25519 signatures as C2SP signed notes.
- `checkpoint`: the size and root of a contest's log, as text.
- `receipt`: what a rater is given for an answer.
"""
