"""Transcendental functions with the host's own values: a failing run again, with what its libm computes.

The models give any value in the function's range (libc/math_transcendental.c). A violation that may hang on one stands
if the run fails with the real values as well; these come from the host's C library, called with the arguments that the
run passes.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from counterpoint.execute.inputs import Contents, ReplayInputs
from counterpoint.execute.interpreter import ProbedProgram
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.points import Probe
from counterpoint.frontend.c.library import LIBC_NAME
from counterpoint.portfolio.replay import STEPS
from counterpoint.program import model as p
from counterpoint.program.inputs import Input
from counterpoint.program.types import FloatType

MODELS = f"{LIBC_NAME}/math_transcendental.c"
PAIRS = {"sincos": {"sine": "sin", "cosine": "cos"}, "sincosf": {"sine": "sinf", "cosine": "cosf"}}
"""Functions with two results, and which of the host's functions gives that of each part of the model."""


def with_host_values(
    program: p.Program, inputs: tuple[Input, ...], sites: frozenset[int]
) -> tuple[tuple[Input, ...] | None, frozenset[str]]:
    """The inputs of a run with the host's values at `sites`, if it violates a check and all of them are known; and the
    functions that were asked. `program` is the unprepared one."""
    functions = [f for f in program.functions.values() if f.at.file == MODELS and _is_public(f)]
    probes = {
        (function.name, 0): Probe(f"enter_{function.name}", tuple(r.index for r in function.parameters))
        for function in functions
    }
    source = _HostInputs(program, inputs, sites)
    observers: dict[str, Callable[..., None]] = {
        probe.name: source.entering(program.functions[name]) for (name, _), probe in probes.items()
    }
    found = ProbedProgram(program, probes, {}).run(source, Limits(steps=STEPS), lambda memory: observers)
    real = isinstance(found.outcome, Violated) and not source.unknown
    return found.inputs if real else None, frozenset(source.asked)


def _is_public(function: p.Function) -> bool:
    """Whether it is a function of the library, not a part of a model."""
    return function.name in PAIRS or _host(function.name) is not None


class _HostInputs:
    """A replay in which some sites get the host's values; `unknown` says that one of them has none."""

    def __init__(self, program: p.Program, inputs: tuple[Input, ...], sites: frozenset[int]) -> None:
        self._program = program
        self._given = ReplayInputs(inputs)
        self._sites = sites
        self._function = ""
        self._arguments: tuple[float, ...] = ()
        self.asked: set[str] = set()
        self.unknown = False

    def entering(self, function: p.Function) -> Callable[..., None]:
        """What is called when the run enters the function, with the bits of its arguments."""
        types = [parameter.type for parameter in function.parameters]

        def observe(*bits: int) -> None:
            numbers = (pair for pair in zip(types, bits, strict=True) if isinstance(pair[0], FloatType))
            self._function = function.name
            self._arguments = tuple(_number(value, type_.bits) for type_, value in numbers)

        return observe

    def scalar(self, site: int, bits: int) -> int:
        given = self._given.scalar(site, bits)
        if site not in self._sites:
            return given
        about = self._program.sites[site]
        if about.at.file == MODELS and self._function:
            self.asked.add(self._function)
            name = PAIRS.get(self._function, {}).get(about.name, self._function)
            host = _host(name)
            if host is not None:
                return _bits(host(*self._arguments), bits)
        self.unknown = True
        return given

    def pointer(self, site: int, bits: int, fresh: Callable[[], int]) -> int:
        self.unknown |= site in self._sites
        return self._given.pointer(site, bits, fresh)

    def memory(self, site: int, size: int) -> Contents:
        self.unknown |= site in self._sites
        return self._given.memory(site, size)

    def external_byte(self, offset: int) -> int:
        return self._given.external_byte(offset)

    def found(self, site: int, known: int) -> int | None:
        return self._given.found(site, known)


_FORMATS: Mapping[int, tuple[str, str]] = {32: ("<I", "<f"), 64: ("<Q", "<d")}
_TWO = frozenset({"pow", "atan2", "hypot"})
_ONE = frozenset(
    [
        *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        *("exp", "exp2", "exp10", "log", "log2", "log10", "expm1", "log1p", "cbrt", "erf", "erfc", "lgamma", "tgamma"),
    ]
)


def _number(bits: int, width: int) -> float:
    whole, number = _FORMATS[width]
    return float(struct.unpack(number, struct.pack(whole, bits))[0])


def _bits(value: float, width: int) -> int:
    whole, number = _FORMATS[width]
    return int(struct.unpack(whole, struct.pack(number, value))[0])


@cache
def _library() -> Any:
    for name in ("libm.so.6", None):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


@cache
def _host(name: str) -> Callable[..., float] | None:
    """The host's function of that name, of one or two doubles or floats; None if it has none."""
    single = name.removesuffix("f") if name != "erf" else name
    base = name if name in _ONE | _TWO else single
    if base not in _ONE | _TWO or _library() is None:
        return None
    try:
        function = getattr(_library(), name)
    except AttributeError:
        return None
    type_ = ctypes.c_double if base == name else ctypes.c_float
    function.restype = type_
    function.argtypes = [type_] * (2 if base in _TWO else 1)
    return function  # type: ignore[no-any-return]
