"""Rewrites a module so that nothing in it is undefined and the property's checks are explicit.

One pass over the lines of each function. Lines whose meaning is plain are copied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from counterpoint.frontend import (
    accesses,
    arguments,
    atomics,
    calls,
    computed_goto,
    endings,
    exact,
    extents,
    lanes,
    leaks,
    locals,
    nans,
    pending,
    returns,
    reuse,
    shifts,
    stack_blocks,
    variadic,
    volatile,
    weak,
)
from counterpoint.frontend.arithmetic import check_folded_shift, guard_conversion, guard_division, guard_shift
from counterpoint.frontend.body import Body, Rewriting, label_of
from counterpoint.frontend.calls import (
    ASSERTION_FAILURES,
    ERROR_FUNCTIONS,
    Errors,
    fail_when_called,
    rewrite_call,
)
from counterpoint.frontend.constant_locals import ConstantLocals
from counterpoint.frontend.constants import arbitrary_operands, without_undefined
from counterpoint.frontend.indirect import address_taken
from counterpoint.frontend.irtext import FunctionText, ModuleText, debug_of, parse, signature
from counterpoint.frontend.lifetimes import write_lives
from counterpoint.frontend.lower.locations import Locations
from counterpoint.frontend.lower.text import NAME, matching, quoted, split_commas, unquoted
from counterpoint.frontend.start import write_start
from counterpoint.frontend.strip import strip_promises
from counterpoint.frontend.tables import Tables
from counterpoint.program.names import original
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
_MADE_POINTER = re.compile(rf"  (%{NAME}) = inttoptr (i\d+) (%{NAME}) to ptr(?:,|$)")
_OPCODE = re.compile(r"^  (?:%[^ ]+ = )?(\w+)")
_LABEL_NAME = re.compile(r"#dbg_label\((!\d+), (!\d+)\)")
_NAME = re.compile(r'\bname: "([^"]*)"')
_BYVAL = re.compile(r"byval\(((?:[^()]|\([^()]*\))*)\)")


def define_module(
    text: str,
    property_: Property,
    entry: str,
    callbacks: bool = False,
    assembly: bool = False,
    volatile_: bool = False,
) -> tuple[ModuleText, Tables]:
    """The module with every construct defined, started by `__cp_main`; and its tables.

    `text` is the linked program as LLVM prints it; `callbacks`: undefined functions call the functions that they are
    handed (callbacks.py); `assembly`: inline assembly has no effect but outputs with any values (assembly.py);
    `volatile_`: what is read from volatile memory is arbitrary (volatile.py). Raises UnusableInput if `entry` is not
    defined there.
    """
    text, labels = computed_goto.numbered_labels(text)
    noreturn = noreturn_functions(text)
    wanted = property_.asks_for(Instrument.ERROR_CALLS)
    module = parse(strip_promises(without_aliases(text, ERROR_FUNCTIONS if wanted else frozenset()), volatile_))
    metadata = dict(line.split(" = ", 1) for line in module.metadata)
    stack_blocks.calls_as_allocas(module)
    tables = Tables(Locations(metadata), metadata)
    shared = Rewriting(module, tables, property_)
    shared.entry = entry
    shared.noreturn = noreturn
    shared.callbacks = callbacks
    shared.assembly = assembly
    shared.volatile = volatile_
    if volatile.USED.search(text) is not None:
        tables.assume(_VOLATILE[volatile_])
    shared.nans = nans.observed(module)
    shared.labels = labels
    shared.weak = weak.undefined_symbols(module)
    stubs = list(stand_ins(shared))
    shared.read_arguments = arguments_read(module.functions.get(entry))
    for function in module.functions.values() if shared.weak else ():
        weak.read_pointers(function, shared.weak)
    errors = Errors(module, metadata, wanted)
    for name in errors.functions & module.functions.keys():
        fail_when_called(module.functions[name])
    shared.unsized = unsized_externals(module)
    endings.prepare(shared)
    returns.prepare(shared)
    watch = leaks.watch(shared, noreturn | ASSERTION_FAILURES | ERROR_FUNCTIONS)
    shared.numbers_of_pointers = "ptrtoint" in text
    for function in (*module.functions.values(), *stubs):
        define_function(shared, function, errors, watch)
    module.functions |= {stub.name: stub for stub in stubs}
    for function in module.functions.values():
        function.header = header(function)
    write_start(shared, entry)
    endings.drop_leak_checks(shared)
    finish_globals(module)
    functions = module.functions.values()
    if reuse.matters(functions, (function for function in functions if not shared.is_model(function))):
        tables.assume(reuse.ASSUMED)
    kept = {name: line for name, line in module.declared.items() if name.startswith("llvm.")}
    module.declared = {**kept, **shared.kernel}
    module.attributes += _ATTRIBUTE_GROUPS
    return module, tables


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
        parameters.append(f"ptr {variadic.AREA}")
    debug = f" !dbg {function.debug}" if function.debug else ""
    name = variadic.symbol(function.name)
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
        lines = pending.in_slots(lines, body.entry, watch.is_watched, width, numbers)
        held = leaks.holders(body, lines, locals.fixed_allocas(lines))
        lines = leaks.with_endless_marks(watch, function, lines, body.entry)
    found = locals.Locals(lines, shared.tables.metadata, shared.scopes, body.entry, once, held)
    body.locals = {
        name: shared.types.size(shared.types.parse(local.type)) for name, local in found.by_name.items()
    }
    unset = found.unset_at_entry(body) - {copy.own for copy in copies}
    FunctionRewriter(body, errors, found, unset, copies, held).run()
    body.finish()
    write_lives(body, found.by_name, shared.scopes, once)


@dataclass(frozen=True, slots=True)
class Copied:
    """A structure that is passed by value: the callee's own object, the one given, and their size."""

    own: str
    given: str
    size: int


