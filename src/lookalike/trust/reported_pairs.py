"""Looks up documents in a result: the pairs that it reports, and the cluster of each document.

Documents are identified by their ids, or by their positions if the data has no ids. Memory is proportional to the size
of the result, not of the corpus.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lookalike.errors import InputError, InvalidOption, MalformedInput, NoInput
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.distinct import distinct
from lookalike.kernel import default
from lookalike.notices import Notice
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.clusters import Clusters
from lookalike.results.deduped import EXEMPT, Deduped
from lookalike.results.pairs import Pairs
from lookalike.results.saved import load
from lookalike.storage.arrow_files import open_arrow
from lookalike.storage.foreign_errors import brief
from lookalike.trust.removals import Removed
from lookalike.trust.removals import positions as _positions
from lookalike.trust.sampling import Chance, owned_halves

ALONE = -1
"""The label of a document that is in no cluster."""

CHECKED_IDS = 1000
"""The maximum number of the result's ids that are looked up in the data, to detect data that belongs to another
result."""

KINDS = {
    "pairs": ("left", "right", "similarity"),
    "removed": ("id", "kept", "similarity", "cluster"),
    "clusters": ("id", "cluster", "size", "representative"),
}
"""The columns of each kind of table that can be audited."""


@dataclass(frozen=True, eq=False)
class Reported:
    """The table of a result, the kind of result, and the plan and input named in its metadata."""

    table: pa.Table
    kind: str
    plan: ResolvedPlan
    input: str
    documents: int | None
    name: str
    by_position: bool = False
    """True if the table identifies documents by position although the data has ids."""
    by_row: Removed | None = None
    """The removed documents of a `Deduped`, by row."""
    warnings: tuple[Notice, ...] = ()

    @classmethod
    def of(cls, result: Any) -> Reported:
        """Reads the table and metadata of a result.

        Accepts a result object, a table, or the path of a table or result folder.
        """
        name = "the result"
        if isinstance(result, str | Path):
            name = str(result)
            result = _opened(Path(os.path.expanduser(result)))  # noqa: PTH111 - `Path` raises for unknown users
        by_row = None
        if isinstance(result, Deduped):
            by_row, result = Removed.of(result), result.clusters
        by_position = isinstance(result, Pairs) and result.ids is not None and _has_repeats(result.ids)
        if by_position:  # ids are not unique, but the object still has row numbers
            result = replace(result, ids=None)
        if isinstance(result, Pairs | Clusters):
            table = result.to_arrow()
        elif hasattr(result, "__arrow_c_stream__"):
            table = pa.table(result)
        else:
            raise InvalidOption("not-a-result", type=type(result).__name__)
        columns = set(table.column_names) - {"how", "lost"}  # only in tables of removed documents
        kinds = [kind for kind, needed in KINDS.items() if columns == set(needed)]
        if "kept_in" in columns:
            raise InvalidOption("removed-against-reference", result=name)
        if not kinds:
            raise InvalidOption("not-a-result-table", result=name, columns=sorted(columns))
        metadata = table.schema.metadata or {}
        if b"lookalike.top" in metadata:
            raise InvalidOption("audit-of-top", result=name)
        if b"lookalike.plan" not in metadata:
            raise InvalidOption("result-without-plan", result=name)
        if metadata[b"lookalike.plan"].startswith(b"vectors ="):
            raise InvalidOption("audit-of-vectors", result=name)
        _check_table(table, kinds[0], name)
        try:
            about = {key.decode(): value.decode() for key, value in metadata.items()}
            plan, stored = ResolvedPlan.from_toml(about["lookalike.plan"]), about.get("lookalike.documents")
            documents = table.num_rows if kinds[0] == "clusters" else None if stored is None else int(stored)
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise MalformedInput("result-table-damaged", result=name, reason=brief(error)) from None
        if plan.plan.copies is not None:
            raise InvalidOption("audit-of-copies", result=name, remove=plan.plan.copies)
        unknown = EXEMPT in about and kinds[0] == "removed"
        warnings = (Notice("audit-counts-exempt", result=name),) if unknown else ()
        opened = about.get("lookalike.input", "")
        return cls(table, kinds[0], plan, opened, documents, name, by_position, by_row, warnings)

    def removed(self, ids: pa.Array | None) -> Removed | None:
        """Returns the removed documents; None if the result is not one of `dedupe`. `ids` are some of the data."""
        if self.kind != "removed":
            return self.by_row
        table = self._with_ids_as(ids)
        return Removed(table["id"].combine_chunks(), table["kept"].combine_chunks(), by_position=False)

    def answers(self, rows: Rows, ids: pa.Array | None) -> Answers:
        """Creates an `Answers` object for sampled documents, which are given by row and, if the data has ids, by id."""
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

    def partner_counts(self) -> PartnerCounts:
        """Counts the reported partners of each document. Members of a cluster count as partners of one another."""
        table = self.table
        if self.kind == "clusters":
            counts = np.asarray(table["size"].to_numpy(), np.int64) - 1
            return PartnerCounts(None, counts, self, _average(counts - 1, counts))
        one, other = (table[name].combine_chunks() for name in KINDS[self.kind][:2])
        code = pa.concat_arrays([one, other]).dictionary_encode()
        places = np.asarray(code.indices.to_numpy(), np.int64)
        if self.kind == "pairs":
            counts = np.bincount(places, minlength=len(code.dictionary))
            fewer = np.minimum(*np.split(counts[places], 2))
            return PartnerCounts(code.dictionary, counts, self, _average(fewer - 1, np.ones(len(fewer))))
        _, cluster, removed = np.unique(table["cluster"].to_numpy(), return_inverse=True, return_counts=True)
        counts = np.zeros(len(code.dictionary), np.int64)
        counts[places] = np.tile(removed[cluster], 2)  # all members but one are removed
        return PartnerCounts(code.dictionary, counts, self, _average(counts - 1, counts))

    def _with_ids_as(self, ids: pa.Array | None) -> pa.Table:
        """Returns the table with its ids cast to the type of the ids in the data, which may differ in CSV and JSON."""
        table = self.table
        for place, field in enumerate(table.schema):
            if field.name in ("left", "right", "id", "kept", "representative"):
                table = table.set_column(place, field.name, self.ids_as(ids, table.column(place)))
        return table

    def ids_as(self, ids: pa.Array | None, own: pa.Array) -> pa.Array:
        """Casts ids of the result to the type of the ids in the data; without ids, they are row numbers."""
        wanted = pa.int64() if ids is None else ids.type
        if pa.types.is_integer(own.type) != pa.types.is_integer(wanted):
            types = {"type": str(own.type), "expected": str(wanted)}
            raise InvalidOption("audit-id-types-differ", result=self.name, **types)
        return own if own.type == wanted else own.cast(wanted)


class PartnerCounts:
    """The number of reported partners of each document, by id or, without ids, by row."""

    def __init__(self, names: pa.Array | None, counts: Rows, reported: Reported, others: float) -> None:
        """Without `names`, the counts are those of all rows, in the order of the data."""
        self._names, self.counts, self._reported = names, counts, reported
        self.others = others
        """The average number of other partners of the document of a pair that has fewer of them."""

    def of(self, rows: Rows, ids: pa.Array | None) -> Rows:
        """The numbers of partners of documents, given by row and id."""
        if self._names is not None:
            return self.of_names(_named(rows, None if self._reported.by_position else ids))
        known = rows < len(self.counts)  # the data may be longer than the result, which is an error, reported later
        return np.where(known, self.counts[np.where(known, rows, 0)] if len(self.counts) else 0, 0)

    def of_names(self, names: pa.Array) -> Rows:
        """The numbers of partners of documents, given by id or, without ids, by row."""
        assert self._names is not None
        self._names = self._reported.ids_as(names, self._names)
        place = _positions(names, self._names)
        return np.where(place >= 0, self.counts[place] if len(self.counts) else 0, 0)


class Answers:
    """Looks up whether a sampled document and another were reported as a pair, and whether they share a cluster."""

    sampled_labels: Rows
    """The cluster label of each sampled document; `ALONE` if it is in no cluster."""
    reported: Rows | None = None
    """The number of reported pairs of each sampled document; None if the result does not list pairs."""
    reported_twice: int = 0
    """The number of reported pairs of two sampled documents, which `reported` counts for both."""

    def labels(self, rows: Rows, ids: pa.Array | None) -> Rows:
        """Returns the cluster labels of documents, given by row and id.

        The label is `ALONE` if a document is in no cluster, and possibly if its cluster contains no sampled document.
        """
        raise NotImplementedError

    def listed(self, sampled: Rows, rows: Rows, ids: pa.Array | None) -> Mask:
        """Returns a mask of the pairs that were reported. A pair is a position in the sample, and another document."""
        raise NotImplementedError

    def owned_halves(self, chances: Chance, chance_of: Callable[[pa.Array], Chance]) -> tuple[Rows, Rows]:
        """The halves of reported pairs that belong to each sampled document: of all, and of those that are true.

        `chances` are those of the sampled documents; `chance_of` returns those of others, given by id or row.
        """
        raise NotImplementedError

    def check_rows(self, rows: Rows, ids: pa.Array | None) -> None:
        """Compares a batch of documents of the data with the result. Raises an error if their order differs."""

    def check_ids(self) -> None:
        """Raises an error if ids of the result are missing or repeated in the data. Called after the last batch."""


class ByRow(Answers):
    """Looks up documents by row in a table of clusters, which has one row per document in the order of the data."""

    def __init__(self, sampled: Rows, table: pa.Table, name: str) -> None:
        labels = np.asarray(table["cluster"].to_numpy(), np.int64)
        self._labels = np.where(np.asarray(table["size"].to_numpy()) >= 2, labels, ALONE)
        self._ids, self._name = table["id"], name
        self.sampled_labels = self._labels[sampled]

    def labels(self, rows: Rows, ids: pa.Array | None) -> Rows:
        return self._labels[rows]

    def check_rows(self, rows: Rows, ids: pa.Array | None) -> None:
        here = self._ids.slice(int(rows[0]), len(rows)).combine_chunks() if len(rows) else None
        if here is not None and not here.equals(_named(rows, ids)):
            raise InputError("audit-order-differs", result=self._name)


class ById(Answers):
    """Looks up documents by id in a table. Ids that are looked up must be unique in the data."""

    def __init__(
        self, sampled: pa.Array, members: pa.Array, labels: Rows, name: str, by_position: bool = False
    ) -> None:
        self._by_position = by_position
        place = _positions(sampled, members)
        self.sampled_labels = np.where(place >= 0, labels[place] if len(labels) else ALONE, ALONE)
        near = np.flatnonzero(np.isin(labels, self.sampled_labels))  # only clusters of sampled documents matter
        self._members, self._labels = members.take(pa.array(near)), labels[near]
        self._partners = members[:0]
        self._keys, self._confirmed = np.zeros(0, np.int64), np.zeros(0, np.bool_)
        self._checked_ids, self._name = members[:CHECKED_IDS].unique(), name
        self._seen = np.zeros(len(self._checked_ids), np.bool_)
        self._known_ids = pa.concat_arrays([sampled, self._members]).unique()
        self._times = np.zeros(len(self._known_ids), np.int64)

    def list_pairs(self, sampled: pa.Array, left: pa.Array, right: pa.Array) -> ById:
        """Indexes the reported pairs of sampled documents by position in the sample and partner.

        Returns this object.
        """
        places = _positions(left, sampled), _positions(right, sampled)
        partners = [others.filter(pa.array(place >= 0)) for place, others in zip(places, (right, left), strict=True)]
        code = pa.concat_arrays(partners).dictionary_encode()
        self._partners = code.dictionary
        own = np.concatenate([place[place >= 0] for place in places])
        self._keys = distinct(own * self._width + np.asarray(code.indices.to_numpy(), np.int64))
        self._confirmed = np.zeros(len(self._keys), np.bool_)
        self.reported = np.bincount(self._keys // self._width, minlength=len(sampled)).astype(np.int64)
        both = _positions(self._partners, sampled) >= 0
        self.reported_twice = int(np.count_nonzero(both[self._keys % self._width])) // 2
        return self

    def _names(self, rows: Rows, ids: pa.Array | None) -> pa.Array:
        return _named(rows, None if self._by_position else ids)

    @property
    def _width(self) -> int:
        return max(len(self._partners), 1)

    def labels(self, rows: Rows, ids: pa.Array | None) -> Rows:
        place = _positions(self._names(rows, ids), self._members)
        return np.where(place >= 0, self._labels[place] if len(self._labels) else ALONE, ALONE)

    def listed(self, sampled: Rows, rows: Rows, ids: pa.Array | None) -> Mask:
        partner = _positions(self._names(rows, ids), self._partners)
        wanted = sampled * self._width + partner
        known = np.asarray((partner >= 0) & np.isin(wanted, self._keys), np.bool_)
        self._confirmed[np.searchsorted(self._keys, wanted[known])] = True
        return known

    def owned_halves(self, chances: Chance, chance_of: Callable[[pa.Array], Chance]) -> tuple[Rows, Rows]:
        own, partner = self._keys // self._width, self._keys % self._width
        halves = owned_halves(chances[own], chance_of(self._partners)[partner])
        of, true = (np.bincount(own[which], halves[which], len(chances)) for which in (slice(None), self._confirmed))
        return of.astype(np.int64), true.astype(np.int64)

    def check_rows(self, rows: Rows, ids: pa.Array | None) -> None:
        names = self._names(rows, ids)
        place = _positions(names, self._checked_ids)
        self._seen[place[place >= 0]] = True
        place = _positions(names, self._known_ids)
        self._times += np.bincount(place[place >= 0], minlength=len(self._times))

    def check_ids(self) -> None:
        if not self._seen.all():
            missing = self._checked_ids[int(np.argmin(self._seen))].as_py()
            raise InputError("audit-unknown-id", result=self._name, id=missing)
        if (self._times > 1).any():
            twice = self._known_ids[int(np.argmax(self._times > 1))].as_py()
            raise InputError("audit-repeated-id", result=self._name, id=twice)


def _check_table(table: pa.Table, kind: str, name: str) -> None:
    """Raises an error if the table of a result has missing values, or columns of types that no result has."""
    for column in KINDS[kind]:
        array = table[column]
        valid = pa.types.is_integer(array.type)
        if column not in ("cluster", "size"):
            valid = valid or array.type in (pa.string(), pa.large_string())
        if column != "similarity" and (array.null_count or not valid):
            reason = Notice("column-of-result-invalid", column=column)
            raise MalformedInput("result-table-damaged", result=name, reason=reason)


def _average(values: Rows, weights: npt.NDArray[Any]) -> float:
    total = float(weights.sum())
    return float((values * weights).sum()) / total if total else 0.0


def _components(left: pa.Array, right: pa.Array) -> tuple[pa.Array, Rows]:
    """Returns the distinct ids in these pairs, and the label of each id's connected component."""
    code = pa.concat_arrays([left, right]).dictionary_encode()
    ends = np.asarray(code.indices.to_numpy(), np.int64)
    return code.dictionary, default().connect(len(code.dictionary), ends[: len(left)], ends[len(left) :])


def _named(rows: Rows, ids: pa.Array | None) -> pa.Array:
    return pa.array(rows, pa.int64()) if ids is None else ids


def _has_repeats(ids: pa.Array) -> bool:
    return bool(pc.count_distinct(ids).as_py() < len(ids))


def _opened(path: Path) -> Any:
    try:
        if (path / "summary.json").is_file():
            return load(path)
        exists = path.exists()
    except (OSError, ValueError):  # a name that no file can have
        exists = False
    if not exists:
        raise NoInput("no-result-at-path", path=path)
    if path.is_dir() or path.suffix != ".parquet":
        raise InvalidOption("result-not-parquet", path=path)
    try:
        return pq.read_table(open_arrow(path))
    except (pa.ArrowException, OSError) as error:
        raise MalformedInput("result-unreadable", path=path, reason=brief(error)) from None
