"""What verbs take by name: the options, and the plan that they ask for."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from lookalike.engines import Engine
from lookalike.errors import InvalidOption
from lookalike.flow import Auto, Chars, Shingling, parse_shingling
from lookalike.flow.checks import check_true_or_false
from lookalike.flow.progress import Progress
from lookalike.planning.plan import Goal, Plan

if TYPE_CHECKING:
    from lookalike.joins.question import Question
    from lookalike.work.folder import Work


OF_RIGHT = ("column", "id", "basket", "format")
"""What the right side of a join may have otherwise than the left."""

READING = ("column", "id", "basket", "separator", "transpose", "format", "on_error", "batch_rows")
"""Options about how the data is read: those of `open_source`."""


class PlanOptions(TypedDict, total=False):
    """What goes into the plan; see `Plan` and the classes of shingles for the meaning and the defaults."""

    threshold: float | str
    recall: float
    method: Literal["auto", "exact", "lsh"]
    hashes: int
    bands: int | None
    rows: int | None
    sketch: Literal["fast", "classic"]
    verify: Literal["exact", "signature", "none"]
    linkage: Literal["connected", "star"]
    seed: int
    ignore_common: float | str | None
    shingles: str | Shingling
    whitespace: Literal["fold", "drop", "keep"]
    case: Literal["fold", "keep"]
    normalize: Literal["nfkc", "none"]
    bag: bool
    bits: Literal[32, 64]


class Options(PlanOptions, total=False):
    """What every verb over a corpus takes: the plan's options, how to read the data, and where to work."""

    plan: Plan | str | Path | None
    """A plan, or the path of a saved one; other plan options then change single entries of it."""
    column: str | None
    id: str | None
    basket: str | None
    """The column that says which set an item is in, in a table of one item a row."""
    separator: str | None
    """What stands between the items of a basket file (default: white space; in .csv a comma, in .tsv a tab)."""
    transpose: bool
    """Turns sets around: what was an item becomes a set, of all sets that held it."""
    format: str | None
    on_error: Literal["fail", "skip"]
    batch_rows: int
    engine: str | Engine
    threads: int | None
    memory: int | str | None
    """The most that the process may hold, such as "2GiB"; what does not fit is kept in files. Default: half of what is
    free. The answer does not depend on it."""
    master: str | None
    """Of the Spark engine: where it runs, such as "spark://host:7077", "local[4]" or "sc://host" (Spark Connect)."""
    staging: str | None
    """Of the Spark engine: a folder or URL that all its machines see, for parts that are finished."""
    progress: Progress | None
    work: str | Path | Work | None
    """A folder for finished parts, which are removed when all is done; or a `Work`, which says when that is."""
    resume: bool
    """Go on after the parts of an interrupted run, if there are any in `work`; without it they are refused."""


class VectorOptions(TypedDict, total=False):
    """What verbs over vectors take: how to read them, and how to look."""

    column: str | None
    id: str | None
    recall: float
    method: Literal["auto", "exact", "lsh"]
    seed: int
    threads: int | None
    progress: Progress | None


class AuditOptions(TypedDict, total=False):
    """What `audit` takes besides the result: how to read the data, where not as for the result, and how to run."""

    column: str
    id: str | None
    format: str | None
    on_error: Literal["fail", "skip"]
    batch_rows: int
    threads: int | None
    memory: int | str | None
    """The most that the process may hold, such as "1GiB"; default: what it takes, at most some hundred megabytes
    besides what is held."""
    progress: Progress | None


class ContaminationOptions(TypedDict, total=False):
    """What `contamination` takes besides its question: how to read the data, how to cut texts, and how to run."""

    column: str
    id: str | None
    test_column: str | None
    """Of the test data, where it has other names than the training data."""
    test_id: str | None
    format: str | None
    on_error: Literal["fail", "skip"]
    batch_rows: int
    whitespace: Literal["fold", "drop", "keep"]
    case: Literal["fold", "keep"]
    normalize: Literal["nfkc", "none"]
    bits: Literal[32, 64]
    threads: int | None
    memory: int | str | None
    """The most that the process may hold, such as "1GiB"; default: what it takes, at most some hundred megabytes
    besides what is held."""
    progress: Progress | None


