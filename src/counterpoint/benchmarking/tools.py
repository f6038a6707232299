"""The tools that answer: this one, or any other by a command line."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

from counterpoint.benchmarking.execution import Execution, execute
from counterpoint.benchmarking.rows import Kind, Row, kind_of
from counterpoint.benchmarking.tasks import BenchTask
from counterpoint.core.errors import UnusableInput

Tool = Callable[[BenchTask, Event], Row]
"""Answers a question; when the event is set it kills what it started and returns anything."""

Maker = Callable[[], Tool]
"""Makes a tool on the machine that it is to answer on. Can be pickled."""

OURS = "counterpoint"


def this_tool(seconds: float, memory: int, jobs: int, options: tuple[str, ...], name: str = OURS) -> Tool:
    """`counterpoint check` in a process of its own; `options` are passed on to it. Its rows' tool is `name`."""

    def answer(task: BenchTask, stop: Event) -> Row:
        with tempfile.TemporaryDirectory(prefix="counterpoint-bench-") as folder:
            stored = Path(folder) / "result.json"
            command = [sys.executable, "-m", "counterpoint", "check", str(task.definition)]
            command += ["--property", task.property, "--jobs", str(jobs), "--json", str(stored), "--quiet"]
            command += ["--no-shrink", "--no-cache"]  # of the finding alone, and made now
            command += ["--timeout", str(seconds), "--memory", f"{memory >> 20}M", *options]
            run = execute(command, seconds, stop, folder=folder)
            result = json.loads(stored.read_text()) if stored.is_file() else {}
            crashes = [path.read_text() for path in sorted(Path(folder).glob("counterpoint-crash-*"))]
        return replace(_our_row(task, run, result, "\n".join(crashes)), tool=name)

    return answer


def _our_row(task: BenchTask, run: Execution, result: dict[str, Any], crashes: str) -> Row:
    verdict = _last_verdict(run.stdout)
    if run.killed:
        verdict = "ERROR(not ended in time)"
    elif run.status == 2:
        verdict = "REFUSED"
    elif run.status == 4 or not verdict or "Traceback" in run.stderr or (verdict.startswith("UNKNOWN") and crashes):
        verdict = "ERROR(internal)"  # an engine's crash too, where no other engine made up for it
    kind = kind_of(task, verdict)
    detail = str(result.get("detail", ""))
    if kind is Kind.REFUSED:
        detail = run.stderr.strip()
    return Row(
        tool=OURS,
        task=task.name,
        family=task.family,
        property=task.property,
        expected=task.expected,
        subproperty=task.subproperty,
        verdict=verdict,
        kind=kind,
        seconds=round(run.seconds, 3),
        status=run.status,
        engine=str(result.get("engine", "")),
        detail=detail,
        memory=int(result.get("memory", 0)),
        stderr=(run.stderr + crashes)[-4000:] if kind is Kind.ERROR else crashes[-4000:],
        statistics={entry["engine"]: entry["statistics"] for entry in result.get("engines", [])},
        engines=[_short(entry) for entry in result.get("engines", [])],
        features=result.get("features", {}),
    )


def _short(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: entry[name] for name in ("engine", "answer", "seconds", "told", "heard")}


def other_tool(template: str, seconds: float, memory: int) -> Tool:
    """A command with {file}, and if wanted {yml}, {property}, {data_model}; its last verdict line counts.

    Raises UnusableInput for a template that cannot be used.
    """
    words = shlex.split(template)
    if not any("{file}" in word or "{yml}" in word for word in words):
        raise UnusableInput("--tool: the command must contain {file} where the C file goes")
    name = Path(words[0]).name

    def answer(task: BenchTask, stop: Event) -> Row:
        values = {
            "{file}": str(task.files[0]) if task.files else "",
            "{yml}": str(task.definition),
            "{property}": task.property,
            "{data_model}": task.data_model,
        }
        command = [_filled(word, values) for word in words]
        try:
            run = execute(command, seconds, stop, memory)
        except OSError as error:
            raise UnusableInput(f"--tool: {words[0]} cannot be started: {error.strerror}") from None
        verdict = verdict_in(run.stdout)
        if run.killed:
            verdict = "UNKNOWN(OUT_OF_TIME)"
        spent = round(run.seconds, 3)
        kind = kind_of(task, verdict)
        head = (name, task.name, task.family, task.property, task.expected, task.subproperty)
        return Row(*head, verdict=verdict, kind=kind, seconds=spent, status=run.status)

    return answer


def _filled(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(name, value)
    return word


def _last_verdict(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].removeprefix("VERDICT: ") if lines and lines[-1].startswith("VERDICT: ") else ""


_PHRASES = (
    (re.compile(r"\bfalse\s*\(\s*([\w-]+)\s*\)", re.IGNORECASE), "FALSE"),
    (re.compile(r"VERIFICATION FAILED|\bfalse\b", re.IGNORECASE), "FALSE"),
    (re.compile(r"VERIFICATION SUCCESSFUL|\btrue\b", re.IGNORECASE), "TRUE"),
    (re.compile(r"unknown|inconclusive", re.IGNORECASE), "UNKNOWN"),
)


def verdict_in(text: str) -> str:
    """The verdict that another tool's output ends with: its last line that says one."""
    for line in reversed(text.strip().splitlines()):
        for pattern, verdict in _PHRASES:
            match = pattern.search(line)
            if match is not None:
                return f"{verdict}({match[1].lower()})" if match.groups() else verdict
    return "ERROR(no verdict)"
