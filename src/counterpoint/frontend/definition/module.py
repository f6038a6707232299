"""Rewrites a module so that nothing in it is undefined and the property's checks are explicit.

One pass over the lines of each function. Lines whose meaning is plain are copied.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from itertools import chain

from counterpoint.frontend.c import constant_parts, unfinished_expressions
from counterpoint.frontend.c.diagnostics import SILENCE, Remarks
from counterpoint.frontend.c.typeof_unqual import without_const
from counterpoint.frontend.definition import (
    address_reuse,
    call_types,
    computed_goto,
    declared_alloca,
    file_assembly,
    float_calls,
    leaks,
    locals,
    missing_returns,
    nans,
    padding,
    pending_values,
    program_exit,
    shifts,
    untested_sums,
    variable_arguments,
    volatile,
    weak_symbols,
)
from counterpoint.frontend.definition.body import Body, Rewriting
from counterpoint.frontend.definition.calls import (
    ASSERTION_FAILURES,
    ASSERTIONS,
    ERROR_FUNCTIONS,
    Errors,
    fail_when_called,
)
from counterpoint.frontend.definition.indirect_calls import address_taken
from counterpoint.frontend.definition.initialisers import NONE as NO_DEFINITIONS
from counterpoint.frontend.definition.initialisers import Definitions
from counterpoint.frontend.definition.lifetimes import write_lives
from counterpoint.frontend.definition.program_start import passed_by_memory, write_start
from counterpoint.frontend.definition.rewriter import FunctionRewriter, copy_parameters
from counterpoint.frontend.definition.strip import strip_promises
from counterpoint.frontend.definition.symbols import arguments_read, unsized_externals, without_aliases
from counterpoint.frontend.definition.tables import Tables
from counterpoint.frontend.definition.undefined_constants import without_undefined
from counterpoint.frontend.irtext import FunctionText, ModuleText, parse, signature
from counterpoint.frontend.lower.locations import Locations
from counterpoint.property import Instrument, Property

ATTRIBUTES = "#90000"
_ATTRIBUTE_GROUPS = (
    f'attributes {ATTRIBUTES} = {{ nounwind null_pointer_is_valid "no-builtins" }}',
    'attributes #90002 = { norecurse nounwind null_pointer_is_valid "no-builtins" }',  # __cp_main
)

_VOLATILE = {
    False: "volatile memory changes only where the program writes to it",
    True: "every read of volatile memory gives any value",
}


def define_module(
    text: str,
    property_: Property,
    entry: str,
    callbacks: bool = False,
    assembly: bool = False,
    volatile_: bool = False,
    reused: bool = False,
    remarked: Remarks = SILENCE,
    noreturn: frozenset[str] = frozenset(),
    defined: Definitions = NO_DEFINITIONS,
    macros: Callable[[], Container[str]] = frozenset,
) -> tuple[ModuleText, Tables]:
    """The module with every construct defined, started by `__cp_main`; and its tables.

    `text` is the linked program as LLVM prints it; `callbacks`: undefined functions call the functions that they are
    handed (callbacks.py); `assembly`: inline assembly has no effect but outputs with any values (assembly.py);
    `volatile_`: what is read from volatile memory is arbitrary (volatile.py); `reused`: objects may lie where dead
    ones did (address_reuse.py); `remarked`: what clang said of the files (diagnostics.py); `noreturn`: functions
    that are declared not to return; `defined`: what the source says of constant locals (initialisers.py);
    `macros`: names of macros in any of the files (wide_index.py). Raises UnusableInput if `entry` is not defined there.
    """
    text, labels = computed_goto.numbered_labels(text)
    wanted = property_.asks_for(Instrument.ERROR_CALLS)
    module = parse(strip_promises(without_aliases(text, ERROR_FUNCTIONS if wanted else frozenset()), volatile_))
    module.metadata = without_const(module.metadata, remarked.unqualified)
    metadata = dict(line.split(" = ", 1) for line in module.metadata)
    declared_alloca.calls_as_allocas(module)
    float_calls.as_operations(module)
    tables = Tables(Locations(metadata), metadata)
    shared = Rewriting(module, tables, property_)
    shared.file_assembly = file_assembly.taken_out(module)
    shared.entry = entry
    shared.noreturn = noreturn
    shared.callbacks = callbacks
    shared.definitions = defined
    shared.macros = macros
    shared.assembly = assembly
    shared.volatile = volatile_
    shared.reused = reused
    shared.labels = labels
    if volatile.USED.search(text) is not None:
        tables.assume(_VOLATILE[volatile_])
    stubs = look_around(shared)
    unfinished_expressions.end_where_they_return(
        module.functions[name] for name in sorted(noreturn & module.functions.keys())
    )
    errors = Errors(module, metadata, wanted)
    for name in errors.functions & module.functions.keys():
        fail_when_called(module.functions[name])
    prepare(shared, text)
    watch = leaks.watch(shared, noreturn | ASSERTION_FAILURES | ASSERTIONS | ERROR_FUNCTIONS)
    for function in (*module.functions.values(), *stubs):
        define_function(shared, function, errors, watch)
    finish(shared, stubs, remarked)
    return module, tables


def look_around(shared: Rewriting) -> list[FunctionText]:
    """What of the whole module bears on single functions, before one is changed; the stand-ins."""
    module, entry = shared.module, shared.entry
    own = {name for name, function in module.functions.items() if not shared.is_model(function)}
    if padding.matters(shared.types, (module.functions[name] for name in own), module.globals.values()):
        shared.tables.assume(padding.ASSUMED)
    shared.nans = nans.observed(module, entry, shared.callbacks, own)
    shared.weak = weak_symbols.undefined_symbols(module)
    stubs = list(stand_ins(shared))
    shared.read_arguments = arguments_read(module.functions.get(entry))
    shared.structures_by_memory = passed_by_memory(module.functions.get(entry))
    for function in module.functions.values() if shared.weak else ():
        weak_symbols.read_pointers(function, shared.weak)
    return stubs


def prepare(shared: Rewriting, text: str) -> None:
    """What the rewriting of functions asks for, told by the module as it is now, and by its `text` as it was."""
    module = shared.module
    shared.partly_constant = constant_parts.constant_globals(module.globals, module.metadata).keys()
    shared.unsized = unsized_externals(module)
    program_exit.prepare(shared)
    missing_returns.prepare(shared)
    shared.numbers_of_pointers = "ptrtoint" in text
    overflows = shared.property.asks_for(Instrument.OVERFLOWS)
    shared.untested_fields = overflows and untested_sums.has_fields(shared.tables.metadata)
    bodies = (line for function in module.functions.values() for line in function.lines)
    shared.distance = variable_arguments.distance(bodies, shared.types)
    shared.atoms = "atomGroup: " in text


def finish(shared: Rewriting, stubs: list[FunctionText], remarked: Remarks) -> None:
    """The module around its defined functions: where a run starts, globals, declarations, what was assumed."""
    module, tables = shared.module, shared.tables
    module.functions |= {stub.name: stub for stub in stubs}
    for function in module.functions.values():
        function.header = header(function)
    for sentence in remarked.disordered:
        tables.assume(sentence)
    write_start(shared, shared.entry, remarked)
    program_exit.drop_leak_checks(shared)
    finish_globals(module)
    functions = module.functions.values()
    if shared.reused and address_reuse.may_die(functions):
        tables.assume(address_reuse.NOT_BY_BYTES)
    elif not shared.reused and address_reuse.matters(functions, (one for one in functions if not shared.is_model(one))):
        tables.assume(address_reuse.ASSUMED)
    kept = {name: line for name, line in module.declared.items() if name.startswith("llvm.")}
    module.declared = {**kept, **shared.kernel}
    module.attributes += _ATTRIBUTE_GROUPS


def stand_ins(shared: Rewriting) -> Iterator[FunctionText]:
    """Finds the functions whose address is taken; for each without a definition, one that only calls it."""
    module = shared.module
    lines = (line for function in module.functions.values() for line in function.lines)
    mentioned = address_taken(chain(module.globals.values(), lines))
    shared.address_taken = [function for name, function in module.functions.items() if name in mentioned]
    for name, line in module.declared.items():
        if name.startswith("llvm.") or (name not in mentioned and name not in shared.weak):
            continue
        result, quoted, parameters, variadic_ = signature(line)
        named = [(type_, f"%cp.p{position}") for position, (type_, _) in enumerate(parameters)]
        arguments = ", ".join(f"{type_} {value}" for type_, value in named)
        types = ", ".join([*(type_ for type_, _ in named), *(["..."] if variadic_ else [])])
        called = f"call {f'{result} ({types})' if variadic_ else result} @{quoted}({arguments})"
        lines_ = [f"  {called}", "  ret void"]
        if result != "void":
            lines_ = [f"  %cp.r = {called}", f"  ret {result} %cp.r"]
        stub = FunctionText(name, line, lines_, result, named, variadic_)
        shared.address_taken.append(stub)
        yield stub


def header(function: FunctionText) -> str:
    """The `define` line: internal, no promises, parameters by address copied by the callee."""
    parameters = [f"{type_} {name}" for type_, name in function.parameters]
    if function.reads_list:
        parameters.append(f"ptr {variable_arguments.AREA}")
    debug = f" !dbg {function.debug}" if function.debug else ""
    name = call_types.symbol(function.name)
    return f"define internal {function.result} {name}({', '.join(parameters)}) {ATTRIBUTES}{debug} {{"


def define_function(shared: Rewriting, function: FunctionText, errors: Errors, watch: leaks.Watch) -> None:
    """Rewrites the body of one function in place."""
    body = Body(shared, function)
    function.lines = shifts.without_branches(function.lines, body.entry, shared.module.globals)
    lines, copies = copy_parameters(body)
    once = function.name == shared.entry
    held: frozenset[str] = frozenset()
    if function.name in watch.functions:
        width, numbers = shared.pointer_bits, shared.numbers_of_pointers
        lines = pending_values.in_slots(lines, body.entry, watch.is_watched, width, numbers)
        held = leaks.holders(body, lines, locals.fixed_allocas(lines))
        lines = leaks.with_endless_marks(watch, function, lines, body.entry)
    known = shared.definitions.known.get(function.name, {})
    found = locals.Locals(lines, shared.tables.metadata, shared.scopes, body.entry, once, held, known)
    body.locals = {name: shared.types.size(shared.types.parse(local.type)) for name, local in found.by_name.items()}
    unset = found.unset_at_entry(body) - {copy.own for copy in copies}
    FunctionRewriter(body, errors, found, unset, copies, held).run()
    body.finish()
    write_lives(body, found.by_name, shared.scopes, once)


def finish_globals(module: ModuleText) -> None:
    """Globals become internal and ordinary; bytes that no initialiser sets are zero, as in C."""
    for name, line in module.globals.items():
        if name.startswith("llvm."):
            continue
        module.globals[name] = without_undefined(line)
    for name in ("llvm.global_ctors", "llvm.global_dtors", "llvm.used", "llvm.compiler.used"):
        module.globals.pop(name, None)
