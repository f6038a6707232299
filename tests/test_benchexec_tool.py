"""The tool-info module: command lines with the run's limits, and results in BenchExec's words."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    """With BenchExec, where it is installed; else with as much of it as the module uses."""
    try:
        importlib.import_module("benchexec.tools.template")
    except ImportError:
        words = {"TRUE_PROP": "true", "FALSE_PROP": "false", "UNKNOWN": "unknown", "ERROR": "ERROR", "TIMEOUT": "TIMEOUT", "DONE": "done"}
        result = ModuleType("benchexec.result")
        result.__dict__.update({f"RESULT_{name}": word for name, word in words.items()})
        template = ModuleType("benchexec.tools.template")
        template.__dict__["BaseTool2"] = object
        whole, tools = ModuleType("benchexec"), ModuleType("benchexec.tools")
        whole.__dict__.update(result=result, tools=tools)
        tools.__dict__["template"] = template
        for module in (whole, result, tools, template):
            monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.delitem(sys.modules, "counterpoint.benchexec_tool", raising=False)
    return importlib.import_module("counterpoint.benchexec_tool").Tool()


def task(**options: str) -> Any:
    return SimpleNamespace(property_file="p.prp", options=options, input_files_or_identifier=["f.c"])


def limits(walltime: int | None = None, cputime: int | None = None, memory: int | None = None) -> Any:
    return SimpleNamespace(walltime=walltime, cputime=cputime, memory=memory)


@pytest.mark.parametrize(
    ("options", "given", "wanted"),
    [
        ([], limits(), ["--property", "p.prp", "--data-model", "ILP32"]),
        (["--jobs", "1"], limits(cputime=900), ["--jobs", "1", "--property", "p.prp", "--data-model", "ILP32", "--timeout", "854"]),
        ([], limits(1000, 900), ["--property", "p.prp", "--data-model", "ILP32", "--timeout", "426"]),
        (["--timeout", "9"], limits(100, 90, 10**9), ["--timeout", "9", "--property", "p.prp", "--data-model", "ILP32", "--memory", "900000000"]),
    ],
)
def test_command_lines_have_the_limits(tool: Any, options: list[str], given: Any, wanted: list[str]) -> None:
    assert tool.cmdline("counterpoint", options, task(data_model="ILP32"), given) == ["counterpoint", "check", "--no-cache", *wanted, "f.c"]


def test_coverage_goals_ask_for_a_suite(tool: Any, tmp_path: Path) -> None:
    goal = tmp_path / "coverage-branches.prp"
    goal.write_text("COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )\n")
    asked = SimpleNamespace(property_file=str(goal), options={}, input_files_or_identifier=["f.c"])
    words = ["tests", "--out", "test-suite", "--property", str(goal), "--timeout", "854"]
    assert tool.cmdline("counterpoint", [], asked, limits(cputime=900)) == ["counterpoint", *words, "f.c"]
    from counterpoint.cli.tests import command

    command.make_context("tests", [*words[1:], "f.c"])  # raises for what the command does not know


def test_benchexecs_own_test_of_the_module() -> None:
    """What BenchExec asks of a tool-info module before it takes it."""
    if importlib.util.find_spec("benchexec") is None:
        pytest.skip("BENCHEXEC IS NOT INSTALLED: pip install benchexec (the extra `dev` has it), and run this again")
    root = Path(__file__).parent.parent
    environment = {
        **os.environ, "PYTHONPATH": str(root / "src"), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }  # fmt: skip
    command = [sys.executable, "-m", "benchexec.test_tool_info", "counterpoint.benchexec_tool", "--no-container"]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert ran.returncode == 0, ran.stderr
    assert "Name of tool: “Counterpoint”" in ran.stderr
    warnings = [line for line in ran.stderr.split("\n") if re.match(r"WARNING|ERROR|Traceback", line)]
    assert all(line.startswith("WARNING: Path to executable is absolute") for line in warnings), ran.stderr


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (["9 tests", "Suite: test-suite"], "done"),
        (["VERDICT: TRUE"], "true"),
        (["VERDICT: FALSE(unreach-call)", ""], "false(unreach-call)"),
        (["VERDICT: TRUE", "VERDICT: FALSE(valid-deref)"], "false(valid-deref)"),
        (["VERDICT: UNKNOWN(OUT_OF_TIME)"], "TIMEOUT"),
        (["VERDICT: UNKNOWN(NO_PROGRESS)"], "unknown (no_progress)"),
        (["VERDICT: UNKNOWN(INTERNAL_ERROR)"], "ERROR (internal error)"),
        (["a line that says VERDICT: TRUE"], "ERROR (unusable input)"),
        ([], "ERROR (unusable input)"),
    ],
)
def test_results_are_read(tool: Any, output: list[str], said: str) -> None:
    run = SimpleNamespace(output=output, was_timeout=False, exit_code=SimpleNamespace(value=2))
    assert tool.determine_result(run) == said
