"""`counterpoint properties`."""

from __future__ import annotations

import click


@click.command("properties")
def command() -> int:
    """Lists the properties: names, what each says and covers, its formulas in property files, what violations are
    called, with their sub-kinds. `--property all` stands for those that say so.
    """
    from counterpoint import property as properties
    from counterpoint.cli.console import say

    for property_ in properties.all_properties():
        default = " (the default)" if property_.name == properties.DEFAULT else ""
        default += "" if property_.extra else " (in `all`)"
        also = f"; also {', '.join(property_.aliases)}" if property_.aliases else ""
        say([((f"{property_.name}{default}", "title"),), ((f"    {property_.summary}{also}", "plain"),)])
        for sentence in property_.covers:
            say([((f"    {sentence}", "plain"),)])
        for formula, _ in property_.specification:
            say([((f"    CHECK( {formula} )", "plain"),)])
        for kind in property_.checks:
            weakness = f" [{kind.weakness}]" if kind.weakness else ""
            say([((f"    FALSE({kind.shown})  {kind.finding}{weakness}", "plain"),)])
            for cause in kind.causes:
                say([((f"        {cause.name}: {cause.finding} [{cause.weakness}]", "plain"),)])
    return 0
