"""`counterpoint engines`."""

from __future__ import annotations

import click


@click.command("engines")
def command() -> int:
    """Lists the engines: what each does and the publication that it follows."""
    from counterpoint import engines

    for name in engines.names():
        engine = engines.get(name)
        click.echo(f"{click.style(name, bold=True)}\n    {engine.summary}\n    after: {engine.reference}")
    click.echo(
        "\nauto runs random testing and bounded model checking; `--engine NAME[,NAME...]` chooses others."
    )
    return 0
