"""LLVM intrinsics: those with a meaning behind the front end stay, the rest is expressed or UNSUPPORTED."""

from __future__ import annotations

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition import (
    accesses,
    array_sizes,
    assembly,
    locals,
    program_exit,
    variable_arguments,
    volatile,
)
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import Call, argument
from counterpoint.property import Instrument

# Hints.
_DROPPED = regex(
    r"llvm\.(prefetch|donothing|dbg|invariant|experimental\.noalias"
    r"|lifetime\.end|lifetime\.start|sideeffect|pseudoprobe|instrprof|annotation|var\.annotation)\b.*"
)
_KEPT = regex(
    # Variable-length arrays end where the stack is restored: lowering finds which.
    r"llvm\.(lifetime\.(start|end)|stacksave|stackrestore|memcpy|memmove|memset"
    r"|[su](add|sub|mul)\.with\.overflow|[su](add|sub|shl)\.sat|abs|smin|smax|umin|umax|ctpop|ctlz|cttz"
    r"|bswap|bitreverse|fshl|fshr|fabs|sqrt|floor|ceil|trunc|rint|nearbyint|round|roundeven|copysign|fma"
    r"|minnum|maxnum|minimum|maximum|minimumnum|maximumnum|is\.fpclass|canonicalize|scmp|ucmp)\b.*"
)

_IDENTITIES = ("llvm.expect", "llvm.launder", "llvm.strip.inv", "llvm.threadlocal", "llvm.ssa.copy")
_KNOWS_NOTHING = (
    "__builtin_object_size and __builtin_constant_p tell what clang knows without optimising: nothing where they are "
    "not constants"
)
_FRAMES = ("llvm.frameaddress.", "llvm.returnaddress", "llvm.addressofreturnaddress.", "llvm.sponentry.")


def rewrite(body: Body, line: str, call: Call, name: str, debug: str) -> None:
    """Writes what the intrinsic call means."""
    if body.shared.volatile and volatile.copied(body, call, debug):
        return
    if name.startswith(("llvm.memcpy", "llvm.memmove", "llvm.memset")):
        accesses.check_block(body, call, debug)
        body.out.append(line)
    elif name.startswith(("llvm.ctlz", "llvm.cttz")) and call.arguments[1] == "i1 true":
        _count_zeros(body, call, name, debug)
    elif name.startswith("llvm.abs.") and call.arguments[1] == "i1 true":
        body.out.append(line.replace("i1 true)", "i1 false)"))
    elif name.startswith("llvm.lifetime.") or _KEPT.fullmatch(name) is not None:
        body.out.append(line)
    elif name.startswith(_IDENTITIES):
        type_, value = argument(call.arguments[0])
        body.compute(f"freeze {type_} {value}", debug, call.result)
    elif name.startswith("llvm.objectsize"):
        least = call.arguments[1] == "i1 true"
        body.shared.tables.assume(_KNOWS_NOTHING)
        body.compute(f"freeze {call.type} {0 if least else -1}", debug, call.result)
    elif name.startswith("llvm.is.constant"):
        body.shared.tables.assume(_KNOWS_NOTHING)
        body.compute("freeze i1 false", debug, call.result)
    elif name == "llvm.get.rounding":
        body.compute("freeze i32 1", debug, call.result)  # to nearest: what changes it is UNSUPPORTED
    elif name.startswith("llvm.ptrmask.p0."):
        _mask_pointer(body, call, debug)
    elif name.startswith(_FRAMES):
        _place_in_memory(body, call, name, debug)
    elif name == "llvm.assume":
        _assumed(body, call, debug)
    elif name.startswith("llvm.ubsantrap"):
        _trap(body, call.arguments[0], debug)
    elif name in program_exit.TRAPS:
        program_exit.end_at_once(body, "i32 134", debug)
    elif body.shared.assembly and name.startswith(("llvm.read_register.", "llvm.write_register.")):
        assembly.register(body, call, debug)
    elif name.startswith("llvm.va_"):
        variable_arguments.rewrite_list(body, call, name, debug)
    elif call.type == "void" and _DROPPED.fullmatch(name) is not None:
        pass
    else:
        body.unsupported(name, debug)
        body.out.append(line)


