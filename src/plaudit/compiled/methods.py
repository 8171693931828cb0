"""Kernels as functions of Python's own, for those that are called for every vote.

A kernel that takes a `Kept` tuple and numbers gets a second entry point, which takes Python's
objects (METH_FASTCALL, part of the stable interface). A call costs a tenth of one by `ctypes`, and
keeps Python's lock: what takes less than a microsecond should not offer it to other threads.
"""

import ctypes
from typing import Any

from plaudit.compiled.packing import Code

# How `builder` names the second entry point.
SUFFIX = "_method"
METH_FASTCALL = 0x80
# How Python's objects become numbers, and what numbers become.
READERS = {"i": "PyLong_AsLongLong", "u": "PyLong_AsUnsignedLongLong", "f": "PyFloat_AsDouble",
           "b": "PyObject_IsTrue"}  # fmt: skip
FORMATS = {"i": "L", "u": "K", "f": "d", "b": "N"}


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
    return codes[0][0] == "kept" and all(code in READERS for code in codes[1:])


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


def add_method(module: Any, entry: Any, codes: tuple[str, ...], result: Code) -> None:
    """Adds the second entry point of a kernel to the module that has the first."""
    from llvmlite import ir

    whole, pointer = ir.IntType(64), ir.IntType(8).as_pointer()
    kind = ir.FunctionType(pointer, [pointer, pointer.as_pointer(), whole])
    function = ir.Function(module, kind, name=entry.name + SUFFIX)
    block, given, count = function.args
    builder = ir.IRBuilder(function.append_basic_block())

    def python(name: str, *arguments: Any, gives: Any = pointer) -> Any:
        known = module.globals.get(name)
        kinds = [argument.type for argument in arguments]
        return builder.call(
            known or ir.Function(module, ir.FunctionType(gives, kinds), name=name), arguments
        )

    def leave_if(wrong: Any, *said: str) -> None:
        with builder.if_then(wrong, likely=False):
            for name in said:
                python(name, gives=ir.IntType(32))
            builder.ret(pointer(None))

    leave_if(builder.icmp_unsigned("!=", count, whole(len(codes))), "PyErr_BadArgument")
    passed = [python("PyLong_AsVoidPtr", block)]
    for place, code in enumerate(codes):
        gives = {"f": ir.DoubleType(), "b": ir.IntType(32)}.get(code, whole)
        value = python(READERS[code], builder.load(builder.gep(given, [whole(place)])), gives=gives)
        passed.append(builder.sext(value, whole) if code == "b" else value)
    leave_if(builder.icmp_unsigned("!=", python("PyErr_Occurred"), pointer(None)))
    results = [] if result is None else [result] if isinstance(result, str) else list(result)
    told = builder.alloca(whole, max(1, len(results)))
    status = builder.call(entry, [*passed, builder.bitcast(told, pointer)])
    leave_if(builder.icmp_unsigned("!=", status, ir.IntType(32)(0)), "PyErr_BadInternalCall")
    values = []
    for place, code in enumerate(results):
        value = builder.load(builder.gep(told, [whole(place)]))
        if code == "f":
            value = builder.bitcast(value, ir.DoubleType())
        values.append(python("PyBool_FromLong", value) if code == "b" else value)
    builder.ret(_built(module, builder, results, values))


def _built(module: Any, builder: Any, codes: list[str], values: list[Any]) -> Any:
    """One object of all results: None, a number, or a tuple."""
    from llvmlite import ir

    pointer = ir.IntType(8).as_pointer()
    text = "".join(FORMATS[code] for code in codes).encode() + b"\0"
    constant = ir.ArrayType(ir.IntType(8), len(text))(bytearray(text))
    name = f".results.{text.decode()[:-1] or 'none'}"
    known = module.globals.get(name)
    if known is None:
        known = ir.GlobalVariable(module, constant.type, name)
        known.initializer, known.global_constant, known.linkage = constant, True, "internal"
    build = module.globals.get("Py_BuildValue") or ir.Function(
        module, ir.FunctionType(pointer, [pointer], var_arg=True), name="Py_BuildValue"
    )
    return builder.call(build, [builder.bitcast(known, pointer), *values])
