"""`__cp_main`, where a run starts: outside objects, constructors, arguments, the entry function."""

from __future__ import annotations

import re
from itertools import chain

from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.frontend.c import diagnostics
from counterpoint.frontend.c.library import LIBC_NAME
from counterpoint.frontend.definition import (
    call_types,
    constructors,
    exposed,
    file_assembly,
    locals,
    main_arguments,
    program_exit,
    untested_sums,
    weak_symbols,
)
from counterpoint.frontend.definition.body import Body, Rewriting
from counterpoint.frontend.irtext import FunctionText, leading_type
from counterpoint.frontend.lower.text import matching, split_commas
from counterpoint.program.names import original
from counterpoint.property import Instrument

START = "__cp_main"
MOST_NAMED = 8
"""Functions that a message names."""

_MAIN_PARAMETERS = ("argc", "argv", "envp")
_BY_MEMORY = regex(r"\b(?:byval|sret)\(((?:[^()]|\([^()]*\))*)\)")
_EXTERNAL = regex(r" = (?:[\w()]+ )*?(?:external|extern_weak) (?:[\w()]+ )*?(?:global|constant) ")


def _other_entries(shared: Rewriting) -> str:
    """What to choose instead: functions of the user's files, not those of library models."""
    functions = shared.module.functions.items()
    own = [original(name) for name, one in functions if not shared.tables.at(one.debug).file.startswith(LIBC_NAME)]
    if not own:
        return "it has none of its own"
    more = ", ..." if len(own) > MOST_NAMED else ""
    return f"choose one with --entry ({', '.join(own[:MOST_NAMED])}{more}), or all with --entry-each"


def write_start(shared: Rewriting, entry: str, remarked: diagnostics.Remarks = diagnostics.SILENCE) -> None:
    """Adds `__cp_main` to the module; `remarked`: what clang said.

    Raises UnusableInput if there is no function `entry`.
    """
    module = shared.module
    target = module.functions.get(entry)
    if target is None:
        raise UnusableInput(f"the program has no function `{original(entry)}`: {_other_entries(shared)}")
    function = FunctionText(START, f"define void @{START}() #90002 {{", [], "void", [], False)
    body = Body(shared, function)
    diagnostics.leave_open(body, remarked, target.debug)
    file_assembly.refuse(body, target.debug)
    if shared.property.asks_for(Instrument.OVERFLOWS) and untested_sums.has_complex_integers(shared.tables.metadata):
        untested_sums.leave_open(body, target.debug)
    for symbol in list(module.globals):
        make_external_arbitrary(body, symbol)
    weak_symbols.choose(body, shared.weak)
    if shared.numbers_of_pointers:
        lines = (line for one in module.functions.values() for line in one.lines)
        exposed.by_constants(body, chain(module.globals.values(), lines))
    if old := constructors.outdated(module):
        body.unsupported(f"the object {old} in a section of constructors", target.debug)
    passed = entry_arguments(body, target)
    early = constructors.constructors(module)
    given = environment(body, target, passed) if early else []
    for constructor in early:
        constructors.call(body, constructor, given, target.debug)
    code = call_entry(body, target, passed)
    program_exit.leave(body, f"i32 {code}", target.debug)
    body.out.append("  unreachable")
    body.finish()
    module.functions[START] = function
    program_exit.write_leave(shared, target.debug)


def make_external_arbitrary(body: Body, name: str) -> None:
    """Defines an undefined extern object and fills it with arbitrary values."""
    module = body.shared.module
    line = module.globals[name]
    match = _EXTERNAL.search(line)
    if match is None or name.startswith("llvm."):
        return
    type_ = leading_type(line[match.end() :])
    size = body.shared.types.size(body.shared.types.parse(type_))
    rest = line[match.end() + len(type_) :]
    if size == 0:
        type_ = "[1 x i8]"
    module.globals[name] = f"{line[: match.start()]} = internal global {type_} zeroinitializer{rest}"
    body.shared.tables.assume(f"the undefined object {original(name)} holds any value at the start")
    debug = re.search(r"!dbg (!\d+)", line)
    where = debug[1] if debug else ""
    pieces = locals.scalars(body, type_)
    locals.fill(body, call_types.symbol(name), type_, pieces, ("external", original(name)), where)


