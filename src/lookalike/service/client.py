"""Client: the methods of an index, answered by a service over HTTP. It needs no package of the extra `service`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import to_numpy
from lookalike.flow.signature import Signature
from lookalike.index.adding import Added, Duplicate
from lookalike.io.one_text import text_of
from lookalike.io.open import open_source
from lookalike.results.index_matches import IndexMatches
from lookalike.service.connection import ARROW, JSON, Connection

ID, TEXT = "id", "text"

Id = int | str


class ListedCluster(NamedTuple):
    """A cluster in a list: its size, the ids of its first members, and the similarity of its least similar pair."""

    id: Id
    """The id of its first member, with which `cluster_of` returns all members."""
    size: int
    members: list[Id]
    least_similarity: float | None
    """None unless the list is ordered by it."""


class Client:
    """An index behind a service. Errors are those of `Index`; a refusal by the service itself is a `ServiceError`.

    Several threads may use a client. Each has its own connection.
    """

    def __init__(self, url: str, key: str | None = None, *, timeout: float = 60.0) -> None:
        """Creates a client. `url` may contain the start token that the service prints; otherwise, `key` is needed.

        `timeout` is in seconds, and must be longer than that of the service for its own message to arrive.
        """
        self._connection = Connection(url, key, timeout)

    def close(self) -> None:
        """Closes the connections."""
        self._connection.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self._connection.url!r})"

    def add(self, data: Any, *, id: str | None = None, column: str | None = None, **reading: Any) -> Added:
        """Adds documents, all or none. They are durable when this method returns.

        `data` and the other options are those of `Index.add`. They are sent in one request, so the service limits
        their number and size.
        """
        sent = _documents(data, id, column, reading)
        answer = self._connection.send("POST", "/documents", _arrow(sent), ARROW)
        names = [one[ID] for one in answer["documents"]]
        return Added(_id_array(names), answer["replaced"])

    def add_if_new(self, text: Any, *, id: Id | None = None) -> Duplicate | None:
        """Adds a text unless a similar one is in the index. Returns the duplicate found, or None if it was added."""
        document = {TEXT: text_of(text)} | ({} if id is None else {ID: id})
        answer = self._connection.send("POST", "/documents?if_new=true", _json(document), JSON)
        (one,) = answer["documents"]
        return None if one["added"] else Duplicate(**one["duplicate"])

    def query(
        self,
        data: Any,
        *,
        measure: str = "jaccard",
        threshold: float | str | None = None,
        top: int | None = None,
        distinct: bool = False,
        id: str | None = None,
        column: str | None = None,
        **reading: Any,
    ) -> IndexMatches:
        """Finds the documents that are similar to a text, or to each document of a collection, as `Index.query`."""
        asked = data if not isinstance(data, str) else [text_of(data)]
        sent = _documents(asked, id, column, reading, is_text=isinstance(data, str))
        options = {"measure": measure, "threshold": threshold, "top": top, "distinct": "true" if distinct else None}
        words = urlencode({name: value for name, value in options.items() if value is not None})
        table = self._connection.send("POST", f"/query?{words}", _arrow(sent), ARROW, accept=ARROW)
        facts = json.loads(table.schema.metadata[b"lookalike.found"])
        is_estimate = pa.types.is_null(table.schema.field("containment").type)  # of an index without texts
        return IndexMatches(
            left_rows=to_numpy(table["query_row"].combine_chunks()).astype(np.int64),
            right_rows=to_numpy(table["row"].combine_chunks()).astype(np.int64),
            similarity=to_numpy(table["similarity"].combine_chunks()),
            containment=None if is_estimate else to_numpy(table["containment"].combine_chunks()),
            found_ids=table[ID].combine_chunks(),
            query_ids=sent[ID].combine_chunks() if ID in sent.column_names else None,
            **facts,
        )

    def delete(self, ids: Iterable[Any] | Any) -> int:
        """Deletes documents. Returns how many there were; ids that the index does not have are ignored."""
        names = [ids] if isinstance(ids, str | int) else [_plain(one) for one in ids]
        answer = self._connection.send("DELETE", "/documents", _json({"ids": names}), JSON)
        return int(answer["deleted"])

    def document(self, id: Id) -> str:
        """Returns the text of a document."""
        return str(self._connection.send("GET", f"/documents/{_path(id)}")[TEXT])

    def clusters(self, *, order: str = "size", min_size: int = 2) -> Iterator[ListedCluster]:
        """Yields the clusters of two or more documents, page by page: large ones first or, with `order="similarity"`,
        those with the least similar pair. All of them are of the same state of the index."""
        words = {"order": order, "min_size": min_size}
        while True:
            answer = self._connection.send("GET", f"/clusters?{urlencode(words)}")
            yield from (ListedCluster(**one) for one in answer["clusters"])
            if answer["next"] is None:
                return
            words = {"cursor": answer["next"]}

    def cluster_of(self, id: Id) -> list[Id]:
        """Returns the ids of all documents in the cluster of a document, in the order in which they were added."""
        members: list[Id] = []
        words: Mapping[str, Any] = {"limit": PAGE}
        while True:
            answer = self._connection.send("GET", f"/clusters/{_path(id)}?{urlencode(words)}")
            members += answer["members"]
            if answer["next"] is None:
                return members
            words = {"limit": PAGE, "after": answer["next"]}

    def signature(self, id: Id) -> Signature:
        """Returns the signature of a document, under the plan of the index."""
        from base64 import b64decode

        return Signature.from_bytes(b64decode(self._connection.send("GET", f"/signatures/{_path(id)}")["signature"]))

    def info(self) -> dict[str, Any]:
        """Returns counts and sizes of the index, its plan, and the limits of the service."""
        found: dict[str, Any] = self._connection.send("GET", "/info")
        return found

    def __len__(self) -> int:
        """Returns the number of documents."""
        return int(self.info()["documents"])


PAGE = 1000
"""The number of members that `cluster_of` asks for at a time."""


def _documents(
    data: Any, id: str | None, column: str | None, reading: Mapping[str, Any], *, is_text: bool = False
) -> pa.Table:
    """Returns data as a table with the columns text and, if the data has ids, id."""
    source = open_source([{TEXT: data[0]}] if is_text else data, id=id, column=column, **reading)
    names = [source.column] + ([source.id] if source.id else [])
    batches = [batch.data.select(names) for batch in source.read(names)]
    if not batches:
        return pa.table({TEXT: pa.array([], pa.large_string())})
    table = pa.Table.from_batches(batches)
    texts = table.column(0)
    if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
        raise InvalidOption("service-takes-texts")
    if texts.null_count:
        table = table.set_column(0, names[0], pa.chunked_array([chunk.fill_null("") for chunk in texts.chunks]))
    return table.rename_columns([TEXT, ID][: len(names)]).replace_schema_metadata(None)


def _arrow(table: pa.Table) -> bytes:
    import io

    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _plain(id: Any) -> Any:
    return id.item() if isinstance(id, np.generic) else id.as_py() if isinstance(id, pa.Scalar) else id


def _id_array(ids: list[Any]) -> pa.Array:
    return pa.array(ids, pa.large_string() if ids and isinstance(ids[0], str) else pa.int64())


def _path(id: Id) -> str:
    return quote(str(id), safe="")
