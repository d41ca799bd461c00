"""Index: documents that stay, in a folder, with their near-duplicates and clusters."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from lookalike.errors import InvalidOption, LookalikeError
from lookalike.flow import Documents
from lookalike.flow.checks import check_threads
from lookalike.flow.progress import Progress, silent
from lookalike.flow.signature import Signature
from lookalike.index import adding, clustering, exporting, querying
from lookalike.index.access import Access
from lookalike.index.adding import Added, Duplicate
from lookalike.index.backends import create_store, open_store
from lookalike.index.creating import plan_of, resolved_like
from lookalike.index.store import Store
from lookalike.io.file_names import names_file
from lookalike.io.open import open_source
from lookalike.io.outputs import Outputs
from lookalike.io.source import Source
from lookalike.kernel import default
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.clusters import Clusters
from lookalike.results.index_matches import IndexMatches
from lookalike.results.summary import counted


class Index:
    """Documents in a folder, to which others are compared. One process may write at a time, and any number may read.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp() + "/corpus.index"
    >>> ix = Index.create(folder, threshold=0.8, shingles="words:2")
    >>> ix.add(["the cat sat on the mat today", "a dog barked all night long"])
    Added(2 documents)
    >>> ix.query("The cat sat on the mat, today!").top()
    [(0, 0, 1.0)]
    """

    def __init__(self, store: Store, *, threads: int | None = None, memory: int | str | None = None) -> None:
        """Opens an index on any store. `Index.open` opens a folder."""
        self.store = store
        self._access = Access(store, default(check_threads(threads)), memory)

    # Opening

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        plan: Plan | ResolvedPlan | str | Path | None = None,
        texts: bool = True,
        contain: bool = False,
        like: Any = None,
        column: str | None = None,
        format: str | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
        progress: Progress = silent,
        **options: Any,
    ) -> Index:
        """Creates an empty index in a new folder. `options` are entries of the plan, as in `find_pairs`.

        With `texts=False`, the index keeps a short signature of each document, of 8 bits per hash, and no text. Its
        similarities are then estimates, which may find pairs slightly below the threshold and miss some above it.

        With `contain=True`, queries can also find the documents that contain a text (`measure="containment"`), such as
        the long page from which a sentence was copied. The index is then about 1.75 times as large.

        What the plan leaves open is decided by the first add or, if there is data `like` the documents that will be
        added, from this data; `column` and `format` say how to read it. The seed is random unless it is given, and the
        hashes of tokens have a random key, so that nobody can prepare texts that collide. With a `seed` or a `plan`,
        the index has the key of the plan, or none.
        """
        made, resolved = plan_of(plan, options, texts=texts, contain=contain), None
        if like is not None:
            source = open_source(like, column=column, format=format)
            resolved = resolved_like(made, source, default(check_threads(threads)), memory, progress)
        create_store(path, made, resolved, contain=contain)
        return cls.open(path, threads=threads, memory=memory)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, threads: int | None = None, memory: int | str | None = None
    ) -> Index:
        """Opens an index. The first change makes this process the writer, until the index is closed."""
        return cls(open_store(path, default(check_threads(threads))), threads=threads, memory=memory)

    def close(self) -> None:
        """Releases the lock and the files."""
        self._access.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Returns the number of documents."""
        with self._access.reading():
            return len(self.store)

    def __repr__(self) -> str:
        """Does not fail: debuggers and test runners show values at any time, closed indexes included."""
        try:
            return f"Index({self.store.name!r}, {counted(len(self), 'document')})"
        except LookalikeError as error:
            return f"Index({self.store.name!r}, {error.code})"

    def __reduce__(self) -> str:
        raise InvalidOption("index-of-another-process", name=self.store.name)

    @property
    def plan(self) -> Plan | ResolvedPlan:
        """The plan: complete after the first add, so that `find_pairs(data, plan=ix.plan)` gives the same pairs."""
        with self._access.reading():
            return self.store.resolved or self.store.plan

    # Adding

    def add(
        self,
        data: Any,
        *,
        id: str | None = None,
        column: str | None = None,
        progress: Progress = silent,
        **reading: Any,
    ) -> Added:
        """Adds documents, all or none. They are durable when this method returns.

        `data` and the other options are those of `find_pairs`. Documents with an id that exists replace it. Without
        ids, the index assigns the next integers.
        """
        source = open_source(data, id=id, column=column, **reading)
        return adding.add(self._access, source, progress)

    def add_if_new(self, text: Any, *, id: int | str | None = None) -> Duplicate | None:
        """Adds a text unless a similar one is in the index. Returns the duplicate found, or None if it was added.

        Of several duplicates, the one that was added first is returned. A stream of such calls keeps the documents that
        `dedupe(keep="first")` keeps under the same plan.
        """
        return adding.add_if_new(self._access, text, id)

    # Queries

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
        progress: Progress = silent,
        **reading: Any,
    ) -> IndexMatches:
        """Finds the documents that are similar to a text, or to each document of a collection.

        A string is a text; anything else is data as in `find_pairs`. `threshold` must not be below that of the index.
        `top` keeps the most similar documents of each query, and `distinct` keeps the best document of each cluster.

        With `measure="containment"`, the similarity is the share of the query's shingles that are in a document, and
        the threshold may be any. The index must have been created with `contain=True`. A document that shares `passage`
        consecutive shingles with the query (see `info`) is always compared; other ones are, very probably, if they
        share several.
        """
        if isinstance(data, str) and names_file(data):
            raise InvalidOption("file-name-instead-of-text", name=data)
        asked: Source | Documents
        if isinstance(data, str) and id is None and column is None and not reading:  # the usual case, and a quick one
            asked = Documents.from_texts([data])
        else:
            asked = open_source([data] if isinstance(data, str) else data, id=id, column=column, **reading)
        with self._access.reading():
            return querying.query(
                self._access,
                asked,
                measure=measure,
                threshold=threshold,
                top=top,
                distinct=distinct,
                progress=progress,
            )

    def documents(self, ids: Iterable[Any] | Any) -> pa.Table:
        """Returns a table with the columns id and text, in the order of the ids. Ids that do not exist are left out."""
        with self._access.reading():
            return querying.documents(self._access, ids)

    def signature(self, id: int | str) -> Signature:
        """Returns the signature of a document, under the plan of the index."""
        with self._access.reading():
            return querying.signature(self._access, id)

    # Deleting and clusters

    def delete(self, ids: Iterable[Any] | Any) -> int:
        """Deletes documents. Returns how many there were; ids that the index does not have are ignored."""
        return adding.delete(self._access, ids)

    def clusters(self, *, progress: Progress = silent) -> Clusters:
        """Returns the clusters of all documents: connected components of the similar pairs."""
        with self._access.settling():
            return clustering.clusters(self._access, progress)

    def cluster_of(self, id: int | str) -> list[int | str]:
        """Returns the ids of all documents in the cluster of a document, in the order in which they were added."""
        with self._access.settling():
            return clustering.cluster_of(self._access, id)

    # Everything

    def to_reader(self, *, clusters: bool = True, progress: Progress = silent) -> pa.RecordBatchReader:
        """Returns all documents as a stream of batches, in the order in which they were added: id, text, cluster.

        Clusters are numbered in the order of their first members. Read the stream before you change the index.
        """
        with self._access.reading():
            return exporting.reader(self._access, clusters, progress)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yields all documents in the order in which they were added, as dictionaries with id and text."""
        for batch in self.to_reader(clusters=False):
            yield from batch.to_pylist()

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        clusters: bool = True,
        force: bool = False,
        progress: Progress = silent,
    ) -> None:
        """Writes all documents to a table (.parquet, .jsonl, .csv or .tsv), in the order in which they were added.

        The columns are id, text and, unless `clusters` is False, cluster. `force` overwrites an existing file.
        """
        outputs = Outputs({"path": Path(path)}, force=force, tables=["path"])
        outputs.write_table("path", self.to_reader(clusters=clusters, progress=progress))

    # Maintenance

    def compact(self, *, progress: Progress = silent) -> None:
        """Returns the space of deleted documents, and merges all segments, which makes queries quicker.

        It needs as much free space as the remaining documents take. Other processes can read the index meanwhile. If it
        is interrupted, nothing is lost.
        """
        self._access.compact(progress)

    def info(self) -> dict[str, Any]:
        """Returns the counts and sizes of the index."""
        with self._access.reading():
            return self.store.info()

    def verify(self, *, progress: Progress = silent) -> None:
        """Reads everything, and raises MalformedInput if a page, a block or the catalogue is damaged."""
        with self._access.reading():
            self.store.verify(progress)
