"""lookalike explain: shows what a plan will find and miss, and forecasts a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from lookalike.cli.command_options import Family, Quiet, SavePlan
from lookalike.cli.help import Argument
from lookalike.cli.options import INPUTS_HELP, Options, takes
from lookalike.errors import InvalidOption
from lookalike.notices.readable import visible
from lookalike.requests.reading import Reading
from lookalike.requests.shared import Linkage, OnThisMachine, Planning, SavedPlan

if TYPE_CHECKING:
    from lookalike.planning.plan import Plan
    from lookalike.trust.forecast import Forecast

EXAMPLE = """\b
Examples:
  lookalike explain --threshold 0.8 --recall 0.99
  lookalike explain news.jsonl --threshold 0.8
  lookalike explain 'crawl/*.parquet' --memory 2GiB
  lookalike explain --bands 20 --rows 5
  lookalike explain --plan plan.toml
  lookalike explain --family hyperplanes --threshold 0.9"""

OF_FAMILIES = ("threshold", "recall", "hashes", "bands", "rows")
"""The plan options that also apply to families."""

Data = Annotated[list[str] | None, Argument("[INPUT]...", INPUTS_HELP)]


@takes(Reading, Planning, Linkage, SavedPlan, OnThisMachine, Family, SavePlan, Quiet, example=EXAMPLE)
def explain(inputs: Data = None, *, options: Options) -> None:
    """Explains what a plan will find and miss; with INPUT, forecasts a run.

    Prints the bands and rows for the threshold and recall, the S-curve as a plot and as a table, and the memory that a
    run needs. With INPUT, the first rows determine how texts are split into shingles, and whether an exact join or
    bands are used. A dry run then reads all texts and computes their signatures, to predict memory, disk space, time,
    and the numbers of candidates and pairs. With --family, a family of hash functions for sets, bits, vectors or points
    is explained instead of a plan.
    """
    if options["family"] is not None or options["distance"] is not None:
        if inputs:
            raise InvalidOption("family-with-data")
        _explain_family(options)
        return
    from lookalike.cli.json_output import print_json
    from lookalike.cli.process import speaks_utf8
    from lookalike.io.outputs import Outputs
    from lookalike.planning.explain import explain as explain_plan
    from lookalike.planning.explain import facts
    from lookalike.planning.plan import Plan

    outputs = Outputs({"save_plan": options["save_plan"]}, force=None)
    plan = Plan.from_options(options["plan"], "pairs", options.of(Planning, Linkage))
    if options.given["memory"] is not None and not inputs:
        raise InvalidOption("memory-without-data")
    expected = _forecast(inputs, plan, options) if inputs else None
    resolved = plan.resolve() if expected is None else expected.plan
    outputs.write_text("save_plan", resolved.to_toml() if inputs else plan.to_toml())
    if options["json"]:
        forecast = {} if expected is None else {"forecast": expected.to_dict()}
        print_json(options, facts(resolved) | forecast, () if expected is None else expected.warnings, outputs)
        return
    print(visible(explain_plan(resolved, ascii=not speaks_utf8())), end="")
    if expected is not None:
        print(visible(f"\nForecast of a run:\n{expected}"), end="")


def _forecast(inputs: list[str], plan: Plan, options: Options) -> Forecast:
    from lookalike.api import forecast
    from lookalike.cli.inputs import check_inputs, open_inputs
    from lookalike.display.progress import watching

    check_inputs(inputs)
    source = open_inputs(inputs, options)
    with watching(options.progress) as shown:
        return forecast(source, plan=plan, progress=shown, **options.of(OnThisMachine))


def _explain_family(options: Options) -> None:
    from lookalike.cli.json_output import print_json
    from lookalike.cli.process import speaks_utf8
    from lookalike.families.explanation import Explained, parse_family

    if options["family"] is None:
        raise InvalidOption("needs-family", option="distance")
    asked = options.of(Planning, Linkage, SavedPlan, SavePlan)
    for name in asked:
        if name not in OF_FAMILIES:
            raise InvalidOption("not-with-family", option=name)
    if "threshold" in asked:
        try:
            asked["threshold"] = float(asked["threshold"])
        except ValueError:
            raise InvalidOption("not-a-number", option="threshold", value=asked["threshold"]) from None
    explained = Explained(parse_family(options["family"]), distance=options["distance"], **asked)
    if options["json"]:
        print_json(options, explained.facts())
    else:
        print(explained.text(ascii=not speaks_utf8()), end="")


command = explain
