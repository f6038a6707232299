"""What is asked of `infer`, and what comes back."""

from __future__ import annotations

from enum import Enum

from counterpoint.contracts.contract import BROKEN, Contract
from counterpoint.contracts.needs import Needs
from counterpoint.core.records import dataclass
from counterpoint.frontend.task import SourceTask


class Callers(Enum):
    """Whose calls count: those of the program that starts at main, or any."""

    MAIN = "main"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Inquiry:
    """`functions`: names, () for all that the files define; `timeout` in seconds of wall time, `memory` in bytes, both
    in all; `jobs`: functions side by side, None: two here, as many as there are workers in a cluster. `callers` None:
    MAIN where the program has the entry function. `needs`: who looks for what functions need of callers. `cluster`: an
    address of workers (cluster/session.py) that look at the functions."""

    task: SourceTask
    callers: Callers | None = None
    functions: tuple[str, ...] = ()
    timeout: float = 60.0
    memory: int = 4 << 30
    jobs: int | None = None
    seed: int = 0
    needs: Needs | None = None
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class Inferred:
    """Contracts in the order of the files' texts; `unused`: why an analysis of the whole program told nothing."""

    contracts: tuple[Contract, ...]
    callers: Callers
    unused: str = ""
    seconds: float = 0.0

    @property
    def broken(self) -> bool:
        """There was an internal error, of which a crash report tells."""
        return any(said.startswith(BROKEN) for said in (self.unused, *(one.missing for one in self.contracts)))
