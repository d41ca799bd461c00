"""Code shared by the commands `pairs`, `clusters` and `dedupe`, which differ only in their results."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lookalike.cli.inputs import check_inputs
from lookalike.cli.options import Options
from lookalike.cli.process import allow_pandas, return_memory_early
from lookalike.display.progress import watching
from lookalike.notices import Notice
from lookalike.notices.naming import command_line
from lookalike.requests.option import complete

if TYPE_CHECKING:
    from lookalike.planning.plan import Goal
    from lookalike.results.clusters import Clusters
    from lookalike.results.deduped import Deduped
    from lookalike.results.pairs import Pairs
    from lookalike.run import Run
    from lookalike.trust.audit import Audit

    Found = Pairs | Clusters | Deduped


def run_corpus(
    inputs: Sequence[str],
    options: Options,
    goal: Goal,
    find: Callable[[Run], Found],
    *,
    rows: bool = False,
    **outputs: Any,
) -> None:
    """Runs a command, from its arguments to its summary. `find` computes the result of the run.

    If `rows` is True, the outputs are kept and removed rows, which `find` writes itself. `outputs` are paths that
    replace the options of the same name.
    """
    from lookalike.io.open import Paths
    from lookalike.results.deduped import Deduped
    from lookalike.run import start

    configured = {name: options[name] for name in options.configured if name in options.fields}
    asked = complete("lookalike", options.fields, {**options.given, **configured}) | {"progress": None} | outputs
    if against := asked.get("against"):
        check_inputs(inputs, against)
        asked["against"] = Paths(against)
    if asked["engine"] == "spark":
        allow_pandas()
    if asked["memory"] is not None:
        return_memory_early()
    # a live progress line would mix with rows that are written to the same terminal
    on_terminal = asked["out"] in (None, "-") and sys.stdout.isatty()
    try:
        with start(Paths(inputs), goal, asked, rows=rows) as run:
            with watching(options.progress and not (rows and on_terminal)) as run.progress:
                forecast = _forecast(run) if asked["forecast"] else None
                if forecast is not None:
                    run.progress.expect(forecast.seconds)
                result = find(run)
                audit = _audit(run, result, asked) if asked["audit"] else None
            predictions = [] if forecast is None else forecast.compared_with(result.summary)
            with watching(options.progress and not on_terminal) as run.progress:
                if not isinstance(result, Deduped):  # `find` has already written the rows of a Deduped
                    run.progress("write", 0, None)
                    with run.stage("write"):
                        run.outputs.write_table("out", result.to_reader())
                if "report" in run.outputs.paths:
                    _report(run, result, asked, audit, predictions)
            if "save_plan" in run.outputs.paths:
                run.outputs.write_text("save_plan", result.summary.plan)
    except KeyboardInterrupt:
        if asked["work"] is not None and not asked["quiet"]:
            saved = Notice("run-can-be-resumed", folder=asked["work"])
            print(f"lookalike: {saved.render(command_line)}", file=sys.stderr)
        raise
    if asked["json"]:
        from lookalike.cli.json_output import facts_of_run, print_json

        facts = facts_of_run(result, time.perf_counter() - run.began, audit, predictions)
        print_json(options, facts, result.warnings, run.outputs)
    elif not asked["quiet"]:
        from lookalike.cli.summary import show, summarise

        show(summarise(result, run.new.name, time.perf_counter() - run.began, run.outputs.written, audit, predictions))
    if asked["verbose"]:
        from lookalike.cli.details import print_plan

        print_plan(result.summary.plan)


def _forecast(run: Run) -> Any:
    with run.stage("forecast"):
        return run.forecast(parts=run.work is not None)


def _audit(run: Run, result: Found, asked: dict[str, Any]) -> Audit:
    from lookalike.api import audit

    with run.stage("audit"):
        return audit(result, run.source, progress=run.progress, threads=asked["threads"], memory=asked["memory"])


def _report(run: Run, result: Found, asked: dict[str, Any], audit: Audit | None, predictions: Any) -> None:
    from lookalike.report import write_report

    path, force = run.outputs.paths["report"], "report" in run.outputs.overwritable
    run.progress("report", 0, None)
    with run.stage("report"):
        write_report(
            path, result, run.source, force=force, audit=audit, forecast=predictions, threads=asked["threads"],
            memory=asked["memory"],
        )  # fmt: skip
    run.outputs.note("report")
