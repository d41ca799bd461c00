"""lookalike explain: a plan → what to expect of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import FIND, INPUTS_HELP, OUTPUT, Memory, Options, Quiet, Threads, planning, reading, takes
from lookalike.errors import InvalidOption

if TYPE_CHECKING:
    from lookalike.planning.plan import Plan
    from lookalike.trust.forecast import Forecast

EXAMPLE = """\b
Example:
  lookalike explain --threshold 0.8 --recall 0.99
  lookalike explain news.jsonl --threshold 0.8
  lookalike explain 'crawl/*.parquet' --memory 2GiB
  lookalike explain --bands 20 --rows 5
  lookalike explain --plan plan.toml
  lookalike explain --family hyperplanes --threshold 0.9"""

Of = Annotated[
    str | None,
    typer.Option(
        "--family",
        rich_help_panel=FIND,
        show_default=False,
        metavar="NAME",
        help="Another family than texts need: minhash, weighted, bits:PLACES, hyperplanes, signs:DIMENSIONS, "
        "polytope:AXES, lines:WIDTH or unit-lines:WIDTH:DIMENSIONS; with --threshold, its similarity, or --distance.",
    ),
]
Distance = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=FIND,
        show_default=False,
        metavar="NUMBER",
        help="Of a family: the greatest distance that counts, instead of --threshold.",
    ),
]
Json = Annotated[bool, typer.Option("--json", rich_help_panel=OUTPUT, show_default=False, help="The numbers, as JSON.")]
Data = Annotated[list[str] | None, typer.Argument(metavar="[INPUT]...", show_default=False, help=INPUTS_HELP)]


@takes(reading, planning)
def explain(
    inputs: Data = None,
    family: Of = None,
    distance: Distance = None,
    json: Json = False,
    threads: Threads = None,
    memory: Memory = None,
    quiet: Quiet = False,
    *,
    options: Options,
) -> None:
    """What a plan will find and miss; with INPUT, a dry run: what it would find there and what that would take.

    Bands and rows for the threshold and recall asked for, the S-curve, the probabilities of the lecture notes' table,
    and the memory it takes. With INPUT the first rows decide how texts are cut, and whether an exact join or bands cost
    less; all texts are then read and signed once, to foretell candidates, pairs, memory, disk and time. With --family
    the same of any family of hash functions, for sets, bits, vectors or points.
    """
    if family is not None or distance is not None:
        if inputs:
            raise InvalidOption("a family is explained without data; leave INPUT or --family out")
        _family(family, distance, json, options)
        return
    from lookalike.cli.outputs import check_outputs
    from lookalike.cli.process import speaks_utf8
    from lookalike.cli.session import save_plan
    from lookalike.notices.naming import command_line
    from lookalike.planning.explain import explain as explain_plan
    from lookalike.planning.explain import facts
    from lookalike.requests.plan import plan_from

    check_outputs({"--save-plan": options.planning["save_plan"]})
    plan = plan_from(options.planning["plan"], "pairs", options.plan_options)
    if memory is not None and not inputs:
        raise InvalidOption("--memory is the budget of a dry run; name the INPUT that it is to be made of")
    expected = _dry_run(inputs, plan, options, threads, memory, quiet) if inputs else None
    resolved = plan.resolve() if expected is None else expected.plan
    if json:
        from json import dumps

        print(dumps(facts(resolved) | ({} if expected is None else {"forecast": expected.to_dict()}), indent=1))
    else:
        print(explain_plan(resolved, ascii=not speaks_utf8()), end="")
        if expected is not None:
            print(f"\nA run is expected to find and to take:\n{expected.text(command_line)}", end="")
    save_plan(options, resolved.to_toml() if inputs else plan.to_toml())


def _dry_run(
    inputs: list[str], plan: Plan, options: Options, threads: int | None, memory: str | None, quiet: bool
) -> Forecast:
    from lookalike.api import forecast
    from lookalike.cli.progress import progress
    from lookalike.cli.session import open_inputs

    source = open_inputs(inputs, options)
    with progress(quiet=quiet) as shown:
        return forecast(source, plan=plan, threads=threads, memory=memory, progress=shown)


def _family(name: str | None, distance: float | None, json: bool, options: Options) -> None:
    from lookalike.cli.process import speaks_utf8
    from lookalike.families.explained import Explained, parse_family

    if name is None:
        raise InvalidOption("--distance is asked of a family: name it with --family")
    asked = {option: value for option, value in options.planning.items() if value is not None}
    own = ("threshold", "recall", "hashes", "bands", "rows")
    if others := sorted(asked.keys() - set(own)):
        raise InvalidOption(f"--{others[0].replace('_', '-')} has no meaning with --family; leave it out")
    if "threshold" in asked:
        try:
            asked["threshold"] = float(asked["threshold"])
        except ValueError:
            raise InvalidOption(f"threshold must be a number, got {asked['threshold']!r}") from None
    explained = Explained(parse_family(name), distance=distance, **asked)
    if json:
        from json import dumps

        print(dumps(explained.facts(), indent=1))
    else:
        print(explained.text(ascii=not speaks_utf8()), end="")


command = explain
