"""`counterpoint engines`."""

from __future__ import annotations

import click


@click.command("engines")
def command() -> int:
    """Lists the engines: what each can say and does, the publication that it follows, its options."""
    from counterpoint import engines
    from counterpoint.cli.console import say, say_text

    for name in engines.names():
        engine = engines.get(name)
        says = f"  {', '.join(engine.says)}"
        after = f"    after: {engine.reference}"
        say([((name, "title"), (says, "dim")), ((f"    {engine.summary}", "plain"),), ((after, "plain"),)])
        for option in engines.options(name):
            say([((f"    -O {option.name}=...  {option.sentence} [{option.default}]", "plain"),)])
    say_text(
        "\nauto looks at the program, then runs tests and bounded model checking on one side and the provers in"
        " turn on the other; `--engine NAME[,NAME...]` chooses. With one NAME its"
        " options have short forms: `-O NAME.OPTION=VALUE` is `--OPTION VALUE`, and `--OPTION` is true."
    )
    return 0
