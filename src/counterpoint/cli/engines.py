"""`counterpoint engines`."""

from __future__ import annotations

import click


@click.command("engines")
def command() -> int:
    """Lists the engines: what each does, the publication that it follows, its options."""
    from counterpoint import engines

    for name in engines.names():
        engine = engines.get(name)
        click.echo(f"{click.style(name, bold=True)}\n    {engine.summary}\n    after: {engine.reference}")
        for option in engines.options(name):
            click.echo(f"    -O {option.name}=...  {option.sentence} [{option.default}]")
    click.echo(
        "\nauto looks at the program, then runs tests and bounded model checking on one side and the provers in"
        " turn on the other; `--engine NAME[,NAME...]` chooses. With one NAME its"
        " options have short forms: `-O NAME.OPTION=VALUE` is `--OPTION VALUE`, and `--OPTION` is true."
    )
    return 0
