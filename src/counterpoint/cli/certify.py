"""`counterpoint certify`."""

from __future__ import annotations

from pathlib import Path

import click

from counterpoint.cli.options import FILE, Seconds, Size


@click.command("certify")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE... RESULT.json")
@click.option("--timeout", type=Seconds(), default="60", show_default=True, help="Wall time in all.")
@click.option("--memory", type=Size(), default="4G", show_default=True, help="Memory in all.")
@click.option("--strict", is_flag=True, help="Proofs: two solvers have to refute each claim, by themselves.")
@click.option("--export", type=FILE, metavar="DIR", help="Proofs: write the claims as SMT-LIB files, one for each.")
def command(files: tuple[Path, ...], timeout: float, memory: int, strict: bool, export: Path | None) -> int:
    """Re-checks the proof (or the counterexample) that RESULT.json holds, on FILES.

    Ends like `check`; UNKNOWN(EVIDENCE_REJECTED) if the evidence does not hold for the files.
    """
    from counterpoint.cli.exits import turn_signals_into_exceptions

    turn_signals_into_exceptions()
    from counterpoint.cli.again import evidence_again
    from counterpoint.core.errors import UnusableInput
    from counterpoint.evidence.verdict import Safe, Unsafe
    from counterpoint.portfolio.again import Document, Rechecking, stored_proof, stored_violation
    from counterpoint.portfolio.export import check_target

    def stored(document: Document, origin: str) -> Safe | Unsafe:
        if document.get("format_version") or document.get("entry_type"):
            raise UnusableInput(f"{origin}: SV-COMP witnesses are not read yet: give a result of --json")
        has_proof = document.get("proof") is not None
        if not has_proof and (strict or export):
            raise UnusableInput(f"{origin}: holds no proof: --strict and --export are about proofs")
        return stored_proof(document, origin) if has_proof else stored_violation(document, origin)

    if export is not None:
        check_target(export)
    return evidence_again(files, stored, timeout, memory, how=Rechecking(strict, export))
