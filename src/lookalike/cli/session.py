"""One run of a command over a corpus: outputs checked first, the call made, results written, the summary printed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.cli.options import Options
from lookalike.cli.progress import progress
from lookalike.errors import InvalidOption, OutputExists

if TYPE_CHECKING:
    import pyarrow as pa

    from lookalike.flow import Clusters, Pairs
    from lookalike.io import Source
    from lookalike.results import Deduped


class Session:
    """The source of a command, its options, and what it wrote."""

    def __init__(
        self, inputs: Sequence[str], options: Options, *, tables: Sequence[str | Path] = (), rows: str | None = None
    ) -> None:
        """`tables` are the tables to be written, `rows` is where kept rows go."""
        from lookalike.io import Paths, check_writable, open_source
        from lookalike.report import check_report

        self.options = options
        self.force: bool = options.running["force"]
        self.quiet: bool = options.running["quiet"]
        self.seconds: dict[str, float] = {}
        self.wrote: list[str] = []
        # what cannot be written is said before hours of work, not after
        for out in tables:
            check_table(out)
        for out in (*tables, *([rows] if rows else [])):
            check_writable(out, self.force)
        if options.running["report"] is not None:
            check_report(options.running["report"], force=self.force)
        check_plan(options)
        self.source: Source = open_source(Paths(inputs), **options.reading)

    def call(self, verb: Callable[..., Any], **more: Any) -> Any:
        """Calls a verb of the API with everything the options say, under progress."""
        running = {name: self.options.running[name] for name in ("threads", "engine", "work")}
        plan = self.options.planning["plan"]
        # rows that the verb itself writes to a terminal would run into a moving line
        writes_here = more.get("out") == "-" and sys.stdout.isatty()
        with progress(quiet=self.quiet or writes_here) as shown:
            began = time.perf_counter()
            result = verb(self.source, plan=plan, progress=shown, **running, **more, **self.options.plan_options)
        # what the engine did not measure: choosing and measuring what is kept, and writing it
        spent = time.perf_counter() - began
        self.seconds["keep" if "keep" in more else "other"] = max(0.0, spent - sum(result.summary.seconds.values()))
        return result

    def write(self, table: pa.Table, out: str | Path) -> None:
        """Writes a table to a file, or as JSON lines to standard output."""
        from lookalike.io import write_table

        with self.stage("write"):
            write_table(table, out, force=self.force)
        self.note(out)

    def note(self, out: str | Path) -> None:
        """Something was written there; the summary says so."""
        if str(out) != "-":
            self.wrote.append(str(out))

    def finish(self, result: Pairs | Clusters | Deduped) -> None:
        """The plan, the report and the summary."""
        report = self.options.running["report"]
        if report is not None:
            from lookalike.report import write_report

            with self.stage("report"):
                write_report(report, result, self.source, force=self.force)
            self.note(report)
        save_plan(self.options, result.summary.plan)
        if self.options.planning["save_plan"] is not None:
            self.note(self.options.planning["save_plan"])
        if not self.quiet:
            from lookalike.cli.summary import summarise

            sys.stdout.flush()  # data first, where both go to one terminal
            print(summarise(result, self.source.name, self.seconds, self.wrote), file=sys.stderr, end="")

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measures how long something takes, for the summary."""
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


def check_table(out: str | Path) -> None:
    """Refuses a name that does not say how a table is to be written."""
    from lookalike.io.files import format_of
    from lookalike.io.writers import WRITABLE

    if str(out) != "-" and format_of(str(out)) not in WRITABLE:
        raise InvalidOption(
            f"cannot tell how to write {out}: end its name in .parquet, .jsonl, .csv or .tsv "
            "(the last three also with .gz, .zst or .bz2)"
        )


def check_plan(options: Options) -> None:
    """Refuses, before any work is done, to save the plan over something."""
    path: Path | None = options.planning["save_plan"]
    if path is not None and path.exists() and not options.running.get("force"):
        raise OutputExists(f"{path} exists already. Choose another --save-plan, or overwrite it with --force.")


def save_plan(options: Options, toml: str) -> None:
    """Saves the plan where --save-plan says, if it says so."""
    path: Path | None = options.planning["save_plan"]
    if path is not None:
        from lookalike.io.sinks import open_sink

        with open_sink(path, force=bool(options.running.get("force"))) as sink:
            sink.write(toml.encode())
