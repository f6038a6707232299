"""What a compilation database (`compile_commands.json`) says of how files are compiled."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from counterpoint.core.documents import Given, read_json
from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.portfolio.recorded_command import Machine, machine_of, options_of, words_of

LARGEST = 256_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Command:
    """How a file is compiled: the words of the command, in the folder `base`."""

    file: Path
    base: Path
    words: tuple[str, ...]

    def options(self) -> tuple[str, ...]:
        """What gives the file its meaning. Raises UnusableInput."""
        try:
            return options_of(tuple(words_of(self.words, self.base)), self.base)
        except UnusableInput as error:
            raise UnusableInput(f"{self.file}: {error}") from None

    def machine(self) -> Machine:
        """What it is compiled for. Raises UnusableInput."""
        try:
            return machine_of(tuple(words_of(self.words, self.base)))
        except UnusableInput as error:
            raise UnusableInput(f"{self.file}: {error}") from None


@dataclass(frozen=True, slots=True)
class Database:
    """The commands by the real paths of their files; of a file that is compiled several times the first."""

    path: Path
    commands: Mapping[str, Command]

    def files(self) -> tuple[Path, ...]:
        """The C files, in the database's order. Raises UnusableInput where one of them is not there."""
        found = [command.file for command in self.commands.values() if command.file.suffix == ".c"]
        for file in found:
            if not os.path.isfile(file):  # noqa: PTH113 (of any length)
                raise UnusableInput(f"{self.path}: names {file}, which is not there: make it anew (docs/cmake.md)")
        return tuple(found)

    def mentions(self, file: Path) -> bool:
        """Whether it says how the file is compiled."""
        return os.path.realpath(file) in self.commands

    def own(self, files: Iterable[Path]) -> tuple[tuple[Path, tuple[str, ...]], ...]:
        """The options of each of the files; one that is not mentioned, a harness, has those of all others.

        Raises UnusableInput if none of them is mentioned.
        """
        options = {command.file: command.options() for command in self._of(files)}
        everything = tuple(dict.fromkeys(word for words in options.values() for word in words))
        found = []
        for file in files:
            command = self.commands.get(os.path.realpath(file))
            found.append((file, options[command.file] if command is not None else everything))
        return tuple(found)

    def machine(self, files: Iterable[Path]) -> Machine:
        """What those of the files that are mentioned are compiled for. Raises UnusableInput where they differ."""
        found: dict[tuple[str | None, str | None], tuple[Path, Machine]] = {}
        for command in self._of(files):
            machine = command.machine()
            found.setdefault((machine.data_model, machine.target), (command.file, machine))
        if len(found) > 1:
            said = [f"{file} is compiled for {machine.name or 'the host'}" for file, machine in found.values()][:2]
            raise UnusableInput(f"{self.path}: {', '.join(said)}: give --target or --data-model")
        return next(machine for _, machine in found.values())

    def _of(self, files: Iterable[Path]) -> list[Command]:
        found = [command for file in files if (command := self.commands.get(os.path.realpath(file))) is not None]
        if not found:
            listed = f"has no command for {' or '.join(map(str, files))}"
            raise UnusableInput(f"{self.path}: {listed}: name a file of the project, or leave -p out")
        return found


def compilation_database(directory: Path) -> Database:
    """That in `directory`/compile_commands.json. Raises UnusableInput if it is missing or broken."""
    path = directory / "compile_commands.json"
    found: dict[str, Command] = {}
    for entry in read_json(path, "compilation database", LARGEST).items():
        named, file = entry.get("directory"), entry.at("file")
        base = directory / named.text() if named is not None else directory
        source = Path(os.path.normpath(base / file.text()))
        found.setdefault(os.path.realpath(source), Command(source, base, _words(entry)))
    return Database(path, found)


def _words(entry: Given) -> tuple[str, ...]:
    """The words of a recorded command."""
    arguments, command = entry.get("arguments"), entry.get("command")
    if arguments is not None:
        return arguments.texts()
    if command is None:
        return ()
    try:
        return tuple(shlex.split(command.text()))
    except ValueError:
        command.refused("a command as a shell reads it")
