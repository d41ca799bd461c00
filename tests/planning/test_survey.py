"""The survey: statistics of a sample predict those of all rows, and are the same for every engine."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.engines.reference.engine import Reference
from lookalike.engines.stages import first_pass
from lookalike.flow import Documents, Shingles
from lookalike.io.open import open_source
from lookalike.io.source import Batch, Piece
from lookalike.planning import survey as module
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import SURVEYED
from lookalike.planning.survey import (
    FEW_BYTES,
    SAMPLED,
    distinct,
    distinct_share,
    meet,
    pair_growth,
    resolve_on_source,
    survey,
)
from lookalike.testing import Rows

sets_of = st.lists(st.frozensets(st.integers(0, 30), max_size=12), max_size=25)
thresholds = st.sampled_from(["0.3", "0.5", "0.6", "0.75", "0.8", "0.9", "1"])


def shingles(sets: list[frozenset[int]]) -> Shingles:
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return Shingles(offsets, np.array([x for s in sets for x in sorted(s)], np.uint64))


@given(sets_of)
def test_equal_sets_are_reduced_to_one(sets: list[frozenset[int]]) -> None:
    found = [frozenset(values.tolist()) for values in distinct(shingles(sets))]
    assert len(found) == len(set(found)) and set(found) == set(sets) - {frozenset()}


@given(sets_of, thresholds)
def test_meetings_are_those_of_the_definition(sets: list[frozenset[int]], threshold: str) -> None:
    """The definition: the rarest elements of every set, and every pair of sets at each such element in both."""
    t = Fraction(threshold)
    sets = [s for s in dict.fromkeys(sets) if s]
    count = Counter(x for s in sets for x in s)
    ordered = [sorted(s, key=lambda x: (count[x], x)) for s in sets]
    looked_up = [s[: int(len(s) * (1 - t)) + 1] for s in ordered]
    indexed = [s[: int(len(s) * (1 - t) / (1 + t)) + 1] for s in ordered]
    met = sum(
        len(set(looked_up[i]) & set(indexed[j]))
        for i in range(len(sets))
        for j in range(len(sets))
        if i != j and t * len(sets[i]) <= len(sets[j]) <= len(sets[i])
    )
    assert meet(shingles(sets), float(t)) == (sum(map(len, looked_up)), met)


@given(st.integers(0, 2**32), st.integers(100, 2_000))
def test_pairs_grow_linearly_in_collections_that_have_grown_and_with_the_square_in_random_order(
    seed: int, pairs: int
) -> None:
    """A million generated documents were joined exactly for 2.6 times the cost of bands, since ten times as many pairs
    were expected as there were: copies in the first 10,000 rows have their originals there, too."""
    rng, rows = np.random.default_rng(seed), 10_000
    of_earlier_rows = rng.integers(1, rows, pairs)  # each copy is of some earlier row
    in_random_order = rng.integers(0, rows, (pairs, 2)).max(axis=1)
    assert pair_growth(of_earlier_rows, rows) < 1.5 < pair_growth(in_random_order, rows)


words = st.sampled_from(["a", "b", "cat", "mat", "sat", "Straße", "東京は日本", "the", "of", "it"])
texts = st.lists(st.lists(words, max_size=15).map(" ".join), max_size=30)


@settings(max_examples=40)
@given(texts | st.lists(st.lists(words, max_size=15), min_size=1, max_size=30), thresholds, st.integers(1, 9))
def test_every_engine_resolves_a_plan_to_the_same(
    rows: list[str] | list[list[str]], threshold: str, batch: int
) -> None:
    plan = Plan(threshold=threshold)
    found = [
        resolve_on_source(plan, Rows(rows, batch_rows=b), e)
        for b in (batch, 1000)
        for e in (Reference(), Local(1), Local(2))
    ]
    assert len(set(found)) == 1


def titles(n: int) -> list[str]:
    rng = np.random.default_rng(5)
    vocabulary = [f"w{i}" for i in range(2000)]
    return [" ".join(vocabulary[i] for i in rng.zipf(1.3, 8) % 2000) for _ in range(n)]


def essays(n: int) -> list[str]:
    rng = np.random.default_rng(6)
    return [" ".join(f"w{i}" for i in rng.integers(0, 5000, 300)) for _ in range(n)]


def test_small_sets_are_joined_exactly_and_documents_by_bands() -> None:
    short, long = titles(500), essays(4000)
    assert la.find_pairs(short, shingles="words:1").summary.plan.count('method = "exact"') == 1
    assert la.find_pairs(long, shingles="words:1").summary.plan.count('method = "lsh"') == 1
    assert "rows = 0" not in la.find_pairs(short, shingles="words:1", method="lsh").summary.plan


def test_the_sample_predicts_the_false_candidates() -> None:
    rows = titles(12_000)
    plan = Plan(threshold="0.6", shingles="words:1")
    source = Rows(rows)
    facts = survey(plan, source, list(source.documents(0, SURVEYED)), Local(1)).sets
    assert facts is not None
    run = la.find_pairs(rows, threshold="0.6", shingles="words:1", method="lsh")
    assert run.summary.candidates is not None
    copies = run.summary.same_words
    distinct_rows = len(rows) - copies
    expected = facts.false_candidates * distinct_rows * (distinct_rows - 1) / 2
    assert 0.5 < expected / run.summary.candidates < 2, (expected, run.summary.candidates)
    assert facts.elements == pytest.approx(np.mean([len(set(row.split())) for row in rows]), rel=0.05)


def test_lines_that_few_files_share_are_seen_by_a_sample_that_grows_with_the_data() -> None:
    """Each line is in 20 of 20,000 files. Among 64 of them, nearly all lines are unique."""

    def files(count: int) -> list[str]:
        rng = np.random.default_rng(7)
        return [
            "\n".join(f"x{line} = f{line}(y{line}, z{line})" for line in rng.integers(0, 8000, 8)) for _ in range(count)
        ]

    shares = {}
    for count in (64, 20_000):
        source = Rows(files(20_000)[:count])
        facts = survey(
            Plan(threshold="0.6", shingles="words:2"), source, list(source.documents(0, SURVEYED)), Local(1)
        ).sets
        assert facts is not None
        shares[count] = facts.joined
    assert shares[64] < 0.1 and shares[20_000] > 0.4


def test_the_sample_predicts_the_pairs_of_a_large_family() -> None:
    """All members of a family are similar to each other, which takes most of the time of both methods."""
    rng = np.random.default_rng(8)
    rows = [" ".join(f"w{i}" for i in rng.integers(0, 50_000, 40)) for _ in range(9_000)]
    first = rows[0].split()
    rows += [" ".join([*first[:39], f"n{i}"]) for i in range(1000)]
    rng.shuffle(rows)
    plan = Plan(threshold="0.5", shingles="words:2")
    source = Rows(rows)
    facts = survey(plan, source, list(source.documents(0, SURVEYED)), Local(1)).sets
    assert facts is not None
    found = la.find_pairs(rows, threshold="0.5", shingles="words:2", method="lsh")
    expected = facts.similar * len(rows) * (len(rows) - 1) / 2
    assert 0.3 < expected / len(found) < 3, (expected, len(found))
    assert facts.hits > 5 * facts.similar  # members agree in most of the 35 bands


@given(st.lists(st.text("ab", max_size=12), max_size=30), st.integers(0, 3))
def test_short_copies_are_counted_exactly(texts: list[str], skipped: int) -> None:
    """All bytes of texts this short are looked at."""
    filled = [text for text in texts[skipped:] if text]
    share = len(set(filled)) / len(filled) if filled else 1.0
    assert distinct_share(pa.array(texts, pa.large_string())[skipped:], 1) == pytest.approx(share)


def test_the_share_of_copies_is_extrapolated() -> None:
    fresh, repeated = essays(2000), essays(500) * 4
    assert distinct_share(pa.array(fresh, pa.large_string()), 1000) == 1.0
    found = [distinct_share(pa.array(repeated, pa.large_string()), growth) for growth in (1, 2, 1000)]
    assert found[0] == 0.25 and found[0] > found[1] >= 0.125 and found[2] == 0.25 / 1000


def write(path: Path, rows: list[str]) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.table({"text": rows}), path)
    elif path.suffix == ".gz":
        with gzip.open(path, "wt", encoding="utf-8") as out:
            out.writelines(json.dumps({"text": row}) + "\n" for row in rows)
    elif path.suffix == ".csv":
        path.write_text("text\n" + "".join(row + "\n" for row in rows), encoding="utf-8")
    else:
        path.write_text("".join(json.dumps({"text": row}) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["t.parquet", "t.jsonl", "t.jsonl.gz", "t.csv"])
def test_a_plan_does_not_depend_on_what_was_read_before(name: str, tmp_path: Path) -> None:
    rows = titles(SURVEYED + 2000)
    source = open_source(str(write(tmp_path / name, rows)), column="text")
    before = resolve_on_source(Plan(), source, Local(1))
    assert sum(map(len, source.read(["text"]))) == len(rows)
    assert resolve_on_source(Plan(), source, Local(1)) == before
    assert before.method == "exact", before.method_reason
    expected = survey(Plan(), source, list(source.documents(0, SURVEYED)), Local(1)).rows
    assert len(rows) / 3 < expected < 3 * len(rows)
    if name == "t.parquet":
        assert expected == len(rows)


def test_the_number_of_rows_is_exact_if_all_rows_were_read() -> None:
    source = Rows(titles(77))
    assert survey(Plan(), source, list(source.documents()), Local(1)).rows == 77
    assert survey(Plan(), Rows([]), [], Local(1)).rows == 0


@pytest.mark.parametrize("batch", [1, 2, 9])
def test_of_long_texts_only_some_are_kept_in_memory(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first ten thousand books of a library take gigabytes, and only a few are needed."""
    monkeypatch.setattr(module, "SURVEYED", 9)
    monkeypatch.setattr(module, "MOST_KEPT", 50)
    monkeypatch.setattr(module, "GIANT", 40)
    for size, step in ((5, 1), (6, 2), (10, 2), (11, 4), (40, 16), (41, 1)):
        texts = [str(i) * size for i in range(9)] + ["more"] * 9
        first = module._First.of(Documents.from_texts(texts[i : i + batch]) for i in range(0, 18, batch))
        assert (first.lengths.tolist(), first.bytes, first.step) == ([size] * 9, 9 * size, step)
        kept = [text for array in first.texts for text in array.to_pylist()]
        assert kept == (texts[:9:step] if size <= 40 else [])
        assert (first.statistics.documents, first.statistics.median_characters) == (9, size)


