"""What a kind of certificate is: a module of this folder with a class that it exposes as CERTIFICATE, found by name.

The class says how certificates are stored, what has to be shown, and what they say of runs.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from counterpoint import evidence

if TYPE_CHECKING:
    from counterpoint.core.budget import Budget
    from counterpoint.evidence.conditions import Conditions
    from counterpoint.evidence.runs import Claims
    from counterpoint.program.model import Program
    from counterpoint.semantics.encodings import Encodings
    from counterpoint.semantics.facts import Fact


class Certificate(ABC):
    """A proof about the program prepared as `preparation`: a frozen dataclass. Nothing in it has to be believed.

    `kinds`: its name in results, and those in earlier ones. `encodings`: how its other fields are stored, in order.
    `alternatives`: facts at one place are alternatives.
    """

    __slots__ = ()
    kinds: ClassVar[tuple[str, ...]]
    encodings: ClassVar[Encodings]
    alternatives: ClassVar[bool] = False
    preparation: str

    @abstractmethod
    def described(self) -> tuple[str, str]:
        """For people: what it is, and how large."""

    def said(self) -> Sequence[Fact]:
        """For people: what it says of places."""
        return ()

    @abstractmethod
    def conditions(self, program: Program, budget: Budget, apart: bool) -> Conditions:
        """What has to be shown, with `apart` in goals as small as they are. Raises EvidenceRejected if it has no
        meaning, OutOfBudget, Unsupported."""

    @abstractmethod
    def claims(self, program: Program) -> Claims:
        """What it says of runs. Raises EvidenceRejected if it has no meaning."""


def kinds() -> dict[str, type[Certificate]]:
    """Every kind by its names, sorted."""
    found: dict[str, type[Certificate]] = {}
    for module in pkgutil.iter_modules(evidence.__path__):
        kind = getattr(importlib.import_module(f"{evidence.__name__}.{module.name}"), "CERTIFICATE", None)
        found |= dict.fromkeys(kind.kinds, kind) if kind is not None else {}
    return dict(sorted(found.items()))
