"""lookalike explain: a plan → what to expect of it."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.options import OUTPUT, Options, planning, takes

EXAMPLE = """\b
Example:
  lookalike explain --threshold 0.8 --recall 0.99
  lookalike explain --bands 20 --rows 5
  lookalike explain --plan plan.toml"""

Json = Annotated[bool, typer.Option("--json", rich_help_panel=OUTPUT, show_default=False, help="The numbers, as JSON.")]


@takes(planning)
def explain(json: Json = False, *, options: Options) -> None:
    """What a plan will find and miss, before any data is read.

    Bands and rows for the threshold and recall asked for, the S-curve, the probabilities of the lecture notes' table,
    and the memory it takes.
    """
    from lookalike.api import plan_from
    from lookalike.cli.outputs import check_outputs
    from lookalike.cli.process import speaks_utf8
    from lookalike.cli.session import save_plan
    from lookalike.explain import explain as explain_plan
    from lookalike.explain import facts

    check_outputs({"--save-plan": options.planning["save_plan"]})
    plan = plan_from(options.planning["plan"], "pairs", options.plan_options)  # type: ignore[arg-type]
    resolved = plan.resolve()
    if json:
        from json import dumps

        print(dumps(facts(resolved), indent=1))
    else:
        print(explain_plan(resolved, ascii=not speaks_utf8()), end="")
    save_plan(options, plan.to_toml())


command = explain
