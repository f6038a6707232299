"""From sets, folders and task definitions to the questions of a benchmark run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from counterpoint.core.documents import read_text
from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.frontend.languages import languages
from counterpoint.frontend.task import PLAIN_DATA_MODEL, check_source
from counterpoint.portfolio.task_definition import read_task_definition
from counterpoint.property import DEFAULT

_DEFINITIONS = (".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class BenchTask:
    """One question: a task definition or a plain file, and a property, with the answer it should get.

    `expected` None: no verdict is stated (a plain file states none), or the property cannot be checked here.
    `definition` is the plain file itself where there is no definition; `family` is its folder; `name` is unique
    together with `property`.
    """

    definition: Path
    name: str
    family: str
    property: str
    expected: bool | None
    subproperty: str = ""
    files: tuple[Path, ...] = ()
    data_model: str = PLAIN_DATA_MODEL


def collect(paths: Iterable[Path], property_: str | None = None) -> tuple[BenchTask, ...]:
    """All questions that the paths name, each once, in the order given.

    A path is a `.set` file (lines of paths or patterns, relative to it), a folder (its task definitions, all
    levels), a task definition or a plain file, which is about `property_`, or else unreach-call. With `property_`
    only tasks about it. Raises UnusableInput.
    """
    seen: dict[Path, None] = {}
    for path in paths:
        for definition in _definitions(path):
            seen.setdefault(definition.resolve())
    tasks = [task for definition in seen for task in _tasks(definition, property_ or DEFAULT)]
    if property_ is not None:
        tasks = [task for task in tasks if task.property == property_]
    if not tasks:
        raise UnusableInput("no task to run: the sets, folders and property given name none")
    return tuple(tasks)


def _definitions(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from sorted(path.rglob("*.yml"))
    elif path.suffix == ".set":
        for number, line in enumerate(read_text(path, "task set").splitlines(), 1):
            yield from _matches(path, number, line.split("#")[0].strip())
    elif path.suffix in (*_DEFINITIONS, *_plain()):
        yield path
    else:
        raise UnusableInput(f"{path}: expected a .set file, a folder, a task definition (.yml) or a C file")


def _matches(path: Path, number: int, pattern: str) -> list[Path]:
    if not pattern:
        return []
    if "\0" in pattern:
        raise UnusableInput(f"{path}:{number}: expected a path, or a pattern of paths")
    if not any(character in pattern for character in "*?["):
        return [path.parent / pattern]
    base, rest = path.parent, pattern
    while rest.startswith("../"):
        base, rest = base.parent, rest[3:]
    try:
        found = sorted(base.glob(rest))
    except (ValueError, NotImplementedError, OSError) as error:
        raise UnusableInput(f"{path}:{number}: `{pattern}` is no pattern: {error}") from None
    if not found:
        raise UnusableInput(f"{path}:{number}: `{pattern}` matches no file")
    return found


def _plain() -> tuple[str, ...]:
    return (".c", ".i", *(language.suffix for language in languages()))


def _tasks(path: Path, plain_property: str) -> Iterator[BenchTask]:
    if path.suffix in _plain():
        check_source(path)
        name = f"{path.parent.name}/{path.name}"
        yield BenchTask(path, name, path.parent.name, plain_property, None, files=(path,))
        return
    definition = read_task_definition(path)
    files, model = definition.files, definition.data_model
    name, family = f"{path.parent.name}/{path.stem}", path.parent.name
    for wanted in definition.expectations:
        yield BenchTask(
            path, name, family, wanted.property, wanted.verdict, wanted.subproperty, files, model
        )
    for unchecked in definition.unchecked:
        yield BenchTask(path, name, family, unchecked, None, "", files, model)
