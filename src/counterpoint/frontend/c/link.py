"""Links the compiled files and the library models that they need into one module."""

from __future__ import annotations

import contextlib
from collections.abc import Set

import llvmlite.binding as llvm

from counterpoint import property as properties
from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.frontend.c.bitcode import read, refuse_nul
from counterpoint.frontend.c.library import LIBC_NAME, library
from counterpoint.frontend.c.link_roots import AT_EXIT, AT_QUICK_EXIT, REGISTERING, section_of
from counterpoint.frontend.c.reserved_names import refuse_reserved
from counterpoint.frontend.lower.text import quoted, unescaped
from counterpoint.frontend.printed import printed_first
from counterpoint.frontend.task import SourceTask
from counterpoint.property import Instrument

_UNMENTIONED = frozenset({AT_EXIT, AT_QUICK_EXIT})
"""Models that only the front end calls."""
ENDS = frozenset({"abort", "exit", "__assert_fail", "reach_error"})


def link(task: SourceTask, compiled: list[bytes]) -> str:
    """The whole program as text: all files, the models they need, nothing that `entry` cannot reach.

    Raises UnusableInput if the files do not fit together.
    """
    for code in compiled:
        refuse_nul(code)
    try:
        modules = [read(code) for code in compiled]
        for code, module in zip(compiled, modules, strict=True):
            refuse_reserved(code, module)
            _refuse_library(code, module)
        return _linked(task, modules)
    except UnicodeDecodeError:
        raise UnusableInput("the program has a symbol whose name is no UTF-8 text") from None


_FILE = regex(r'!DIFile\(filename: "([^"]*)", directory: "([^"]*)"')


def _refuse_library(code: bytes, module: llvm.ModuleRef) -> None:
    """Raises UnusableInput if code of the user's says that it comes from the folder of the models, or one like it."""
    if LIBC_NAME.encode() not in code:
        return
    for name, folder in _FILE.findall(printed_first(module)):
        if LIBC_NAME in quoted(folder) + quoted(name):
            raise UnusableInput(f"{quoted(name)}: {LIBC_NAME} is what the checker's own library is called: rename it")


def defines_entry(task: SourceTask, compiled: list[bytes]) -> bool:
    """Whether the function where runs start is among what was compiled; `main` is, or it is nowhere."""
    if task.entry == "main":
        return True
    with contextlib.suppress(UnicodeDecodeError, UnusableInput):
        names = (function.name for code in compiled for function in read(code).functions if not function.is_declaration)
        return task.entry in names
    return True


def _linked(task: SourceTask, modules: list[llvm.ModuleRef]) -> str:
    whole = modules[0]
    for module in modules[1:]:
        try:
            whole.link_in(module)
        except RuntimeError as error:
            raise UnusableInput(f"the files do not link: {_first_line(error)}") from None
    undefined = {function.name for function in whole.functions if function.is_declaration}
    roots = {task.entry}
    if any(needs_model(name) for name in undefined):
        reads_output = _asks_for_accesses(task) or counts_output(whole)
        models = library(task, reads_output, tells_errors=not undefined.isdisjoint(_ERRNO))
        if undefined & REGISTERING:
            roots |= _UNMENTIONED
        if undefined & models.functions:
            variables = {variable.name for variable in whole.global_variables if variable.is_declaration}
            whole.link_in(models.module(undefined | variables | roots & _UNMENTIONED, _UNMENTIONED))
    if task.entry in {function.name for function in whole.functions if not function.is_declaration}:
        keep_reachable(whole, roots)
    return printed_first(whole)


_ERRNO = frozenset({"__errno_location", "___errno_location", "__errno", "__error"})
"""What `errno` stands for in the headers of C libraries (libc/errno.c)."""

_COUNTS_OUTPUT = regex(rb"%[-+ #0-9.*hlqjzt]*n")
_STRING = regex(r'[@$]"[^"]*"|c"([^"]*)"')


def counts_output(module: llvm.ModuleRef) -> bool:
    """Whether a string of the program may be a format with `%n`, by which printing writes to memory."""
    strings = (found[1] for text in global_lines(module) if ' c"' in text for found in _STRING.finditer(text))
    return any(_COUNTS_OUTPUT.search(unescaped(string)) for string in strings if string)


def global_lines(module: llvm.ModuleRef) -> list[str]:
    """A line for each of its global variables, in their order, and then those of aliases. The module is printed once:
    to print one value of it LLVM numbers all that there is."""
    return [line for line in str(module).split("\n") if line.startswith("@")]


def _asks_for_accesses(task: SourceTask) -> bool:
    return properties.named(task.property).asks_for(Instrument.ACCESSES)


def needs_model(name: str) -> bool:
    """Whether an undefined function may have a model; the front end knows the others itself."""
    known = name in ENDS or name.startswith(("llvm.", "__VERIFIER_", "__cp_", "__counterpoint_"))
    return not known


def keep_reachable(module: llvm.ModuleRef, roots: Set[str]) -> None:
    """Removes functions and objects that nothing reachable from `roots` or from a table of constructors mentions."""
    lines = zip(module.global_variables, global_lines(module), strict=False)
    listed = {value.name for value, line in lines if section_of(line)[0]}
    for function in module.functions:
        if function.name in roots and function.linkage.name == "internal":
            function.linkage = "external"
    for value in (*module.functions, *module.global_variables):
        keep = value.name in roots or value.name in listed or value.name.startswith("llvm.")
        if not keep and not value.is_declaration and value.linkage.name != "private":
            value.linkage = "internal"
    builder = pass_builder(module)
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, builder)


def pass_builder(module: llvm.ModuleRef) -> llvm.PassBuilder:
    """A pass builder for the module's own target. Raises UnusableInput for a target that LLVM lacks here, or that keeps
    code, locals or globals in an address space of their own (AVR, GPUs): addresses are of one kind in a program."""
    apart = [spec for spec in module.data_layout.split("-") if spec[:1] in ("P", "A", "G") and spec[1:] != "0"]
    if apart:
        said = f"target `{module.triple}` has several address spaces ({', '.join(apart)})"
        raise UnusableInput(f"{said}: choose another --target")
    try:
        target = llvm.Target.from_triple(module.triple)
    except RuntimeError:
        llvm.initialize_all_targets()
        try:
            target = llvm.Target.from_triple(module.triple)
        except RuntimeError:
            raise UnusableInput(f"target `{module.triple}` is unknown: choose another --target") from None
    machine = target.create_target_machine()
    return llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
