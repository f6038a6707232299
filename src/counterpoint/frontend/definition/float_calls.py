"""Operations on floats that clang writes as calls, because a pragma asks for it, as the operations that they are.

`#pragma STDC FP_CONTRACT ON` allows `a * b + c` to be rounded once (llvm.fmuladd). Here it is rounded twice, as by gcc
and by clang for x86: left to LLVM, its passes would round constants once and the code generator variables twice.
`#pragma STDC FENV_ACCESS ON` makes every operation a constrained intrinsic. Functions that change the rounding mode are
UNSUPPORTED, so the mode is to nearest; flags of exceptions are not modelled. What names another mode stays as it
is, and is UNSUPPORTED.
"""

from __future__ import annotations

from counterpoint.core.patterns import regex
from counterpoint.frontend.irtext import Call, ModuleText, argument, debug_of, parse_call
from counterpoint.frontend.lower.text import quoted

_FUSED = "llvm.fmuladd."
_CONSTRAINED = "llvm.experimental.constrained."
_CONVERSIONS = frozenset({"fptosi", "fptoui", "sitofp", "uitofp", "fptrunc", "fpext"})
_OPERATIONS = frozenset({"fadd", "fsub", "fmul", "fdiv", "frem"})
_FUNCTIONS = frozenset(
    {"sqrt", "fma", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven", "minnum", "maxnum"}
)
_WORD = regex(r'metadata !"([^"]*)"')
_MODES = frozenset({"round.dynamic", "round.tonearest"})


def as_operations(module: ModuleText) -> None:
    """Rewrites these calls, in place."""
    if not any(name.startswith((_FUSED, _CONSTRAINED)) for name in module.declared):
        return
    for function in module.functions.values():
        lines: list[str] = []
        for line in function.lines:
            call = parse_call(line) if _FUSED in line or _CONSTRAINED in line else None
            written = None if call is None else _operation(module, call, line, f"%__cp.product.{len(lines)}")
            lines += [line] if written is None else written
        function.lines = lines


def _operation(module: ModuleText, call: Call, line: str, product: str) -> list[str] | None:
    """The lines that say what the call does; None if it stays as it is."""
    name = call.callee[1:]
    if not name.startswith((_FUSED, _CONSTRAINED)) or not call.result:
        return None
    debug = f", !dbg {debug_of(line)}".removesuffix(", !dbg ")
    values = [text for text in call.arguments if not text.startswith("metadata ")]
    words = [quoted(found[1]) for text in call.arguments if (found := _WORD.fullmatch(text)) is not None]
    if any(word.startswith("round.") and word not in _MODES for word in words):
        return None
    operation, _, suffix = name.removeprefix(_CONSTRAINED).removeprefix("llvm.").partition(".")
    rest = ", ".join(argument(text)[1] for text in values)
    result = f"  {call.result} ="
    if operation == "fmuladd":
        a, b, c = (argument(text)[1] for text in values)
        return [
            f"  {product} = fmul {call.type} {a}, {b}{debug}",
            f"{result} fadd {call.type} {product}, {c}{debug}",
        ]
    if operation in _OPERATIONS:
        return [f"{result} {operation} {call.type} {rest}{debug}"]
    if operation in _CONVERSIONS:
        return [f"{result} {operation} {argument(values[0])[0]} {rest} to {call.type}{debug}"]
    if operation in ("fcmp", "fcmps"):
        return [f"{result} fcmp {words[0]} {argument(values[0])[0]} {rest}{debug}"]
    if operation not in _FUNCTIONS:
        return None
    plain = f"llvm.{operation}.{suffix}"
    types = ", ".join(argument(text)[0] for text in values)
    module.declared.setdefault(plain, f"declare {call.type} @{plain}({types})")
    typed = ", ".join(" ".join(argument(text)) for text in values)
    return [f"{result} call {call.type} @{plain}({typed}){debug}"]
