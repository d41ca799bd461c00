"""One run of a command over a corpus: checks outputs, calls the verb, writes results, prints the summary."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.cli.options import Options
from lookalike.cli.process import allow_pandas
from lookalike.cli.progress import progress
from lookalike.errors import InvalidOption
from lookalike.notices import Notice
from lookalike.notices.naming import command_line
from lookalike.requests.shared import OnEngine, OnThisMachine, Planning, SavedPlan

if TYPE_CHECKING:
    import pyarrow as pa

    from lookalike.io import Source
    from lookalike.planning.plan import Goal
    from lookalike.results import Clusters, Deduped, Pairs
    from lookalike.trust.forecast import Forecast
    from lookalike.work.folder import Work


class Session:
    """The source of a command, its options and its outputs; used in a `with`."""

    def __init__(
        self,
        inputs: Sequence[str],
        options: Options,
        *,
        out: str,
        removed: Path | None = None,
        rows: bool = False,
        against: Sequence[str] | None = None,
    ) -> None:
        """`out` is the path of the table or, with `rows`, of the kept rows; `removed` that of the removed rows.

        Documents that are similar to one of `against` are removed too.
        """
        from lookalike.cli.inputs import check_inputs, open_inputs
        from lookalike.cli.outputs import check_inputs_stay, check_outputs

        self.options = options
        self.force: bool = options["force"]
        self.quiet: bool = options["quiet"]
        self.seconds: dict[str, float] = {}
        self.wrote: list[str] = []
        self.forecast: Forecast | None = None
        check_inputs(inputs, against)
        # errors about outputs are raised before hours of work, not after
        outputs = {"out": out, "removed": removed} | {name: options[name] for name in ("report", "save_plan")}
        self.work = open_work(options)
        try:
            tables, folder = (["removed"], "out") if rows else (["out"], None)
            check_outputs(outputs, force=self.force, tables=tables, folder=folder, own=self._owns)
            self.source = open_inputs(inputs, options)
            check_inputs_stay(outputs, self.source, options["plan"])
            self.against = open_inputs(against, options) if against else None
            if self.against is not None:
                check_inputs_stay(outputs, self.against)
            if self.work is not None:
                self.work.claim(output for output in outputs.values() if output is not None)
        except BaseException:
            self.close()
            raise

    def _owns(self, output: str | Path) -> bool:
        """Whether the interrupted run wrote this output, so that it may be overwritten."""
        return self.work is not None and self.work.claimed(output)

    def may_overwrite(self, output: str | Path) -> bool:
        return self.force or self._owns(output)

    @property
    def rows(self) -> Source:
        """The rows that the result refers to, those of the reference included."""
        if self.against is None:
            return self.source
        from lookalike.io.chained import ChainedSource

        return ChainedSource(self.against, self.source)

    def close(self) -> None:
        if self.work is not None:
            self.work.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if kind is not None and issubclass(kind, KeyboardInterrupt) and self.work is not None and not self.quiet:
            saved = Notice("run-can-be-resumed", folder=self.work.folder)
            print(f"lookalike: {saved.render(command_line)}", file=sys.stderr)

    def call(self, verb: Callable[..., Any], **more: Any) -> Any:
        """Calls a verb with the given options, under progress."""
        if self.options["engine"] == "spark":
            allow_pandas()
        plan = self.options.of(Planning, SavedPlan)
        if self.against is not None:
            more["against"] = self.against
        # rows that the verb writes to the terminal would mix with the progress line
        writes_here = more.get("out") == "-" and sys.stdout.isatty()
        with progress(quiet=self.quiet or writes_here) as shown:
            if self.options["forecast"]:
                from lookalike.api import forecast

                goal: Goal = "pairs" if verb.__name__ == "find_pairs" else "clusters"
                with self.stage("forecast"):
                    self.forecast = forecast(
                        self.rows, goal=goal, progress=shown, work=self.work, **plan, **self.options.of(OnThisMachine)
                    )
            began = time.perf_counter()
            result = verb(self.source, progress=shown, work=self.work, **plan, **self.options.of(OnEngine), **more)
        # time that the engine did not measure: choosing and measuring kept rows, and writing them
        spent = time.perf_counter() - began
        self.seconds["keep" if "keep" in more else "other"] = max(0.0, spent - sum(result.summary.seconds.values()))
        return result

    def write(self, table: pa.Table | pa.RecordBatchReader, out: str | Path) -> None:
        """Writes a table to a file, or as JSON lines to standard output."""
        from lookalike.io import write_table

        with self.stage("write"):
            write_table(table, out, force=self.may_overwrite(out))
        self.note(out)

    def note(self, out: str | Path) -> None:
        """Lists a written path in the summary."""
        if str(out) != "-":
            self.wrote.append(str(out))

    def finish(self, result: Pairs | Clusters | Deduped) -> None:
        """Runs the audit; writes plan and report; prints the summary."""
        audit, source = None, self.rows
        how = {name: self.options[name] for name in ("threads", "memory")}
        if self.options["audit"]:
            from lookalike.api import audit as audit_result

            with self.stage("audit"), progress(quiet=self.quiet) as shown:
                audit = audit_result(result, source, progress=shown, **how)
        compared = [] if self.forecast is None else self.forecast.compared_with(result.summary)
        report = self.options["report"]
        if report is not None:
            from lookalike.report import write_report

            with self.stage("report"):
                write_report(
                    report, result, source, force=self.may_overwrite(report), audit=audit, forecast=compared, **how
                )
            self.note(report)
        if (path := self.options["save_plan"]) is not None:
            save_plan(self.options, result.summary.plan, force=self.may_overwrite(path))
            self.note(path)
        if self.work is not None:
            self.work.finish()
        if not self.quiet:
            from lookalike.cli.summary import show, summarise

            show(summarise(result, self.source.name, self.seconds, self.wrote, audit, compared))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measures the time of a stage, for the summary."""
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


def open_work(options: Options) -> Work | None:
    """The work folder, if one was asked for."""
    folder, resume, keep = (options[name] for name in ("work", "resume", "keep_work"))
    if folder is None:
        if resume or keep:
            raise InvalidOption("resume-without-work", option="resume" if resume else "keep_work")
        return None
    from lookalike.work.folder import Work

    return Work(folder, resume=resume, keep=keep)


def save_plan(options: Options, toml: str, *, force: bool = False) -> None:
    """Saves the plan if the options name a file for it."""
    path: Path | None = options["save_plan"]
    if path is not None:
        from lookalike.io.sinks import open_sink

        with open_sink(path, force=force) as sink:
            sink.write(toml.encode())
