"""All documents of an index, in the order in which they were added, with their clusters."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.errors import OutputExists
from lookalike.index import stored_source
from lookalike.index.stored_source import StoredSource
from tests.index.laws import texts
from tests.index.test_queries import index


@settings(max_examples=30)
@given(texts(), st.lists(st.integers(0, 24), max_size=5), st.booleans())
def test_the_stream_has_the_documents_and_their_clusters(data: list[str], deleted: list[int], few: bool) -> None:
    with index(data) as ix, patch.object(stored_source, "MOST_ROWS", 3 if few else 8192):
        ix.delete(deleted)
        kept = [(i, text) for i, text in enumerate(data) if i not in deleted]
        table = ix.to_reader().read_all()
        assert list(zip(table["id"].to_pylist(), table["text"].to_pylist(), strict=True)) == kept
        assert table["cluster"].to_pylist() == ix.clusters().to_arrow()["cluster"].to_pylist()
        assert [(row["id"], row["text"]) for row in ix] == kept


def test_a_source_reads_any_range_in_batches_of_bounded_size() -> None:
    data = [f"{n} " + "x" * 100 for n in range(50)]
    with index(data) as ix, patch.object(stored_source, "AT_ONCE", 1000):
        source = StoredSource(ix.store, ix.store.all_rows())
        batches = list(source.read(["text"], 7, 45))
        assert [text for batch in batches for text in batch.data.column(0).to_pylist()] == data[7:45]
        assert [batch.start for batch in batches][:3] == [7, 16, 25]
        assert source.total_rows() == 50 and list(source.read(start=50)) == []


def test_export_writes_a_table_whole_or_not_at_all(tmp_path: Path) -> None:
    with index(["one two", "three four"]) as ix:
        ix.export(tmp_path / "e.parquet")
        assert pq.read_schema(tmp_path / "e.parquet").names == ["id", "text", "cluster"]
        with pytest.raises(OutputExists):
            ix.export(tmp_path / "e.parquet")
        ix.export(tmp_path / "e.parquet", force=True, clusters=False)
        assert pq.read_table(tmp_path / "e.parquet").to_pydict() == {"id": [0, 1], "text": ["one two", "three four"]}


def test_an_empty_index_has_a_table_without_rows() -> None:
    with index() as ix:
        assert ix.to_reader().read_all().num_rows == 0 and list(ix) == []