class JoinOptions(TypedDict, total=False):
    """What `join` takes besides its question: how to read the data, how to cut texts, and where to run."""

    column: str | None
    id: str | None
    basket: str | None
    right_column: str | None
    """Of the right collection, where it is not as the left."""
    right_id: str | None
    right_basket: str | None
    right_format: str | None
    separator: str | None
    transpose: bool
    format: str | None
    on_error: Literal["fail", "skip"]
    batch_rows: int
    shingles: str | Shingling
    whitespace: Literal["fold", "drop", "keep"]
    case: Literal["fold", "keep"]
    normalize: Literal["nfkc", "none"]
    bag: bool
    bits: Literal[32, 64]
    threads: int | None
    progress: Progress | None


def plan_from(plan: Plan | str | Path | None, goal: Goal, options: PlanOptions) -> Plan:
    """The plan of a call: a given one or the default, with the options of the call put in.

    Bands and rows of a saved plan were chosen for its threshold, recall, method and hashes: another of these chooses
    them anew. So does what an exact join (no rows) has no use for: bands, or pairs that are not compared.
    """
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    unknown = given.keys() - PlanOptions.__annotations__.keys()
    if unknown:
        raise InvalidOption(f"there is no option {sorted(unknown)[0]!r}")
    if not isinstance(plan, Plan | str | os.PathLike | None):
        raise InvalidOption(f"plan must be a Plan or the path of a saved one, got {type(plan).__name__}")
    check_true_or_false("bag", given.get("bag", False))
    base = Plan() if plan is None else plan if isinstance(plan, Plan) else Plan.load(plan)
    rules = {name: given.pop(name) for name in ("whitespace", "case", "normalize", "bag", "bits") if name in given}
    shingles = given.pop("shingles", base.shingles)
    if rules.get("whitespace") and not isinstance(parse_shingling(shingles), Chars | Auto):
        raise InvalidOption(f"whitespace is a rule of character shingles; it has no meaning for '{shingles}'")
    if isinstance(shingles, str):  # another kind of shingle leaves the plan's other rules as they were
        rules = {name: getattr(base.shingles, name) for name in ("case", "normalize", "bag", "bits")} | rules
    asks_for_bands = given.get("verify", "exact") != "exact" or given.keys() & {"bands", "rows"}
    if given.keys() & {"threshold", "recall", "method", "hashes"} or (base.rows == 0 and asks_for_bands):
        base = dataclasses.replace(base, bands=None, rows=None)
    return dataclasses.replace(base, goal=goal, shingles=parse_shingling(shingles, **rules), **given)


def shingles_of_join(question: Question, options: dict[str, Any]) -> Shingling:
    """How texts are cut for a join; strings are not cut, and taken as they are unless the options say otherwise."""
    if not question.of_sets:
        meaningless = options.keys() & {"shingles", "whitespace", "bag", "bits"}
        if meaningless:
            raise InvalidOption(
                f"{question.measure} compares texts letter by letter; {min(meaningless)} has no meaning for it"
            )
        options = {"shingles": "chars:1", "case": "keep", "normalize": "none"} | options
    elif question.measure == "sum-bag":
        options = {"bag": True} | options
    unknown = options.keys() - JoinOptions.__annotations__.keys()
    if unknown:
        raise InvalidOption("unknown-option", verb="join", option=min(unknown), meant=None)
    return parse_shingling(plan_from(None, "pairs", options).shingles)  # type: ignore[arg-type]


def vector_options(options: dict[str, Any], verb: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """How vectors are read, and how they are looked through."""
    from lookalike.kernel.threads import check_threads

    unknown = options.keys() - VectorOptions.__annotations__.keys()
    if unknown:
        what = "means nothing for vectors" if unknown <= {*Options.__annotations__} else f"is no option of {verb}"
        raise InvalidOption(f"{min(unknown)} {what}")
    reading: dict[str, Any] = {name: options[name] for name in ("column", "id") if name in options}
    how = {name: value for name, value in options.items() if name not in reading}
    return reading, how | {"threads": check_threads(how.get("threads"))}
