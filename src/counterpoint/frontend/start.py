"""`__cp_main`, where a run starts: outside objects, constructors, arguments, the entry function."""

from __future__ import annotations

import re

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend import locals, variadic
from counterpoint.frontend.body import Body, Rewriting
from counterpoint.frontend.calls import check_leaks
from counterpoint.frontend.irtext import FunctionText, leading_type
from counterpoint.frontend.lower.text import NAME, unquoted
from counterpoint.program.names import original

START = "__cp_main"
_EXTERNAL = re.compile(r" = (?:[\w()]+ )*?(?:external|extern_weak) (?:[\w()]+ )*?(?:global|constant) ")
_CONSTRUCTOR = re.compile(rf"\{{ i32, ptr, ptr \}} \{{ i32 (\d+), ptr @({NAME}), ptr [^}}]* \}}")


def write_start(shared: Rewriting, entry: str) -> None:
    """Adds `__cp_main` to the module. Raises UnusableInput if there is no function `entry`."""
    module = shared.module
    target = module.functions.get(entry)
    if target is None:
        known = ", ".join(original(name) for name in list(module.functions)[:8]) or "none"
        raise UnusableInput(f"the program has no function `{original(entry)}`: choose one with --entry ({known})")
    function = FunctionText(START, f"define void @{START}() #90002 {{", [], "void", [], False)
    body = Body(shared, function)
    for name in list(module.globals):
        make_external_arbitrary(body, name)
    for constructor in constructors(module.globals.get("llvm.global_ctors", "")):
        if constructor in module.functions:
            body.emit(f"call void {variadic.symbol(constructor)}()")
    if "llvm.global_dtors" in module.globals:
        body.unsupported("a destructor function", target.debug)
    code = call_entry(body, target)
    check_leaks(body, target.debug)
    body.kernel("__cp_stop", f"i32 {code}", "")
    body.out.append("  unreachable")
    body.finish()
    module.functions[START] = function


def constructors(line: str) -> list[str]:
    """The functions of `llvm.global_ctors`, by priority."""
    found = [(int(priority), unquoted(name)) for priority, name in _CONSTRUCTOR.findall(line)]
    return [name for _, name in sorted(found, key=lambda pair: pair[0])]


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
    locals.fill(body, variadic.symbol(name), type_, pieces, ("external", original(name)), where)


def call_entry(body: Body, target: FunctionText) -> str:
    """Calls the entry function with arbitrary arguments; main's argc is at least 1, argv not null.

    Returns the run's exit code: what the entry function returns if that is an `int`, else 0.
    """
    values = []
    names = ("argc", "argv", "envp") if target.name == "main" else ()
    for position, type_ in enumerate(target.types):
        name = names[position] if position < len(names) else f"parameter {position + 1} of {original(target.name)}"
        value = body.nondet(type_, "argument", name, target.debug)
        if name == "argc":
            positive = body.compute(f"icmp sgt {type_} {value}, 0")
            body.kernel("__cp_assume", f"i1 {positive}", "")
        elif name in ("argv", "envp"):
            given = body.compute(f"icmp ne ptr {value}, null")
            body.kernel("__cp_assume", f"i1 {given}", "")
        values.append(f"{type_} {value}")
    if target.reads_list:
        values.append("ptr null")
    if values:
        body.shared.tables.assume(f"{original(target.name)} is called with any arguments")
    call = f"call {target.result} {variadic.symbol(target.name)}({', '.join(values)})"
    if target.result == "void":
        body.emit(call)
        return "0"
    result = body.compute(call)
    return result if target.result == "i32" else "0"

