"""Object files of kernels: written by `builder`, checked and loaded here, without numba.

A file begins with a hash of what follows. Then comes one line of JSON: the entry points, with
the codes of their arguments and results, and the functions of the C library that they
need. The rest is object code.
"""

import ctypes
import hashlib
import json
import operator
import os
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from plaudit.compiled.methods import SUFFIX, Method, address_of, is_method, is_pythons
from plaudit.compiled.packing import C_TYPES, Code

HASH_BYTES = 32
Call = Callable[..., Any]

_lock = threading.Lock()


def write(about: dict[str, Any], code: bytes) -> bytes:
    """The contents of a file of kernels."""
    rest = json.dumps(about).encode() + b"\n" + code
    return hashlib.sha256(rest).digest() + rest


def put(file: Path, whole: bytes) -> None:
    """Puts a file in its place at once, for processes that look for it meanwhile."""
    part = file.with_suffix(f".{os.getpid()}")
    part.write_bytes(whole)
    part.replace(file)


def is_sound(file: Path) -> bool:
    """Whether a file is there, and is as it was written."""
    return _read(file) is not None


def _read(file: Path) -> bytes | None:
    try:
        text = file.read_bytes()
    except OSError:
        return None
    rest = text[HASH_BYTES:]
    return rest if hashlib.sha256(rest).digest() == text[:HASH_BYTES] else None


def load(file: Path) -> dict[tuple[str, Code], Call] | None:
    """The entry points of a file by kernel and codes; None where it is missing or damaged."""
    rest = _read(file)
    if rest is None:
        return None
    about, code = _parts(rest)
    # LLVM knows the functions of this process once it has an engine. Where one is not to be found,
    # it would end the process.
    _engine()
    for name in filter(is_pythons, about["needs"]):
        _llvm().add_symbol(name, address_of(name))
    if not all(map(_llvm().address_of_symbol, about["needs"])):
        return None
    return dict(_entries(about["entries"], code))


def translate(shipped: Path, sources: str) -> bytes | None:
    """A file for this processor from one that came with the package; None if it is of no use."""
    rest = _read(shipped)
    if rest is None:
        return None
    llvm, (about, code) = _llvm(), _parts(rest)
    if (about["sources"], about["triple"]) != (sources, llvm.get_process_triple()):
        return None
    _engine()
    try:
        module = llvm.parse_bitcode(code)
    except RuntimeError:
        # Written by a later LLVM.
        return None
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_triple(about["triple"]).create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default"
    )
    return write(about, machine.emit_object(module))


def _parts(rest: bytes) -> tuple[dict[str, Any], bytes]:
    line, code = rest.split(b"\n", 1)
    return json.loads(line), code


def _entries(listed: list[Any], code: bytes) -> Iterator[tuple[tuple[str, Code], Call]]:
    engine = _engine()
    engine.add_object_file(_llvm().ObjectFileRef.from_data(code))
    engine.finalize_object()
    for kernel, codes, result, symbol in listed:
        known = tuples(codes)
        call = prepared(engine.get_function_address(symbol), known, result)
        if is_method(known):
            call.method = Method(engine.get_function_address(symbol + SUFFIX))  # type: ignore[attr-defined]
        yield (kernel, known), call


def tuples(code: Any) -> Any:
    """Codes as they were before JSON made lists of tuples."""
    return tuple(map(tuples, code)) if isinstance(code, list) else code


def _llvm() -> Any:
    """Imported when the first kernel is called: many processes call none."""
    import llvmlite.binding

    return llvmlite.binding


def _engine() -> Any:
    """The one engine of this process. Were there two, one would be freed, with code that runs."""
    with _lock:
        return _made_engine()


@cache
def _made_engine() -> Any:
    llvm = _llvm()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    # Kept for the life of the process, as the functions are.
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@cache
def processor() -> str:
    """The name and the features of this processor: code for it may not run on another."""
    llvm = _llvm()
    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


def prepared(address: int, codes: Code, result: Any) -> Call:
    """Machine code as a Python function, which takes what `passed_as` gives."""
    types = [C_TYPES[code] if isinstance(code, str) else ctypes.c_void_p for code in codes]
    if result is None:
        return _none(ctypes.CFUNCTYPE(ctypes.c_int32, *types)(address))
    native = ctypes.CFUNCTYPE(ctypes.c_int32, *types, ctypes.c_void_p)(address)
    return _many(native, result) if isinstance(result, list) else _one(native, result)


def _none(native: Call) -> Call:
    def call(*given: Any) -> None:
        if status := native(*given):
            raise _failed(status)

    return call


def _one(native: Call, code: str) -> Call:
    kind, boolean, at = C_TYPES[code], code == "b", ctypes.byref

    def call(*given: Any) -> Any:
        told = kind()
        if status := native(*given, at(told)):
            raise _failed(status)
        return bool(told.value) if boolean else told.value

    return call


def _many(native: Call, codes: list[str]) -> Call:
    names = [f"_{place}" for place in range(len(codes))]
    fields = list[tuple[str, Any]]()
    for name, code in zip(names, codes, strict=True):
        fields.append((name, ctypes.c_bool if code == "b" else C_TYPES[code]))
        if code == "b":
            # The rest of its slot.
            fields.append((f"after{name}", ctypes.c_uint8 * 7))
    kind = type("Answer", (ctypes.Structure,), {"_fields_": fields})
    read = operator.attrgetter(*names)

    def call(*given: Any) -> Any:
        told = kind()
        if status := native(*given, ctypes.byref(told)):
            raise _failed(status)
        return read(told)

    return call


def _failed(status: int) -> RuntimeError:
    return RuntimeError(f"A kernel failed with the status {status}: please report this.")