def copy_parameters(body: Body) -> tuple[list[str], list[Copied]]:
    """The body's lines with objects of its own for structures that are passed by value; what to copy at its entry."""
    function = body.function
    lines = function.lines
    copies: list[Copied] = []
    if "byval(" not in function.header:
        return lines, copies
    open_ = function.header.index("(", function.header.index("@"))
    for part in split_commas(function.header[open_ + 1 : matching(function.header, open_)]):
        inside = _BYVAL.search(part)
        if inside is None:
            continue
        given = part.rpartition(" ")[2]
        own = body.fresh()
        use = re.compile(re.escape(given) + r"(?![-\w.$])")
        lines = [use.sub(own, line) if given in line else line for line in lines]
        copies.append(Copied(own, given, body.shared.types.size(body.shared.types.parse(inside[1]))))
        lines.insert(0, f"  {own} = alloca {inside[1]}, align 16")
    return lines, copies


class FunctionRewriter:
    """Copies or rewrites each line of a body."""

    def __init__(
        self,
        body: Body,
        errors: Errors,
        found: locals.Locals,
        unset: set[str],
        copies: list[Copied],
        held: frozenset[str],
    ) -> None:
        self.held = held
        self.body = body
        self.errors = errors
        self.found = found
        self.unset = unset
        self.copies = copies
        self.lines = found.lines
        self.position = 0
        self.in_allocas = True
        self.shift_check: shifts.ShiftCheck | None = None
        self.unsized = body.shared.unsized
        self.constants = ConstantLocals(self.lines, body.shared.tables.metadata)
        self.handlers: dict[str, Callable[[str], None]] = {
            "call": self.call, "alloca": self.alloca, "tail": self.call, "musttail": self.call,
            "notail": self.call,
            "sdiv": self.division, "udiv": self.division, "srem": self.division, "urem": self.division,
            "shl": self.shift, "lshr": self.shift, "ashr": self.shift,
            shifts.MARK: self.test_of_shift,
            "fptosi": self.conversion, "fptoui": self.conversion,
            "extractelement": self.element, "insertelement": self.element,
            "getelementptr": self.address, "zext": self.narrow, "sext": self.narrow, "and": self.narrow,
            "mul": self.product,
            "atomicrmw": self.atomic_update, "cmpxchg": self.atomic_exchange, "fence": self.drop,
            "unreachable": self.unreachable,
            "va_arg": self.unknown, "indirectbr": self.indirect_jump, "callbr": self.assembly_with_jumps,
        }  # fmt: skip
        if body.shared.property.asks_for(Instrument.ACCESSES):
            self.handlers |= {"load": self.load, "store": self.store, "inttoptr": self.made_pointer}

    def run(self) -> None:
        handlers, append = self.handlers, self.body.out.append
        volatile_ = self.body.shared.volatile
        floats_seen = self.body.shared.nans
        match_opcode = _OPCODE.match
        for position, line in enumerate(self.lines):
            self.position = position
            found = match_opcode(line)
            if found is None:
                self.other(line)
                continue
            opcode = found[1]
            if self.in_allocas and opcode != "alloca":
                self.end_of_allocas()
            if self.unsized is not None and self.unsized.search(line) is not None:
                self.body.unsupported("an extern array of unknown size", debug_of(line))
            if "poison" in line or "undef" in line:
                line = arbitrary_operands(self.body, line, opcode)
            if "getelementptr" in line:
                line = exact.guarded_constants(self.body, line)
            if volatile_ and " volatile " in line and self.volatile_access(line, opcode):
                continue
            if floats_seen and (opcode == "call" or opcode[0] == "f") and nans.rewrite(self.body, line):
                continue
            if " atomic " in line and opcode in ("load", "store"):
                line = atomics.plain_access(line)
            if self.constants and self.constants.modified(line, self.start_of):
                self.forbidden_write(line)
                continue
            handler = handlers.get(opcode)
            if handler is None and opcode == "load" and "getelementptr" in line:
                handler = self.load_outside
            if handler is None:
                append(line)
            else:
                handler(line)

    def other(self, line: str) -> None:
        """Labels, debug records and the inner lines of a switch."""
        body = self.body
        if line[0] != " ":
            body.start_block(label_of(line))
            body.out.append(line)
        elif line.startswith(locals.BEGIN):
            self.begin(line)
        elif line.startswith(leaks.ENDLESS):
            leaks.check_lost(body, line[len(leaks.ENDLESS) :])
        elif "#dbg_label(" in line:
            self.label(line)
        elif "#dbg_declare(" in line:
            body.out.append(line)
            self.declaration(line)
        else:
            body.out.append(line)

    def label(self, line: str) -> None:
        """A label of the source: one named ERROR is an error where nothing else is."""
        found = _LABEL_NAME.search(line)
        if self.errors.labels and found is not None:
            name = _NAME.search(self.body.shared.tables.metadata.get(found[1], ""))
            if name is not None and quoted(name[1]) == "ERROR":
                self.body.violation("unreach-call", "the label ERROR is reached", found[2])

    def declaration(self, line: str) -> None:
        """The declaration of a local whose life clang does not mark: it is arbitrary again."""
        found = locals.declaration(line)
        local = self.found.by_name.get(found[0]) if found else None
        if local is None or local.life is locals.Life.MARKED:
            return
        if local.life is locals.Life.CALL and self.body.original == self.body.entry:
            return
        if not locals.overwritten_next(self.lines, self.position, local, self.body):
            locals.make_arbitrary(self.body, local, local.debug)

    def begin(self, line: str) -> None:
        """A life of a local starts."""
        local = self.found.by_name[line[len(locals.BEGIN) :]]
        if local.fresh:
            self.body.out.append(line)
            if local.name in self.held:
                leaks.keep(self.body, local, local.debug)
        if locals.overwritten_next(self.lines, self.position, local, self.body):
            return
        if local.life is not locals.Life.BLOCK or not locals.declared_next(self.lines, self.position, local):
            locals.make_arbitrary(self.body, local, local.debug or self.body.function.debug)

    def end_of_allocas(self) -> None:
        self.in_allocas = False
        for name, local in self.found.by_name.items():
            if name in self.held and not (local.fresh and local.marked):
                leaks.keep(self.body, local, local.debug or self.body.function.debug)
            if name in self.unset:
                locals.make_arbitrary(self.body, local, local.debug or self.body.function.debug)
        for copy in self.copies:
            variadic.copy(self.body, copy.own, copy.given, copy.size, self.body.function.debug)

    # ------------------------------------------------------------ instructions

    def call(self, line: str) -> None:
        started = locals.lifetime_start(line) if "lifetime.start" in line else None
        if started is None:
            rewrite_call(self.body, line, self.errors)
            return
        self.body.out.append(line)
        local = self.found.by_name.get(started)
        if local is not None and not locals.overwritten_next(self.lines, self.position, local, self.body):
            locals.make_arbitrary(self.body, local, local.debug or debug_of(line))

    def alloca(self, line: str) -> None:
        locals.check_dynamic_size(self.body, line)
        self.body.out.append(line)
        locals.make_dynamic_arbitrary(self.body, line)

    def division(self, line: str) -> None:
        if lanes.is_vector_operation(line):
            lanes.by_lanes(self.body, line, self.division)
        else:
            guard_division(self.body, line)

    def shift(self, line: str) -> None:
        check, self.shift_check = self.shift_check, None
        if lanes.is_vector_operation(line):
            lanes.by_lanes(self.body, line, self.shift)
        else:
            guard_shift(self.body, line, check)

    def element(self, line: str) -> None:
        lanes.element(self.body, line)

    def test_of_shift(self, line: str) -> None:
        """What clang tests before the shift in the next line, or before one that it has computed."""
        check = shifts.marked(line)
        following = _OPCODE.match(self.lines[self.position + 1])
        if check.constants is not None:
            check_folded_shift(self.body, check)
        elif following is not None and following[1] in ("shl", "lshr", "ashr"):
            self.shift_check = check
        else:
            self.body.unsupported("a shift whose amount is not where it is expected", check.debug)

    def conversion(self, line: str) -> None:
        if lanes.is_vector_operation(line):
            lanes.by_lanes(self.body, line, self.conversion)
        else:
            guard_conversion(self.body, line)

    def load(self, line: str) -> None:
        accesses.check_load(self.body, line)
        self.body.out.append(line)

    def store(self, line: str) -> None:
        accesses.check_store(self.body, line)
        self.body.out.append(line)

    def address(self, line: str) -> None:
        accesses.note_address(self.body, line)
        self.body.out.append(exact.guarded_address(self.body, line))
        name = line[2 : line.index(" = ")]
        if "load" not in self.handlers and accesses.is_outside(self.body, name):
            self.handlers["load"] = self.load_outside

    def made_pointer(self, line: str) -> None:
        """LLVM takes an integer that a pointer was just made into for that pointer; it points to what lies there."""
        body = self.body
        found = _MADE_POINTER.match(line)
        if found is None or found[2] != body.shared.word:
            body.out.append(line)
        else:
            body.kernel("__cp_pointer", f"{found[2]} {found[3]}", debug_of(line), found[1])

    def start_of(self, address: str) -> str:
        return accesses.start_of(self.body, address)

    def forbidden_write(self, line: str) -> None:
        """A write to a local that is defined const: invalid, or without effect."""
        if self.body.shared.property.asks_for(Instrument.ACCESSES):
            self.body.violation("valid-deref", "invalid write: the object is const", debug_of(line))

    def product(self, line: str) -> None:
        extents.note_product(self.body, line)
        self.body.out.append(line)

    def narrow(self, line: str) -> None:
        exact.note_range(self.body, line)
        self.body.out.append(line)

    def load_outside(self, line: str) -> None:
        """Loads are looked at only in functions that compute an address outside its object."""
        if not accesses.arbitrary_read(self.body, line):
            self.body.out.append(line)

    def volatile_access(self, line: str, opcode: str) -> bool:
        """A load or store of volatile memory where its reads are arbitrary; False for anything else."""
        if volatile.is_read(line):
            volatile.read(self.body, line)
        elif opcode != "store":
            return False
        elif plain := volatile.write(self.body, line):
            plain = atomics.plain_access(plain)
            self.handlers.get(opcode, self.body.out.append)(plain)
        return True

    def atomic_update(self, line: str) -> None:
        names = [self.body.fresh() for _ in range(3)]
        self.sequential(line, atomics.plain_update(line, names))

    def atomic_exchange(self, line: str) -> None:
        names = [self.body.fresh() for _ in range(4)]
        self.sequential(line, atomics.plain_exchange(line, names))

    def sequential(self, line: str, plain: list[str] | None) -> None:
        if plain is None:
            self.unknown(line)
            return
        changes = self.body.shared.volatile and volatile.is_update(line)
        for part in plain:
            if changes and " = load " in part:
                volatile.read(self.body, part.replace(" = load ", " = load volatile "))
                continue
            if " = load " in part:
                accesses.check_load(self.body, part)
            elif part.startswith("  store "):
                accesses.check_store(self.body, part)
            self.body.out.append(part)

    def indirect_jump(self, line: str) -> None:
        computed_goto.rewrite(self.body, line, debug_of(line))

    def unreachable(self, line: str) -> None:
        """The end of a function that must not return, or what follows a call of one, or `__builtin_unreachable`."""
        body, previous = self.body, self.lines[self.position - 1] if self.position else ""
        if not body.is_dead() and not calls.never_returns(body, previous):
            own = body.function.name in body.shared.noreturn
            returns = f"{original(body.function.name)}, declared noreturn, returns"
            body.undefined(returns if own else "unreachable code is reached", debug_of(line) or body.function.debug)
        body.out.append(line)

    def drop(self, line: str) -> None:
        """A fence orders nothing in a sequential program."""

    def assembly_with_jumps(self, line: str) -> None:
        self.body.unsupported("inline assembly with jumps (asm goto)", debug_of(line))
        self.body.out.append(line)

    def unknown(self, line: str) -> None:
        found = _OPCODE.match(line)
        self.body.unsupported(f"the instruction {found[1] if found else line}", debug_of(line))
        self.body.out.append(line)


