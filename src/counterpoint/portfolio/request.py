"""What the user asked for, before anything was read; and the source task that it names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from counterpoint import property as properties
from counterpoint.core.errors import UnusableInput
from counterpoint.frontend import languages
from counterpoint.frontend.task import (
    ADDRESSES,
    ASSEMBLY,
    CALLBACKS,
    PLAIN_DATA_MODEL,
    TASK_DATA_MODEL,
    VOLATILE,
    SourceTask,
    TaskDefinition,
    check_source,
    language_of,
    property_named,
    read_task_definition,
    with_compilation_database,
)

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Request:
    """One check. `timeout` in seconds of wall time, `memory` in bytes, both for the whole check.

    None stands for what the task definition says, or else unreach-call and the host's data model, LP64. `engines`
    are names, or ("auto",) for the standard schedule; `prepare` is "default" or "none"; `callbacks` one of
    frontend.task.CALLBACKS, `asm` of ASSEMBLY, `volatile` of VOLATILE, `addresses` of ADDRESSES there;
    `malloc_may_fail` and `malloc_limit` as in frontend.task.SourceTask.
    `options` are (name, value) pairs for the engines, as `engines.options` lists them. `recording`: the result is to
    hold the growth of region graphs. `proof_runs`: accepted proofs have to survive runs (portfolio/proof_runs.py).
    """

    files: tuple[Path, ...]
    property: str | None = None
    data_model: str | None = None
    target: str | None = None
    entry: str = "main"
    engines: tuple[str, ...] = ("auto",)
    timeout: float = 60.0
    memory: int = 4 * GIB
    jobs: int = 2
    seed: int = 0
    include: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str = "gnu11"
    compilation_database: Path | None = None
    cc: str | None = None
    callbacks: str = "unsupported"
    asm: str = "unsupported"
    volatile: str = "ordinary"
    addresses: str = "fresh"
    malloc_may_fail: bool = False
    malloc_limit: bool = False
    prepare: str = "default"
    options: tuple[tuple[str, str], ...] = ()
    recording: bool = False
    proof_runs: bool = True

    def assumed_data_model(self) -> str:
        """The target or data model as far as it is known before any file is read."""
        is_definition = any(_is_definition(path) for path in self.files)
        return self.target or self.data_model or (TASK_DATA_MODEL if is_definition else PLAIN_DATA_MODEL)

    def compilation(self) -> dict[str, object]:
        """The options that say how the files are compiled, for the result."""
        database = self.compilation_database
        return {
            "target": self.target,
            "include": list(self.include),
            "defines": list(self.defines),
            "std": self.std,
            "compilation_database": str(database) if database is not None else None,
            "cc": self.cc,
            "callbacks": self.callbacks,
            "asm": self.asm,
            "volatile": self.volatile,
            "addresses": self.addresses,
            "malloc_may_fail": self.malloc_may_fail,
            "malloc_limit": self.malloc_limit,
        }


def source_task(request: Request) -> SourceTask:
    """The task that the request names. Raises UnusableInput with one line on what is wrong."""
    if not request.files:
        raise UnusableInput(f"no input file: name {_inputs()}")
    for name, value, known in (
        ("callbacks", request.callbacks, CALLBACKS),
        ("asm", request.asm, ASSEMBLY),
        ("volatile", request.volatile, VOLATILE),
        ("addresses", request.addresses, ADDRESSES),
    ):
        if value not in known:
            raise UnusableInput(f"{name} is `{value}`: expected one of {', '.join(known)}")
    definitions = [path for path in request.files if _is_definition(path)]
    if definitions and len(request.files) > 1:
        raise UnusableInput(f"{definitions[0]}: a task definition names its own files: give it alone")
    if definitions:
        task = _from_definition(read_task_definition(definitions[0]), request)
    else:
        for path in request.files:
            _reject_other_languages(path)
            check_source(path)
        language = language_of(request.files)
        task = SourceTask(files=request.files, property=request.property or properties.DEFAULT, language=language)
    task = replace(
        task,
        property=_property_name(task.property),
        data_model=request.data_model or task.data_model,
        target=request.target,
        entry=request.entry,
        include=request.include,
        defines=request.defines,
        std=request.std,
        cc=request.cc,
        callbacks=request.callbacks,
        asm=request.asm,
        volatile=request.volatile,
        addresses=request.addresses,
        malloc_may_fail=request.malloc_may_fail,
        malloc_limit=request.malloc_limit,
    )
    declared = languages.language(task.language)
    if declared is not None and declared.properties and task.property not in declared.properties:
        listed = " or ".join(declared.properties)
        raise UnusableInput(f"{task.files[0]}: {declared.limit}: give {listed}, or no --property")
    if request.compilation_database is not None:
        task = with_compilation_database(task, request.compilation_database)
    return task


def _is_definition(path: Path) -> bool:
    return path.suffix in (".yml", ".yaml")


def _property_name(name: str) -> str:
    """The name that stands for the property with just the checks asked for."""
    wanted = property_named(name)
    if wanted.kinds == properties.named(wanted.name).kinds:
        return wanted.name
    if len(wanted.kinds) == 1:
        return wanted.kinds[0]
    raise UnusableInput(f"{name}: states only some parts of {wanted.name}: give all, or one at a time")


def _from_definition(definition: TaskDefinition, request: Request) -> SourceTask:
    for path in definition.task.files:
        _reject_other_languages(path)
    if request.property is not None:
        return definition.for_property(request.property)
    if not definition.expectations and definition.unchecked:
        listed = ", ".join(definition.unchecked)
        raise UnusableInput(f"{definition.path}: asks only for {listed}, which cannot be checked yet")
    return definition.task


def _reject_other_languages(path: Path) -> None:
    if path.suffix in (".json", ".prp", ".set"):
        raise UnusableInput(f"{path}: expected {_inputs()}")


def _inputs() -> str:
    others = (f"one {language.title} ({language.suffix})" for language in languages.languages())
    return f"C files (.c, .i), {', '.join(others)} or one task definition (.yml)"
