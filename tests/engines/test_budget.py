"""A memory budget: the same answer whatever it is, spilled or not; and one that is too small is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.engines.local.spill import batches as batches_module
from lookalike.engines.local.spill import grouping, oversized
from lookalike.engines.stages import answer_builder, arrows, huge_texts, signed_parts
from lookalike.engines.stages import memory as memory_module
from lookalike.engines.stages.candidate_components import CandidateComponents
from lookalike.engines.stages.memory import Allowance
from lookalike.families.amplify import Banded
from lookalike.flow import Documents
from lookalike.kernel import Cpu
from lookalike.notices import Notice
from lookalike.storage import budget
from lookalike.storage.parts import MemoryParts, NoParts
from lookalike.testing import CASES, Case, Rows, check_engine
from tests.corpora import corpus
from tests.refusals import refused


def allowance(tables: int, sorting: int = 1 << 20) -> Allowance:
    return Allowance(tables, sorting, state=0)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts and chunks of a few rows, so that a small corpus has many."""
    monkeypatch.setattr(signed_parts, "PART_ROWS", 16)
    monkeypatch.setattr(batches_module, "CHUNK", 5000)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_engine_without_room_answers_like_the_reference(case: Case) -> None:
    """Nearly all documents are giants, which are compared in parts of some hundred bytes.

    The allowance is what remains beside the choice of survivors. Without that, nothing remained, and each element was
    a part, for each of which all texts were cut again.
    """
    beside = memory_module.CHOICE * len(case.rows) if case.plan.linkage == "star" else 0
    check_engine(Local(threads=2, allowance=allowance(500 + beside)), cases=[case], batch_rows=[7])


def near_copies(count: int, shared: int, own: int) -> list[list[str]]:
    return [[f"c{i}" for i in range(shared)] + [f"u{n}-{i}" for i in range(own)] for n in range(count)]


@given(
    st.integers(5_000, 100_000),
    st.sampled_from([4_000, 1 << 20]),
    st.sampled_from([1, 2]),
    st.sampled_from(["pairs", "clusters"]),
    st.sampled_from(["exact", "signature", "none"]),
    st.integers(0, 80),
    st.sampled_from([0.99, 1.0]),
    st.randoms(use_true_random=False),
)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_answer_does_not_depend_on_the_memory(
    tables: int, sorting: int, threads: int, goal: Any, verify: Any, family: int, recall: float, random: Any
) -> None:
    """Near-copies, and sets that share half of their elements, so many that their buckets have an index."""
    rows = near_copies(family, 20, 1) + near_copies(30, 10, 6) + [["x", "y"]] * 5 + near_copies(9, 0, 9) + [[]]
    random.shuffle(rows)
    verify = "exact" if recall == 1.0 else verify
    plan = la.Plan(goal=goal, verify=verify, threshold="0.6", recall=recall, hashes=32)
    expected = Local(threads=1, allowance=allowance(1 << 40)).run(plan, Rows(rows), NoParts())
    got = Local(threads=threads, allowance=allowance(tables, sorting)).run(plan, Rows(rows), NoParts())
    assert expected.summary.spilled == 0
    assert got.summary.candidates == expected.summary.candidates
    if goal == "pairs":
        assert expected.pairs is not None and got.pairs is not None
        assert got.pairs.to_arrow().equals(expected.pairs.to_arrow())
    else:
        assert expected.clusters is not None and got.clusters is not None
        np.testing.assert_array_equal(got.clusters.labels, expected.clusters.labels)


