"""Code shared by the commands `resolve` and `link`: checks options, calls the verb and prints the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.cli.options import Options
from lookalike.notices.readable import visible
from lookalike.requests.records import RecordFiles

if TYPE_CHECKING:
    from lookalike.apps.resolve import Resolved
    from lookalike.io.outputs import Outputs
    from lookalike.notices import Notice

TABLES = ("out", "matches")
FILES = ("save_settings", "report")


def checked_outputs(options: Options) -> Outputs:
    """Checks the outputs of a command and returns them. With --explain, the table is not written."""
    from lookalike.io.outputs import Outputs

    paths = {name: options[name] for name in (*TABLES, *FILES) if name in options.fields}
    if options["explain"] is not None:
        paths["out"] = None
    return Outputs(paths, force=options["force"], tables=TABLES)


def called(verb: Any, request: type[Any], inputs: list[str], options: Options) -> tuple[Resolved, Outputs]:
    """Checks inputs and outputs, reads the tables, and calls the verb while progress is shown."""
    from lookalike.apps.resolve import check_ids
    from lookalike.cli.inputs import check_inputs
    from lookalike.display.progress import watching
    from lookalike.io.open import Paths
    from lookalike.io.records import read_records

    check_inputs(*([name] for name in inputs))
    outputs = checked_outputs(options)
    for read in ("settings", "labels"):
        outputs.check_inputs(also=options[read])
    with watching(options.progress) as shown:
        tables = []
        for name in inputs:
            shown("read", 0, None)
            tables.append(read_records(Paths([name]), **options.of(RecordFiles)))
            outputs.check_inputs(tables[-1])  # a glob or a folder may contain many files
        if options["explain"] is not None:
            ids = [options["id"], options.given.get("right_id") or options["id"]][: len(tables)]
            check_ids(tables, ids, options["explain"], options.of(request))
        found: Resolved = verb(*tables, progress=shown, **options.of(request))
    return found, outputs


def finish(found: Resolved, outputs: Outputs, options: Options) -> None:
    """Writes the outputs. Prints the explanation, if requested, and the summary or, with --json, a JSON object."""
    from lookalike.cli.json_output import facts_of, print_json
    from lookalike.cli.summary import lines_of, show

    explained = None if options["explain"] is None else str(found.explain(*options["explain"]))
    if explained is not None and not options["json"]:
        print(visible(explained))
    outputs.write_table("out", found.to_arrow())
    outputs.write_table("matches", found.matches)
    outputs.write_text("save_settings", found.settings.to_toml())
    outputs.note("report")
    if options["json"]:
        facts = facts_of(found) | ({} if explained is None else {"explanation": explained})
        if len(found.records) == 1:
            entities, grouped = counted_entities(found)
            facts |= {"entities": entities, "records_in_entities": grouped}
        else:
            facts["cardinality"] = found.cardinality
        print_json(options, facts, found.warnings, outputs)
    elif not options["quiet"]:
        show(lines_of(summary(found), outputs.written))


def counted_entities(found: Resolved) -> tuple[int, int]:
    """Returns the number of entities with two or more records, and the number of records in them."""
    sizes = {size: many for size, many in found.clusters.sizes().items() if size > 1}
    return sum(sizes.values()), sum(size * many for size, many in sizes.items())


def summary(found: Resolved) -> list[tuple[str, str | Notice]]:
    """Formats the lines of the summary: input, guesses, result and time."""
    facts, settings = found.facts, found.settings
    lines: list[tuple[str, str | Notice]] = [
        ("records", f"{table.rows:,} from {table.name}") for table in found.records
    ]
    malformed = sum(table.malformed for table in found.records)
    lines += [("skipped", f"{malformed:,} malformed rows")] if malformed else []
    lines.append(("compared", ", ".join(map(str, settings.fields))))
    if found.ignored:
        lines.append(("ignored", ", ".join(f"{name or '(no name)'}: {why}" for name, why in found.ignored.items())))
    estimate = "" if facts.recall is None else f", which include at most an estimated {facts.recall:.1%} of the matches"
    more = facts.compared - facts.candidates
    grouping = f". {more:,} more {'pair was' if more == 1 else 'pairs were'} compared to form groups" if more else ""
    if settings.candidates is not None:
        rules = ", or ".join(rule.name for rule in settings.candidates)
        lines.append(("candidates", f"{facts.candidates:,} with the same {rules}{grouping}"))
    else:
        lines.append(("candidates", f"{facts.candidates:,} (limit {facts.predicted:,}){estimate}{grouping}"))
    if len(found.records) == 1:
        entities, grouped = counted_entities(found)
        lines.append(("entities", f"{entities:,} with two or more records, {grouped:,} records in total"))
        lines.append(("matches", f"{len(found):,} {'pair' if len(found) == 1 else 'pairs'}"))
    else:
        lines.append(("matches", f"{len(found):,}, {found.cardinality}" if len(found) else "0"))
        lines += [("allowed", facts.matching)] if facts.matching is not None else []
    lines += [("checked", str(group)) for group in facts.checked]
    lines += [("labels", str(facts.evaluation))] if facts.evaluation is not None else []
    lines.append(("time", ", ".join(f"{stage} {spent:.2f} s" for stage, spent in facts.seconds.items())))
    warnings: list[str | Notice] = [*found.warnings]
    warnings += (warning for table in found.records for warning in table.warnings)
    return lines + [("warning", warning) for warning in warnings]
