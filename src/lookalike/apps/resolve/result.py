"""The result of `resolve` and `link`: matches, entities, settings, and the evidence for any pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.apps.resolve.columns import Codes
from lookalike.apps.resolve.evaluation import Evaluation
from lookalike.apps.resolve.explanation import Explanation, explain_pair
from lookalike.apps.resolve.facts import ResolutionFacts
from lookalike.apps.resolve.learn import probabilities
from lookalike.apps.resolve.resolution import Comparer, Resolution
from lookalike.apps.resolve.settings import Field, Settings
from lookalike.apps.resolve.tables import columns_of, rows_of_pair
from lookalike.errors import InvalidOption
from lookalike.flow.arrays import take, to_arrow
from lookalike.flow.checks import check_whole
from lookalike.io.records import Records
from lookalike.notices import Notice
from lookalike.results.clusters import Clusters
from lookalike.results.restoring import Damage, checked
from lookalike.results.result import Result, stored_ids
from lookalike.results.shown import Shown, display
from lookalike.results.summary import Summary

if TYPE_CHECKING:
    from lookalike.apps.resolve.charts import Chart
    from lookalike.display.card import Card
    from lookalike.results.saved import SavedTables


@dataclass(frozen=True, eq=False)
class Resolved(Result):
    """The matches and entities that `resolve` found in one table, or the matches that `link` found between two."""

    records: tuple[Records, ...]
    ids: tuple[pa.Array | None, ...]
    outcome: Resolution
    ignored: dict[str, str]
    warnings: tuple[Notice, ...] = ()

    @property
    def summary(self) -> Summary:
        facts = self.facts
        return Summary(
            documents=sum(table.rows for table in self.records),
            malformed=sum(table.malformed for table in self.records),
            candidates=facts.candidates,
            checked=facts.compared,
            pairs=len(self),
            seconds=facts.seconds,
            warnings=self.warnings,
        )

    @property
    def settings(self) -> Settings:
        """The settings of the run, with the learned weights. Pass them to `resolve` or `link` to repeat the run."""
        return self.outcome.comparer.settings

    @property
    def facts(self) -> ResolutionFacts:
        return self.outcome.facts

    @property
    def evaluation(self) -> Evaluation | None:
        """The precision and recall among the labelled pairs; None without labels."""
        return self.facts.evaluation

    def __len__(self) -> int:
        """Returns the number of matching pairs."""
        return len(self.outcome.left)

    def __repr__(self) -> str:
        rows = " and ".join(f"{table.rows:,}" for table in self.records)
        return f"Resolved({len(self):,} {'match' if len(self) == 1 else 'matches'} among {rows} records)"

    def report(self, path: str | Path, *, force: bool = False) -> Path:
        """Writes a report: one HTML file that can be read offline. With `force`, an existing file is replaced."""
        from lookalike.apps.resolve.page import write_page

        return write_page(path, self, force=force)

    @property
    def cardinality(self) -> str:
        """What the matches between two tables are: one-to-one, many-to-one, one-to-many or many-to-many.

        In many-to-one, several records of the left table match the same record of the right table.
        """
        if len(self.records) == 1:
            raise InvalidOption("resolve-has-no-cardinality")
        left, right = (
            "one" if len(np.unique(rows)) == len(rows) else "many" for rows in (self.outcome.right, self.outcome.left)
        )
        return f"{left}-to-{right}"

    def chart(self, name: str) -> Chart:
        """Returns a chart, which notebooks display, with its `table`; `save(path)` writes it as SVG.

        - `weights`: the evidence of each field for or against a match, by similarity, in bits (match weights)
        - `levels`: how often each similarity occurs among matches (m) and among other pairs (u)
        - `thresholds`: the precision and recall that the model expects, by threshold
        - `unlinkable`: the share of records that could not even match an exact copy of themselves, by threshold
        - `missing`: the share of missing values of each column
        """
        from lookalike.apps.resolve.charts import chart_of

        return chart_of(self, name)

    def show(self, n: int = 5) -> Shown:
        """Shows some entities, or matches between two tables, with their fields. Values that differ are marked.

        Half of the entities are the largest. Scripts print them; notebooks and prompts display what is returned.
        """
        from lookalike.apps.resolve.groups import show_entities

        check_whole("n", n, 1)
        return display(show_entities(self, n))

    def value(self, row: int, field: Field) -> str:
        """Returns the value of a field, or "" if it is missing. Rows of a second table are numbered after those of the
        first."""
        side = int(row >= self.records[0].rows)
        name = field.right if side and field.right else field.name
        return self.records[side].columns[name][row - side * self.records[0].rows].as_py() or ""

    def name(self, row: int) -> str:
        """Returns the id of a record or, without ids, its position in the table."""
        return str(self._named(np.array([row]))[0].as_py())

    def _card(self) -> Card:
        from lookalike.display.cells import FirstRows
        from lookalike.display.charts import size_chart

        fields = ", ".join(map(str, self.settings.fields))
        ignored = ", ".join(f"{name}: {reason}" for name, reason in self.ignored.items())
        facts = [("compared", fields), *([("ignored", ignored)] if ignored else [])]
        facts += [("labels", str(self.evaluation))] if self.evaluation is not None else []
        chart = size_chart(self.clusters.sizes(), "records in the cluster") if len(self.records) == 1 else ""
        return replace(self._heading(), facts=facts, chart=chart, tables=[FirstRows.of(self.matches, "Matches")])

    @property
    def matches(self) -> pa.Table:
        """A table with one row per match, in input order: left and right (ids), score, and probability.

        `resolve` lists all pairs of an entity. If an entity has more than 300 records, equal records are only paired
        with the first of them; if it has more than 1,000 distinct records, each is only paired with the first one.
        Scores are log odds or points. With points, there is no column probability.
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

    def matched_records(self) -> pa.Table:
        """Returns the table of `matches` with the fields of both records added: `name_left`, `name_right` and so on."""
        table, split = self.matches, self.records[0].rows
        sides = {"left": (self.outcome.left, 0), "right": (self.outcome.right, len(self.records) - 1)}
        for field in self.settings.fields:
            for side, (rows, number) in sides.items():
                name = field.right if number and field.right else field.name
                values = take(self.records[number].columns[name], rows.astype(np.int64) - number * split)
                table = table.append_column(f"{field.name}_{side}", values)
        return table

    @property
    def clusters(self) -> Clusters:
        """The entity of every record. Only results of `resolve` have clusters."""
        if len(self.records) > 1:
            raise InvalidOption("link-has-no-clusters")
        return Clusters(self.outcome.labels, ids=self.ids[0])

    def to_arrow(self) -> pa.Table:
        """Returns the entities of one table (id, cluster, size, representative), or the matches between two tables."""
        return self.clusters.to_arrow() if len(self.records) == 1 else self.matches

    def tables(self) -> dict[str, pa.Table]:
        entities = {} if len(self.records) > 1 else {"entities": self.clusters.to_arrow()}
        return {**entities, "matches": self.matches}

    def _facts(self) -> dict[str, Any]:
        return {
            "settings": self.settings.to_toml(),
            "ignored": self.ignored,
            "facts": self.facts.to_dict(),
            "read": [{"name": table.name, "rows": table.rows, "malformed": table.malformed} for table in self.records],
        }

    def _stored(self) -> dict[str, pa.Table]:
        """Returns the tables to save. They include the records, which `explain` needs."""
        found = self.outcome
        tables = {
            "matches": pa.table({"left": found.left, "right": found.right, "score": found.score}),
            "records": pa.table({"label": found.labels, "nearest": found.comparer.best}),
        }
        for number, (table, ids) in enumerate(zip(self.records, self.ids, strict=True)):
            tables |= {f"table_{number}": pa.table(table.columns), **stored_ids(ids, f"ids_{number}")}
        return tables

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Resolved:
        known = checked(facts, settings=str, ignored=dict[str, str], facts=dict, read=list[dict[str, Any]])
        read, ids = [], []
        for number, about in enumerate(known["read"]):
            table = tables[f"table_{number}"]
            columns = {name: table[name].combine_chunks() for name in table.column_names}
            counts = checked(about, name=str, malformed=int)
            read.append(Records(columns=columns, rows=table.num_rows, **counts))
            ids.append(tables.ids(f"ids_{number}", table.num_rows))
        settings = Settings.from_toml(known["settings"])
        total, split = sum(table.rows for table in read), read[0].rows if len(read) > 1 else None
        comparer = Comparer(columns_of(read, settings.fields), settings, split, threads=1)
        comparer.best = tables.floats("records", "nearest")
        labels = tables.labels("records", "label")
        if len(labels) != total:
            expected = {"file": tables.path("records").name, "expected": total, "found": len(labels)}
            raise Damage(Notice("table-of-other-length", **expected))
        left, right = tables.rows("matches", "left", split or total), tables.rows("matches", "right", total)
        if split is not None and (right < split).any():
            outside = {"column": "right", "file": tables.path("matches").name, "row": int(right.min()) - split}
            raise Damage(Notice("row-outside", **outside, rows=total - split))
        score = tables.floats("matches", "score")
        outcome = Resolution(comparer, left, right, score, labels, ResolutionFacts.from_dict(known["facts"]))
        return cls(tuple(read), tuple(ids), outcome, known["ignored"], summary.warnings)

    def explain(self, left: Any, right: Any) -> Explanation:
        """Explains why two records do or do not match, with the evidence of each field and the score."""
        rows = rows_of_pair((left, right), self.ids, self.records)
        return explain_pair(self.outcome.comparer, self.records, (left, right), *rows)

    def _named(self, rows: Codes) -> pa.Array:
        start = self.records[0].rows
        if len(self.records) == 1 or (rows < start).all():
            side, local = 0, rows
        else:
            side, local = 1, rows - start
        ids = self.ids[side]
        return to_arrow(local.astype(np.int64)) if ids is None else take(ids, local.astype(np.int64))
