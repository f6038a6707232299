"""The command and its subcommands' names; each subcommand's module is imported when it is used."""

from __future__ import annotations

import traceback

import click

from counterpoint.cli.long_options import spelled_out
from counterpoint.cli.streams import lost, note
from counterpoint.core.version import version

_SUBCOMMANDS = {
    "check": ("counterpoint.cli.check", "Check C files, or an SV-COMP task definition."),
    "tests": ("counterpoint.cli.tests", "Write a test suite that covers the branches of C files."),
    "harness": ("counterpoint.cli.harness", "Write a harness for a function: a main that calls it in any way."),
    "expect": ("counterpoint.cli.expect", "Check C files that say themselves what the answer must be."),
    "infer": ("counterpoint.cli.infer", "Find contracts of functions, and invariants of loops."),
    "dump": ("counterpoint.cli.dump", "Print the prepared program, also as a block graph."),
    "replay": ("counterpoint.cli.replay", "Run a stored counterexample again, or write it as a C harness."),
    "certify": ("counterpoint.cli.certify", "Re-check a stored proof or counterexample."),
    "bench": ("counterpoint.cli.bench", "Run task sets with limits; tables, scores, comparisons."),
    "engines": ("counterpoint.cli.engines", "What each engine is, and its source."),
    "properties": ("counterpoint.cli.properties", "What can be checked, and what violations are called."),
}


class _Subcommands(click.Group):
    """Finds a subcommand by its module, so that `--version` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        import importlib

        if cmd_name not in _SUBCOMMANDS:
            return None
        command: click.Command = importlib.import_module(_SUBCOMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _SUBCOMMANDS.items()])


def _say_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(f"counterpoint, version {version()}")
        context.exit()


@click.group(cls=_Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_say_version, help="Show it.")
def counterpoint() -> None:
    """Checks C programs: TRUE with a proof that was re-checked, FALSE with an input that was replayed.

    Exit status: 0 TRUE, 1 FALSE, 3 UNKNOWN, 2 unusable input, 4 internal error, 130/143 when interrupted.
    """


def run_command(arguments: list[str], begun: float | None = None) -> int:
    """Runs the command; every error becomes one line on stderr and an exit status. `begun`: when it was started, of the
    monotonic clock."""
    try:
        args = spelled_out(arguments, _own_options(arguments))
        status = counterpoint.main(args=args, prog_name="counterpoint", standalone_mode=False, obj=begun)
    except click.exceptions.NoArgsIsHelpError as error:
        for line in error.format_message().split("\n"):
            note(line)
        return 2
    except click.ClickException as error:
        return _refuse(error.format_message())
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        return 130
    except BaseException as error:
        return _failed(error)
    return status if isinstance(status, int) else 0


def _own_options(arguments: list[str]) -> dict[str, bool] | None:
    """The options of the subcommand, and whether they take a value; None for one without --engine."""
    if not any(argument.startswith("--engine") for argument in arguments) or arguments[0] not in _SUBCOMMANDS:
        return None
    with click.Context(counterpoint) as context:
        command = counterpoint.get_command(context, arguments[0])
    assert command is not None
    options = [param for param in command.params if isinstance(param, click.Option)]
    found = {name: not option.is_flag for option in options for name in (*option.opts, *option.secondary_opts)}
    return {**found, "--help": False} if "--engine" in found else None


def _failed(error: BaseException) -> int:
    from counterpoint.cli.console import Unwritable
    from counterpoint.cli.exit_status import Terminated
    from counterpoint.core.errors import InternalError, UnusableInput

    match error:
        case Terminated(status=status):
            return status
        case KeyboardInterrupt():
            return 130
        case UnusableInput():
            return _refuse(str(error))
        case OSError(filename=None):  # the parser's own output: help, version
            return lost(error)
        case OSError():
            return _refuse(f"{error.filename}: {error.strerror or error}")
        case Unwritable():
            return lost(error.__cause__ or error)
        case InternalError() | Exception():
            from counterpoint.portfolio.crash import write_crash_report

            details = "".join(traceback.format_exception(error))
            report = write_crash_report("internal error in the command", details)
            return _refuse(f"internal error: {error}; see {report}", status=4)
        case _:
            raise error


def _refuse(message: str, status: int = 2) -> int:
    note(f"counterpoint: {message}")
    return status
