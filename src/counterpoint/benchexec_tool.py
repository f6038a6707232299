"""A tool-info module for BenchExec: `tool="counterpoint.benchexec_tool"` in a benchmark definition.

It is imported by BenchExec alone, which is not among what Counterpoint needs (the extra `benchexec`).
Source: BenchExec's documentation of tool integration, `BaseTool2`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import benchexec.result as result
import benchexec.tools.template

from counterpoint.core.patterns import regex

_VERDICT = regex(r"VERDICT: (TRUE|FALSE|UNKNOWN)(?:\(([^()]*)\))?\s*\Z")
_JOBS = 2
SUITE = "test-suite"
"""The folder of a test suite, as Test-Comp's benchmark definitions call it."""

_REASONS = {"OUT_OF_TIME": "TIMEOUT", "OUT_OF_MEMORY": "OUT OF MEMORY", "INTERNAL_ERROR": "ERROR (internal error)"}


def states_goal(property_file: str) -> bool:
    """Whether a property file states a coverage goal of Test-Comp."""
    try:
        return Path(property_file).read_text("utf-8", "replace").lstrip().startswith("COVER")
    except OSError:
        return False


class Tool(benchexec.tools.template.BaseTool2):  # type: ignore[misc]
    """Tool info for Counterpoint, a verifier for C programs."""

    def executable(self, tool_locator: Any) -> Any:
        return tool_locator.find_executable("counterpoint", subdir="bin")

    def version(self, executable: str) -> Any:
        return self._version_from_tool(executable, line_prefix="counterpoint, version")

    def name(self) -> str:
        return "Counterpoint"

    def cmdline(self, executable: str, options: list[str], task: Any, rlimits: Any) -> list[str]:
        """The limits of the run, less what it takes to end, and of processor time a job's part; given options win."""
        given = list(options)
        makes_tests = bool(task.property_file) and states_goal(task.property_file)
        if task.property_file:
            given += ["--property", task.property_file]
        model = (task.options or {}).get("data_model") if isinstance(task.options, dict) else None
        if model and not {"--data-model", "--target"} & set(given):
            given += ["--data-model", str(model)]
        jobs = int(given[given.index("--jobs") + 1]) if "--jobs" in given[:-1] else 1 if makes_tests else _JOBS
        limits = [rlimits.walltime, rlimits.cputime and rlimits.cputime / jobs]
        seconds = min((limit for limit in limits if limit), default=None)
        if seconds and "--timeout" not in given:
            given += ["--timeout", str(max(1, int(seconds * 0.95) - 1))]
        if rlimits.memory and "--memory" not in given:
            given += ["--memory", str(max(64 << 20, int(rlimits.memory * 0.9)))]
        what = ["tests", "--out", SUITE] if makes_tests else ["check", "--no-cache"]
        return [executable, *what, *given, *task.input_files_or_identifier]

    def determine_result(self, run: Any) -> str:
        """The last line of the output; SV-COMP's word for it, or Test-Comp's for a suite."""
        for line in reversed(list(run.output)):
            if line.strip() == f"Suite: {SUITE}":
                return str(result.RESULT_DONE)
            found = _VERDICT.match(line.strip())
            if found is not None:
                return self._said(found[1], found[2] or "")
        if run.was_timeout:
            return str(result.RESULT_TIMEOUT)
        return f"{result.RESULT_ERROR} (unusable input)" if run.exit_code.value == 2 else str(result.RESULT_ERROR)

    def _said(self, outcome: str, inside: str) -> str:
        if outcome == "TRUE":
            return str(result.RESULT_TRUE_PROP)
        if outcome == "FALSE":
            return f"{result.RESULT_FALSE_PROP}({inside})" if inside else str(result.RESULT_FALSE_PROP)
        return _REASONS.get(inside, f"{result.RESULT_UNKNOWN} ({inside.lower()})" if inside else result.RESULT_UNKNOWN)

    def get_value_from_output(self, output: Any, identifier: str) -> str | None:
        """What stands behind the word at the beginning of a line: `Proof`, `Stopped`, `Engine`."""
        for line in output:
            if line.startswith(f"{identifier} "):
                return str(line[len(identifier) :].strip())
        return None
