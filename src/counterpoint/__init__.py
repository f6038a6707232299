"""Counterpoint: a verifier for C programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from counterpoint.portfolio.result import CheckResult

    __version__: str

__all__ = ["__version__", "check"]


def check(*files: str | os.PathLike[str], **options: object) -> CheckResult:
    """Checks C files, or one task definition, as `counterpoint check` does.

    Options are the fields of `portfolio.request.Request`: property, data_model, target, entry, engines,
    timeout (s), memory (bytes), jobs, seed, include, defines, std, compilation_database, cc, callbacks, asm,
    volatile, addresses, malloc_may_fail, malloc_limit, prepare, options (pairs as ("bmc.bound", "8")), proof_runs,
    assumed_functions, shrink, findings ("more" or "first"), cache (a folder for results: docs/reuse.md), check_cache.
    `property` may name several, as "memory-safety,no-overflow", "all" or a sequence: the result has a part for each.
    Raises UnusableInput for what cannot be checked, TypeError for an unknown option.
    """
    from pathlib import Path

    from counterpoint.portfolio.kept_results import check as check_request
    from counterpoint.portfolio.request import Request

    options = {"findings": "more", **options}
    asked = options.get("property")
    if isinstance(asked, list | tuple):
        options["property"] = ",".join(map(str, asked)) or None
    for name in ("reuse", "cache"):
        if isinstance(folder := options.get(name), str):
            options[name] = Path(folder)
    return check_request(Request(files=tuple(Path(file) for file in files), **options))  # type: ignore[arg-type]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from counterpoint.core.version import version

        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
