"""Contracts as JSON. The schema is docs/contracts-schema.json; its version is in every file."""

from __future__ import annotations

import json
from typing import Any, Final

from counterpoint.contracts.contract import Clause, Contract
from counterpoint.contracts.request import Inferred
from counterpoint.core.version import version

SCHEMA_VERSION: Final = 1


def contracts_json(found: Inferred) -> str:
    """All contracts as a JSON text."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "counterpoint", "version": version()},
        "callers": found.callers.value,
        "seconds": found.seconds,
        "unused": found.unused,
        "functions": [_contract(one) for one in found.contracts],
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _contract(one: Contract) -> dict[str, Any]:
    return {
        "name": one.function,
        "file": one.file,
        "line": one.line,
        "requires": [_clause(clause) for clause in one.requires],
        "assumed": list(one.assumed),
        "assigns": None if one.assigns is None else list(one.assigns),
        "assigns_status": None if one.assigns is None else one.assigns_status.value,
        "ensures": [_clause(clause) for clause in one.ensures],
        "loops": [
            {"file": loop.file, "line": loop.line, "invariants": [_clause(clause) for clause in loop.invariants]}
            for loop in one.loops
        ],
        "notes": list(one.notes),
        "missing": one.missing,
        "seconds": one.seconds,
    }


def _clause(clause: Clause) -> dict[str, Any]:
    return {
        "status": clause.status.value,
        "text": clause.text,
        "exact": clause.exact,
        "assumes": clause.assumes,
        "ensures": clause.ensures or clause.text,
        "cprover": clause.cprover,
        "runs": clause.runs,
        "why": clause.why,
    }
