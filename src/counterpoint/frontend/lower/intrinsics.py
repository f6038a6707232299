"""LLVM's intrinsics: memory, lifetimes, arithmetic, and those that mean nothing at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from counterpoint.frontend.lower.arithmetic import FALSE
from counterpoint.frontend.lower.body import Body, Mark
from counterpoint.frontend.lower.irtypes import NotModelled
from counterpoint.frontend.lower.text import split_argument
from counterpoint.program.model import BeginLife, Constant, Copy, EndLife, Fill, Nondet, Stop, Value
from counterpoint.program.types import TRUTH, IntType

_IGNORED = frozenset(
    [
        "assume",
        "dbg.declare",
        "dbg.value",
        "dbg.label",
        "dbg.assign",
        "donothing",
        "sideeffect",
        "prefetch",
        "invariant.end",
        "pseudoprobe",
        "experimental.noalias.scope.decl",
        "var.annotation",
        "codeview.annotation",
        "fake.use",
        "instrprof.increment",
    ]
)
_IDENTITY = frozenset(
    [
        "expect",
        "expect.with.probability",
        "ssa.copy",
        "threadlocal.address",
        "launder.invariant.group",
        "arithmetic.fence",
        "canonicalize",
        "strip.invariant.group",
        "annotation",
        "ptr.annotation",
        "preserve.static.offset",
    ]
)
_STOPS = frozenset(["trap", "debugtrap", "ubsantrap"])
_INTEGER = {
    "smax": "smax",
    "smin": "smin",
    "umax": "umax",
    "umin": "umin",
    "abs": "abs",
    "ctpop": "ctpop",
    "ctlz": "ctlz",
    "cttz": "cttz",
    "bswap": "bswap",
    "bitreverse": "bitreverse",
    "fshl": "fshl",
    "fshr": "fshr",
    "sadd.sat": "sadd_sat",
    "uadd.sat": "uadd_sat",
    "ssub.sat": "ssub_sat",
    "usub.sat": "usub_sat",
    "sshl.sat": "sshl_sat",
    "ushl.sat": "ushl_sat",
}
_FLAGGED = frozenset({"abs", "ctlz", "cttz"})
"""Their last operand only says when the result is poison; here it is always defined."""
_FLOAT = {
    "fabs": "fabs",
    "sqrt": "fsqrt",
    "floor": "ffloor",
    "ceil": "fceil",
    "trunc": "ftrunc",
    "round": "fround",
    "roundeven": "froundeven",
    "rint": "frint",
    "nearbyint": "frint",
    "copysign": "copysign",
    "fma": "fma",
    "minnum": "fminnum",
    "maxnum": "fmaxnum",
    "minimum": "fminimum",
    "maximum": "fmaximum",
}
_POINTWISE = _INTEGER | _FLOAT
_Handler: TypeAlias = Callable[[Body, str, str, list[str]], None]


def intrinsic(body: Body, name: str, callee: str, texts: list[str]) -> None:
    """Lowers `llvm.<...>`; raises NotModelled for one without a meaning here."""
    base = _base_name(callee)
    if base in _IGNORED:
        return
    if base in _STOPS:
        body.terminator = Stop(body.at)
        return
    operation = _POINTWISE.get(base)
    if operation is not None:
        _pointwise(body, name, operation, texts[:-1] if base in _FLAGGED else texts)
        return
    if base in _IDENTITY:
        body.define(name, *body.typed(texts[0])[1])
        return
    if base.endswith(".with.overflow"):
        _with_overflow(body, name, base.split(".")[0], texts)
        return
    handler = _OTHERS.get(base)
    if handler is None:
        raise NotModelled(f"the intrinsic llvm.{base}")
    handler(body, name, callee, texts)


def _base_name(callee: str) -> str:
    """The name without `llvm.` and the types that overload it."""
    parts = callee.split(".")[1:]
    while len(parts) > 1 and _is_type(parts[-1]):
        parts.pop()
    return ".".join(parts)


def _is_type(part: str) -> bool:
    kind = part.lstrip("0123456789vx") if part[:1] == "v" else part
    return (kind[:1] in ("i", "f", "p", "s") and kind[1:].isdigit()) or kind in ("isVoid", "f80", "bf16")


def _pointwise(body: Body, name: str, operation: str, texts: list[str]) -> None:
    columns = [body.typed(text)[1] for text in texts]
    rows = zip(*columns, strict=True)
    body.define(name, *[body.compute(operation, tuple(row), row[0].type, name) for row in rows])


def _with_overflow(body: Body, name: str, operation: str, texts: list[str]) -> None:
    (left,), (right,) = (_single(body, text) for text in texts)
    value = body.compute(operation[1:], (left, right), left.type, name)
    body.define(name, value, body.compute(f"{operation}_overflows", (left, right), TRUTH))


def _single(body: Body, text: str) -> tuple[Value]:
    values = body.typed(text)[1]
    if len(values) != 1:
        raise NotModelled("an intrinsic on vectors")
    return (values[0],)


def _memory_copy(body: Body, name: str, callee: str, texts: list[str]) -> None:
    target, source, size = (body.typed(text)[1][0] for text in texts[:3])
    body.emit(Copy(target, source, body.word(size), body.at))


def _memory_fill(body: Body, name: str, callee: str, texts: list[str]) -> None:
    target, byte, size = (body.typed(text)[1][0] for text in texts[:3])
    body.emit(Fill(target, byte, body.word(size), body.at))


def _lifetime(begin: bool) -> _Handler:
    def lower(body: Body, name: str, callee: str, texts: list[str]) -> None:
        operand = split_argument(texts[-1])[1]
        if operand in body.allocas:
            (address,) = body.operands(body.types.pointer, operand)
            body.emit(BeginLife(address, body.at) if begin else EndLife(address, body.at))

    return lower


def _stack_save(body: Body, name: str, callee: str, texts: list[str]) -> None:
    body.saves[name] = Mark(body.block, len(body.instructions), name)
    body.define(name, Constant(0, body.types.pointer))


def _stack_restore(body: Body, name: str, callee: str, texts: list[str]) -> None:
    body.restores.append(Mark(body.block, len(body.instructions), split_argument(texts[0])[1]))


def _is_fpclass(body: Body, name: str, callee: str, texts: list[str]) -> None:
    (value,), (mask,) = (_single(body, text) for text in texts)
    body.define(name, body.compute("is_fpclass", (value, mask), TRUTH, name))


def _overloaded(body: Body, callee: str, position: int) -> IntType:
    """The integer type at a position among the types at the end of an intrinsic's name."""
    type_ = body.types.parse(callee.split(".")[position])
    if not isinstance(type_, IntType):
        raise NotModelled("an intrinsic on vectors")
    return type_


