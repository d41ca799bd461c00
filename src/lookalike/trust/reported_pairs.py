"""A result → what it says about single documents: which pairs it reports, and who is in one cluster with whom.

Documents are told apart by their ids, which are positions where the data has no others. Nothing of the size of the
corpus is made of them: what is held is the result itself, and a number for each document that it names.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lookalike.errors import InputError, InvalidOption, MalformedInput, NoInput
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.distinct import distinct
from lookalike.kernel import default
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results import Clusters, Deduped, Pairs, load

NOBODY = -1
"""The label of a document that is alone."""

WITNESSES = 1000
"""Ids of the result that have to be in the data."""

KINDS = {
    "pairs": ("left", "right", "similarity"),
    "removed": ("id", "kept", "similarity", "cluster"),
    "clusters": ("id", "cluster", "size", "representative"),
}
"""The tables that can be audited, by their columns."""


@dataclass(frozen=True, eq=False)
class Reported:
    """The table of a result, its kind, and what it carries besides."""

    table: pa.Table
    kind: str
    plan: ResolvedPlan
    input: str
    documents: int | None
    name: str
    by_position: bool = False
    """Whether it goes by positions although the data has ids."""

    @classmethod
    def of(cls, result: Any) -> Reported:
        """Of pairs, clusters or a deduplication in hand, of a table, or of the path of a table or a result folder."""
        name = "the result"
        if isinstance(result, str | Path):
            name = str(result)
            result = _opened(Path(result).expanduser())
        if isinstance(result, Deduped):
            result = result.clusters
        by_position = isinstance(result, Pairs) and result.ids is not None and _repeat(result.ids)
        if by_position:  # in hand it still knows which documents it means
            result = replace(result, ids=None)
        if isinstance(result, Pairs | Clusters):
            table = result.to_arrow()
        elif hasattr(result, "__arrow_c_stream__"):
            table = pa.table(result)
        else:
            raise InvalidOption("not-a-result", type=type(result).__name__)
        columns = set(table.column_names)
        kinds = [kind for kind, needed in KINDS.items() if columns == set(needed)]
        if "kept_in" in columns:
            raise InvalidOption("removed-against-reference", result=name)
        if not kinds:
            raise InvalidOption("not-a-result-table", result=name, columns=sorted(columns))
        about = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
        if "lookalike.plan" not in about:
            raise InvalidOption("result-without-plan", result=name)
        plan = ResolvedPlan.from_toml(about["lookalike.plan"])
        documents = about.get("lookalike.documents")
        if kinds[0] == "clusters":
            documents = str(table.num_rows)
        about_input = about.get("lookalike.input", "")
        return cls(table, kinds[0], plan, about_input, documents and int(documents), name, by_position)

    def answers(self, rows: Rows, ids: pa.Array | None) -> Answers:
        """What it says about sampled documents: their rows and, where the data has ids, their ids."""
        if self.by_position:
            ids = None
        table = self._with_ids_as(ids)
        if self.kind == "clusters":
            return ByRow(rows, table, self.name)
        sampled = _named(rows, ids)
        if self.kind == "removed":
            members = pa.concat_arrays([table[name].combine_chunks() for name in ("id", "kept")])
            cluster = np.asarray(table["cluster"].to_numpy(), np.int64)
            return ById(sampled, members, np.concatenate([cluster, cluster]), self.name)
        left, right = (table[name].combine_chunks() for name in ("left", "right"))
        answers = ById(sampled, *_components(left, right), self.name, by_position=self.by_position)
        return answers.list_pairs(sampled, left, right)

    def _with_ids_as(self, ids: pa.Array | None) -> pa.Table:
        """The table with its ids in the type that the data has them in; CSV and JSON know fewer types."""
        wanted = pa.int64() if ids is None else ids.type
        table = self.table
        for place, field in enumerate(table.schema):
            if field.name in ("left", "right", "id", "kept", "representative") and field.type != wanted:
                if pa.types.is_integer(field.type) != pa.types.is_integer(wanted):
                    types = {"type": str(field.type), "expected": str(wanted)}
                    raise InvalidOption("audit-id-types-differ", result=self.name, **types)
                table = table.set_column(place, field.name, table.column(place).cast(wanted))
        return table


class Answers:
    """Of the i-th sampled document and any other: whether the pair was reported, whether they are in one cluster."""

    own: Rows
    """The label of each sampled document's cluster; NOBODY for those that are alone."""
    reported: Rows | None = None
    """How many pairs were reported of each; None where the result lists no pairs."""

    def labels(self, rows: Rows, ids: pa.Array | None) -> Rows:
        """Of documents by row and, where they have them, ids; NOBODY also for all that no sampled one is with."""
        raise NotImplementedError

    def listed(self, sampled: Rows, rows: Rows, ids: pa.Array | None) -> Mask:
        """Whether these pairs of a sampled document (by its place in the sample) and another were reported."""
        raise NotImplementedError

    def false_twice(self) -> tuple[int, int]:
        """Ordered pairs of reported views of one partner, and those of which both are of pairs never asked about."""
        return 0, 0

    def met(self, rows: Rows, ids: pa.Array | None) -> None:
        """Hears of all documents of the data, in their order. Raises where they are not those of the result."""

    def end(self) -> None:
        """There are no more."""


