"""Every exception that leaves Counterpoint, each with a sentence for the person who meets it."""

from __future__ import annotations


class CounterpointError(Exception):
    """Base of all errors that the command reports as one line instead of a traceback."""


class UnusableInput(CounterpointError):
    """The file, option or task cannot be used as given: exit status 2.

    The message names the file (with line and column where there is one) and what to do next.
    """


class CompilationFailed(UnusableInput):
    """clang rejected the program; the message is its first diagnostic, `diagnostics` holds all of them."""

    def __init__(self, message: str, diagnostics: str = "") -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class Unsupported(CounterpointError):
    """A construct outside the modelled subset that cannot be deferred to the paths that meet it.

    The verdict is UNKNOWN(UNSUPPORTED) with this message, which names file and line.
    """


class OutOfBudget(CounterpointError):
    """The deadline passed or the run was cancelled: the verdict is UNKNOWN(OUT_OF_TIME)."""


class OutOfMemory(CounterpointError):
    """The memory limit was reached: the verdict is UNKNOWN(OUT_OF_MEMORY)."""


class Undecided(CounterpointError):
    """The solver gave no answer to a query that the engine needs: UNKNOWN(SOLVER_UNKNOWN)."""


class EvidenceRejected(CounterpointError):
    """A certificate or a violation did not stand up to its re-check; the message says where."""


class InternalError(CounterpointError):
    """A rule of the program's own data was broken: exit status 4, with a crash report file."""
