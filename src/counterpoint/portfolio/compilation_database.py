"""What a compilation database (`compile_commands.json`) says of how files are compiled."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

from counterpoint.core.documents import Given, read_json
from counterpoint.core.errors import UnusableInput

LARGEST = 256_000_000  # bytes


def recorded_flags(files: Iterable[Path], directory: Path) -> tuple[str, ...]:
    """The -I, -D and -std that `directory`/compile_commands.json records for these files, each once.

    They are for all of them: also for a file that it does not mention, a harness. Raises UnusableInput if the database
    is missing, broken, or mentions none of the files.
    """
    path, database = _database(directory)
    by_file: dict[str, list[str]] = {}
    for entry in database.items():
        named = entry.get("directory")
        base = Path(named.text()) if named is not None else directory
        file = entry.get("file")
        if file is not None:
            by_file[os.path.realpath(base / file.text())] = _relevant(_words(entry), base)
    sources = [str(source) for source in files]
    known = [by_file[real] for real in map(os.path.realpath, sources) if real in by_file]
    if not known:
        listed = " or ".join(sources)
        raise UnusableInput(f"{path}: has no command for {listed}: name a file of the project, or leave -p out")
    return tuple(dict.fromkeys(flag for flags in known for flag in flags))


def recorded_files(directory: Path) -> tuple[Path, ...]:
    """The C files of `directory`/compile_commands.json, each once, in its order. Raises UnusableInput, also where one
    of them is not there."""
    path, database = _database(directory)
    found: dict[str, Path] = {}
    for entry in database.items():
        named, file = entry.get("directory"), entry.at("file")
        base = Path(named.text()) if named is not None else directory
        source = Path(os.path.normpath(base / file.text()))
        if source.suffix != ".c":
            continue
        if not source.is_file():
            raise UnusableInput(f"{path}: names {source}, which is not there: make it anew (docs/cmake.md)")
        found.setdefault(os.path.realpath(source), source)
    return tuple(found.values())


def _database(directory: Path) -> tuple[Path, Given]:
    path = directory / "compile_commands.json"
    return path, read_json(path, "compilation database", LARGEST)


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


_PATH_OPTIONS = ("-I", "-isystem", "-iquote", "-include")


def _relevant(arguments: Iterable[str], base: Path) -> list[str]:
    """The preprocessor options and -std of a recorded command, paths made absolute, each as one word."""
    flags: list[str] = []
    words = iter(arguments)
    for word in words:
        option = next((o for o in (*_PATH_OPTIONS, "-D", "-U") if word.startswith(o)), None)
        if word.startswith("-std="):
            flags.append(word)
        elif option is not None:
            value = word[len(option) :] or next(words, "")
            if not value:
                continue
            flags.append(option + (str(base / value) if option in _PATH_OPTIONS else value))
    return flags
