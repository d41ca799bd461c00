"""Signs all documents of a source, for users who compare signatures with their own code."""

from __future__ import annotations

import dataclasses
import sys
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import LookalikeWarning
from lookalike.flow import Auto, Documents, Symbols, Tokens, parse_shingling
from lookalike.flow.checks import check_threads
from lookalike.flow.progress import Progress
from lookalike.flow.signature import COLUMN, MADE_BY
from lookalike.io.source import Source
from lookalike.kernel import default
from lookalike.notices import Notice
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan, Statistics


def sign_source(source: Source, plan: Plan, *, threads: int | None, progress: Progress) -> pa.Table:
    """Returns a table of the signatures of all documents, with their ids if the source has any."""
    kernel, resolved = default(check_threads(threads)), None
    columns = [source.column] + ([source.id] if source.id else [])
    kind = pa.list_(pa.field("item", pa.uint64(), nullable=False), plan.hashes)
    ids, signatures, rows = [], [pa.array([], kind)], 0
    for batch in source.read(columns):
        documents = Documents(batch.data.column(source.column), batch.start)
        if resolved is None:
            resolved = _resolved(plan, has_tokens=documents.has_tokens)
            _warn_of_code(plan, documents)
        sets = kernel.shingle(documents, resolved.shingles)
        values = kernel.sign(sets, sketch=plan.sketch, hashes=plan.hashes, seed=plan.seed)
        signatures.append(pa.FixedSizeListArray.from_arrays(np.ascontiguousarray(values).reshape(-1), type=kind))
        ids += [batch.data.column(source.id)] if source.id else []
        rows += len(documents)
        progress("sign", rows, source.total_rows())
    source.check_unchanged()
    found: dict[str, Any] = {COLUMN: pa.chunked_array(signatures)}
    if source.id:
        found = {"id": pa.chunked_array(ids, None if ids else pa.large_string()), **found}
    made_by = (resolved or _resolved(plan, has_tokens=False)).signed_by
    return pa.table(found).replace_schema_metadata({MADE_BY: made_by})


def simhash_source(
    source: Source, plan: Plan, *, bits: int, threads: int | None, progress: Progress
) -> npt.NDArray[np.uint8]:
    """Returns the packed bits of all documents."""
    kernel, resolved = default(check_threads(threads)), None
    found, rows = [np.zeros((0, bits // 8), np.uint8)], 0
    for batch in source.read([source.column]):
        documents = Documents(batch.data.column(source.column), batch.start)
        if resolved is None:
            resolved = _resolved(plan, has_tokens=documents.has_tokens)
            _warn_of_code(plan, documents)
        words = kernel.simhash(kernel.shingle(documents, resolved.shingles), words=-(-bits // 64), seed=plan.seed)
        found.append(words.astype("<u8", copy=False).view(np.uint8)[:, : bits // 8])
        rows += len(documents)
        progress("sign", rows, source.total_rows())
    source.check_unchanged()
    return np.ascontiguousarray(np.concatenate(found))


def _resolved(plan: Plan, *, has_tokens: bool) -> ResolvedPlan:
    """Resolves the plan without regard to the data, so that signatures of different data can be compared."""
    shingling = parse_shingling(plan.shingles)
    if has_tokens and isinstance(shingling, Auto):
        rules = {name: value for name, value in shingling.to_dict().items() if name in ("bag", "bits")}
        plan = dataclasses.replace(plan, shingles=Tokens(**rules))
    return plan.resolve()


def _warn_of_code(plan: Plan, documents: Documents) -> None:
    """Warns if `auto` cuts texts into words that `find_pairs` and `compare` would cut into words and symbols."""
    if not isinstance(parse_shingling(plan.shingles), Auto) or documents.has_tokens:
        return
    shingles = plan.resolve(Statistics.of(documents)).shingles
    if isinstance(shingles, Symbols):
        level, frame = 1, sys._getframe()
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("lookalike."):
            level, frame = level + 1, frame.f_back
        warnings.warn(str(Notice("signature-of-code", shingles=str(shingles))), LookalikeWarning, stacklevel=level)
