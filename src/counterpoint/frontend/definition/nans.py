"""The bits of NaNs, in programs that look at them: an operation whose result is a NaN chooses its sign and payload.

Behind the front end every NaN that an operation gives has the same bits, which is right as long as nobody sees them.
Where a program does (`observed`), the result of each operation that may be a NaN is replaced by a quiet one with
arbitrary sign and payload; copies keep it, as they keep all bits, and `-x`, `fabs` and `copysign` change the sign only.
"""

from __future__ import annotations

from collections.abc import Container

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.definition.float_bytes import looked_into
from counterpoint.frontend.irtext import ModuleText, argument, debug_of, parse_call

_ANY = r"float|double|<\d+ x (?:float|double)>"
_FROM = r"(?:half|float|double|<\d+ x (?:half|float|double)>)"
_VECTOR = regex(r"<(\d+) x (float|double)>")
_OPERATION = regex(rf"^  (%[^ ]+) = (fadd|fsub|fmul|fdiv|frem) ({_ANY}) ")
_CONVERSION = regex(rf"^  (%[^ ]+) = (?:fptrunc|fpext) {_FROM} (?:[^ ]+|<.*>) to ({_ANY})")
_NEGATION = regex(rf"^  (%[^ ]+) = fneg ({_ANY}) (<[^>]*>|[^ ,]+)")
_FUNCTION = regex(
    rf"^  (%[^ ]+) = (?:tail )?call ({_ANY}) @llvm\.(?:sqrt|fma|floor|ceil|trunc|rint|nearbyint|round"
    r"|roundeven|minnum|maxnum|minimum|maximum|minimumnum|maximumnum|canonicalize)\."
)
_SIGN = regex(rf"^  (%[^ ]+) = (?:tail )?call ({_ANY}) @llvm\.(fabs|copysign)\.")
_SEEN = regex(r"@llvm\.(?:copysign|is\.fpclass)\.| asm .*\b(?:half|float|double)\b")
_BITCAST = regex(r"^  %[^ ]+ = bitcast (.*) [^ ]+ to (.*)$")
_FLOATING = regex(r"\b(?:half|float|double)\b")
_QUIET = {"float": ("i32", 0x7FC00000, 1 << 31), "double": ("i64", 0x7FF8 << 48, 1 << 63)}


def observed(
    module: ModuleText, entry: str = "main", callbacks: bool = False, own: Container[str] = frozenset()
) -> bool:
    """Whether the program may look at bits of floats: it converts them as they are, hands them to inline assembly, or
    stores them into memory that it may read as something else (`float_bytes`, for `own`)."""
    for function in module.functions.values():
        for line in function.lines:
            if _SEEN.search(line) is not None or _converted(line):
                return True
    return looked_into(module, entry, callbacks, own)


def _converted(line: str) -> bool:
    """Whether the line gives a float's bits another type, in one piece or lane by lane."""
    match = _BITCAST.match(line) if " = bitcast " in line else None
    return match is not None and match[1] != match[2].partition(",")[0] and _FLOATING.search(match[1]) is not None


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


@dataclass(frozen=True, slots=True)
class _Bits:
    """How the bits of a type are written: as which type, a quiet NaN's, the sign's, and all but the sign's."""

    whole: str
    quiet: str
    sign: str
    rest: str
    truth: str = "i1"


def _bits_of(type_: str) -> _Bits:
    """Of `float`, `double`, or a vector of them: every lane is a float of its own."""
    match = _VECTOR.fullmatch(type_)
    whole, quiet, sign = _QUIET[match[2] if match else type_]
    numbers = (quiet, sign, sign - 1)
    if match is None:
        quiet_text, sign_text, rest_text = map(str, numbers)
        return _Bits(whole, quiet_text, sign_text, rest_text)
    lanes = int(match[1])
    quiet_text, sign_text, rest_text = (f"<{', '.join([f'{whole} {number}'] * lanes)}>" for number in numbers)
    return _Bits(f"<{lanes} x {whole}>", quiet_text, sign_text, rest_text, f"<{lanes} x i1>")


def _choosing(body: Body, line: str, result: str, type_: str) -> None:
    """The operation under another name, and its result or an arbitrary quiet NaN."""
    debug = debug_of(line)
    form = _bits_of(type_)
    whole = form.whole
    value = body.fresh()
    body.out.append(line.replace(f"  {result} = ", f"  {value} = ", 1))
    bad = body.compute(f"fcmp uno {type_} {value}, {value}", debug)
    any_ = body.nondet(whole, "undef", "the sign and payload of a NaN", debug)
    nan = body.compute(f"or {whole} {any_}, {form.quiet}", debug)
    number = body.compute(f"bitcast {type_} {value} to {whole}", debug)
    bits = body.compute(f"select {form.truth} {bad}, {whole} {nan}, {whole} {number}", debug)
    body.compute(f"bitcast {whole} {bits} to {type_}", debug, result)


def _signed(body: Body, line: str, result: str, type_: str, operands: tuple[str, str]) -> None:
    """`operands` are a value and where its sign comes from: "" for the opposite of its own, "+", or another value."""
    debug = debug_of(line)
    value, sign = operands
    form = _bits_of(type_)
    whole = form.whole
    bits = body.compute(f"bitcast {type_} {value} to {whole}", debug)
    if sign == "":
        changed = body.compute(f"xor {whole} {bits}, {form.sign}", debug)
    else:
        changed = body.compute(f"and {whole} {bits}, {form.rest}", debug)
    if sign not in ("", "+"):
        other = body.compute(f"bitcast {type_} {sign} to {whole}", debug)
        other = body.compute(f"and {whole} {other}, {form.sign}", debug)
        changed = body.compute(f"or {whole} {changed}, {other}", debug)
    body.compute(f"bitcast {whole} {changed} to {type_}", debug, result)