def _object_size(body: Body, name: str, callee: str, texts: list[str]) -> None:
    """Unknown to the compiler: all ones, or 0 where the minimum is asked for."""
    type_ = _overloaded(body, callee, 2)
    unknown = 0 if split_argument(texts[1])[1] == "true" else (1 << type_.bits) - 1
    body.define(name, Constant(unknown, type_))


def _three_way(operation: str) -> _Handler:
    def lower(body: Body, name: str, callee: str, texts: list[str]) -> None:
        (left,), (right,) = (_single(body, text) for text in texts)
        body.define(name, body.compute(operation, (left, right), _overloaded(body, callee, 2), name))

    return lower


def _is_constant(body: Body, name: str, callee: str, texts: list[str]) -> None:
    body.define(name, FALSE)


def _cycle_counter(body: Body, name: str, callee: str, texts: list[str]) -> None:
    result = body.register(IntType(64), name)
    site = body.context.new_site("undefined", "__builtin_readcyclecounter", result.type, body.location())
    body.emit(Nondet(result, site, body.at))
    body.define(name, result)


def _invariant_start(body: Body, name: str, callee: str, texts: list[str]) -> None:
    body.define(name, Constant(0, body.types.pointer))


_OTHERS: dict[str, _Handler] = {
    "memcpy": _memory_copy,
    "memcpy.inline": _memory_copy,
    "memmove": _memory_copy,
    "memset": _memory_fill,
    "memset.inline": _memory_fill,
    "lifetime.start": _lifetime(begin=True),
    "lifetime.end": _lifetime(begin=False),
    "stacksave": _stack_save,
    "stackrestore": _stack_restore,
    "is.fpclass": _is_fpclass,
    "objectsize": _object_size,
    "is.constant": _is_constant,
    "scmp": _three_way("scmp"),
    "ucmp": _three_way("ucmp"),
    "readcyclecounter": _cycle_counter,
    "invariant.start": _invariant_start,
}
