"""What `resolve` and `link` share: checks, the call, outputs and the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.cli.options import Options
from lookalike.cli.outputs import Outputs
from lookalike.requests.applications import RecordFiles

if TYPE_CHECKING:
    from lookalike.apps.resolve import Resolved
    from lookalike.notices import Notice

TABLES = ("out", "matches")
FILES = ("save_settings", "report")


def outputs_of(options: Options) -> Outputs:
    """Where a command writes what, by option. An explanation replaces the table."""
    found = {name: options[name] for name in (*TABLES, *FILES) if name in options.fields}
    return found | ({} if options["explain"] is None else {"out": None})


def called(verb: Any, request: type[Any], inputs: list[str], options: Options) -> Resolved:
    """Checks inputs and outputs, and calls the verb under progress."""
    from lookalike.apps.resolve.compare import check_installed
    from lookalike.cli.inputs import check_inputs
    from lookalike.cli.outputs import check_files_stay, check_outputs
    from lookalike.cli.progress import progress
    from lookalike.io import Paths
    from lookalike.io.records import read_records

    outputs = outputs_of(options)
    check_installed()
    check_inputs(*([name] for name in inputs))
    check_outputs(outputs, force=options["force"], tables=TABLES)
    check_files_stay(outputs, (), options["settings"])
    with progress(quiet=options["quiet"]) as shown:
        tables = []
        for name in inputs:
            shown("read", 0, None)
            tables.append(read_records(Paths([name]), **options.of(RecordFiles)))
            check_files_stay(outputs, tables[-1].files)  # a glob or a folder may stand for many files
        found: Resolved = verb(*tables, progress=shown, **options.of(request))
    return found


def finish(found: Resolved, options: Options) -> None:
    """Prints an explanation if there is to be one, writes the outputs, and prints the summary."""
    from lookalike.cli.summary import lines_of, show, written_to
    from lookalike.io import write_table
    from lookalike.io.sinks import open_sink

    if options["explain"] is not None:
        print(found.explain(*options["explain"]))
    outputs, force = outputs_of(options), options["force"]
    for name in TABLES:
        if (out := outputs.get(name)) is not None:
            write_table(found.to_arrow() if name == "out" else found.matches, str(out), force=force)
    for name in FILES:
        if (out := outputs.get(name)) is not None:
            text = found.settings.to_toml() if name == "save_settings" else _page(found)
            with open_sink(out, force=force) as sink:
                sink.write(text.encode())
    if not options["quiet"]:
        written = [str(out) for out in outputs.values() if out is not None and str(out) != "-"]
        show(lines_of([*summary(found), *written_to(written)]))


def summary(found: Resolved) -> list[tuple[str, str | Notice]]:
    """What was read, guessed, found and spent."""
    facts, settings = found.facts, found.settings
    lines: list[tuple[str, str | Notice]] = [
        ("records", f"{table.rows:,} from {table.name}") for table in found.records
    ]
    malformed = sum(table.malformed for table in found.records)
    lines += [("left out", f"{malformed:,} malformed rows")] if malformed else []
    kinds = (f"{f.name}{'' if f.right is None else f' = {f.right}'} ({f.kind})" for f in settings.fields)
    lines.append(("compared", ", ".join(kinds)))
    if found.ignored:
        lines.append(("ignored", ", ".join(f"{name or '(no name)'}: {why}" for name, why in found.ignored.items())))
    estimate = "" if facts.recall is None else f"; they hold about {facts.recall:.1%} of the matches"
    lines.append(("candidates", f"{facts.candidates:,} of at most {facts.predicted:,} foretold{estimate}"))
    if len(found.records) == 1:
        clusters = found.clusters
        grouped = sum(size * many for size, many in clusters.sizes().items() if size > 1)
        lines.append(("entities", f"{len(clusters):,} of two or more records, with {grouped:,} of them in all"))
        lines.append(("matches", f"{len(found):,} {'pair' if len(found) == 1 else 'pairs'}"))
    else:
        each = "each record once at most" if settings.one_to_one else "any number for each record"
        lines.append(("matches", f"{len(found):,}, {each}"))
    lines += [("checked", str(group)) for group in facts.checked]
    lines.append(("time", ", ".join(f"{stage} {spent:.2f} s" for stage, spent in facts.seconds.items())))
    warnings: list[str | Notice] = [*found.warnings]
    warnings += (warning for table in found.records for warning in table.warnings)
    return lines + [("warning", warning) for warning in warnings]


def _page(found: Resolved) -> str:
    from lookalike.apps.resolve.page import render

    return render(found)
