"""Kernels as functions of Python's own, for those that are called for every vote.

A kernel that takes a `Kept` tuple and numbers gets a second entry point, which takes Python's
objects (METH_FASTCALL, part of the stable interface). A call costs a tenth of one by `ctypes`, and
keeps Python's lock: what takes less than a microsecond should not offer it to other threads.
"""

import ctypes
from typing import Any

from plaudit.compiled.packing import C_TYPES, Code

# How `method_code` names the second entry point.
SUFFIX = "_method"
METH_FASTCALL = 0x80


class _Definition(ctypes.Structure):
    """What Python calls PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def is_method(codes: Code) -> bool:
    """Whether a kernel with arguments of these codes has the second entry point."""
    return codes[0][0] == "kept" and all(code in C_TYPES for code in codes[1:])


def is_pythons(name: str) -> bool:
    """Whether a function that machine code needs is one of Python's."""
    return name.startswith("Py")


def address_of(name: str) -> int | None:
    """Where a function of Python's is, however Python was linked."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value


class Method:
    """The second entry point of a kernel, at an address."""

    def __init__(self, address: int) -> None:
        self._definition = _Definition(b"kernel", address, METH_FASTCALL, None)
        self._make = ctypes.pythonapi.PyCFunction_NewEx
        self._make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
        self._make.restype = ctypes.py_object

    def bound_to(self, block: int) -> Any:
        """A function of the numbers, for the `Kept` tuple whose block is at this address."""
        return self._make(ctypes.addressof(self._definition), block, None)