def entry_arguments(body: Body, target: FunctionText) -> list[str]:
    """Arbitrary arguments for the entry function; main's argc is at least 1, argv not null."""
    values: list[str] = []
    names = _MAIN_PARAMETERS if target.name == "main" else ()
    objects = body.shared.structures_by_memory
    for position, type_ in enumerate(target.types):
        name = names[position] if position < len(names) else f"parameter {position + 1} of {original(target.name)}"
        known = [value.rpartition(" ")[2] for value in values]
        if name in ("argv", "envp") and type_ == "ptr" and position in body.shared.read_arguments:
            value = strings(body, name, target, known)
        elif position in objects:
            value = arbitrary_object(body, objects[position], name, target.debug)
        else:
            value = environment_value(body, type_, name, target.debug)
        values.append(f"{type_} {value}")
    if values or target.reads_list:
        body.shared.tables.assume(f"{original(target.name)} is called with any arguments")
    return values


def passed_by_memory(target: FunctionText | None) -> dict[int, str]:
    """The parameters that are pointers for LLVM only, with the types of the structures that C passes and returns; as
    clang writes the function."""
    if target is None or _BY_MEMORY.search(target.header) is None:
        return {}
    open_ = target.header.index("(", target.header.index("@"))
    parts = split_commas(target.header[open_ + 1 : matching(target.header, open_)])
    return {position: found[1] for position, part in enumerate(parts) if (found := _BY_MEMORY.search(part))}


def arbitrary_object(body: Body, type_: str, name: str, debug: str) -> str:
    """A structure of the caller's with arbitrary values."""
    address = body.fresh()
    body.top.append(f"  {address} = alloca {type_}, align 16")
    locals.fill(body, address, type_, locals.scalars(body, type_), ("argument", name), debug)
    return address


def strings(body: Body, name: str, target: FunctionText, known: list[str]) -> str:
    """argv with argc (the first of `known`) strings, or envp with any number of them."""
    word = body.shared.word
    if name == "argv" and target.types[0] == "i32":
        given = known[0]
    else:
        given = body.nondet("i32", "argument", f"number of strings of {name}", target.debug)
    few = body.compute(f"icmp ult i32 {given}, {main_arguments.MOST}")
    body.kernel("__cp_assume", f"i1 {few}", "")
    limits = f"less than {main_arguments.MOST:,} strings, each of less than {main_arguments.LONGEST:,} bytes"
    body.shared.tables.assume(f"{name} has {limits}")
    count = given if word == "i32" else body.compute(f"zext i32 {given} to {word}")
    return main_arguments.Strings(body, name, count, target.debug).made()


def environment(body: Body, target: FunctionText, passed: list[str]) -> list[str]:
    """argc, argv and envp as constructors get them: those of `main` where it has them too."""
    types = ("i32", "ptr", "ptr")
    given = passed if target.name == "main" and target.types == types[: len(target.types)] else []
    rest = [
        f"{type_} {environment_value(body, type_, name, target.debug)}"
        for type_, name in list(zip(types, _MAIN_PARAMETERS, strict=True))[len(given) :]
    ]
    return [*given, *rest]


def environment_value(body: Body, type_: str, name: str, debug: str) -> str:
    """An arbitrary argument; argc is at least 1, argv and envp are not null."""
    value = body.nondet(type_, "argument", name, debug)
    if name == "argc":
        positive = body.compute(f"icmp sgt {type_} {value}, 0")
        body.kernel("__cp_assume", f"i1 {positive}", "")
    elif name in ("argv", "envp"):
        given = body.compute(f"icmp ne ptr {value}, null")
        body.kernel("__cp_assume", f"i1 {given}", "")
    return value


def call_entry(body: Body, target: FunctionText, values: list[str]) -> str:
    """Calls the entry function. Returns the run's exit code: what it returns if that is an `int`, else 0."""
    if target.reads_list:
        values = [*values, "ptr null"]
    call = f"call {target.result} {call_types.symbol(target.name)}({', '.join(values)})"
    if target.result == "void":
        body.emit(call)
        return "0"
    result = body.compute(call)
    return result if target.result == "i32" else "0"

