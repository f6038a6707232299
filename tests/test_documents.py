"""Documents say what is there: files and what they define, layers, options of commands, answers of the first ones."""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml

from counterpoint import engines
from counterpoint.cli.command import counterpoint as command_group
from counterpoint.cli.command import run_command
from counterpoint.cli.long_options import spelled_out
from counterpoint.core.version import version
from documents import DOCUMENTS, ROOT, Command, Written, commands, mentions, steps, synopses

COMMANDS = [command for document in DOCUMENTS for command in commands(document)]
OURS = [command for command in COMMANDS if command.words[0] == "counterpoint"]
SYNOPSES = sorted({found for document in DOCUMENTS for found in synopses(document)})


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_documents_mention_exists(document: Path) -> None:
    shown = {step.name for step in steps(document) if isinstance(step, Written)}
    missing = [str(mention) for mention in mentions(document) if mention.name not in shown and not mention.exists()]
    assert not missing, "\n".join(missing)
    undefined = [f"{it}: {it.definition}" for it in mentions(document) if it.definition and not it.defines()]
    assert not undefined, "\n".join(undefined)


def test_architecture_has_the_layers_of_the_contract() -> None:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    layers = contracts["importlinter:contract:layers"]["layers"].split("\n")
    wanted = [set(re.findall(r"\w+", layer)) for layer in layers if layer and not layer.startswith("(")]
    table = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("| layer | rooms |")[2].partition("\n\n")[0]
    rows = [line.split("|")[2] for line in table.strip().split("\n")[1:]]
    assert [set(re.findall(r"`(\w+)`", row)) for row in rows] == wanted


def test_commands_are_found() -> None:
    assert len(OURS) >= 8
    assert len(SYNOPSES) >= 30


@pytest.mark.parametrize("shown", OURS, ids=str)
def test_commands_parse(shown: Command) -> None:
    words = list(shown.words[1:])
    if words == ["--version"]:
        return
    with click.Context(command_group) as context:
        subcommand = command_group.get_command(context, words[0])
    assert subcommand is not None, words[0]
    own = {name: not option.is_flag for option in _options(subcommand) for name in option.opts}
    subcommand.make_context(words[0], spelled_out(words, own | {"--help": False})[1:])  # raises for what it does not know


@pytest.mark.parametrize(("name", "option"), SYNOPSES, ids=str)
def test_options_of_synopses_exist(name: str, option: str) -> None:
    with click.Context(command_group) as context:
        subcommand = command_group.get_command(context, name)
    assert subcommand is not None
    known = {known for one in _options(subcommand) for known in (*one.opts, *one.secondary_opts)}
    short = {f"--{one.name.partition('.')[2]}" for engine in engines.names() for one in engines.options(engine)}
    short |= {one.replace("_", "-") for one in short}
    assert option in known | short or option == "--OPTION", f"counterpoint {name} has no {option}"


def _options(command: click.Command) -> list[click.Option]:
    return [param for param in command.params if isinstance(param, click.Option)]


@pytest.mark.parametrize(("example", "status"), [("fill", 0)])
def test_the_first_commands_answer_as_shown(
    example: str, status: int, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^counterpoint (check examples/{example}\.c)\n```\n+```\n(.*?)^```", text, re.M | re.S)
    assert found is not None
    quick = ["--engine", "houdini", "--no-proof-runs"]  # test_cli_project asks all engines
    assert run_command([*found[1].split(), "--timeout", "120", *quick]) == status
    _says(capfd.readouterr().out, found[2])


GUIDES = ("first-harness", "cmake", "unknown", "embedded", "what-true-means")
_QUICK = {"TRUE": ("--no-proof-runs",), "FALSE": ("--findings", "first"), "UNKNOWN": ()}
"""Without what is done behind the answer."""

_PATIENT = ("--timeout", "300")
"""An answer that is shown comes in seconds, on a machine that does nothing else."""

_STATUS = {"TRUE": 0, "FALSE": 1, "UNKNOWN": 3}


PAGES = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in GUIDES)]
LONG = ("unknown", "what-true-means")


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.long) if page.stem in LONG else page for page in PAGES],
    ids=lambda page: page.stem,
)
def test_what_a_page_has_its_reader_do(
    page: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that it shows are written, commands that print something there are run, and print it."""
    monkeypatch.chdir(tmp_path)
    written = 0
    for step in steps(page):
        if isinstance(step, Written):
            Path(step.name).parent.mkdir(parents=True, exist_ok=True)
            Path(step.name).write_text(step.text.replace("/home/me/clock", str(tmp_path)), encoding="utf-8")
            written += 1
        elif written and "examples/" not in " ".join(step.words):
            verdict = re.search(r"^VERDICT: (\w+)", step.output, re.M)
            more = _QUICK[verdict[1]] if verdict and step.words[0] == "check" else ()
            if more and "--timeout" not in step.words:
                more += _PATIENT
            status = run_command([*step.words, *more])
            assert not step.output or (verdict and status == _STATUS[verdict[1]]), step.words
            assert status in _STATUS.values()
            _says(capfd.readouterr().out, step.output)
    assert written


def _says(out: str, shown: str) -> None:
    """Each line that is shown, but `...`, was printed, in that order; numbers may be others, and what `...` stands for
    at a line's end."""
    printed = iter([_without_numbers(line) for line in out.split("\n")])
    for line in shown.strip().split("\n"):
        wanted, more = _without_numbers(line.removesuffix("...")), line.endswith("...")
        assert not wanted or any(
            one == wanted or (more and one.startswith(wanted)) for one in printed
        ), f"not printed, or not there: {line}"


def _without_numbers(line: str) -> str:
    """With words behind numbers as if these were 1."""
    said = re.sub(r"-?\b[0-9.]+\b( \(0x[0-9a-f]+\))?", "N", line.strip())
    return re.sub(r"\bN (fact|claim|check|assertion|instruction)s\b", r"N \1", said)


def test_version_is_that_of_the_project() -> None:
    assert f'\nversion = "{version()}"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8"), "run `make` again"
    assert f"\n## [{version()}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_make_targets_that_documents_name_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    text = "\n".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    named = set(re.findall(r"`make ([\w-]+)", text))
    named |= {words[1] for words in (command.words for command in COMMANDS) if words[0] == "make"}
    assert named <= targets, named - targets


def test_the_site_shows_every_page() -> None:
    """Decisions and the interfaces of rooms are listed when the site is made (docs/site_pages.py)."""
    shown = set(_pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    generated = set(re.findall(r'"\w+\.md": "(\w+\.md)"', (ROOT / "docs" / "site_pages.py").read_text(encoding="utf-8")))
    assert shown == {page for page in pages if not page.startswith("decisions/")} | generated | {"decisions/", "api/"}


def _pages(nav: object) -> Iterator[str]:
    match nav:
        case str():
            yield nav
        case list():
            for entry in nav:
                yield from _pages(entry)
        case dict():
            for entry in nav.values():
                yield from _pages(entry)
