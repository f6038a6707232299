"""What a driver shows of the calls: its lvalues, and how lines of C are put together."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(slots=True)
class Value:
    """A lvalue of the driver that is shown: `code` in the driver, `text` in contracts."""

    code: str
    text: str
    type: str
    signed: bool | None
    needs: tuple[str, ...]
    pointer: bool = False
    changes: bool = True


def member(code: str, text: str, name: str) -> tuple[str, str]:
    return (f"{code}.{name}", f"{text}.{name}") if name else (code, text)


def moved(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def kept(value: Value) -> Value:
    """A part of an argument: the callee's copy changes, not the caller's."""
    return replace(value, changes=False)