def test_batches_that_the_survey_read_are_kept_if_they_fit_in_memory() -> None:
    batches = [Batch(i, pa.record_batch({"text": pa.array([f"text {i}"], pa.large_string())})) for i in range(4)]
    for room, wanted in ((1000, batches), (30, [])):
        kept: list[Piece[pa.RecordBatch]] = []
        head = list(first_pass._head(map(Piece.of, batches), "text", room, kept))
        assert [documents.to_pylist() for documents in head] == [[f"text {i}"] for i in range(4)]
        assert [piece.load() for piece in kept] == [batch.data for batch in wanted]


def test_huge_texts_are_not_cut_for_the_survey_and_few_long_ones_are() -> None:
    class Counting(Local):
        seen = 0

        def shingle(self, documents: Documents, plan: object) -> Shingles:
            Counting.seen += sum(map(len, documents.to_pylist()))
            return super().shingle(documents, plan)  # type: ignore[arg-type]

    assert not resolve_on_source(Plan(), Rows(["x " * 30_000] * 50), Counting(1)).method_reason and Counting.seen == 0
    assert resolve_on_source(Plan(), Rows(["x " * 10_000] * 64), Counting(1)).exact
    assert Counting.seen == 22 * 20_000 <= FEW_BYTES
    Counting.seen = 0
    huge = Rows(["a b c d"] * (SAMPLED - 1) + ["y" * 100_000])
    assert resolve_on_source(Plan(), huge, Counting(1)).exact and Counting.seen <= 7 * SAMPLED
