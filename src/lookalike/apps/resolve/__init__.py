"""Entity resolution: finds records that refer to the same person, product or publication.

No labels or settings are needed. A run has these steps:

    records ──guess──▶ fields ──propose──▶ candidates ──compare──▶ levels ──weigh──▶ scores ──group──▶ entities
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from lookalike.apps.resolve.evaluation import Evaluation, Proportion
from lookalike.apps.resolve.explanation import Explanation, Step
from lookalike.apps.resolve.facts import ResolutionFacts
from lookalike.apps.resolve.result import Resolved
from lookalike.apps.resolve.settings import Field, Rule, Settings, fields_of
from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow.progress import callback
from lookalike.notices import Notice
from lookalike.requests import records as requests
from lookalike.requests.option import part
from lookalike.requests.verb import verb

if TYPE_CHECKING:
    from lookalike.io.records import Records


@verb(requests.Resolve)
def resolve(data: Any, **options: Unpack[requests.Resolve]) -> Resolved:
    """Finds records in one table that refer to the same entity. Returns the entities, their matches and the evidence.

    The kind of each column is guessed unless `fields` specifies it. By default, the weight of each column is learned
    from the data, with Fellegi and Sunter's model and expectation–maximisation. The members of an entity match one
    another on average; a chain of matches is not enough.

    >>> people = [
    ...     {"name": "Ann Smith", "born": "1970-03-01", "city": "Leeds"},
    ...     {"name": "Anne Smith", "born": "1970-03-01", "city": "Leeds"},
    ...     {"name": "Bob Jones", "born": "1988-11-30", "city": "York"},
    ... ]
    >>> resolve(people, method="points", threshold=250).clusters.members()
    [[0, 1]]
    """
    return _run([data], [options["id"]], None, options)


@verb(requests.Link)
def link(left: Any, right: Any, **options: Unpack[requests.Link]) -> Resolved:
    """Finds records in two tables that refer to the same entity. Returns the matches, their scores and the evidence.

    Columns are paired by name. With `one_to_one`, each record keeps only its best match. This is the default, unless
    one of the tables contains many duplicates.

    >>> shop = [{"item": "Sony Turntable PSLX350H"}, {"item": "Bose Acoustimass 5"}]
    >>> web = [{"item": "bose acoustimass 5 speaker"}, {"item": "sony pslx350h turntable"}]
    >>> link(shop, web, method="points", threshold=60).matches.select(["left", "right"]).to_pylist()
    [{'left': 0, 'right': 1}, {'left': 1, 'right': 0}]
    """
    ids = [options["id"], options["id"] if options["right_id"] is None else options["right_id"]]
    return _run([left, right], ids, options["one_to_one"], options)


def _run(data: list[Any], ids: list[str | None], single: bool | None, options: Mapping[str, Any]) -> Resolved:
    from lookalike.apps.resolve.blocks import blocked
    from lookalike.apps.resolve.codes_in_texts import NAME, with_codes
    from lookalike.apps.resolve.labels import labels_of, read_labels
    from lookalike.apps.resolve.partners import partner
    from lookalike.apps.resolve.resolution import settle
    from lookalike.apps.resolve.rules import rules_of
    from lookalike.apps.resolve.tables import columns_of, days_in, guess, repeats_itself
    from lookalike.flow.checks import check_names, check_threads
    from lookalike.io.open import check_column, refuse_one_iterator
    from lookalike.io.outputs import Outputs
    from lookalike.io.records import Records, read_records

    threads = check_threads(options.get("threads"))
    progress = callback(options["progress"])
    outputs = Outputs({"report": options["report"]}, force=options["force"])
    settings = _settings(options.get("settings"))
    reading = part(options, requests.RecordFiles)
    for option in ("id", "right_id"):
        check_column(option, options.get(option))
    refuse_one_iterator(*data)
    tables: list[Records] = []
    for one in data:
        progress("read", 0, None)
        tables.append(one if isinstance(one, Records) else read_records(one, **reading))
        progress("read", tables[-1].rows, tables[-1].rows)
    for table in tables:
        if table.columns and not table.rows:
            raise MalformedInput("no-records", where=table.name)
    labelled = read_labels(options.get("labels"))
    outputs.check_inputs(*tables, labelled)
    wanted = fields_of(options.get("fields") or ())
    corrected = _corrections(settings, wanted)
    for field in corrected.values():
        if field.kind == "function" and field.similarity is None:
            raise InvalidOption("field-needs-function", field=field.name)
    method = options.get("method") or (settings.method if settings is not None else "weights")
    check = options.get("check")
    if check is not None and method != "points":
        raise InvalidOption("check-without-points")
    days = None if check is None else days_in(tables, check)
    check = None if check is None else partner(check, tables[0])  # the name of the column in the first table
    if check is not None and any(field.name == check for field in wanted):
        raise InvalidOption("check-column-compared", column=check)
    left_out = [*check_names("ignore", options.get("ignore") or ()), *([] if check is None else [check])]
    as_codes = corrected.pop(NAME, None)
    guessed = guess(tables, list(corrected.values()), [name for name in left_out if name != NAME], ids)
    fields, ignored = guessed.fields, dict(guessed.ignored)
    if check is not None:
        ignored[check] = "used to check the points"
    if settings is not None:  # use the order of the settings, which is also the order of the weights
        by_name = {field.name: field for field in fields}
        fields = tuple(by_name[name] for name in corrected if name in by_name)
        others = (name for name in tables[0].columns if name not in {field.name for field in fields})
        ignored = {name: ignored.get(name, "not in the settings") for name in others}
    split = tables[0].rows if len(tables) == 2 else None
    why = Notice("as-requested")
    if split is None:
        single = False
    elif single is None:
        repeated = [table.name for table, id in zip(tables, ids, strict=True) if repeats_itself(table, id)]
        single, why = not repeated, Notice("because-tables-repeat", names=tuple(repeated))
        if not repeated:
            why = Notice("because-no-table-repeats")
        if settings is not None:
            single, why = settings.one_to_one, Notice("as-in-settings")
    if method == "weights" and NAME not in left_out and (settings is None or as_codes is not None):
        (*tables,), fields = with_codes(tables, fields, always=as_codes is not None)
    columns = columns_of(tables, fields)
    threshold = options.get("threshold")
    if threshold is None:
        usual = 0.5 if method == "weights" else 200.0 * len(fields) / 3
        fits = settings is not None and (method == "weights" or len(fields) == len(settings.fields))
        threshold = settings.threshold if settings is not None and settings.method == method and fits else usual
    top = options.get("top")
    if top is None:
        top = settings.top if settings is not None else 10
    rules = rules_of(options.get("candidates"), tables)
    if rules is None and settings is not None:
        rules = settings.candidates
    used = Settings(fields, tuple(ignored), method, threshold, top, single, rules)
    warnings: tuple[Notice, ...] = ()
    if settings is not None and settings.weights is not None and method == "weights":
        if settings.weights_fit(used):
            used = replace(used, weights=settings.weights, calibration=settings.calibration)
        else:
            warnings = (Notice("weights-not-reused"),)
    labels = None if labelled is None else labels_of(labelled, tables, guessed.ids)
    outcome = settle(columns, used, split, threads, progress, days, blocked(tables, columns, used), labels)
    if split is not None:
        outcome.facts.matching = Notice("one-match-per-record" if single else "many-matches-per-record", why=why)
    if check is not None and not outcome.facts.checked:
        warnings += (Notice("points-not-checked", column=check),)
    warnings += tuple(outcome.facts.warnings)
    found = Resolved(tuple(tables), guessed.ids, outcome, ignored, warnings)
    for path in outputs.paths.values():
        progress("report", 0, None)
        found.report(path, force=options["force"])
    return found


def check_ids(
    tables: Sequence[Records], ids: Sequence[str | None], pair: Sequence[Any], options: Mapping[str, Any]
) -> None:
    """Raises the error that `explain` would raise after a run if one of the two ids does not exist."""
    from lookalike.apps.resolve.codes_in_texts import NAME
    from lookalike.apps.resolve.tables import guess, rows_of_pair
    from lookalike.flow.checks import check_names

    corrected = _corrections(_settings(options.get("settings")), fields_of(options.get("fields") or ()))
    ignored = [name for name in check_names("ignore", options.get("ignore") or ()) if name != NAME]
    guessed = guess(tables, [field for name, field in corrected.items() if name != NAME], ignored, ids)
    rows_of_pair(pair, guessed.ids, tables)


def _corrections(settings: Settings | None, fields: Sequence[Field]) -> dict[str, Field]:
    """Returns the fields of earlier settings, and those that users name, which take precedence, by name."""
    return {field.name: field for field in (*(settings.fields if settings is not None else ()), *fields)}


def _settings(given: Any) -> Settings | None:
    """Returns the settings that were given as a value, as the path of a file, or as TOML: a text of several lines."""
    if isinstance(given, str) and "\n" in given:
        return Settings.from_toml(given)
    settings = Settings.load(given) if isinstance(given, str | Path) else given
    if not isinstance(settings, Settings | None):
        raise InvalidOption("not-a-path", option="settings", type=type(given).__name__)
    return settings


__all__ = [
    "Evaluation",
    "Explanation",
    "Field",
    "Proportion",
    "ResolutionFacts",
    "Resolved",
    "Rule",
    "Settings",
    "Step",
    "link",
    "resolve",
]  # fmt: skip
