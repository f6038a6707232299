"""`counterpoint certify`."""

from __future__ import annotations

from pathlib import Path

import click

from counterpoint.cli.options import FILE, Seconds, Size


@click.command("certify")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE... RESULT.json")
@click.option("--timeout", type=Seconds(), default="60", show_default=True, help="Wall time in all.")
@click.option("--memory", type=Size(), default="4G", show_default=True, help="Memory in all.")
def command(files: tuple[Path, ...], timeout: float, memory: int) -> int:
    """Re-checks the proof (or the counterexample) that RESULT.json holds, on FILES.

    Ends like `check`; UNKNOWN(EVIDENCE_REJECTED) if the evidence does not hold for the files.
    """
    from counterpoint.cli.exits import turn_signals_into_exceptions

    turn_signals_into_exceptions()
    from counterpoint.cli.again import evidence_again
    from counterpoint.core.errors import UnusableInput
    from counterpoint.evidence.verdict import Safe, Unsafe
    from counterpoint.portfolio.again import Document, stored_proof, stored_violation

    def stored(document: Document, origin: str) -> Safe | Unsafe:
        if document.get("format_version") or document.get("entry_type"):
            raise UnusableInput(f"{origin}: SV-COMP witnesses are not read yet: give a result of --json")
        has_proof = document.get("proof") is not None
        return stored_proof(document, origin) if has_proof else stored_violation(document, origin)

    return evidence_again(files, stored, timeout, memory)
