"""Undefined functions that are handed functions.

By default such a call has no meaning. With `--callbacks before-return` the undefined function calls what it is handed,
as often and in any order as it likes, before it returns. Call by call that is written out as

    for (;;) { if (nondet) first(...); else if (nondet) second(...); else break; }

so that engines, proofs and replays see ordinary code. Every argument of such a call is arbitrary (a pointer is null or
external), or an argument of the same type of the undefined function's call: the context that it passes through.
What it keeps for later is not covered: that is an assumption of the result (docs/decisions/callbacks.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.debug_fields import BASE_FIELD, TYPE_FIELD, TYPES_FIELD
from counterpoint.frontend.definition import call_types
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.definition.indirect_calls import address_taken
from counterpoint.frontend.irtext import Call, FunctionText, argument, signature
from counterpoint.frontend.lower.text import NAME, unquoted
from counterpoint.program.names import original

KIND = "callback"
"""The kind of the sites at which runs decide what is called and with which arguments."""

_FUNCTION = regex(rf"@({NAME})")


@dataclass(frozen=True, slots=True)
class Declared:
    """The parameters of a declaration that are pointers to functions, by debug information.

    `arities` are by position among the arguments of a call; None for functions without prototype or with variable
    arguments. `certain` is false where positions in C and in the IR may differ; `arities` are then by position in C.
    """

    arities: Mapping[int, int | None]
    certain: bool


@dataclass(frozen=True, slots=True)
class Handed:
    """The functions that an argument may be: `pointer` is null, another function, or one of `functions`.

    `by_name`: it is the only one of `functions`, without any question.
    """

    position: int
    pointer: str
    functions: tuple[FunctionText, ...]
    by_name: bool


def takes_function(body: Body, call: Call, name: str) -> bool:
    """Whether the undefined function `name` is handed a function: by name, also as a number, or in a parameter declared
    as a pointer to a function. A literal null is none."""
    declared = _declared(body, name)
    return not declared.certain or any(
        _names_function(body, text) or (position in declared.arities and argument(text)[1] != "null")
        for position, text in enumerate(call.arguments)
    )


def rewrite(body: Body, call: Call, name: str, debug: str) -> bool:
    """Writes the calls that the undefined function `name` makes before it returns, but not what it returns.

    False, and nothing written, if it is not known which functions are handed over.
    """
    handed = _handed(body, call, name)
    if handed is None:
        return False
    body.shared.tables.assume(
        f"{original(name)} calls functions that it is given only before it returns; pointers to objects that it"
        " gives them are arguments of its own call"
    )
    passed = _passed(body, call, {one.position for one in handed})
    again = body.fresh_label("again")
    body.emit(f"br label %{again}", debug)
    body.split(again)
    for one in handed:
        taken, other = body.fresh_label("callback"), body.fresh_label("other")
        wanted = body.nondet("i1", KIND, f"{original(name)} calls {_shown(one)}", debug)
        body.emit(f"br i1 {wanted}, label %{taken}, label %{other}", debug)
        body.split(taken)
        _call_handed(body, one, passed, (again, other), (name, debug))
        body.split(other)
    return True


def _call_handed(
    body: Body, one: Handed, passed: list[tuple[int, str, str]], labels: tuple[str, str], place: tuple[str, str]
) -> None:
    """Ends the open block with the call; `labels` are where the run goes on after it, and if the pointer is null."""
    again, other = labels
    name, debug = place
    if not one.by_name:
        is_null = body.compute(f"icmp eq ptr {one.pointer}, null", debug)
        given = body.fresh_label("given")
        body.emit(f"br i1 {is_null}, label %{other}, label %{given}", debug)
        body.split(given)
    for function in one.functions:
        following = ""
        if not one.by_name:
            same = body.compute(f"icmp eq ptr {one.pointer}, {call_types.symbol(function.name)}", debug)
            called, following = body.fresh_label("call"), body.fresh_label("next")
            body.emit(f"br i1 {same}, label %{called}, label %{following}", debug)
            body.split(called)
        _call(body, function, passed, name, debug)
        body.emit(f"br label %{again}", debug)
        if following:
            body.split(following)
    if not one.by_name:
        body.unsupported(f"{original(name)} may call a pointer to none of the known functions", debug)
        body.emit("unreachable")


def _call(body: Body, function: FunctionText, passed: list[tuple[int, str, str]], name: str, debug: str) -> None:
    """Calls one function with arguments that are arbitrary or `passed` (position, type, value)."""
    if function.reads_list or " byval(" in function.header or " sret(" in function.header:
        what = f"{original(name)} may call {original(function.name)}, which takes or returns more than scalars"
        body.unsupported(what, debug)
        return
    arguments = []
    for position, type_ in enumerate(function.types, 1):
        what = f"argument {position} of {original(function.name)}, called by {original(name)},"
        value = body.nondet(type_, KIND, what, debug)
        for own, given, known in passed:
            if given == type_:
                chosen = body.nondet("i1", KIND, f"{what} is argument {own + 1} of {original(name)}", debug)
                value = body.compute(f"select i1 {chosen}, {type_} {known}, {type_} {value}", debug)
        arguments.append(f"{type_} {value}")
    symbol = call_types.symbol(function.name)
    call_types.emit_call(body, Call("", function.result, symbol, arguments, function.result, ""), function, debug)


def _passed(body: Body, call: Call, functions: set[int]) -> list[tuple[int, str, str]]:
    """The arguments that may lead to an object, but for those at the positions of `functions`: position, type, value.

    Numbers as wide as pointers are among them: contexts are often cast. Others are arbitrary in any case.
    """
    found: dict[tuple[str, str], int] = {}
    for position, text in enumerate(call.arguments):
        type_, value = argument(text)
        if type_ not in ("ptr", body.shared.word) or position in functions:
            continue
        if value != "null" and not re.fullmatch(r"-?\d+", value):
            found.setdefault((type_, value), position)
    return [(position, type_, value) for (type_, value), position in found.items()]


def _handed(body: Body, call: Call, name: str) -> list[Handed] | None:
    """The arguments of the call that are functions; None if some cannot be told."""
    declared = _declared(body, name)
    if not declared.certain:
        return None
    known = {function.name: function for function in body.shared.address_taken}
    handed = []
    for position, text in enumerate(call.arguments):
        type_, value = argument(text)
        named = _FUNCTION.fullmatch(value)
        function = known.get(unquoted(named[1])) if named is not None else None
        if function is not None:
            handed.append(Handed(position, value, (function,), by_name=True))
        elif _names_function(body, text) or (position in declared.arities and type_ != "ptr"):
            return None
        elif position in declared.arities and value != "null":
            arity = declared.arities[position]
            handed.append(Handed(position, value, _candidates(body, arity), by_name=False))
    return handed


def _candidates(body: Body, arity: int | None) -> tuple[FunctionText, ...]:
    """The functions that a pointer may be; a run in which it is another is UNSUPPORTED."""
    taken = body.shared.address_taken
    return tuple(one for one in taken if arity is None or one.variadic or len(one.parameters) == arity)


def _names_function(body: Body, text: str) -> bool:
    module = body.shared.module
    return any(symbol in module.functions or symbol in module.declared for symbol in address_taken([text]))


def _shown(one: Handed) -> str:
    return original(one.functions[0].name) if one.by_name else f"its argument {one.position + 1}"


# ------------------------------------------------------------------ declarations

_ENTRY = regex(r"!\d+|\bnull\b")
_DEEPEST = 16  # typedefs and qualifiers nest; broken metadata may be cyclic


def _declared(body: Body, name: str) -> Declared:
    """What the debug type of the declaration of `name` says of its parameters.

    A C parameter is at least one IR parameter, or a structure, which may be none, several, or one that is a copy in
    memory (`byval`); a result in memory is one more. So positions agree when all structures are copies and the numbers
    of parameters are the same.
    """
    line = body.shared.module.declared.get(name, "")
    found = re.search(r"!dbg (!\d+)", line)
    if found is None:
        return Declared({}, True)
    metadata = body.shared.tables.metadata
    types = _parameters(_follow(metadata.get(found[1], ""), TYPE_FIELD, metadata), metadata)
    chains = [_chain(reference, metadata) for reference in types]
    arities = {
        position: _arity(chain[-1], metadata) for position, chain in enumerate(chains) if _is_function_pointer(chain)
    }
    structures = sum(_is_structure(chain) for chain in chains)
    fixed = [type_ for type_ in types if type_ != "null"]
    certain = structures == line.count(" byval(%") and len(fixed) == len(signature(line)[2])
    return Declared(arities, certain or not arities)


def _parameters(subroutine: str, metadata: Mapping[str, str]) -> list[str]:
    """References to the parameters' types; `null` at the end stands for further ones."""
    return _ENTRY.findall(_follow(subroutine, TYPES_FIELD, metadata))[1:]


def _arity(subroutine: str, metadata: Mapping[str, str]) -> int | None:
    types = _parameters(subroutine, metadata)
    return None if "null" in types else len(types)


def _follow(text: str, field: re.Pattern[str], metadata: Mapping[str, str]) -> str:
    found = field.search(text)
    return metadata.get(found[1], "") if found else ""


def _chain(reference: str, metadata: Mapping[str, str]) -> list[str]:
    """A type and what it is made of, from outside in, to the first that is no pointer, typedef or qualifier."""
    chain = [metadata.get(reference, "")]
    while len(chain) < _DEEPEST and "DIDerivedType(" in chain[-1]:
        if (base := BASE_FIELD.search(chain[-1])) is None:
            break
        chain.append(metadata.get(base[1], ""))
    return chain


def _is_pointer(chain: list[str]) -> bool:
    return any("DW_TAG_pointer_type" in text for text in chain)


def _is_structure(chain: list[str]) -> bool:
    composite = "DICompositeType(" in chain[-1] and "DW_TAG_enumeration_type" not in chain[-1]
    return composite and not _is_pointer(chain)


def _is_function_pointer(chain: list[str]) -> bool:
    return "DISubroutineType(" in chain[-1] and _is_pointer(chain)
