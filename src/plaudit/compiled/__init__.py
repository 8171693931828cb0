"""The one way in which Plaudit compiles: ahead of time, kept on disk, called without numba.

A kernel is a Python function that becomes machine code. The kernels that Python calls often are
listed, with the types of their arguments, in the `entries` modules of their rooms. A process
of its own compiles a whole list with numba into one object file (`builder`), which is kept in
a cache; every later process loads the file (`loading`) and never imports numba. A kernel that is
in no list, or whose arguments are of other types, is compiled by numba where it is called. While a
list is made, Python runs its kernels for a short time (`meanwhile`).

This room imports nothing of Plaudit but the lists. It writes the cache, and starts processes.
"""

from plaudit.compiled.building import StillCompiling, without_waiting
from plaudit.compiled.fingerprint import kernel_fingerprint, kernel_sources
from plaudit.compiled.kernel import Kernel, compiled, inlined, rarely
from plaudit.compiled.packing import Kept

__all__ = [
    "Kept",
    "Kernel",
    "StillCompiling",
    "compiled",
    "inlined",
    "kernel_fingerprint",
    "kernel_sources",
    "rarely",
    "without_waiting",
]
