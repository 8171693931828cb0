"""The code of the entry points in `methods`, as LLVM takes it; only `builder` needs it.

Such a function is given Python's objects, makes numbers of them, calls the first entry point, and
makes one object of the results. Everything that it calls is part of Python's stable interface.
"""

from typing import Any

from llvmlite import ir

from plaudit.compiled.methods import SUFFIX
from plaudit.compiled.packing import Code

WHOLE, STATUS, NUMBER = ir.IntType(64), ir.IntType(32), ir.DoubleType()
POINTER = ir.IntType(8).as_pointer()
# How an object becomes a number, by its code, and of which type that is.
READERS: dict[str, tuple[str, Any]] = {
    "i": ("PyLong_AsLongLong", WHOLE),
    "u": ("PyLong_AsUnsignedLongLong", WHOLE),
    "f": ("PyFloat_AsDouble", NUMBER),
    "b": ("PyObject_IsTrue", STATUS),
}
# What `Py_BuildValue` calls a number; truth values are objects already.
FORMATS = {"i": "L", "u": "K", "f": "d", "b": "N"}


def add_method(module: Any, entry: Any, codes: tuple[str, ...], result: Code) -> None:
    """Adds the second entry point of a kernel to the module that has the first."""
    writer = _Writer(module, entry.name + SUFFIX)
    block, _, count = writer.function.args
    writer.leave_if_unlike(count, WHOLE(len(codes)), "PyErr_BadArgument")
    passed = [writer.python("PyLong_AsVoidPtr", block), *writer.numbers_of(codes)]
    writer.leave_if_unlike(writer.python("PyErr_Occurred"), POINTER(None))
    results = [] if result is None else [result] if isinstance(result, str) else list(result)
    slots = writer.builder.alloca(WHOLE, max(1, len(results)))
    status = writer.builder.call(entry, [*passed, writer.builder.bitcast(slots, POINTER)])
    writer.leave_if_unlike(status, STATUS(0), "PyErr_BadInternalCall")
    writer.answer(results, slots)


class _Writer:
    """Writes a function that takes itself, objects, and how many there are (METH_FASTCALL)."""

    def __init__(self, module: Any, name: str) -> None:
        kind = ir.FunctionType(POINTER, [POINTER, POINTER.as_pointer(), WHOLE])
        self._module = module
        self.function = ir.Function(module, kind, name=name)
        self.builder = ir.IRBuilder(self.function.append_basic_block())

    def python(self, name: str, *given: Any, gives: Any = POINTER) -> Any:
        """Calls a function of Python's."""
        kind = ir.FunctionType(gives, [argument.type for argument in given])
        return self.builder.call(self._known(name, kind), given)

    def leave_if_unlike(self, found: Any, wanted: Any, *said: str) -> None:
        """Raises what these functions raise, or what is raised already, unless both are equal."""
        unlike = self.builder.icmp_unsigned("!=", found, wanted)
        with self.builder.if_then(unlike, likely=False):
            for name in said:
                self.python(name, gives=STATUS)
            self.builder.ret(POINTER(None))

    def numbers_of(self, codes: tuple[str, ...]) -> list[Any]:
        """The arguments as numbers."""
        numbers, given = [], self.function.args[1]
        for place, code in enumerate(codes):
            reader, kind = READERS[code]
            argument = self.builder.load(self.builder.gep(given, [WHOLE(place)]))
            number = self.python(reader, argument, gives=kind)
            numbers.append(self.builder.sext(number, WHOLE) if code == "b" else number)
        return numbers

    def answer(self, codes: list[str], slots: Any) -> None:
        """Returns one object of all results: None, a number, or a tuple."""
        values = []
        for place, code in enumerate(codes):
            value = self.builder.load(self.builder.gep(slots, [WHOLE(place)]))
            if code == "b":
                value = self.python("PyBool_FromLong", value)
            values.append(self.builder.bitcast(value, NUMBER) if code == "f" else value)
        build = self._known("Py_BuildValue", ir.FunctionType(POINTER, [POINTER], var_arg=True))
        format_of = self._text("".join(FORMATS[code] for code in codes))
        self.builder.ret(self.builder.call(build, [format_of, *values]))

    def _known(self, name: str, kind: Any) -> Any:
        known = self._module.globals.get(name)
        return known or ir.Function(self._module, kind, name=name)

    def _text(self, text: str) -> Any:
        """The address of a text that C can read."""
        name, whole = f".results.{text or 'none'}", bytearray(text.encode() + b"\0")
        known = self._module.globals.get(name)
        if known is None:
            constant = ir.ArrayType(ir.IntType(8), len(whole))(whole)
            known = ir.GlobalVariable(self._module, constant.type, name)
            known.initializer, known.global_constant, known.linkage = constant, True, "internal"
        return self.builder.bitcast(known, POINTER)
