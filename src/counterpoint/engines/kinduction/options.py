"""What can be set for k-induction."""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.engines.protocol import Option

OPTIONS = (
    Option("kinduction.max_k", "4096", "the k at which to end"),
    Option("kinduction.facts", "true", "use facts of other engines, and make some of counterexamples to induction"),
    Option("kinduction.simple_path", "false", "in the step case, no state is met twice"),
    Option("kinduction.solver", "bitwuzla", "the backend of its queries"),
)

MAX_K = 1 << 12


@dataclass(frozen=True, slots=True)
class Options:
    """`max_k` limits k; `facts=false` uses no facts and makes none; `solver` names the backend;
    `simple_path` compares states in the step case."""

    max_k: int = MAX_K
    facts: bool = True
    solver: str = "bitwuzla"
    simple_path: bool = False

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Options:
        """From `kinduction.max_k` and so on. Raises UnusableInput for a limit that is no number from 1 up, and for a
        `simple_path` that is neither true nor false."""
        text = options.get("kinduction.max_k", str(MAX_K))
        if not text.isdigit() or int(text) < 1:
            raise UnusableInput(f"option kinduction.max_k: `{text}` is not a number from 1 up")
        facts = options.get("kinduction.facts", "true") != "false"
        simple = options.get("kinduction.simple_path", "false")
        if simple not in ("true", "false"):
            raise UnusableInput(f"option kinduction.simple_path: `{simple}` is neither true nor false")
        return cls(int(text), facts, options.get("kinduction.solver", "bitwuzla"), simple == "true")
