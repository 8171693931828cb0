"""Arguments of kernels as machine code takes them, and codes for their types.

A number is passed as it is. An array, a tuple or a random generator is passed as the address of
a block of memory with one slot of eight bytes for each part of it, in numba's order. A code
is made of texts, numbers and tuples, so that JSON can hold it; two values have the same code
where numba gives them the same type.
"""

import ctypes
import struct
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np

Code = Any

SCALARS: dict[type, str] = {
    int: "i",
    np.int64: "i",
    float: "f",
    np.float64: "f",
    bool: "b",
    np.bool_: "b",
    np.uint64: "u",
}
C_TYPES: dict[str, Any] = {
    "i": ctypes.c_int64,
    "f": ctypes.c_double,
    "b": ctypes.c_int64,
    "u": ctypes.c_uint64,
}
_PLAIN: dict[str, Any] = {"i": int, "f": float, "b": bool, "u": int}


class Unpackable(TypeError):
    """What machine code is not prepared to take: numba may be."""


def passed_as(value: Any) -> tuple[Code, Any]:
    """The code of an argument, and what is passed for it: a number, or its block as bytes."""
    code = SCALARS.get(type(value))
    if code is not None:
        return code, _PLAIN[code](value)
    if isinstance(value, Kept):
        return value.kept
    parts: list[bytes] = []
    code = _pack(value, parts)
    return code, b"".join(parts)


def _pack(value: Any, parts: list[bytes]) -> Code:
    kind = type(value)
    if kind in SCALARS:
        code = SCALARS[kind]
        parts.append(struct.pack("d" if code == "f" else "Q" if code == "u" else "q", value))
        return code
    if kind in (np.ndarray, np.recarray):
        return _pack_array(value, parts)
    if isinstance(value, tuple):
        name = "" if kind is tuple else name_of(kind)
        return ("tuple", name, tuple(_pack(part, parts) for part in value))
    if kind is np.random.Generator:
        return _pack_generator(value, parts)
    raise Unpackable(f"Kernels take no {kind.__name__}.")


def _pack_array(array: Any, parts: list[bytes]) -> Code:
    flags = array.flags
    if not flags.aligned:
        raise Unpackable("Kernels take arrays in whole words.")
    layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    # No owner is named: Python owns all arrays of kernels. (The address could be had from
    # `__array_interface__` too, which describes every field of a record first.)
    slots = (0, 0, array.size, array.itemsize, array.ctypes.data, *array.shape, *array.strides)
    parts.append(struct.pack(f"{len(slots)}q", *slots))
    return ("array", dtype_code(array.dtype), array.ndim, layout, flags.writeable)


def _pack_generator(generator: Any, parts: list[bytes]) -> Code:
    source = generator.bit_generator
    c = source.ctypes
    drawn = (c.next_uint64, c.next_uint32, c.next_double)
    functions = [ctypes.cast(function, ctypes.c_void_p).value for function in drawn]
    slots = (0, c.state_address, c.state.value, *functions, c.bit_generator.value, 0, 0)
    parts.append(struct.pack("9Q", *slots))
    return ("generator", type(source).__name__)


@lru_cache(maxsize=256)
def dtype_code(dtype: Any) -> Code:
    """A NumPy type as text, or as a tuple for records."""
    if dtype.names is None:
        return dtype.str
    fields = [dtype.fields[name] for name in dtype.names]
    formats = tuple(dtype_code(field[0]) for field in fields)
    offsets = tuple(field[1] for field in fields)
    return ("record", dtype.names, formats, offsets, dtype.itemsize, dtype.isalignedstruct)


def dtype_of(code: Code) -> Any:
    """The NumPy type that a code stands for."""
    if isinstance(code, str):
        return np.dtype(code)
    _, names, formats, offsets, itemsize, aligned = code
    about: Any = {
        "names": list(names),
        "formats": [dtype_of(part) for part in formats],
        "offsets": list(offsets),
        "itemsize": itemsize,
    }
    return np.dtype(about, align=aligned)


class _KeptCode(tuple[Any, ...]):
    """A code that has more parts than one wants to look at in every call."""

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash


# Equal codes are one object, which is all that a comparison then looks at.
_codes: dict[Code, Code] = {}


class Kept:
    """Mixed into a named tuple of arrays that kernels are given often: its block is made once.

    Kernels take it as one address. A tuple never holds other arrays later.
    """

    __dict__: dict[str, Any]

    def __reduce__(self) -> Any:
        # A copy has other arrays, and the block has the addresses of these.
        return type(self), tuple(cast(Any, self))

    @property
    def kept(self) -> tuple[Code, int]:
        """The code, and the address of the block."""
        known = self.__dict__.get("kept_block")
        if known is None:
            parts: list[bytes] = []
            codes = tuple(_pack(part, parts) for part in cast(Any, self))
            block = ctypes.create_string_buffer(b"".join(parts))
            code = _KeptCode(("kept", name_of(type(self)), codes))
            code = _codes.setdefault(code, code)
            known = self.__dict__["kept_block"] = (code, ctypes.addressof(block), block)
        return known[0], known[1]

    @property
    def address(self) -> int:
        """The address of the block; numba asks for it."""
        return self.kept[1]


def name_of(kind: type) -> str:
    """Where a class or function is to be found."""
    return f"{kind.__module__}:{kind.__qualname__}"
