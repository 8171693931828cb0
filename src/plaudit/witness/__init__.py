"""Watching a service from elsewhere: its checkpoints, its keys, and that its logs only grow.

Promises: it knows a service only through HTTP, as any stranger does. It keeps every signed
checkpoint that it saw as a plain text file. It believes nothing that it cannot check: the keys are
those of the first sight, and a checkpoint is kept only with a proof that the log before it is
unchanged. What contradicts a kept checkpoint is an alarm, with files that anybody can check.

It may use `proof`, `errors`, `phrase`, `words`, and httpx2.

- `contradiction`: what two signed checkpoints say against each other.
- `remote`: a service over HTTP.
- `folder`: the files that a witness keeps.
- `watch`: one look at a service: fetch, check, keep, or raise the alarm.
- `cosigning`: signatures of the witness under what it has checked (C2SP cosignature/v1).
- `background`: looks again and again, on a thread of its own.
"""
