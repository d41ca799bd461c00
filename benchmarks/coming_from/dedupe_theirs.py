"""dedupe (dedupeio): a model for records of people, trained by answering questions, as in its examples."""

from __future__ import annotations

from collections.abc import Callable

import dedupe
import dedupe.variables as var
import pyarrow.parquet as pq

FIELDS = [
    var.String("given", has_missing=True),
    var.String("surname", has_missing=True),
    var.String("born", has_missing=True),
    var.String("street", has_missing=True),
    var.ShortString("city", has_missing=True),
    var.ShortString("postcode", has_missing=True),
    var.ShortString("phone", has_missing=True),
]


def entities(path: str, label: Callable[[dedupe.Dedupe], None] = dedupe.console_label) -> list[tuple[int, int]]:
    records = {record["id"]: record for record in pq.read_table(path).to_pylist()}
    deduper = dedupe.Dedupe(FIELDS)
    deduper.prepare_training(records)
    label(deduper)
    deduper.train()
    clusters = deduper.partition(records, threshold=0.5)
    return [(int(id), cluster) for cluster, (ids, _) in enumerate(clusters) for id in ids]
