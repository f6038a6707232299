"""`counterpoint certify`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from counterpoint.cli.options import FILE, Seconds, Size, source_options


@click.command("certify")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE... EVIDENCE")
@click.option("--timeout", type=Seconds(), default="60", show_default=True, help="Wall time in all.")
@click.option("--memory", type=Size(), default="4G", show_default=True, help="Memory in all.")
@click.option("--strict", is_flag=True, help="Proofs: two solvers have to refute each claim, by themselves.")
@click.option("--export", type=FILE, metavar="DIR", help="Proofs: write the claims as SMT-LIB files, one for each.")
@source_options
def command(files: tuple[Path, ...], strict: bool, export: Path | None, **options: Any) -> int:
    """Re-checks on FILES the proof or counterexample that a RESULT.json holds, or validates another tool's witness
    (.yml, .yaml, .graphml).

    Needs the options that the evidence was made with, as far as they say what is checked.
    Ends like `check`; UNKNOWN(EVIDENCE_REJECTED) if the evidence does not hold for the files, UNKNOWN(WITNESS_REFUTED)
    if what a witness says does not hold.
    """
    from counterpoint.cli.exit_status import turn_signals_into_exceptions

    turn_signals_into_exceptions()
    from counterpoint.cli.recheck import evidence_again
    from counterpoint.cli.witness import witness_judged
    from counterpoint.core.documents import Given
    from counterpoint.core.errors import UnusableInput
    from counterpoint.evidence.verdict import Safe, Unsafe
    from counterpoint.portfolio.composition import Composed
    from counterpoint.portfolio.export import check_target
    from counterpoint.portfolio.recheck import Rechecking
    from counterpoint.portfolio.result_file import NoEvidence, stored_evidence
    from counterpoint.witness.reading import is_witness

    def stored(document: Given) -> Safe | Unsafe | Composed:
        if document.get("proof") is None and (strict or export):
            raise NoEvidence(f"{document.where} holds no proof: --strict and --export are about proofs")
        return stored_evidence(document)

    if is_witness(files[-1]):
        if strict or export is not None:
            raise UnusableInput(f"{files[-1]}: is a witness: --strict and --export are about results with a proof")
        return witness_judged(files, options)
    if export is not None:
        check_target(export)
    return evidence_again(files, stored, options, how=Rechecking(strict, export, all_parts=True))
