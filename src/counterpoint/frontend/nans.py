"""The bits of NaNs, in programs that look at them: an operation whose result is a NaN chooses its sign and payload.

Behind the front end every NaN that an operation gives has the same bits, which is right as long as nobody sees them.
Where a program does (`observed`), the result of each operation that may be a NaN is replaced by a quiet one with
arbitrary sign and payload; copies keep it, as they keep all bits, and `-x`, `fabs` and `copysign` change the sign only.
"""

from __future__ import annotations

import re

from counterpoint.frontend.body import Body
from counterpoint.frontend.irtext import ModuleText, argument, debug_of, leading_type, parse_call

_OPERATION = re.compile(r"^  (%[^ ]+) = (fadd|fsub|fmul|fdiv|frem) (float|double) ")
_CONVERSION = re.compile(r"^  (%[^ ]+) = (?:fptrunc|fpext) (?:half|float|double) [^ ]+ to (float|double)")
_NEGATION = re.compile(r"^  (%[^ ]+) = fneg (float|double) ([^ ,]+)")
_FUNCTION = re.compile(
    r"^  (%[^ ]+) = (?:tail )?call (float|double) @llvm\.(?:sqrt|fma|fmuladd|floor|ceil|trunc|rint|nearbyint|round"
    r"|roundeven|minnum|maxnum|minimum|maximum|minimumnum|maximumnum|canonicalize)\."
)
_SIGN = re.compile(r"^  (%[^ ]+) = (?:tail )?call (float|double) @llvm\.(fabs|copysign)\.")
_SEEN = re.compile(r" = bitcast (?:float|double) [^ ]+ to i|@llvm\.(?:copysign|is\.fpclass)\.")
_ALLOCA = re.compile(r"^  (%[^ ]+) = alloca ")
_GLOBAL = re.compile(r"^@([^ ]+) = .*?\b(?:global|constant) ")
_FLOATING = re.compile(r"\b(?:float|double)\b")
_PLAIN = re.compile(r"^  (?:%[^ ]+ = load|store) (?:atomic )?(?:volatile )?(?:float|double)\b")
_QUIET = {"float": ("i32", 0x7FC00000, 1 << 31), "double": ("i64", 0x7FF8 << 48, 1 << 63)}


def observed(module: ModuleText) -> bool:
    """Whether the program may look at bits of floats: it converts them as they are, or has a variable of such a type
    that it hands over, copies as bytes or reads at another type."""
    holders = {f"@{name}" for name, line in module.globals.items() if _holds(module, _GLOBAL, line)}
    for function in module.functions.values():
        made = (match for line in function.lines if (match := _ALLOCA.match(line)) is not None)
        names = holders | {match[1] for match in made if _holds(module, _ALLOCA, match.string)}
        for line in function.lines:
            if _SEEN.search(line) is not None:
                return True
            if names and "#dbg" not in line and " alloca " not in line and _shows(line, names):
                return True
    return False


def _holds(module: ModuleText, head: re.Pattern[str], line: str) -> bool:
    """Whether the variable that a line defines has floats in it."""
    match = head.match(line)
    return match is not None and _floating(module, leading_type(line[match.end() :]), 0)


def _floating(module: ModuleText, text: str, depth: int) -> bool:
    if _FLOATING.search(text) is not None or depth > 8:
        return True
    return any(_floating(module, module.types.get(name, ""), depth + 1) for name in re.findall(r"%[-\w.$]+", text))


def _shows(line: str, names: set[str]) -> bool:
    """Whether a line uses one of the variables for more than a float in it."""
    if _PLAIN.match(line) is not None or "@llvm.lifetime" in line:
        return False
    used = [name for name in re.findall(r"[%@][-\w.$]+", line) if name in names]
    return bool(used) and " = getelementptr " not in line


def rewrite(body: Body, line: str) -> bool:
    """Writes an operation on floats with the NaN that it chooses; False if it is none that has to."""
    found = _OPERATION.match(line)
    if found is not None:
        _choosing(body, line, found[1], found[3])
        return True
    found = _CONVERSION.match(line) or _FUNCTION.match(line)
    if found is not None:
        _choosing(body, line, found[1], found[2])
        return True
    found = _NEGATION.match(line)
    if found is not None:
        _signed(body, line, found[1], found[2], (found[3], ""))
        return True
    found = _SIGN.match(line)
    if found is None or (call := parse_call(line)) is None:
        return False
    operands = [argument(text)[1] for text in call.arguments]
    _signed(body, line, found[1], found[2], (operands[0], operands[1] if found[3] == "copysign" else "+"))
    return True


def _choosing(body: Body, line: str, result: str, type_: str) -> None:
    """The operation under another name, and its result or an arbitrary quiet NaN."""
    debug = debug_of(line)
    whole, quiet, _ = _QUIET[type_]
    value = body.fresh()
    body.out.append(line.replace(f"  {result} = ", f"  {value} = ", 1))
    bad = body.compute(f"fcmp uno {type_} {value}, {value}", debug)
    any_ = body.nondet(whole, "undef", "the sign and payload of a NaN", debug)
    nan = body.compute(f"or {whole} {any_}, {quiet}", debug)
    number = body.compute(f"bitcast {type_} {value} to {whole}", debug)
    bits = body.compute(f"select i1 {bad}, {whole} {nan}, {whole} {number}", debug)
    body.compute(f"bitcast {whole} {bits} to {type_}", debug, result)


def _signed(body: Body, line: str, result: str, type_: str, operands: tuple[str, str]) -> None:
    """`operands` are a value and where its sign comes from: "" for the opposite of its own, "+", or another value."""
    debug = debug_of(line)
    value, sign = operands
    whole, _, top = _QUIET[type_]
    bits = body.compute(f"bitcast {type_} {value} to {whole}", debug)
    if sign == "":
        changed = body.compute(f"xor {whole} {bits}, {top}", debug)
    else:
        changed = body.compute(f"and {whole} {bits}, {top - 1}", debug)
    if sign not in ("", "+"):
        other = body.compute(f"bitcast {type_} {sign} to {whole}", debug)
        other = body.compute(f"and {whole} {other}, {top}", debug)
        changed = body.compute(f"or {whole} {changed}, {other}", debug)
    body.compute(f"bitcast {whole} {changed} to {type_}", debug, result)