class ByRow(Answers):
    """A table of clusters has a row for each document, in the order of the data: no id has to be looked up."""

    def __init__(self, sampled: Rows, table: pa.Table, name: str) -> None:
        labels = np.asarray(table["cluster"].to_numpy(), np.int64)
        self._labels = np.where(np.asarray(table["size"].to_numpy()) >= 2, labels, NOBODY)
        self._ids, self._name = table["id"], name
        self.own = self._labels[sampled]

    def labels(self, rows: Rows, ids: pa.Array | None) -> Rows:
        return self._labels[rows]

    def met(self, rows: Rows, ids: pa.Array | None) -> None:
        here = self._ids.slice(int(rows[0]), len(rows)).combine_chunks() if len(rows) else None
        if here is not None and not here.equals(_named(rows, ids)):
            raise InputError("audit-order-differs", result=self._name)


class ById(Answers):
    """Whatever names documents by their ids, of which those asked about must not repeat: which one would be meant?"""

    def __init__(
        self, sampled: pa.Array, members: pa.Array, labels: Rows, name: str, by_position: bool = False
    ) -> None:
        self._by_position = by_position
        place = _places(sampled, members)
        self.own = np.where(place >= 0, labels[place] if len(labels) else NOBODY, NOBODY)
        near = np.flatnonzero(np.isin(labels, self.own))  # nobody else will be asked about
        self._members, self._labels = members.take(pa.array(near)), labels[near]
        self._partners = members[:0]
        self._keys, self._asked = np.zeros(0, np.int64), np.zeros(0, np.bool_)
        self._witnesses, self._name = members[:WITNESSES].unique(), name
        self._seen = np.zeros(len(self._witnesses), np.bool_)
        self._asked_about = pa.concat_arrays([sampled, self._members]).unique()
        self._times = np.zeros(len(self._asked_about), np.int64)

    def list_pairs(self, sampled: pa.Array, left: pa.Array, right: pa.Array) -> ById:
        """Takes note of the pairs that sampled documents are in, as place in the sample and partner."""
        places = _places(left, sampled), _places(right, sampled)
        partners = [others.filter(pa.array(place >= 0)) for place, others in zip(places, (right, left), strict=True)]
        code = pa.concat_arrays(partners).dictionary_encode()
        self._partners = code.dictionary
        own = np.concatenate([place[place >= 0] for place in places])
        self._keys = distinct(own * self._width + np.asarray(code.indices.to_numpy(), np.int64))
        self._asked = np.zeros(len(self._keys), np.bool_)
        self.reported = np.bincount(self._keys // self._width, minlength=len(sampled)).astype(np.int64)
        return self

    def _names(self, rows: Rows, ids: pa.Array | None) -> pa.Array:
        return _named(rows, None if self._by_position else ids)

    @property
    def _width(self) -> int:
        return max(len(self._partners), 1)

    def labels(self, rows: Rows, ids: pa.Array | None) -> Rows:
        place = _places(self._names(rows, ids), self._members)
        return np.where(place >= 0, self._labels[place] if len(self._labels) else NOBODY, NOBODY)

    def listed(self, sampled: Rows, rows: Rows, ids: pa.Array | None) -> Mask:
        partner = _places(self._names(rows, ids), self._partners)
        wanted = sampled * self._width + partner
        known = np.asarray((partner >= 0) & np.isin(wanted, self._keys), np.bool_)
        self._asked[np.searchsorted(self._keys, wanted[known])] = True
        return known

    def false_twice(self) -> tuple[int, int]:
        partner = self._keys % self._width
        views = [np.bincount(some) for some in (partner, partner[~self._asked])]
        return int((views[0] * (views[0] - 1)).sum()), int((views[1] * (views[1] - 1)).sum())

    def met(self, rows: Rows, ids: pa.Array | None) -> None:
        names = self._names(rows, ids)
        place = _places(names, self._witnesses)
        self._seen[place[place >= 0]] = True
        place = _places(names, self._asked_about)
        self._times += np.bincount(place[place >= 0], minlength=len(self._times))

    def end(self) -> None:
        if not self._seen.all():
            missing = self._witnesses[int(np.argmin(self._seen))].as_py()
            raise InputError("audit-unknown-id", result=self._name, id=missing)
        if (self._times > 1).any():
            twice = self._asked_about[int(np.argmax(self._times > 1))].as_py()
            raise InputError("audit-repeated-id", result=self._name, id=twice)


def _components(left: pa.Array, right: pa.Array) -> tuple[pa.Array, Rows]:
    """All ids in pairs, and the connected component of each."""
    code = pa.concat_arrays([left, right]).dictionary_encode()
    ends = np.asarray(code.indices.to_numpy(), np.int64)
    return code.dictionary, default().connect(len(code.dictionary), ends[: len(left)], ends[len(left) :])


def _named(rows: Rows, ids: pa.Array | None) -> pa.Array:
    return pa.array(rows, pa.int64()) if ids is None else ids


def _repeat(ids: pa.Array) -> bool:
    return bool(pc.count_distinct(ids).as_py() < len(ids))


def _places(ids: pa.Array, among: pa.Array) -> Rows:
    """Where each id stands; NOBODY where it does not."""
    return np.asarray(pc.fill_null(pc.index_in(ids, among), NOBODY).to_numpy(zero_copy_only=False), np.int64)


def _opened(path: Path) -> Any:
    if (path / "summary.json").is_file():
        return load(path)
    if not path.exists():
        raise NoInput("no-result-at-path", path=path)
    if path.is_dir() or path.suffix != ".parquet":
        raise InvalidOption("result-not-parquet", path=path)
    try:
        return pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise MalformedInput("result-unreadable", path=path, reason=str(error)) from None
