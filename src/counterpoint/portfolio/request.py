"""What the user asked for, and the one place where it is read: the source task that it names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from counterpoint import property as properties
from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.frontend import languages
from counterpoint.frontend.task import (
    ADDRESSES,
    ANNOTATIONS,
    ASSEMBLY,
    CALLBACKS,
    PLAIN_DATA_MODEL,
    TASK_DATA_MODEL,
    VOLATILE,
    SourceTask,
    check_source,
)
from counterpoint.portfolio.compilation_database import Database, compilation_database
from counterpoint.portfolio.task_definition import TaskDefinition, language_of, property_named, read_task_definition

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Request:
    """One check. `timeout` in seconds of wall time, `memory` in bytes, both for the whole check.

    None stands for what the task definition says, or else unreach-call and the host's data model, LP64. `property` may
    be a property file, and where `portfolio.several` is asked, several names (portfolio/asked.py). `engines`
    are names, or ("auto",) for the standard schedule; `prepare` is "default", "modular" or
    "none"; calls of the functions `contracts` ("all", or names with commas between them) go by contract;
    `callbacks` one of frontend.task.CALLBACKS, `asm` of ASSEMBLY, `volatile` of VOLATILE, `addresses` of ADDRESSES,
    `annotations` of ANNOTATIONS there; `malloc_may_fail`, `malloc_limit` and `assumed_functions` as in
    frontend.task.SourceTask.
    `options` are (name, value) pairs for the engines, as `engines.options` lists them. `recording`: the result is to
    hold the growth of region graphs and, unless `listing` is off, the sources with what tests covered. `proof_runs`:
    accepted proofs have to survive runs (portfolio/proof_runs.py);
    `shrink`: failing runs are made shorter and simpler (portfolio/shrinking.py).
    `reuse`: a folder for answers and proofs of earlier checks and for those of this one (docs/reuse.md).
    `cache`: a folder for whole results (portfolio/kept_results.py); `check_cache`: others write to it, too, so evidence
    of it is checked again.
    `findings`: "more", the search goes on behind a violation (portfolio/findings.py), or "first".
    `begun`: from when on the time counts (of the monotonic clock); None: from when the check is called.
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
    annotations: str = "candidates"
    malloc_may_fail: bool = False
    malloc_limit: bool = False
    prepare: str = "default"
    contracts: str = ""
    options: tuple[tuple[str, str], ...] = ()
    recording: bool = False
    listing: bool = True
    proof_runs: bool = True
    assumed_functions: bool = True
    shrink: bool = True
    findings: str = "first"
    reuse: Path | None = None
    cache: Path | None = None
    check_cache: bool = False
    begun: float | None = None

    def assumed_data_model(self) -> str:
        """The target or data model as far as it is known before any file is read."""
        is_definition = any(_is_definition(path) for path in self.files)
        return self.target or self.data_model or (TASK_DATA_MODEL if is_definition else PLAIN_DATA_MODEL)

    def compilation(self) -> dict[str, object]:
        """The options that say how the files are compiled, for the result."""
        said = {name: getattr(self, name) for name in COMPILATION}
        database = self.compilation_database
        return said | {
            "include": list(self.include),
            "defines": list(self.defines),
            "compilation_database": str(database) if database is not None else None,
        }


COMPILATION: Final = (
    *("target", "include", "defines", "std", "compilation_database", "cc"),
    *("callbacks", "asm", "volatile", "addresses", "annotations", "malloc_may_fail", "malloc_limit"),
)
"""The options that say how files are compiled: fields of Request, and all but one of SourceTask."""

_CHOICES: Final = {
    "callbacks": CALLBACKS, "asm": ASSEMBLY, "volatile": VOLATILE, "addresses": ADDRESSES, "annotations": ANNOTATIONS,
}  # fmt: skip


