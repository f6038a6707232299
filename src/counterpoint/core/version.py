"""The version, of which pyproject.toml is the one place: the installed package's metadata has it from there."""

from __future__ import annotations

from functools import cache

NOT_INSTALLED = "uninstalled"
"""The version of a source tree that runs without having been installed."""


@cache
def version() -> str:
    """As in `counterpoint --version` and in every file that is written. Looked up when it is asked for: the lookup
    takes some ten milliseconds."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("counterpoint")
    except PackageNotFoundError:
        return NOT_INSTALLED
