"""One run of a command over a corpus: outputs checked first, the call made, results written, the summary printed."""

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

if TYPE_CHECKING:
    import pyarrow as pa

    from lookalike.io import Source
    from lookalike.planning.plan import Goal
    from lookalike.results import Clusters, Deduped, Pairs
    from lookalike.trust.forecast import Forecast
    from lookalike.work.folder import Work


RUNNING = ("threads", "memory", "engine", "master", "staging")
"""Options of a run that are handed to the verb as they are."""


class Session:
    """The source of a command, its options, and what it wrote; to be used in a `with`."""

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
        """`out` is where a table or, with `rows`, the kept rows go, and `removed` where those that were not kept go.

        What is similar to documents of `against` is removed too.
        """
        from lookalike.cli.outputs import check_inputs_stay, check_outputs

        self.options = options
        self.force: bool = options.running["force"]
        self.quiet: bool = options.running["quiet"]
        self.seconds: dict[str, float] = {}
        self.wrote: list[str] = []
        self.forecast: Forecast | None = None
        check_names([*inputs, *(against or ())])
        if "-" in inputs and "-" in (against or ()):
            raise InvalidOption("standard input can be read once only; name a file for one of the two collections")
        # what cannot be written is said before hours of work, not after
        outputs = {
            "--out": out,
            "--removed": removed,
            "--report": options.running["report"],
            "--save-plan": options.planning["save_plan"],
        }
        self.work = open_work(options)
        try:
            check_outputs(outputs, force=self.force, folder="--out" if rows else None, own=self._owns)
            for table in (removed, None if rows else out):
                if table is not None:
                    check_table(table)
            self.source = open_inputs(inputs, options)
            check_inputs_stay(outputs, self.source, options.planning["plan"])
            self.against = open_inputs(against, options) if against else None
            if self.against is not None:
                check_inputs_stay(outputs, self.against)
            if self.work is not None:
                self.work.claim(output for output in outputs.values() if output is not None)
        except BaseException:
            self.close()
            raise

    def _owns(self, output: str | Path) -> bool:
        """Whether an output that is there is one that the interrupted run wrote, so that it may be written again."""
        return self.work is not None and self.work.claimed(output)

    def may_overwrite(self, output: str | Path) -> bool:
        return self.force or self._owns(output)

    @property
    def rows(self) -> Source:
        """What the result is about: the rows of the reference, too."""
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
            print(f"what is finished is in {self.work.folder}; the same command with --resume goes on", file=sys.stderr)

    def call(self, verb: Callable[..., Any], **more: Any) -> Any:
        """Calls a verb of the API with everything the options say, under progress."""
        running = {name: self.options.running[name] for name in RUNNING} | {"work": self.work}
        if running["engine"] == "spark":
            allow_pandas()
        plan = self.options.planning["plan"]
        if self.against is not None:
            more["against"] = self.against
        # rows that the verb itself writes to a terminal would run into a moving line
        writes_here = more.get("out") == "-" and sys.stdout.isatty()
        with progress(quiet=self.quiet or writes_here) as shown:
            if self.options.running["forecast"]:
                from lookalike.api import forecast

                goal: Goal = "pairs" if verb.__name__ == "find_pairs" else "clusters"
                with self.stage("dry run"):
                    self.forecast = forecast(
                        self.rows, goal=goal, plan=plan, progress=shown, **self.options.plan_options,
                        threads=running["threads"], memory=running["memory"], work=self.work,
                    )  # fmt: skip
            began = time.perf_counter()
            result = verb(self.source, plan=plan, progress=shown, **running, **more, **self.options.plan_options)
        # what the engine did not measure: choosing and measuring what is kept, and writing it
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
        """Something was written there; the summary says so."""
        if str(out) != "-":
            self.wrote.append(str(out))

    def finish(self, result: Pairs | Clusters | Deduped) -> None:
        """The audit, the plan, the report and the summary."""
        audit, source = None, self.rows
        how = {name: self.options.running[name] for name in ("threads", "memory")}
        if self.options.running["audit"]:
            from lookalike.api import audit as audit_result

            with self.stage("audit"), progress(quiet=self.quiet) as shown:
                audit = audit_result(result, source, progress=shown, **how)
        foretold = [] if self.forecast is None else self.forecast.compared_with(result.summary)
        report = self.options.running["report"]
        if report is not None:
            from lookalike.report import write_report

            with self.stage("report"):
                write_report(
                    report, result, source, force=self.may_overwrite(report), audit=audit, forecast=foretold, **how
                )
            self.note(report)
        if (path := self.options.planning["save_plan"]) is not None:
            save_plan(self.options, result.summary.plan, force=self.may_overwrite(path))
            self.note(path)
        if self.work is not None:
            self.work.finish()
        if not self.quiet:
            from lookalike.cli.summary import summarise

            sys.stdout.flush()  # data first, where both go to one terminal
            said = summarise(result, self.source.name, self.seconds, self.wrote, audit, foretold)
            print(said, file=sys.stderr, end="")

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measures how long something takes, for the summary."""
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


def check_names(inputs: Sequence[str]) -> None:
    if "" in inputs:
        raise InvalidOption("the name of an input is empty; for the folder you are in write .")


def open_inputs(inputs: Sequence[str], options: Options) -> Source:
    """The source that the command's arguments name."""
    from lookalike.io import Paths, open_source

    check_names(inputs)
    return open_source(Paths(inputs), **options.reading)


def check_table(out: str | Path) -> None:
    """Refuses a name that does not say how a table is to be written."""
    from lookalike.io.files import format_of
    from lookalike.io.outputs import WRITABLE

    if str(out) != "-" and format_of(str(out)) not in WRITABLE:
        raise InvalidOption(
            f"cannot tell how to write {out}: end its name in .parquet, .jsonl, .csv or .tsv "
            "(the last three also with .gz, .zst or .bz2)"
        )


def open_work(options: Options) -> Work | None:
    """The work folder, if there is to be one."""
    folder, resume, keep = (options.running[name] for name in ("work", "resume", "keep_work"))
    if folder is None:
        if resume or keep:
            option = "--resume" if resume else "--keep-work"
            raise InvalidOption(f"{option} needs --work: the folder of the finished parts")
        return None
    from lookalike.work.folder import Work

    return Work(folder, resume=resume, keep=keep)


def save_plan(options: Options, toml: str, *, force: bool = False) -> None:
    """Saves the plan where --save-plan says, if it says so."""
    path: Path | None = options.planning["save_plan"]
    if path is not None:
        from lookalike.io.sinks import open_sink

        with open_sink(path, force=force) as sink:
            sink.write(toml.encode())