def source_task(request: Request) -> SourceTask:
    """The task that the request names: what the front end has to know of it, with the documents that it names.

    Raises UnusableInput with one line on what is wrong.
    """
    if not request.files:
        raise UnusableInput(f"no input file: name {_inputs()}")
    for name, known in _CHOICES.items():
        if getattr(request, name) not in known:
            raise UnusableInput(f"{name} is `{getattr(request, name)}`: expected one of {', '.join(known)}")
    if not isinstance(request.contracts, str):
        raise UnusableInput("contracts is no text: expected all, or names of functions with commas between them")
    if request.target and request.data_model:
        raise UnusableInput("--data-model and --target: choose one, as the target says widths")
    stated = _stated(request.files)
    options: dict[str, Any] = {name: getattr(request, name) for name in COMPILATION if name != "compilation_database"}
    task = SourceTask(
        stated.files,
        request.data_model or stated.data_model,
        language=stated.language,
        property=_property_name(request.property or _first_property(stated)),
        entry=request.entry,
        assumed_functions=request.assumed_functions,
        **options,
    )
    _check_property_of_language(task)
    if request.compilation_database is None:
        return task
    return recorded(task, compilation_database(request.compilation_database), asked=request)


def recorded(task: SourceTask, database: Database, asked: Request) -> SourceTask:
    """The task as the database says that its files are compiled; for its machine where none was asked for.

    Raises UnusableInput."""
    own = database.own(task.files)
    if asked.target is not None or asked.data_model is not None:
        return replace(task, own=own)
    machine = database.machine(task.files)
    if not machine.name:
        return replace(task, own=own)
    own = tuple((file, (*machine.options, *words)) for file, words in own)
    return replace(task, own=own, target=machine.target, data_model=machine.data_model or task.data_model)


def stated_language(files: tuple[Path, ...]) -> str:
    """The language of the program that these files are, or that a task definition names. Raises UnusableInput."""
    if not files:
        raise UnusableInput(f"no input file: name {_inputs()}")
    return _stated(files).language


def _stated(files: tuple[Path, ...]) -> TaskDefinition:
    """The task definition; files that are given by themselves are one that expects nothing."""
    definitions = [path for path in files if _is_definition(path)]
    if definitions and len(files) > 1:
        raise UnusableInput(f"{definitions[0]}: a task definition names its own files: give it alone")
    if definitions:
        definition = read_task_definition(definitions[0])
        for path in definition.files:
            _reject_other_documents(path)
        return definition
    for path in files:
        _reject_other_documents(path)
        check_source(path)
    return TaskDefinition(files[0], files, PLAIN_DATA_MODEL, language_of(files), (), ())


def _first_property(stated: TaskDefinition) -> str:
    """The first that can be checked."""
    if stated.expectations:
        return stated.expectations[0].property
    if stated.unchecked:
        listed = ", ".join(stated.unchecked)
        raise UnusableInput(f"{stated.path}: asks only for {listed}, which cannot be checked yet")
    return properties.DEFAULT


def _check_property_of_language(task: SourceTask) -> None:
    declared = languages.language(task.language)
    if declared is not None and declared.properties and task.property not in declared.properties:
        listed = " or ".join(declared.properties)
        raise UnusableInput(f"{task.files[0]}: {declared.limit}: give {listed}, or no --property")


def _is_definition(path: Path) -> bool:
    return path.suffix in (".yml", ".yaml")


def _property_name(name: str) -> str:
    """The name that stands for the property with just the checks asked for."""
    if name == properties.ALL or ("," in name and not name.endswith(".prp")):
        raise UnusableInput(f"--property {name}: one property at a time here (`check` takes several)")
    wanted = property_named(name)
    if wanted.kinds == properties.named(wanted.name).kinds:
        return wanted.name
    if len(wanted.kinds) == 1:
        return wanted.kinds[0]
    raise UnusableInput(f"{name}: states only some parts of {wanted.name}: give all, or one at a time")


def _reject_other_documents(path: Path) -> None:
    if path.suffix in (".json", ".prp", ".set"):
        raise UnusableInput(f"{path}: expected {_inputs()}")


def _inputs() -> str:
    others = (f"one {language.title} ({language.suffix})" for language in languages.languages())
    return f"C files (.c, .i), {', '.join(others)} or one task definition (.yml)"
