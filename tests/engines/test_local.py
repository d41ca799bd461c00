"""The local engine: the same bytes for any number of threads, batch size and format; copies and parts follow the
rules."""

from __future__ import annotations

import gc
import json
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.engines.stages import signed_parts
from lookalike.engines.stages.copies import unfold_pairs
from lookalike.planning.plan import Plan
from lookalike.storage.parts import NoParts
from lookalike.testing import Rows
from lookalike.work.folder import Work
from tests.corpora import corpus
from tests.refusals import refused


@pytest.mark.parametrize("shingles", ["words:3", "chars:5"])
def test_the_same_answer_for_every_thread_count_batch_size_and_format(tmp_path: Path, shingles: str) -> None:
    texts = corpus()
    table = pa.table({"id": [f"d{i}" for i in range(len(texts))], "text": texts})
    pq.write_table(table, tmp_path / "c.parquet", row_group_size=97)
    (tmp_path / "c.jsonl").write_text(
        "".join(json.dumps(row, ensure_ascii=i % 2 == 0) + "\n" for i, row in enumerate(table.to_pylist())), "utf-8"
    )
    pairs, clusters = set(), set()

    def noted(table: pa.Table) -> bytes:
        """The bytes of a table and its metadata, without the description of the input."""
        about = {name: value for name, value in table.schema.metadata.items() if name != b"lookalike.input"}
        return _bytes(table.replace_schema_metadata(about))

    for path in (tmp_path / "c.parquet", tmp_path / "c.jsonl"):
        for threads in (1, 2):
            for batch_rows in (1, 37, 8192):
                options: dict[str, Any] = {
                    "id": "id", "threshold": 0.7, "shingles": shingles, "threads": threads, "batch_rows": batch_rows,
                }  # fmt: skip
                pairs.add(noted(la.find_pairs(path, **options).to_arrow()))
                clusters.add(noted(la.find_clusters(path, **options).to_arrow()))
    assert len(pairs) == len(clusters) == 1


def _bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return bytes(sink.getvalue())


def test_pairs_are_all_true_pairs_and_clusters_their_components() -> None:
    texts = corpus()
    # copies make misses come in bunches, so that a corpus this small needs more than the usual recall
    pairs = la.find_pairs(texts, threshold=0.7, shingles="words:3", recall=0.9999, hashes=256)
    sets = [_word_set(text, 3) for text in texts]
    truth = {
        (i, j): len(sets[i] & sets[j]) / len(sets[i] | sets[j])
        for i in range(len(texts))
        for j in range(i + 1, len(texts))
        if sets[i] and sets[j] and 10 * len(sets[i] & sets[j]) >= 7 * len(sets[i] | sets[j])
    }
    found = {(a, b): s for a, b, s in pairs}
    assert found.items() <= truth.items(), "every pair is true, with its exact similarity"
    assert len(found) >= 0.99 * len(truth)
    clusters = la.find_clusters(texts, threshold=0.7, shingles="words:3", recall=0.9999, hashes=256)
    assert clusters.members() == pairs.clusters().members()


def _word_set(text: str, k: int) -> set[tuple[str, ...]]:
    words = [w for run in text.casefold().split() for w in (run if any(ord(c) > 0x3000 for c in run) else [run])]
    if words == ["!!!"]:
        return {("!!!",)}
    return {tuple(words[i : i + k]) for i in range(max(1, len(words) - k + 1))} if words else set()


def test_ten_thousand_copies_cost_one() -> None:
    texts = ["the same text stands here very often indeed"] * 10_000 + ["another text that stands alone in the corpus"]
    clusters = la.find_clusters(texts, threshold=0.8, shingles="words:3")
    assert clusters.sizes() == {1: 1, 10_000: 1}
    assert clusters.summary.same_words == 9_999 and clusters.summary.checked == 0


