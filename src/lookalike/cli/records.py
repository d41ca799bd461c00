"""What `resolve` and `link` share: their options, what they write, and what they say."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from lookalike.cli.options import FIND, INPUT, OUTPUT, option
from lookalike.cli.outputs import Outputs
from lookalike.notices import Notice

if TYPE_CHECKING:
    from lookalike.apps.resolve import Resolved


def comparing(
    field: Annotated[
        list[str] | None,
        option(
            INPUT,
            "NAME:KIND",
            "Correct what was guessed, as in title:text (title=name:text where the second table says name); kinds are "
            "name, address, text, date, number, code and phone. Can be repeated.",
        ),
    ] = None,
    ignore: Annotated[list[str] | None, option(INPUT, "NAME", "A column to leave out. Can be repeated.")] = None,
    separator: Annotated[
        str | None, option(INPUT, "CHAR", "Between the fields of a CSV file (default: told by its first lines).")
    ] = None,
    format: Annotated[
        str | None, option(INPUT, "FORMAT", "parquet, jsonl, csv or tsv (default: by file name; of - csv).")
    ] = None,
    on_error: Annotated[
        str, option(INPUT, "fail|skip", "What to do with a malformed row (default: fail). Skipped rows are counted.")
    ] = "fail",
    method: Annotated[
        str | None,
        option(FIND, "weights|points", "Weights learnt from the data, or 100 points a field (default: weights)."),
    ] = None,
    threshold: Annotated[
        float | None,
        option(
            FIND,
            "P",
            "Least probability of a match (default: 0.5); by points, least score (default: two thirds of all).",
        ),
    ] = None,
    check: Annotated[
        str | None,
        option(FIND, "NAME", "By points: a column of dates that has no part in them and tells how far to trust them."),
    ] = None,
    top: Annotated[
        int | None, option(FIND, "N", "Candidates of each record, in each way of finding them (default: 10).")
    ] = None,
    settings: Annotated[
        Path | None, option(FIND, "FILE", "Fields and weights of an earlier run: nothing is guessed or learnt.")
    ] = None,
    save_settings: Annotated[
        Path | None, option(OUTPUT, "FILE", "Save these, as TOML, to edit and for --settings.")
    ] = None,
    report: Annotated[
        Path | None, option(OUTPUT, "FILE", "Write an HTML report with the evidence of sample pairs.")
    ] = None,
    force: Annotated[bool, option(OUTPUT, None, "Overwrite outputs that exist.", "--force")] = False,
) -> None:
    """What is compared, and how."""


def called(
    verb: Any,
    inputs: list[str],
    asked: dict[str, Any],
    outputs: Outputs,
    *,
    quiet: bool,
    threads: int | None,
    **more: Any,
) -> Resolved:
    """Checks inputs and outputs, and calls the verb under progress."""
    from lookalike.apps.resolve.compare import check_installed
    from lookalike.cli.outputs import check_files_stay, check_outputs
    from lookalike.cli.progress import progress
    from lookalike.cli.session import check_names, check_table
    from lookalike.errors import InvalidOption
    from lookalike.io import Paths
    from lookalike.io.records import read_records

    check_installed()
    check_names(inputs)
    if inputs.count("-") > 1:
        raise InvalidOption("standard input can be read once only; name a file for one of the two tables")
    check_outputs(outputs, force=asked["force"])
    for name in ("--out", "--matches"):
        if outputs.get(name) is not None:
            check_table(str(outputs[name]))
    check_files_stay(outputs, (), asked["settings"])
    reading = {name: asked[name] for name in ("separator", "format", "on_error")}
    names = ("ignore", "method", "threshold", "check", "top", "settings")
    said = {name: asked[name] for name in names if asked[name] is not None}
    with progress(quiet=quiet) as shown:
        tables = []
        for name in inputs:
            shown("read", 0, None)
            tables.append(read_records(Paths([name]), **reading))
            check_files_stay(outputs, tables[-1].files)  # a glob and a folder name many
        found: Resolved = verb(*tables, fields=asked["field"] or [], threads=threads, progress=shown, **said, **more)
    return found


def finish(found: Resolved, asked: dict[str, Any], outputs: Outputs, *, quiet: bool) -> None:
    """Writes what was asked for, and says what was done."""
    from lookalike.cli.summary import lines_of, written_to
    from lookalike.io import write_table
    from lookalike.io.sinks import open_sink

    force = asked["force"]
    for name in ("--out", "--matches"):
        if (out := outputs.get(name)) is not None:
            write_table(found.to_arrow() if name == "--out" else found.matches, str(out), force=force)
    for name in ("--save-settings", "--report"):
        if (out := outputs.get(name)) is not None:
            text = found.settings.to_toml() if name == "--save-settings" else _page(found)
            with open_sink(out, force=force) as sink:
                sink.write(text.encode())
    if not quiet:
        sys.stdout.flush()  # data first, where both go to one terminal
        written = [str(out) for out in outputs.values() if out is not None and str(out) != "-"]
        print(lines_of([*summary(found), *written_to(written)]), file=sys.stderr, end="")


def summary(found: Resolved) -> list[tuple[str, str | Notice]]:
    """What was read, guessed, found and spent."""
    facts, settings = found.facts, found.settings
    lines: list[tuple[str, str | Notice]] = [("records", f"{table.rows:,} from {table.name}") for table in found.tables]
    malformed = sum(table.malformed for table in found.tables)
    lines += [("left out", f"{malformed:,} malformed rows")] if malformed else []
    kinds = (f"{f.name}{'' if f.right is None else f' = {f.right}'} ({f.kind})" for f in settings.fields)
    lines.append(("compared", ", ".join(kinds)))
    if found.ignored:
        lines.append(("ignored", ", ".join(f"{name or '(no name)'}: {why}" for name, why in found.ignored.items())))
    estimate = "" if facts.recall is None else f"; they hold about {facts.recall:.1%} of the matches"
    lines.append(("candidates", f"{facts.candidates:,} of at most {facts.predicted:,} foretold{estimate}"))
    if len(found.tables) == 1:
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
    warnings += (warning for table in found.tables for warning in table.warnings)
    return lines + [("warning", warning) for warning in warnings]


def _page(found: Resolved) -> str:
    from lookalike.apps.resolve.page import render

    return render(found)