def _count_zeros(body: Body, call: Call, name: str, debug: str) -> None:
    """__builtin_clz and __builtin_ctz, also of vectors: undefined for 0, so arbitrary there."""
    type_, value = argument(call.arguments[0])
    lanes = type_[1 : type_.index(" x ") + 3] if type_[0] == "<" else ""
    zero = body.compute(f"icmp eq {type_} {value}, zeroinitializer", debug)
    if body.shared.property.asks_for(Instrument.UNDEFINED):
        if lanes:
            body.unsupported("zeros counted in a vector", debug)
        else:
            body.meaningful(body.compute(f"xor i1 {zero}, true", debug), "__builtin_clz or __builtin_ctz of 0", debug)
    count = body.compute(f"call {type_} @{name}({type_} {value}, i1 false)", debug)
    anything = body.nondet(type_, "undef", "__builtin_clz or __builtin_ctz of 0", debug)
    truth = f"<{lanes}i1>" if lanes else "i1"
    body.compute(f"select {truth} {zero}, {type_} {anything}, {type_} {count}", debug, call.result)


def _mask_pointer(body: Body, call: Call, debug: str) -> None:
    """A pointer with some bits of its address cleared: another position in the same object, or beside it."""
    address = argument(call.arguments[0])[1]
    type_, mask = argument(call.arguments[1])
    number = body.compute(f"ptrtoint ptr {address} to {type_}", debug)
    masked = body.compute(f"and {type_} {number}, {mask}", debug)
    moved = body.compute(f"sub {type_} {masked}, {number}", debug)
    body.compute(f"getelementptr i8, ptr {address}, {type_} {moved}", debug, call.result)


def _place_in_memory(body: Body, call: Call, name: str, debug: str) -> None:
    """The address of a frame, or of code: some address, which belongs to no object of the program."""
    word = body.shared.word
    number = body.nondet(word, "approximated", name.removeprefix("llvm.").partition(".")[0], debug)
    if call.arguments in ([], ["i32 0"]):  # of the function itself
        body.kernel("__cp_assume", f"i1 {body.compute(f'icmp ne {word} {number}, 0', debug)}", debug)
    if body.shared.property.asks_for(Instrument.ACCESSES):
        body.kernel("__cp_pointer", f"{word} {number}", debug, call.result)
    else:
        body.compute(f"inttoptr {word} {number} to ptr", debug, call.result)


def _assumed(body: Body, call: Call, debug: str) -> None:
    """__builtin_assume: C gives runs on which the condition is false no meaning. What clang promises about
    alignment (an operand bundle beside `true`) is not used."""
    type_, holds = argument(call.arguments[0])
    if holds == "true":
        return
    wrong, right = body.fresh_label("wrong"), body.fresh_label("assumed")
    body.emit(f"br {type_} {holds}, label %{right}, label %{wrong}", debug)
    body.split(wrong)
    body.undefined("__builtin_assume of what is false", debug)
    body.emit("unreachable")
    body.split(right)


def _trap(body: Body, number: str, debug: str) -> None:
    """A sanitizer's trap: an array has no such size, or it is what the property says of that number."""
    if number == array_sizes.LENGTH_TRAP:
        array_sizes.refuse(body, debug)
    elif (trap := body.shared.property.trap(int(number.removeprefix("i8 ")))) is not None:
        said = body.shared.tables.trap_message(debug) if trap.in_clangs_words else ""
        body.violation(trap.kind, said or trap.message, debug)
    else:
        body.stop(debug, "i32 134")


def starts_lifetime(line: str) -> bool:
    return locals.lifetime_start(line) is not None