def test_more_pairs_than_anyone_can_read_are_refused_before_they_are_made() -> None:
    first = np.zeros(20_000, dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    with refused("too-many-pairs", pairs=20_000 * 19_999 // 2):
        unfold_pairs(first, none, none, np.zeros(0))


def test_unfolding_copies_lists_every_pair_once_in_order() -> None:
    first = np.array([0, 1, 0, 1, 4, 0])  # copies: {0, 2, 5} and {1, 3}
    left, right, similarity = unfold_pairs(first, np.array([0]), np.array([4]), np.array([0.75]))
    assert similarity is not None
    assert list(zip(left.tolist(), right.tolist(), similarity.tolist(), strict=True)) == [
        (0, 2, 1.0), (0, 4, 0.75), (0, 5, 1.0), (1, 3, 1.0), (2, 4, 0.75), (2, 5, 1.0), (4, 5, 0.75),
    ]  # fmt: skip


def test_a_run_goes_on_from_the_parts_of_an_earlier_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_parts, "PART_ROWS", 64)
    table = pa.table({"text": corpus(200)})
    pq.write_table(table, tmp_path / "c.parquet")
    with Work(tmp_path / "work", keep=True) as work:
        whole = la.find_pairs(tmp_path / "c.parquet", threshold=0.7, shingles="words:3", work=work)
    parts = sorted((tmp_path / "work").glob("sign-*.part"))
    assert [p.name for p in parts] == [f"sign-{start:015d}.part" for start in (0, 64, 128, 192)]

    parts[1].unlink()  # everything from the first gap on is made again
    (tmp_path / "work" / "result.part").unlink()
    signed: list[int] = []
    again = la.find_pairs(
        tmp_path / "c.parquet", threshold=0.7, shingles="words:3", work=tmp_path / "work", resume=True,
        progress=lambda stage, done, total: signed.append(done) if stage == "sign" and done else None,
    )  # fmt: skip
    assert list(again) == list(whole) and min(signed) > 64


def test_a_run_from_finished_parts_still_says_what_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"text": "one"}\nbroken\n{"text": "two"}\n')
    options: dict[str, Any] = {"on_error": "skip", "threshold": 0.8}
    with Work(tmp_path / "work", keep=True) as work:
        first = la.find_pairs(tmp_path / "c.jsonl", work=work, **options).summary
    (tmp_path / "work" / "result.part").unlink()
    again = la.find_pairs(tmp_path / "c.jsonl", work=tmp_path / "work", resume=True, **options).summary
    assert (first.malformed, again.malformed) == (1, 1)
    assert first.warnings == again.warnings != ()


def near_copies(count: int) -> list[list[str]]:
    """Sets of 200 that share all but two elements: every pair is similar, and none are copies."""
    return [[f"c{i}" for i in range(198)] + [f"u{n}", f"v{n}"] for n in range(count)]


def test_more_similar_pairs_than_are_listed_stop_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.engines.stages.memory.MOST_PAIRS", 10_000)
    with refused("too-many-pairs"):
        la.find_pairs(near_copies(400), threshold=0.8)
    with refused("too-many-pairs-for-stars"):
        la.find_clusters(near_copies(400), threshold=0.8, linkage="star", verify="none")
    assert len(la.find_clusters(near_copies(400), threshold=0.8, linkage="star")) == 1
    assert len(la.find_clusters(near_copies(400), threshold=0.8)) == 1


def test_ctrl_c_is_heard_while_the_kernel_works() -> None:
    """A search among thousands of near-copies once went on for minutes after Ctrl-C.

    Garbage is not collected meanwhile: an exception that is raised in a callback of the collector, such as Hypothesis
    has, is lost.
    """
    texts = near_copies(10_000)
    la.find_pairs(texts[:100], threshold=0.8)  # imports what it needs: an exception during an import may be lost, too
    gc.disable()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background starts with it ignored
    try:
        stop = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
        stop.start()
        with pytest.raises(KeyboardInterrupt):
            la.find_pairs(texts, threshold=0.8)
        stop.join()
    finally:
        gc.enable()
        signal.signal(signal.SIGINT, before)


def test_similarity_by_signature_or_not_at_all_says_so() -> None:
    texts = corpus()
    by_signature = la.find_pairs(texts, threshold=0.7, shingles="words:3", verify="signature")
    assert by_signature.summary.verified == "signature"
    assert {round(s * 128) / 128 == s for _, _, s in by_signature if s is not None} == {True}
    unverified = la.find_pairs(texts, threshold=0.7, shingles="words:3", verify="none")
    assert unverified.summary.verified == "none" and {s for _, _, s in unverified} == {None}
    exact = {pair[:2] for pair in la.find_pairs(texts, threshold=0.7, shingles="words:3", method="lsh")}
    assert exact <= {pair[:2] for pair in unverified}, "verifying only takes candidates away"


def test_no_thread_outlives_an_error() -> None:
    """An error keeps the local variables of its functions alive, and readers would wait as long as the error exists."""

    def fail(stage: str, done: int, total: int | None) -> None:
        if done:
            raise KeyError(stage)

    source = Rows([f"text number {i}" for i in range(200)], batch_rows=10)
    with pytest.raises(KeyError) as kept:
        Local(threads=2).run(Plan(), source, NoParts(), fail)
    assert kept.value.args == ("sign",)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("lookalike")]


@pytest.mark.parametrize("few", [0, 1, 32])
def test_clusters_of_an_exact_join_are_the_same_with_and_without_its_pairs(few: int, monkeypatch: Any) -> None:
    """Many near-copies have too many pairs to list. Components are then found without listing them."""
    monkeypatch.setattr("lookalike.engines.stages.checking.FEW_PAIRS", few)
    near = [f"the cat sat on the mat number {i % 7} and then on {i}" for i in range(400)]
    texts = [*near, *(f"dog {i} barked at car {i} all night" for i in range(50))]
    options: dict[str, Any] = {"shingles": "words:1", "threshold": 0.7, "method": "exact"}
    pairs = la.find_pairs(texts, **options)
    assert len(pairs) > 1000 + len(texts), "or nothing would be too many"
    np.testing.assert_array_equal(la.find_clusters(texts, **options).labels, pairs.clusters().labels)
