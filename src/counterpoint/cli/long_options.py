"""`--dash-refine wp` for `-O dash.refine=wp`: every engine's option has a long form of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_LONG = re.compile(r"--([a-z]+)-([a-z][a-z0-9_-]*)(?:=(.*))?\Z", re.DOTALL)


def spelled_out(arguments: Sequence[str]) -> list[str]:
    """The arguments with long forms of engines' options as `-O ENGINE.OPTION=VALUE`.

    Only names that are some engine's option are touched, and only before a `--`; one without a value stays as it is,
    for the parser to complain about. Engines are imported only when something looks like one of their options.
    """
    return list(_spelled_out(list(arguments)))


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