@pytest.mark.parametrize("goal", ["pairs", "clusters"])
@pytest.mark.parametrize("threshold", ["0.5", "0.666666666", "0.75", "0.8", "0.95"])
def test_blocks_of_an_exact_join_only_meet_blocks_of_sizes_that_can_match(
    goal: Any, threshold: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each set contains the next smaller one, so that all are in one group, which does not fit."""
    rows = [[f"{i % 97}-{i}" for i in range(size)] for size in range(1, 160)]
    rows = rows[::2] + rows[1::2] + near_copies(40, 20, 1) + near_copies(30, 0, 9)
    plan = la.Plan(goal=goal, threshold=threshold, method="exact")
    whole = Local(threads=1, allowance=allowance(1 << 40)).run(plan, Rows(rows), NoParts())
    pieces_made: list[oversized.Piece] = []

    def noted(*arguments: Any) -> Iterator[oversized.Piece]:
        for piece in grouping.shares_by_size(*arguments):
            pieces_made.append(piece)
            yield piece

    monkeypatch.setattr("lookalike.engines.local.spill.run.shares_by_size", noted)
    result = Local(threads=2, allowance=allowance(60_000)).run(plan, Rows(rows), NoParts())
    sizes = np.array([len(row) for row in rows])
    for piece in pieces_made:
        one, other = np.split(sizes[piece.rows], [piece.share.split])
        assert not piece.share.split or one.max() >= float(threshold) * other.min() - 1e-6
    if goal == "pairs":
        blocks = sum(not piece.share.split for piece in pieces_made)
        assert blocks > 3 and (len(pieces_made) < blocks * (blocks + 1) / 2 or threshold == "0.5")
        assert result.pairs is not None and whole.pairs is not None
        assert result.pairs.to_arrow().equals(whole.pairs.to_arrow())
    else:
        assert result.clusters is not None and whole.clusters is not None
        np.testing.assert_array_equal(result.clusters.labels, whole.clusters.labels)


def chain(count: int) -> list[list[str]]:
    """Each row is similar to the next, but not to distant ones: one component of many small buckets."""
    return [[str(i) for i in range(n, n + 6)] for n in range(count)]


@pytest.mark.parametrize(
    ("rows", "tables", "kind"),
    [(chain(120), 8_000, "bands"), (chain(120), 3_000, "buckets"), (near_copies(70, 30, 3), 8_000, "blocks")],
)
def test_the_pieces_of_a_component_contain_every_candidate_pair_once(
    rows: list[list[str]], tables: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Depending on the memory, a piece has several bands, some buckets of one band, or blocks of one bucket."""
    plan = la.Plan(verify="none", threshold="0.6", hashes=32, bands=8, rows=4)
    whole = Local(threads=1, allowance=allowance(1 << 40)).run(plan, Rows(rows), NoParts())
    pieces_made = recorded_pieces(monkeypatch)
    result = Local(threads=1, allowance=allowance(tables)).run(plan, Rows(rows), NoParts())
    assert result.summary.candidates == whole.summary.candidates == result.summary.pairs
    assert result.pairs is not None and whole.pairs is not None
    assert result.pairs.to_arrow().equals(whole.pairs.to_arrow())
    assert kind in {
        "blocks" if work.share.split else "bands" if work.share.last - work.share.first > 1 else "buckets"
        for work in pieces_made
    }


def recorded_pieces(monkeypatch: pytest.MonkeyPatch) -> list[oversized.Piece]:
    """Records the pieces of components that do not fit."""
    pieces_made: list[oversized.Piece] = []

    def noted(*arguments: Any) -> Iterator[oversized.Piece]:
        for work in oversized.shares(*arguments):
            pieces_made.append(work)
            yield work

    monkeypatch.setattr("lookalike.engines.local.spill.run.shares", noted)
    return pieces_made


def test_near_copies_that_do_not_fit_are_joined_without_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is compared with the first. Every two blocks used to be compared."""
    pieces_made = recorded_pieces(monkeypatch)
    plan = la.Plan(goal="clusters", threshold="0.6", hashes=32, bands=8, rows=2, method="lsh")
    result = Local(threads=1, allowance=allowance(60_000)).run(plan, Rows(near_copies(200, 30, 3)), NoParts())
    assert result.clusters is not None and result.clusters.labels.tolist() == [0] * 200
    assert pieces_made and all(work.stars_only for work in pieces_made)


def test_pairs_that_are_not_similar_are_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such pairs share a bucket of two in many bands."""
    pieces_made = recorded_pieces(monkeypatch)
    plan = la.Plan(goal="clusters", threshold="0.9", hashes=64, bands=32, rows=2, method="lsh")
    rows = [[f"p{n // 2}-{i}" for i in range(n % 2, 12 + n % 2)] + [f"x{n // 4}"] for n in range(400)]
    rows += near_copies(60, 10, 3)
    rows = [[*row, "everywhere", "and nowhere"] for row in rows]
    wanted = Local(threads=1, allowance=allowance(1 << 40)).run(plan, Rows(rows), NoParts())
    found = Local(threads=1, allowance=allowance(40_000)).run(plan, Rows(rows), NoParts())
    assert found.clusters is not None and wanted.clusters is not None
    np.testing.assert_array_equal(found.clusters.labels, wanted.clusters.labels)
    twos = sum(len(work.rows) for work in pieces_made if work.share.first > 8)
    monkeypatch.setattr(oversized._KnownPairs, "without_known", lambda self, buckets: buckets)
    pieces_made.clear()
    again = Local(threads=1, allowance=allowance(40_000)).run(plan, Rows(rows), NoParts())
    assert again.clusters is not None
    np.testing.assert_array_equal(again.clusters.labels, wanted.clusters.labels)
    assert twos < sum(len(work.rows) for work in pieces_made if work.share.first > 8) / 2


def test_batches_contain_whole_components_that_fit() -> None:
    rng = np.random.default_rng(0)
    rows = np.arange(500, dtype=np.int64)
    component = rows - rows % rng.integers(1, 7, 500)
    cost = rng.integers(1, 50, 500)
    packed = batches_module.pack(CandidateComponents(rows, component, np.zeros(500, dtype=bool)), cost, 60)
    large_components = set(packed.large)
    for batch in packed.whole:
        assert cost[packed.batch == batch].sum() <= 60
    for first in np.unique(component):
        batches = np.unique(packed.batch[component == first])
        assert (len(batches) == 1 and batches[0] in packed.whole) or first in large_components
    assert packed.large and packed.batch.min() == 0


def test_only_the_needed_batches_of_a_large_component_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one bucket are compared in pairs. The whole component used to be read for each pair."""
    read: list[float] = []
    pieces = batches_module.StoredCandidates._pieces

    def noted(self: batches_module.StoredCandidates, batches: list[int]) -> Iterator[pa.Table]:
        read.append(len(batches) / (int(self.batch.max()) + 1))
        return pieces(self, batches)

    monkeypatch.setattr(batches_module.StoredCandidates, "_pieces", noted)
    plan = la.Plan(threshold="0.6", hashes=32, bands=2, rows=2, method="lsh")
    Local(threads=1, allowance=allowance(30_000)).run(plan, Rows(near_copies(150, 40, 2)), NoParts())
    assert len(read) > 20 and np.mean(read) < 1 / 2


@pytest.mark.parametrize("verb", [la.find_pairs, la.find_clusters])
def test_a_run_under_a_budget_goes_on_from_the_parts_of_an_earlier_one(tmp_path: Path, verb: Any) -> None:
    pq.write_table(pa.table({"text": corpus(200)}), tmp_path / "c.parquet")
    options: dict[str, Any] = {
        "threshold": 0.7,
        "shingles": "words:3",
        "engine": Local(threads=1, allowance=allowance(3_000)),
    }
    folder = tmp_path / "work"
    with la.Work(folder, keep=True) as work:
        whole = verb(tmp_path / "c.parquet", work=work, **options)
    assert whole.summary.spilled > 0
    names = sorted(path.name for path in folder.glob("*.part") if not path.name.startswith("result"))
    for gone in (names[0], names[len(names) // 2], names[-1]):
        for path in folder.glob("result*"):
            path.unlink()  # with that there would be nothing to do
        (folder / gone).unlink()
        with la.Work(folder, resume=True, keep=True) as work:
            again = verb(tmp_path / "c.parquet", work=work, **options)
        assert again.to_arrow().equals(whole.to_arrow())


def test_nothing_is_left_of_what_was_spilled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = la.find_pairs(corpus(), threshold=0.7, shingles="words:3", engine=Local(allowance=allowance(30_000)))
    assert found.summary.spilled > 0
    del found
    assert list(tmp_path.iterdir()) == []


def test_a_budget_that_is_too_small_is_refused_with_the_least_that_would_do() -> None:
    with refused("memory-too-small", limit=1 << 20):
        la.find_pairs(["a", "b"], memory="1MiB")
    large = pa.table({"text": pa.array(["word " * 12_000_000], pa.large_string())})
    before = max(budget.resident(), memory_module.PROCESS)  # tests before this one left some of it in use
    with refused("memory-too-small", what=Notice("documents-of-size", size=60_000_000)) as caught:
        la.find_pairs(large, memory=before + (250 << 20))
    with refused("memory-too-small", what=Notice("documents-of-size", size=60_000_000)):
        la.forecast(large, memory=before + (250 << 20))
    hint = caught.value.values["least"] - before
    assert abs(hint - (128 << 20) - 8 * 60_000_000) < 64 << 20  # more or less, as other tests left memory in use
    assert len(la.find_pairs(large, memory=max(budget.resident(), memory_module.PROCESS) + hint + (32 << 20))) == 0
    many = ["word " * 1_000] * 12_000  # as many bytes
    assert len(la.find_clusters(many, memory=budget.resident() + (1500 << 20))) == 1
    with refused("not-a-size", option="memory", value="plenty"):
        la.find_pairs(["a", "b"], memory="plenty")
    with refused("option-of-another-engine", option="memory", engine="reference"):
        la.find_pairs(["a", "b"], memory="1GiB", engine="reference")


@pytest.mark.parametrize(
    ("text", "shingles", "multiple"),
    [
        ("word " * 10, la.Words(5), 8),
        ("w " * 25, la.Words(5), 8),
        ("wörd " * 10, la.Chars(9), 8),
        ("word " * 10, la.Stopwords(), 8),
    ],
)
def test_the_memory_for_a_document_is_a_multiple_of_its_size(text: str, shingles: Any, multiple: float) -> None:
    size = len(text.encode()) * 50_000
    whole = Documents(pa.array([text * 50_000], pa.large_string()))
    assert huge_texts.bytes_of_document(Cpu(), whole, size, shingles) == multiple * size


@pytest.mark.parametrize(("text", "shingles"), [("w x " * 25, la.Words(3)), ("wörd " * 9, la.Chars(9))])
def test_the_shingles_of_a_huge_text_are_estimated_from_pieces(text: str, shingles: Any) -> None:
    whole = Documents(pa.array(["short", text * 50_000], pa.large_string()))
    windows = Cpu().sketch(whole, shingles, sketch="fast", hashes=1, seed=0, banding=Banded(1, 1)).windows
    estimate = huge_texts.windows_of_largest(Cpu(), whole, shingles)
    assert estimate == pytest.approx(huge_texts.SPARE * int(windows[1]), rel=0.01)


@pytest.mark.parametrize("linkage", [None, "star"])
def test_pairs_that_the_budget_does_not_hold_are_refused(linkage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Near-copies, all pairs of which are similar. Regression: their number was not checked against the budget."""
    rows = near_copies(80, 30, 1)
    verb: Any = la.find_pairs if linkage is None else la.find_clusters
    options = {"threshold": 0.8, "memory": budget.resident() + (500 << 20), **({"linkage": linkage} if linkage else {})}
    found = verb(rows, **options)
    assert len(found) == (80 * 79 // 2 if linkage is None else 1)
    monkeypatch.setattr(memory_module, "PAIR", 1 << 20)
    if linkage is not None:  # survivors are chosen without a list of pairs, unless candidates are not verified
        assert len(verb(rows, **options)) == 1
        options |= {"verify": "none"}
    with refused("pairs-exceed-memory" if linkage is None else "pairs-exceed-memory-for-stars"):
        verb(rows, **options)


def test_pairs_of_copies_count_in_the_budget_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such pairs are found without a comparison, but they are listed too."""
    options: dict[str, Any] = {"memory": budget.resident() + (500 << 20)}
    texts = ["one and the same text"] * 80
    assert len(la.find_pairs(texts, **options)) == 80 * 79 // 2
    monkeypatch.setattr(memory_module, "PAIR", 1 << 20)
    with refused("pairs-exceed-memory"):
        la.find_pairs(texts, **options)
    assert len(la.find_clusters(texts, **options)) == len(la.find_clusters(texts, linkage="star", **options)) == 1


def test_what_was_removed_is_measured_in_the_room_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: the sets of all removed documents and of all survivors were in memory at once."""
    rows = [[f"{family} {token}" for token in row] for family in range(20) for row in near_copies(4, 20, 1)]
    wanted = la.dedupe(
        rows, threshold=0.6, linkage="connected", engine=Local(threads=1, allowance=allowance(1 << 40))
    ).removed
    loaded: list[int] = []

    def noted(*arguments: Any, **more: Any) -> Any:
        sets = load_sets(*arguments, **more)
        loaded.append(len(sets.values))
        return sets

    load_sets = arrows.load_sets
    monkeypatch.setattr(arrows, "load_sets", noted)
    found = la.dedupe(
        rows, threshold=0.6, linkage="connected", engine=Local(threads=1, allowance=allowance(8 * 200))
    ).removed
    assert found.equals(wanted) and wanted.num_rows == 60
    assert len(loaded) > 10 and max(loaded) <= 200


def test_pairs_that_do_not_fit_beside_everything_else_are_found_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = near_copies(80, 30, 1)
    options: dict[str, Any] = {"threshold": 0.8, "memory": budget.resident() + (500 << 20)}
    wanted = la.find_pairs(rows, **options)
    limits = iter([1000])
    pairs = Allowance.pairs
    monkeypatch.setattr(Allowance, "pairs", lambda self: next(limits, pairs(self)))
    assert la.find_pairs(rows, **options).to_arrow().equals(wanted.to_arrow())
    assert next(limits, None) is None


@given(st.lists(st.text(max_size=3) | st.sampled_from(["x" * 20_000, "y" * 20_000])) | st.lists(st.integers(-3, 9)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_repeated_ids_are_counted_by_their_hashes_as_they_are_by_themselves(ids: list[Any]) -> None:
    column = pa.array(ids, pa.int64() if ids and isinstance(ids[0], int) else pa.large_string())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer_builder, "MANY_IDS", 0)
        assert answer_builder.repeats(Cpu(), column) == len(ids) - len(set(ids))


def test_what_is_free_is_what_the_container_leaves(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("700\n")
    (tmp_path / "memory.stat").write_text("anon 5\ninactive_file 200\n")
    assert budget._of_container(tmp_path) == 500
    (tmp_path / "memory.max").write_text("max\n")
    assert budget._of_container(tmp_path) is None
    assert budget.resident() > 0 and budget.available() > 0


def test_a_run_that_goes_on_with_another_number_of_threads_loses_nothing() -> None:
    """Packing depends on the number of threads. Parts packed with another number used to be reused by mistake."""
    texts = [" ".join(f"w{family}-{i}" for i in range(40)) + f" {member}" for family in range(150) for member in "abcd"]
    plan = la.Plan(threshold=0.7, shingles="words:3", method="lsh")
    wanted = Local(threads=1, allowance=allowance(100_000)).run(plan, Rows(texts), NoParts())
    assert wanted.pairs is not None and len(wanted.pairs) == 900
    for before, after in ((16, 1), (1, 16)):
        parts = MemoryParts()
        for threads in (before, after):
            found = Local(threads=threads, allowance=allowance(100_000)).run(plan, Rows(texts), parts)
            assert found.pairs is not None and found.pairs.to_arrow().equals(wanted.pairs.to_arrow())
            assert found.summary.bytes == sum(map(len, texts))
