"""The lines of one body: each is copied or rewritten; nothing in it is undefined then, and the checks are explicit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.debug_fields import NAME_FIELD
from counterpoint.frontend.definition import (
    accesses,
    array_sizes,
    atomics,
    calls,
    computed_goto,
    constant_locals,
    exact_addresses,
    exposed,
    initialised,
    leaks,
    locals,
    nans,
    shifts,
    untested_sums,
    variable_arguments,
    vectors,
    volatile,
)
from counterpoint.frontend.definition.address_reuse import Looks
from counterpoint.frontend.definition.arithmetic import (
    check_folded_shift,
    guard_conversion,
    guard_division,
    guard_shift,
)
from counterpoint.frontend.definition.body import Body, label_of
from counterpoint.frontend.definition.calls import Errors, rewrite_call
from counterpoint.frontend.definition.constant_locals import ConstantLocals, Write
from counterpoint.frontend.definition.undefined_constants import arbitrary_operands, may_be_no_quotient
from counterpoint.frontend.irtext import debug_of
from counterpoint.frontend.lower.text import NAME, matching, quoted, split_commas
from counterpoint.program.names import original
from counterpoint.property import Instrument

_MADE_POINTER = regex(rf"  (%{NAME}) = inttoptr (i\d+) (%{NAME}) to ptr(?:,|$)")
_OPCODE = regex(r"^  (?:%[^ ]+ = )?(\w+)")
_LABEL_NAME = regex(r"#dbg_label\((!\d+), (!\d+)\)")
_BYVAL = regex(r"byval\(((?:[^()]|\([^()]*\))*)\)")


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
        parameters = frozenset(name for _, name in body.function.parameters)
        self.constants = ConstantLocals(found.by_name, parameters, body.shared.tables.metadata)
        body.constant = frozenset(name for name, local in found.by_name.items() if local.constant and local.fresh)
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
        asked = body.shared.property.asks_for
        self.folds_quotients = asked(Instrument.DIVISIONS) or asked(Instrument.UNDEFINED)
        self.no_quotient = False  # a phi that was just copied may be a quotient that does not exist
        self.shadows: initialised.Shadows | None = None
        if asked(Instrument.INITIALISED) and not body.shared.is_model(body.function):
            copied = [copy.own for copy in copies]
            self.shadows = initialised.Shadows(body, self.lines, found.by_name, unset, copied)
            self.handlers |= {"load": self.read, "store": self.written}
        if body.shared.numbers_of_pointers:
            self.handlers["ptrtoint"] = self.made_number
        if body.shared.untested_fields and not body.shared.is_model(body.function):
            self.defined = untested_sums.definitions(self.lines)
            self.handlers["add"] = self.untested_sum
        if asked(Instrument.ACCESSES):
            self.handlers |= {"load": self.load, "store": self.store, "inttoptr": self.made_pointer}

    def run(self) -> None:
        handlers, append = self.handlers, self.body.out.append
        volatile_ = self.body.shared.volatile
        floats_seen = self.body.shared.nans
        shared = self.body.shared
        looks = Looks(self.lines) if shared.reused and not shared.is_model(self.body.function) else None
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
            if self.folds_quotients:
                self.refuse_folded_quotient(line, opcode)
            if "poison" in line or "undef" in line:
                line = arbitrary_operands(self.body, line, opcode)
            if "getelementptr" in line:
                line = exact_addresses.guarded_constants(self.body, line)
            if volatile_ and " volatile " in line and self.volatile_access(line, opcode):
                continue
            if floats_seen and (opcode == "call" or opcode[0] == "f") and nans.rewrite(self.body, line):
                continue
            if looks is not None and looks.rewrite(self.body, line):
                continue
            if " atomic " in line and opcode in ("load", "store"):
                line = atomics.plain_access(line)
            if self.constants and self.written_constant(line, opcode):
                continue
            handler = handlers.get(opcode)
            if handler is None and opcode == "load" and "getelementptr" in line:
                handler = self.load_outside
            if handler is None:
                append(line)
            else:
                handler(line)

    def refuse_folded_quotient(self, line: str, opcode: str) -> None:
        """Runs that use a constant that may be a quotient without a value, which clang has computed, have no answer;
        for a phi that is any run of its block."""
        self.no_quotient |= may_be_no_quotient(line, opcode)
        if self.no_quotient and opcode != "phi":
            self.no_quotient = False
            self.body.unsupported("a quotient of constants that does not exist", debug_of(line))

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
            name = NAME_FIELD.search(self.body.shared.tables.metadata.get(found[1], ""))
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
            self.make_arbitrary(local, local.debug)

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
            self.make_arbitrary(local, local.debug or self.body.function.debug)

    def end_of_allocas(self) -> None:
        self.in_allocas = False
        if untold := self.untold():
            self.body.unsupported(f"{original(self.body.function.name)}, {untold}", self.body.function.debug)
        if self.shadows is not None:
            self.shadows.begin()
        for name, local in self.found.by_name.items():
            if name in self.held and not (local.fresh and local.marked):
                leaks.keep(self.body, local, local.debug or self.body.function.debug)
            if name in self.unset:
                self.make_arbitrary(local, local.debug or self.body.function.debug)
        for copy in self.copies:
            self.copy(copy)

    def untold(self) -> str:
        """What the compiler did not tell of locals that something else may reach, "" if nothing is missing."""
        body = self.body
        if not body.function.debug and self.found.any_kept:
            return "compiled without debug information (-g), of whose locals nobody says how long they live"
        if body.constant and not body.shared.atoms:
            return "whose const locals cannot be told from their initialisers by this compiler"
        told = body.shared.definitions
        if told.untold.get(body.function.name) or (not told.statics_known and body.function.name == body.shared.entry):
            return "of whose compound literals, or locals without a declaration, it is not known what is const in them"
        return ""

    def copy(self, copy: Copied) -> None:
        body, debug = self.body, self.body.function.debug
        if copy.own in body.constant:
            accesses.check_access(body, copy.given, body.shared.word, str(copy.size), debug)
            body.kernel("__cp_initialise", f"ptr {copy.own}, ptr {copy.given}, {body.shared.word} {copy.size}", debug)
        else:
            variable_arguments.copy(body, copy.own, copy.given, copy.size, debug)

    # ------------------------------------------------------------ instructions

    def call(self, line: str) -> None:
        started = locals.lifetime_start(line) if "lifetime.start" in line else None
        if started is None:
            rewrite_call(self.body, line, self.errors)
            if self.shadows is not None and "@llvm.mem" in line:
                self.shadows.copied(line)
            return
        self.body.out.append(line)
        local = self.found.by_name.get(started)
        if local is not None and not locals.overwritten_next(self.lines, self.position, local, self.body):
            self.make_arbitrary(local, local.debug or debug_of(line))

    def alloca(self, line: str) -> None:
        locals.check_dynamic_size(self.body, line)
        self.body.out.append(line)
        locals.make_dynamic_arbitrary(self.body, line)
        if self.shadows is not None and locals.is_dynamic(line):
            self.body.shared.tables.assume(initialised.ASSUMED)

    def division(self, line: str) -> None:
        if vectors.is_vector_operation(line):
            vectors.by_lanes(self.body, line, self.division)
        else:
            guard_division(self.body, line)

    def shift(self, line: str) -> None:
        check, self.shift_check = self.shift_check, None
        if vectors.is_vector_operation(line):
            vectors.by_lanes(self.body, line, self.shift)
        else:
            guard_shift(self.body, line, check)

    def untested_sum(self, line: str) -> None:
        untested_sums.refuse_greatest(self.body, line, self.defined)
        self.body.out.append(line)

    def element(self, line: str) -> None:
        vectors.element(self.body, line)

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
        if vectors.is_vector_operation(line):
            vectors.by_lanes(self.body, line, self.conversion)
        else:
            guard_conversion(self.body, line)

    def load(self, line: str) -> None:
        accesses.check_load(self.body, line)
        self.body.out.append(line)

    def store(self, line: str) -> None:
        accesses.check_store(self.body, line)
        self.body.out.append(line)

    def read(self, line: str) -> None:
        """A load, where reads of what has no value are looked for."""
        if self.shadows is not None and not accesses.arbitrary_read(self.body, line):
            self.shadows.read(line)
            self.body.out.append(line)

    def written(self, line: str) -> None:
        self.body.out.append(line)
        if self.shadows is not None:
            self.shadows.written(line)

    def address(self, line: str) -> None:
        accesses.note_address(self.body, line)
        self.body.out.append(exact_addresses.guarded_address(self.body, line))
        if self.shadows is not None:
            self.shadows.address(line)
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

    def made_number(self, line: str) -> None:
        """LLVM drops a number that nothing uses, with which C lets a number be made into this pointer."""
        self.body.out.append(line)
        exposed.by_cast(self.body, line)

    def start_of(self, address: str) -> str:
        return accesses.start_of(self.body, address)

    def written_constant(self, line: str, opcode: str) -> bool:
        """A write of a local that is defined const: its initialiser's, or invalid or without effect; False for
        anything else, and for what memory has to decide."""
        match self.constants.write_of(line, self.start_of):
            case Write.NONE:
                return False
            case Write.FORBIDDEN:
                if self.body.shared.property.asks_for(Instrument.ACCESSES):
                    self.body.violation("valid-deref", "invalid write: the object is const", debug_of(line))
            case Write.INITIAL if "sret(" in line:
                constant_locals.returned_into(self.body, line, self.handlers[opcode])
            case Write.INITIAL:
                constant_locals.initialise(self.body, line)
        return True

    def make_arbitrary(self, local: locals.Local, debug: str) -> None:
        """The local holds an arbitrary value from here on."""
        if self.shadows is not None:
            self.shadows.clear(local, debug)
        if not local.constant or not local.fresh:
            locals.make_arbitrary(self.body, local, debug)
            return
        scratch = constant_locals.scratch_for(self.body, local)
        locals.make_arbitrary(self.body, replace(local, name=scratch), debug)
        constant_locals.copy_into(self.body, local.name, scratch, self.body.locals[local.name], debug)

    def product(self, line: str) -> None:
        array_sizes.note_product(self.body, line)
        self.body.out.append(line)

    def narrow(self, line: str) -> None:
        exact_addresses.note_range(self.body, line)
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
        names = [self.body.fresh() for _ in range(5)]
        tried = ""
        if atomics.may_fail(line):
            tried = self.body.nondet("i1", "input", "weak compare-exchange", debug_of(line))
        self.sequential(line, atomics.plain_exchange(line, names, tried))

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
