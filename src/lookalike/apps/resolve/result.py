"""What resolving leaves: matches, entities, the settings that made them, and the reasons for any pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.apps.resolve.columns import Codes
from lookalike.apps.resolve.explanation import Explanation, explain_pair
from lookalike.apps.resolve.learn import probabilities
from lookalike.apps.resolve.resolution import Facts, Outcome
from lookalike.apps.resolve.settings import Settings
from lookalike.errors import InvalidOption
from lookalike.flow.arrays import take, to_arrow
from lookalike.io.records import Records
from lookalike.notices import Notice
from lookalike.results import Clusters


@dataclass(frozen=True, eq=False)
class Resolved:
    """Records that are the same thing. `tables` are one to resolve or two to link."""

    tables: tuple[Records, ...]
    ids: tuple[pa.Array | None, ...]
    outcome: Outcome
    ignored: dict[str, str]
    warnings: tuple[Notice, ...] = ()

    @property
    def settings(self) -> Settings:
        """Fields, kinds and weights: all that it takes to do the same again."""
        return self.outcome.comparer.settings

    @property
    def facts(self) -> Facts:
        return self.outcome.facts

    def __len__(self) -> int:
        """How many pairs of records match."""
        return len(self.outcome.left)

    def __repr__(self) -> str:
        rows = " and ".join(f"{table.rows:,}" for table in self.tables)
        return f"Resolved({len(self):,} matches among {rows} records)"

    @property
    def matches(self) -> pa.Table:
        """left, right (ids), score (log odds, or points) and probability, in the order of the input.

        Of an entity these are all pairs; of one with more than 300 records, equal ones stand with the first of them.
        """
        score = self.outcome.score
        by_points = self.settings.method == "points"
        columns = {
            "left": self._named(self.outcome.left),
            "right": self._named(self.outcome.right),
            "score": to_arrow(score + self.settings.threshold if by_points else score),
        }
        if not by_points:
            columns["probability"] = to_arrow(probabilities(score))
        return pa.table(columns)

    @property
    def clusters(self) -> Clusters:
        """The entity of every record of one table."""
        if len(self.tables) > 1:
            raise InvalidOption("link-has-no-clusters")
        return Clusters(self.outcome.labels, ids=self.ids[0])

    def to_arrow(self) -> pa.Table:
        """Of one table its entities (id, cluster, size, representative), of two the matches."""
        return self.clusters.to_arrow() if len(self.tables) == 1 else self.matches

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def explain(self, left: Any, right: Any) -> Explanation:
        """Why two records match or do not: what each field says, and what it comes to."""
        a = self._row(left, 0)
        b = self._row(right, len(self.tables) - 1)
        if a == b:
            raise InvalidOption("same-record", left=left, right=right)
        return explain_pair(self.outcome.comparer, self.tables, (left, right), a, b)

    def _row(self, id: Any, side: int) -> int:
        start = 0 if side == 0 else self.tables[0].rows
        ids, table = self.ids[side], self.tables[side]
        if ids is not None:
            found = ids.index(pa.scalar(str(id), ids.type)).as_py()
            if found < 0:
                raise InvalidOption("no-such-record", where=table.name, id=id)
            return start + int(found)
        if not str(id).isdecimal() or int(id) >= table.rows:
            raise InvalidOption("no-such-row", where=table.name, row=id, rows=table.rows)
        return start + int(id)

    def _named(self, rows: Codes) -> pa.Array:
        start = self.tables[0].rows
        if len(self.tables) == 1 or (rows < start).all():
            side, local = 0, rows
        else:
            side, local = 1, rows - start
        ids = self.ids[side]
        return to_arrow(local.astype(np.int64)) if ids is None else take(ids, local.astype(np.int64))
