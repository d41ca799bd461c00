"""The first pass of a run: reads every text once and stores its fingerprint, band keys and length.

The results are stored in parts of `part_rows` rows, regardless of the batch size of the reader. A run that finds
finished parts with the same plan and input starts after them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.engines.stages.arrows import KernelArrows
from lookalike.engines.stages.huge_texts import alone
from lookalike.engines.stages.memory import Allowance
from lookalike.engines.stages.signed_rows import PRINTS, Signed, columns_of, key_column, name_of
from lookalike.families.amplify import Banded
from lookalike.flow import Documents
from lookalike.flow.arrays import to_arrow
from lookalike.flow.progress import Progress
from lookalike.flow.shingles import Shingling
from lookalike.io.read_ahead import batches, mapped
from lookalike.io.source import Batch, Source
from lookalike.kernel.protocol import Bands, Kernel
from lookalike.notices import Notice
from lookalike.planning.costs import SetFacts
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan, Statistics, resolve
from lookalike.planning.survey import survey
from lookalike.results.summary import Summary
from lookalike.storage.parts import PART_ROWS, Parts
from lookalike.storage.spill import Spill
from lookalike.work.text_parts import TextParts
from lookalike.work.text_store import TextStore

LAYOUT = "signing 5"
"""Version of the part layout. Change it whenever the columns change, so that older parts are not reused."""


PART_BYTES = 32 << 20
"""The most bytes of keys in a part. With many bands, parts therefore have fewer rows than PART_ROWS."""


@dataclass(frozen=True)
class SourceEnd:
    """Facts that are known at the end of the source. They are stored, since a resumed run may not read it again."""

    rows: int
    malformed: int
    warnings: tuple[Notice, ...]


def sign_source(
    kernel: Kernel, plan: Plan, source: Source, parts: Parts, texts: TextStore, progress: Progress, allowance: Allowance
) -> tuple[ResolvedPlan, Signed, SourceEnd]:
    """Resolves the plan on the first rows, and signs all rows that are not in finished parts.

    The texts are kept in `texts` or, if the run can be resumed and the source is not in memory, in parts.
    """
    if parts.keeps:
        parts.begin(hashlib.sha256(f"{LAYOUT} {plan.to_toml()} {source.identity()}".encode()).hexdigest())
    columns = [source.column] + ([source.id] if source.id else [])
    with ExitStack() as readers:  # closes readers, whose threads would outlive an error

        def read(start: int = 0) -> Generator[Batch, None, None]:
            return readers.enter_context(closing(batches(source, columns, start, threads=kernel.threads)))

        rest: Iterator[Batch] | None = None
        surveyed = parts.get("survey") if parts.keeps else None
        if surveyed is None:
            first = read()
            head = _Head(first, source.column, allowance.texts)
            statistics = survey(plan, source, head.documents(), KernelArrows(kernel), progress)
            if head.kept is None:
                first.close()  # the source is read again from the start
            else:
                rest = chain(head.kept, first)
            if parts.keeps:
                parts.put("survey", pa.table({name: [value] for name, value in asdict(statistics).items()}))
        else:
            facts = surveyed.to_pylist()[0]
            statistics = Statistics(**facts | {"sets": SetFacts(**facts["sets"]) if facts["sets"] else None})
        resolved = resolve(plan, statistics)
        bands = keyed_by(resolved).bands
        signed = Signed(Spill(parts, allowance.signed(bands, kernel.threads)), bands, with_ids=source.id is not None)
        rows = part_rows(signed.bands)
        if parts.keeps:
            if not source.in_memory:
                signed.texts = TextParts(parts, source, rows)
            ended = _ended(parts)
            _add_finished(signed, rows, ended, allowance)
            if ended is not None and signed.rows == ended.rows:
                return resolved, signed, ended
        if rest is None or signed.rows:
            rest = read(signed.rows)
        sign = partial(sign_batch, kernel, resolved=resolved, column=source.column, id=source.id)
        # Two calls at a time: while one works on a single core, the kernel of the other uses the rest.
        kept = _keeping(kernel, rest, source.column, signed.texts or texts, allowance, resolved.shingles)
        tables = readers.enter_context(closing(mapped(sign, kept, 2)))
        for start, part in regroup(tables, signed.rows, rows, lambda at: progress("sign", at, source.total_rows())):
            signed.add(start, part)
            if not signed.fits:
                allowance.tidy()
    ended = SourceEnd(signed.rows, source.malformed, source.warnings)
    if parts.keeps:
        warnings = json.dumps(Summary(warnings=ended.warnings).to_dict()["warnings"])
        facts = {"rows": [ended.rows], "malformed": [ended.malformed], "warnings": [warnings]}
        parts.put("source", pa.table(facts))
    return resolved, signed, ended


def part_rows(bands: int) -> int:
    """The number of rows per part: PART_ROWS, or fewer if there are very many bands."""
    rows = PART_ROWS
    while rows > 256 and 8 * bands * rows > PART_BYTES:
        rows //= 2
    return rows


def sign_batch(kernel: Kernel, batch: Batch, resolved: ResolvedPlan, column: str, id: str | None) -> pa.Table:
    """A table with one row per document: fingerprint, flags, characters, bytes, windows, keys and, if any, id."""
    documents = Documents(batch.data.column(column), batch.start)
    p = resolved.plan
    with alone(documents.texts):
        sketches = kernel.sketch(
            documents,
            resolved.shingles,
            sketch=p.sketch,
            hashes=1 if resolved.exact else p.hashes,
            seed=p.seed,
            banding=keyed_by(resolved),
        )
    keys = np.zeros_like(sketches.keys) if resolved.exact else sketches.keys
    table: dict[str, Any] = {
        **columns_of(sketches.fingerprints, PRINTS),
        "flags": to_arrow(sketches.flags),
        "characters": to_arrow(sketches.lengths),
        "bytes": to_arrow(sketches.sizes),
        "windows": to_arrow(sketches.windows),
        **columns_of(keys, [key_column(band) for band in range(keys.shape[1])]),
    }
    if id is not None:
        table["id"] = batch.data.column(id)
    return pa.table(table)


def keyed_by(resolved: ResolvedPlan) -> Bands:
    """The bands and rows of the keys. An exact join has one band, in which all rows have the same key."""
    return Banded(1, 1) if resolved.exact else resolved


def regroup(
    tables: Iterable[pa.Table], start: int, rows: int, reached: Callable[[int], None]
) -> Iterator[tuple[int, pa.Table]]:
    """Regroups consecutive rows from `start` into tables that end at multiples of `rows`. Yields (first row, table).

    So parts do not depend on the reader's batches. After each input table, `reached` is called with the next row.
    """
    group: list[pa.Table] = []
    first = row = start
    for table in tables:
        while table.num_rows:
            here = table.slice(0, rows - row % rows)
            table = table.slice(here.num_rows)
            group.append(here)
            row += here.num_rows
            if row % rows == 0:
                yield first, _emptied(group)
                first = row
        reached(row)
    if group:
        yield first, _emptied(group)


def _emptied(group: list[pa.Table]) -> pa.Table:
    """Concatenates the tables of a list. The list is emptied, so that no data is in memory twice."""
    table = pa.concat_tables(group)
    group.clear()
    return table.combine_chunks()


def _keeping(
    kernel: Kernel,
    batches: Iterable[Batch],
    column: str,
    texts: TextStore | TextParts,
    allowance: Allowance,
    shingling: Shingling,
) -> Iterator[Batch]:
    """Yields each batch after checking that its texts fit in the budget and adding them to `texts`."""
    for batch in batches:
        allowance.check(kernel, batch.data.column(column), shingling)
        texts.add(Documents(batch.data.column(column), batch.start))
        yield batch
    texts.finish()


class _Head:
    """Passes documents to the survey and keeps the batches it has read, unless they exceed `allowance` bytes."""

    def __init__(self, batches: Iterator[Batch], column: str, allowance: int) -> None:
        self.kept: list[Batch] | None = []
        self._batches, self._column, self._left = batches, column, allowance

    def documents(self) -> Iterator[Documents]:
        for batch in self._batches:
            self._left -= batch.data.nbytes
            if self._left < 0:
                self.kept = None
            elif self.kept is not None:
                self.kept.append(batch)
            yield Documents(batch.data.column(self._column), batch.start)


def _add_finished(signed: Signed, rows: int, ended: SourceEnd | None, allowance: Allowance) -> None:
    """Adds the parts that an earlier run finished, from row 0 to the first missing part.

    A part with fewer than `rows` rows is used only if the earlier run reached the end of the source; otherwise it is
    computed again, since more rows may follow.
    """
    while signed.rows % rows == 0 and (ended is None or signed.rows < ended.rows):
        part = signed.spill.parts.get(name_of(signed.rows))
        if part is None or (part.num_rows < rows and ended is None):
            return
        signed.add(signed.rows, part, stored=True)
        if not signed.fits:
            allowance.tidy()


def _ended(parts: Parts) -> SourceEnd | None:
    end = parts.get("source")
    if end is None:
        return None
    facts = end.to_pylist()[0]
    warnings = Summary.from_dict({"warnings": json.loads(facts["warnings"])}).warnings
    return SourceEnd(facts["rows"], facts["malformed"], warnings)
