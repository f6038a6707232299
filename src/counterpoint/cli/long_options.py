"""Long options for engines' options: `--dash-refine wp` for `-O dash.refine=wp`, and `--refine wp` where dash is the
only engine that is named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex

OPTIONAL = ("--reuse", "--cache", "--entry-each")
"""The command's options whose value may be left out."""

_LONG = regex(r"--([a-z]+)-([a-z][a-z0-9_-]*)(?:=(.*))?\Z", re.DOTALL)
_SHORT = regex(r"--([a-z][a-z0-9_-]*)(?:=(.*))?\Z", re.DOTALL)


def spelled_out(arguments: Sequence[str], own: Mapping[str, bool] | None = None) -> list[str]:
    """The arguments with long forms of engines' options as `-O ENGINE.OPTION=VALUE`.

    Only names that are some engine's option are touched, and only before a `--`; one without a value stays as it is,
    for the parser to complain about. With `own`, the options of a command that has --engine, and whether they take a
    value, the options of a single engine named there are known by their short names too, where the command has none of
    that name; true/false ones need no value. Then raises UnusableInput for an option that nobody has. Engines are
    imported only when something looks like one of their options.
    """
    known = list(_spelled_out(_with_values(arguments)))
    return known if own is None else list(_short_forms(known, own))


def _with_values(arguments: Sequence[str]) -> list[str]:
    """Options that have a value only behind a `=`, as `--reuse=DIR`, get an empty one where they have none."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [f"{one}=" if one in OPTIONAL and at < end else one for at, one in enumerate(arguments)]


def _short_forms(arguments: Sequence[str], own: Mapping[str, bool]) -> Iterator[str]:
    from counterpoint import engines

    engine = _single_engine(arguments)
    if engine is None:
        yield from arguments
        return
    kinds: dict[str, bool] = {}
    waiting = list(reversed(arguments))
    while waiting:
        argument = waiting.pop()
        if argument == "--":
            yield from (argument, *reversed(waiting))
            return
        found = _SHORT.match(argument)
        if found is None or f"--{found[1]}" in own:
            yield argument
            if own.get(argument) and waiting:
                yield waiting.pop()
            continue
        name, value = found[1].replace("-", "_"), found[2]
        for option in engines.options(engine) if not kinds else ():
            kinds[option.name.partition(".")[2]] = option.default in ("true", "false")
        if name not in kinds:
            listed = ", ".join(f"--{known.replace('_', '-')}" for known in sorted(kinds)) or "none"
            raise UnusableInput(f"no such option: --{found[1]}; those of {engine}: {listed}")
        if value is None and kinds[name]:
            value = waiting.pop() if waiting and waiting[-1] in ("true", "false") else "true"
        if value is None and not waiting:
            raise UnusableInput(f"option --{found[1]} needs a value")
        yield from ("-O", f"{engine}.{name}={waiting.pop() if value is None else value}")


def _single_engine(arguments: Sequence[str]) -> str | None:
    """The one that --engine names, if it is one only."""
    from counterpoint import engines

    named: str | None = None
    for number, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--engine" and number + 1 < len(arguments):
            named = arguments[number + 1]
        elif argument.startswith("--engine="):
            named = argument.partition("=")[2]
    return named if named in engines.names() else None


def _spelled_out(arguments: list[str]) -> Iterator[str]:
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "--":
            yield argument
            yield from waiting
            return
        found = _LONG.match(argument)
        name = None if found is None else _option(found[1], found[2].replace("-", "_"))
        if found is None or name is None:
            yield argument
            continue
        value = found[3] if found[3] is not None else next(waiting, None)
        if value is None:
            yield argument
        else:
            yield from ("-O", f"{name}={value}")


def _option(engine: str, name: str) -> str | None:
    from counterpoint import engines

    if engine not in engines.names():
        return None
    full = f"{engine}.{name}"
    return full if any(option.name == full for option in engines.options(engine)) else None
