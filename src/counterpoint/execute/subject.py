"""The program under test in all its forms, each made once and when first asked for."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path

from counterpoint.core.records import dataclass
from counterpoint.execute.cases import split_cases
from counterpoint.execute.native.build import Executable, build
from counterpoint.frontend.lower import lower
from counterpoint.frontend.prepare import DefinedModule, PreparedModule, compile_task
from counterpoint.frontend.task import SourceTask, read_source
from counterpoint.program.annotations import NONE as NO_ANNOTATIONS
from counterpoint.program.annotations import Annotations
from counterpoint.program.cutting import Spot, cut_off, up_to
from counterpoint.program.focus import closed, focused, outermost
from counterpoint.program.graph import by_contract, call_sites
from counterpoint.program.held import without_lost
from counterpoint.program.inline import entered, inline
from counterpoint.program.model import Allocate, Program
from counterpoint.program.names import original
from counterpoint.program.source_lines import digest_of
from counterpoint.program.statements import split_statements
from counterpoint.program.validate import validate

FLAT = "flat"
"""All calls inlined that are not recursive, and optimised: what engines work on unless they say otherwise."""

UNPREPARED = "none"
"""The preparation on which violations are confirmed."""

INLINED = "inlined"
"""UNPREPARED with calls replaced by bodies (program/inline.py). Modules and native code are those of UNPREPARED."""

MODULAR = "modular"
"""All functions kept but those of library models."""

OUTLINED = "outlined"
"""MODULAR with the large ones of the library models kept, too."""

CALLED = "called"
"""The modular preparation with every function inlined that is called in one place only; its native code is modular."""

ENTERED = "entered"
"""OUTLINED with the bodies of what the user's entry calls in their places (program/inline.entered); its native code is
that of OUTLINED."""

STATEMENTS = "statements"
"""INLINED with a block for every statement of the source (program/statements.py)."""

WRITTEN = "written"
"""UNPREPARED before any pass, with the source's names and types (Program.names): what runs are told of. Its sites are
those of UNPREPARED where a run of that one consumes values."""

CASES = "cases"
"""FLAT with a copy of what follows for each value of an input that has few and decides much (execute/cases.py); FLAT
itself where there is none."""

ALL = "all"
"""All functions, where some are named."""

MADE_OF = {CASES: FLAT, INLINED: UNPREPARED, CALLED: MODULAR, ENTERED: OUTLINED, STATEMENTS: UNPREPARED}


@dataclass(slots=True)
class Subject:
    """One compiled source task. `preparation` is "flat", "modular" or "none" everywhere.

    Raises UnusableInput or CompilationFailed from the constructor function `compile_subject`.
    """

    task: SourceTask
    defined: DefinedModule
    _modules: dict[str, PreparedModule] = field(default_factory=dict)
    _programs: dict[str, Program] = field(default_factory=dict)
    _natives: dict[tuple[str, bool], Executable] = field(default_factory=dict)
    _whole: Subject | None = None
    _focus: frozenset[int] | None = None
    _outermost: bool = False
    _spots: frozenset[Spot] | None = None

    def focused(self, checks: frozenset[int]) -> Subject:
        """The same task, compiled and built once, in which only these checks (and with one for lost memory all of
        them) count: runs that violate another one end there (program/focus.py)."""
        whole, wanted = self.whole, closed(checks, self.defined.checks)
        if len(wanted) == len(self.defined.checks):
            return whole
        return Subject(self.task, self.defined, _whole=whole, _focus=wanted)

    def outermost(self) -> Subject:
        """The same task and focus, of which only what stands in the entry function counts. Of the preparation ENTERED
        that is the code of what the user's entry calls, in its activation from there; a proof says no more."""
        return Subject(self.task, self.defined, _whole=self.whole, _focus=self.focus, _outermost=True)

    def up_to_there(self, spots: frozenset[Spot]) -> Subject:
        """The same without what comes behind all checks in focus, with runs that end at these spots of the preparation
        ENTERED (program/cutting.py), in that one alone: its module, and other preparations, are those of the whole. For
        an `outermost` subject, in whose focus no lost memory is."""
        cut = Subject(self.task, self.defined, _whole=self.whole, _focus=self.focus, _outermost=True)
        cut._spots = spots
        return cut

    @property
    def whole(self) -> Subject:
        """The subject in which all checks count."""
        return self._whole or self

    @property
    def focus(self) -> frozenset[int]:
        """The checks that count, by their indices in Program.checks."""
        return frozenset(range(len(self.defined.checks))) if self._focus is None else self._focus

    def module(self, preparation: str) -> PreparedModule:
        """LLVM IR after the preparation, with its sites and checks, whatever the focus."""
        if self._whole is not None:
            return self._whole.module(preparation)
        preparation = MADE_OF.get(preparation, preparation)
        if preparation not in self._modules:
            self._modules[preparation] = self.defined.prepared(preparation)
        return self._modules[preparation]

    def program(self, preparation: str, contracts: tuple[str, ...] = ()) -> Program:
        """The preparation lowered to Program; those in MADE_OF as well. Calls of the functions `contracts`, by their
        names in the source or here, or of ALL, go by contract."""
        if contracts:
            return self._by_contract(preparation, contracts)
        if preparation not in self._programs:
            made = self._made(preparation)
            if preparation in MADE_OF and self._spots is None:
                validate(made)  # else it is a part of one that is valid, without some of its registers
            self._programs[preparation] = made
        return self._programs[preparation]

    def _by_contract(self, preparation: str, contracts: tuple[str, ...]) -> Program:
        key = f"{preparation} {' '.join(contracts)}"
        if key not in self._programs:
            program = self.program(preparation)
            wanted = frozenset(contracts)
            named = (n for n in program.functions if wanted & {ALL, n, original(n)})
            self._programs[key] = by_contract(program, named)
        return self._programs[key]

    def _made(self, preparation: str) -> Program:
        if self._whole is not None:
            made = focused(self._whole.program(preparation), self.focus)
            made = outermost(made) if self._outermost else made
            if preparation == ENTERED and self._spots is not None:
                return up_to(cut_off(made, self._spots), self.focus)
            return made
        match preparation:
            case "inlined":
                return inline(self.program(UNPREPARED))
            case "called":
                modular = self.program(MODULAR)
                calls = call_sites(modular)
                return inline(modular, lambda function: calls[function.name] == 1)
            case "entered":
                return entered(self.program(OUTLINED))
            case "cases":
                flat = self.program(FLAT)
                return split_cases(flat) or flat
            case "statements":
                return split_statements(self.program(INLINED))
            case "written":
                program = lower(self.defined.as_written(), named=True)
                return replace(program, sources={**program.sources, **self._translated()})
        program = lower(self.module(preparation), named=True)
        if preparation != UNPREPARED:
            program = without_lost(program)
        annotations = self._annotations() if self.defined.annotations else NO_ANNOTATIONS
        return replace(program, sources={**program.sources, **self._translated()}, annotations=annotations)

    def _annotations(self) -> Annotations:
        """With the types of variables, which only the program before any pass has in memory, all of them."""
        program = self.program(WRITTEN)
        found: dict[tuple[str, str], int] = {("", v.name): v.type for v in program.names.objects.values()}
        twice: set[tuple[str, str]] = set()
        for function in program.functions.values():
            for instruction in (i for block in function.blocks for i in block.instructions):
                known = program.names.locals.get(instruction.site) if isinstance(instruction, Allocate) else None
                if known is not None:
                    key = original(function.name), known.name
                    twice |= {key} & found.keys()
                    found[key] = known.type
        found = {key: type_ for key, type_ in found.items() if key not in twice}
        return Annotations(self.defined.annotations, program.names, found)

    def _translated(self) -> dict[str, str]:
        """The file that was translated to C, which the compiler has not seen."""
        if not self.task.is_translated:
            return {}
        here = f"{Path.cwd()}/"
        return {str(Path(here, file)).removeprefix(here): digest_of(read_source(file)) for file in self.task.files}

    def native(self, preparation: str, lean: bool = False) -> Executable:
        """The preparation as an instrumented native executable, `lean` for long replays; raises NotNative."""
        preparation = MADE_OF.get(preparation, preparation)
        if (preparation, lean) not in self._natives:
            self._natives[preparation, lean] = self._built(preparation, lean)
        return self._natives[preparation, lean]

    def _built(self, preparation: str, lean: bool) -> Executable:
        if self._whole is None:
            return build(self.module(preparation), lean)
        others = frozenset(range(len(self.defined.checks))) - self.focus
        return self._whole.native(preparation, lean).assuming(others)

    def close(self) -> None:
        """Removes the executables."""
        for executable in self._natives.values():
            executable.close()
        self._natives.clear()


def compile_subject(task: SourceTask) -> Subject:
    """Runs clang and makes everything defined; the preparations follow lazily."""
    return Subject(task, compile_task(task))