def finish_globals(module: ModuleText) -> None:
    """Globals become internal and ordinary; bytes that no initialiser sets are zero, as in C."""
    for name, line in module.globals.items():
        if name.startswith("llvm."):
            continue
        module.globals[name] = without_undefined(line)
    for name in ("llvm.global_ctors", "llvm.global_dtors", "llvm.used", "llvm.compiler.used"):
        module.globals.pop(name, None)


_ALIAS = re.compile(rf"^@({NAME}) = [^\n]*?\balias [^\n]*, ptr @({NAME})[^\n]*\n", re.MULTILINE)
_UNSIZED = re.compile(rf"^@({NAME}) = (?:[\w()]+ )*?external (?:[\w()]+ )*?(?:global|constant) \[0 x ")


def without_aliases(text: str, kept: frozenset[str]) -> str:
    """The module with aliases replaced by what they stand for; those in `kept` become declared functions."""
    if " alias " not in text:
        return text
    targets = dict(_ALIAS.findall(text))
    declared = [name for name in targets if name in kept]
    for name in declared:
        del targets[name]
    text = _ALIAS.sub("", text) + "".join(f"declare void @{name}()\n" for name in declared)

    def target(match: re.Match[str]) -> str:
        name = match[1]
        for _ in range(16):  # an alias may name another; a cycle is rejected by the compiler
            name = targets.get(name, name)
        return f"@{name}"

    return re.sub(rf"@({NAME})", target, text)


_ATTRIBUTED = re.compile(rf"^(?:define|declare) [^\n]*?@({NAME})\([^\n]*\) [^\n]*?#(\d+)", re.MULTILINE)
_NORETURN_GROUP = re.compile(r"^attributes #(\d+) = \{[^\n]*?\bnoreturn\b", re.MULTILINE)


def arguments_read(entry: FunctionText | None) -> frozenset[int]:
    """The positions of the parameters that the entry function reads."""
    parameters = entry.parameters if entry is not None else []
    return frozenset(p for p in range(len(parameters)) if entry is not None and arguments.is_read(entry, p))


def noreturn_functions(text: str) -> frozenset[str]:
    """The functions that are declared not to return."""
    groups = set(_NORETURN_GROUP.findall(text))
    return frozenset(unquoted(name) for name, group in _ATTRIBUTED.findall(text) if group in groups)


def unsized_externals(module: ModuleText) -> re.Pattern[str] | None:
    """Finds mentions of extern arrays whose size no file tells: there is no object to give them."""
    names = [found[1] for line in module.globals.values() if (found := _UNSIZED.match(line)) is not None]
    if not names:
        return None
    return re.compile("@(?:" + "|".join(map(re.escape, names)) + r")(?![-\w.$])")
