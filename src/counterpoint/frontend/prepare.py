"""From a task to prepared LLVM IR: compile, link, define, run passes.

`compile_task` does what the preparations of one task share; `prepared` the rest.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from counterpoint import property as properties
from counterpoint.core.errors import InternalError, UnusableInput
from counterpoint.core.printable import shown
from counterpoint.core.records import dataclass
from counterpoint.core.source import CheckSite, Site, SourceLocation
from counterpoint.frontend.annotations import annotations_of
from counterpoint.frontend.c import clang, unfinished_expressions
from counterpoint.frontend.c.compiler_warnings import CompilerWarning, warnings
from counterpoint.frontend.c.constant_expressions import without_value
from counterpoint.frontend.c.constant_parts import constant_globals
from counterpoint.frontend.c.diagnostics import remarks
from counterpoint.frontend.c.function_objects import definitions
from counterpoint.frontend.c.library import LIBC_NAME
from counterpoint.frontend.c.link import defines_entry, link
from counterpoint.frontend.c.static_literals import with_static_literals
from counterpoint.frontend.definition.module import define_module
from counterpoint.frontend.definition.program_start import START
from counterpoint.frontend.definition.symbols import noreturn_functions
from counterpoint.frontend.editing.obligations import with_checks
from counterpoint.frontend.passes import (
    PREPARATIONS,
    as_written,
    cleanup,
    inlinable_functions,
    large_functions,
    recursive_functions,
    run_passes,
)
from counterpoint.frontend.task import ARBITRARY, BEFORE_RETURN, OUTPUTS_ONLY, REUSED, SourceTask
from counterpoint.program.annotations import Annotation
from counterpoint.program.names import plain
from counterpoint.property import Instrument, Property


@dataclass(frozen=True, slots=True)
class PreparedModule:
    """LLVM IR in which everything is defined; runs start at `__cp_main`.

    `sites` and `checks` are the tables that kernel calls refer to; `assumptions` sentences that any
    verdict rests on; `timings` seconds by step.
    """

    text: str
    sites: tuple[Site, ...]
    checks: tuple[CheckSite, ...]
    assumptions: tuple[str, ...]
    preparation: str
    property: Property
    timings: dict[str, float]


@dataclass(frozen=True, slots=True)
class DefinedModule:
    """A task's program before LLVM's passes. `models` are its library models, `large_models` those of them that other
    code calls and that are large; `inlinable` all that can be inlined; `partly_constant` static objects with constant
    parts; `warnings` what clang warns of in its files; `annotations` what their comments say."""

    text: str
    sites: tuple[Site, ...]
    checks: tuple[CheckSite, ...]
    assumptions: tuple[str, ...]
    property: Property
    models: frozenset[str]
    inlinable: frozenset[str]
    partly_constant: frozenset[str]
    timings: dict[str, float]
    warnings: tuple[CompilerWarning, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    large_models: frozenset[str] = frozenset()

    def prepared(self, preparation: str) -> PreparedModule:
        """The module after one of PREPARATIONS."""
        if preparation not in PREPARATIONS:
            raise InternalError(f"unknown preparation `{preparation}`")
        started = time.perf_counter()
        outlined = self.models - self.large_models
        none = frozenset[str]()
        inlined = {"none": none, "modular": self.models, "outlined": outlined, "flat": self.inlinable}[preparation]
        sites = list(self.sites)
        text = run_passes(self.text, preparation, self.property, inlined, sites, self.partly_constant)
        text = cleanup.without_unused_inputs(text, sites)
        timings = {**self.timings, "passes": time.perf_counter() - started}
        return PreparedModule(text, tuple(sites), self.checks, self.assumptions, preparation, self.property, timings)


    def as_written(self) -> PreparedModule:
        """The module before any pass: its runs are those of `none`, with every variable of the source in memory."""
        sites = list(self.sites)
        text = as_written(self.text, sites, self.property)
        return PreparedModule(text, tuple(sites), self.checks, self.assumptions, "none", self.property, {})


def compile_task(task: SourceTask) -> DefinedModule:
    """Compiles, links and defines a task's program.

    Raises UnusableInput (bad files, options, entry) and CompilationFailed (clang's first error).
    """
    started = time.perf_counter()
    with with_checks(task) as task:
        compiled = clang.compile_all(task)
        if not defines_entry(task, [file.code for file in compiled]):
            compiled = clang.compile_all(replace(task, extra=(*task.extra, *clang.WITH_UNUSED)))
        return define_task(task, compiled, time.perf_counter() - started)


def define_task(task: SourceTask, compiled: list[clang.Compiled], seconds: float = 0.0) -> DefinedModule:
    """`compile_task` behind the compiler, which took so many seconds. Raises UnusableInput."""
    property_ = properties.named(task.property)
    timings = {"clang": seconds}
    started = time.perf_counter()

    def lap(step: str) -> None:
        nonlocal started
        now = time.perf_counter()
        timings[step] = now - started
        started = now

    linked = link(task, [file.code for file in compiled])
    source, endings = task, noreturn_functions(linked)
    if property_.asks_for(Instrument.LEAKS) and unfinished_expressions.is_cut_short(linked):
        again = clang.compile_returning(task)
        if again:
            source, linked = clang.returning(task), link(task, again)
    linked, literals_known = with_static_literals(source, linked)
    lap("link")
    module, tables = define_module(
        linked,
        property_,
        plain(task.entry),
        callbacks=task.callbacks == BEFORE_RETURN,
        assembly=task.asm == OUTPUTS_ONLY,
        volatile_=task.volatile == ARBITRARY,
        reused=task.addresses == REUSED,
        remarked=remarks(compiled, property_).with_folded(without_value(task, property_)),
        defined=replace(definitions(source, linked), statics_known=literals_known),
        noreturn=endings,
        macros=cache(partial(_macros, task)),
    )
    if tables.undefined and not task.assumed_functions:
        raise UnusableInput(_undefined(tables.undefined))
    said = () if task.is_translated else (file.said for file in compiled)
    told = warnings(said, Path(clang.zig()).parent, tables.undefined, module.functions.keys())
    annotations, broken = annotations_of(task)
    lap("define")
    bodies = {name: function.lines for name, function in module.functions.items()}
    recursive = recursive_functions(bodies)
    kept = recursive | {name for name, function in module.functions.items() if function.own_frame}
    models = frozenset(
        name
        for name, function in module.functions.items()
        if name not in kept and tables.at(function.debug).file.startswith(LIBC_NAME)
    )
    inlinable = inlinable_functions(bodies, kept, START)
    partly = frozenset(constant_globals(module.globals, module.metadata))
    text = module.text()
    lap("print")
    return DefinedModule(
        text, tuple(tables.sites), tuple(tables.checks), tuple(tables.assumptions), property_,
        models, inlinable, partly, timings, (*told, *broken), annotations, large_functions(bodies, models),
    )  # fmt: skip


def _macros(task: SourceTask) -> frozenset[str]:
    """Names that are macros in one of the files, their headers and options among them."""
    return frozenset[str]().union(*(clang.macros(task, file) for file in task.files))


def _undefined(functions: Mapping[str, SourceLocation]) -> str:
    (name, at), *others = functions.items()
    more = f" (and {len(others)} more: {', '.join(shown(other) for other, _ in others[:5])})" if others else ""
    return (
        f"{at}: `{shown(name)}` is called but has neither a body nor a model{more}: give the file that defines it, or"
        " leave out --no-assumed-functions"
    )


def prepare(task: SourceTask, preparation: str) -> PreparedModule:
    """One task's program after one preparation; see compile_task for what is raised."""
    return compile_task(task).prepared(preparation)
