"""Parts of the Spark engine that need no Spark: shuffle blocks, placement, stars, staging."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.engines.spark.frames import _to_measure
from lookalike.engines.spark.hash_columns import as_lists, as_sets, packed, unpacked
from lookalike.engines.spark.placement import Placement, Recheck, once_in_large
from lookalike.engines.spark.shuffle import opened, written
from lookalike.engines.spark.staging import Staging
from lookalike.engines.spark.stars import large_star, small_star
from lookalike.engines.spark.tasks import LINKED
from lookalike.flow import Shingles
from lookalike.notices import Notice
from lookalike.results.clusters import connected_components
from tests.refusals import refused

edges = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).filter(lambda e: e[0] != e[1]), max_size=60)
buckets = st.lists(st.sets(st.integers(0, 40), min_size=2, max_size=20), max_size=6)


@given(edges)
def test_stars_come_to_the_components(pairs: list[tuple[int, int]]) -> None:
    """No round changes the components. After the last round, each row is linked to the smallest row of its
    component."""
    array = np.array(pairs, np.int64).reshape(-1, 2)
    high, low = array.max(axis=1), array.min(axis=1)
    for _ in range(20):
        up = np.unique(np.stack(large_star(np.append(high, low), np.append(low, high)), axis=1), axis=0)
        down = np.unique(np.stack(small_star(up[:, 0], up[:, 1]), axis=1), axis=0)
        if len(down) == len(high) and (down == np.stack([high, low], axis=1)).all():
            break
        high, low = down[:, 0], down[:, 1]
    label = np.arange(31)
    label[high] = low
    assert label.tolist() == connected_components(31, array[:, 0], array[:, 1]).tolist()


def grouped(entries: pa.Table, *by: str) -> dict[tuple[Any, ...], list[int]]:
    """Rows by the values of these columns."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for entry in entries.to_pylist():
        found.setdefault(tuple(entry[name] for name in by), []).append(entry["row"])
    return found


def in_one_band(groups: list[set[int]]) -> tuple[np.ndarray, np.ndarray, list[list[int]]]:
    """Removes rows from later groups, so that each row is in one bucket of the band."""
    seen: set[int] = set()
    rows = []
    for group in groups:
        if len(group - seen) > 1:
            rows.append(sorted(group - seen))
            seen |= group
    members = np.array([row for group in rows for row in group], np.int64)
    return members, np.cumsum([0, *map(len, rows)]), rows


@given(buckets, st.integers(1, 8))
def test_every_pair_of_a_bucket_meets_in_one_work(groups: list[set[int]], block: int) -> None:
    members, starts, rows = in_one_band(groups)
    placement = Placement("pairs", "connected", block, block)
    placement.add(3, members, starts)
    pairs: Counter[tuple[int, int]] = Counter()
    for entries in grouped(placement.wanted(), "place", "work").values():
        assert len(set(entries)) == len(entries)
    table = placement.wanted().to_pylist()
    for work in {entry["work"] for entry in table}:
        sides: list[list[int]] = [[e["row"] for e in table if e["work"] == work and e["how"] % 2 == s] for s in (0, 1)]
        if sides[1]:
            pairs.update((a, b) for a in sides[0] for b in sides[1])
        elif work >= 2**63:
            pairs.update(combinations(sides[0], 2))
        else:  # a whole band: keys restrict comparisons to members of one bucket
            pairs.update(pair for group in rows for pair in combinations([r for r in group if r in sides[0]], 2))
    assert pairs == Counter(pair for group in rows for pair in combinations(group, 2))


@given(buckets, st.integers(1, 8), st.integers(1, 8), st.randoms())
def test_for_clusters_all_pairs_meet_that_are_not_in_one_cluster_by_then(
    groups: list[set[int]], together: int, block: int, random: Any
) -> None:
    members, starts, rows = in_one_band(groups)
    placement = Placement("clusters", "connected", together, block)
    placement.add(0, members, starts)
    places = grouped(once_in_large(placement.wanted()), "place").values()
    for group in rows:
        if len(group) <= together:
            assert any(set(group) <= set(place) for place in places)
        assert all(any({row, group[0]} <= set(place) for place in places) for row in group), "the first is with all"
    if placement.split:
        label = {row: random.randrange(3) for row in range(41)}
        assert_all_meet_again(placement.large_buckets(), label, block)


def labelled(members: pa.Table, label: dict[int, int]) -> pa.Table:
    return members.append_column("label", [[label[row] for row in members["row"].to_pylist()]])


def assert_all_meet_again(members: pa.Table, label: dict[int, int], block: int) -> None:
    """Asserts that any two members of a bucket with different labels are compared: on two sides of a comparison, or in
    one with one side."""
    again = list(Recheck(block).wanted(labelled(members, label)))
    works = grouped(pa.concat_tables(again), "work", "side") if again else {}
    for bucket in grouped(members, "band", "first").values():
        for a, b in combinations(bucket, 2):
            if label[a] != label[b]:
                assert any(
                    {a, b} <= set(one)
                    if (work, 1) not in works
                    else {a, b} <= {*one, *works[work, 1]} and (a in one) != (b in one)
                    for (work, side), one in works.items()
                    if side == 0
                ), (a, b)


@given(st.lists(buckets, min_size=1, max_size=4), st.integers(1, 8), st.randoms())
def test_buckets_of_one_first_member_meet_again_together(bands: list[list[set[int]]], block: int, random: Any) -> None:
    """Whether or not buckets of several bands overlap and are compared as one."""
    placement = Placement("clusters", "connected", 1, block)
    for band, groups in enumerate(bands):
        placement.add(band, *in_one_band(groups)[:2])
    if placement.split:
        assert_all_meet_again(placement.large_buckets(), {row: random.randrange(3) for row in range(41)}, block)


@given(st.lists(buckets, min_size=1, max_size=4), st.integers(1, 8))
def test_no_place_is_sent_more_than_a_few_blocks(bands: list[list[set[int]]], block: int) -> None:
    """For any buckets: a block of a large bucket and its first member, or a small bucket of every band."""
    placement = Placement("clusters", "connected", block, block)
    for band, groups in enumerate(bands):
        placement.add(band, *in_one_band(groups)[:2])
    wanted = once_in_large(placement.wanted())
    assert all(len(rows) <= max(block + 1, len(bands) * block) for rows in grouped(wanted, "place").values())
    large = placement.wanted().filter(pa.compute.greater_equal(placement.wanted()["first"], 0))
    small = placement.wanted().num_rows - large.num_rows
    firsts = len(set(zip(large["first"].to_pylist(), large["place"].to_pylist(), strict=True)))
    assert wanted.num_rows <= small + len(set(large["row"].to_pylist())) + firsts


@given(st.lists(st.integers(0, 5), max_size=30))
def test_shuffle_blocks_bring_every_row_to_its_address(addresses: list[int]) -> None:
    table = pa.table({"row": pa.array(range(len(addresses)), pa.int64())})
    came = {to: found["row"].to_pylist() for to, found in opened(written(table, np.array(addresses, np.int32)))}
    assert came == {to: [i for i, a in enumerate(addresses) if a == to] for to in set(addresses)}


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=4), max_size=5), st.integers(1, 3))
def test_hashes_and_sets_survive_arrow(sets: list[list[int]], width: int) -> None:
    values = np.array([value for one in sets for value in one], np.uint64)
    ends = np.cumsum([0, *map(len, sets)])
    back = as_sets(pa.chunked_array([as_lists(Shingles(ends, values))]))
    assert [one.tolist() for one in back] == sets
    matrix = np.arange(len(sets) * width, dtype=np.uint64).reshape(-1, width)
    column = packed(matrix)
    assert unpacked(column[1:]).tolist() == matrix[1:].tolist()


@pytest.mark.parametrize("members", [3, LINKED, 5 * LINKED])
def test_no_task_measures_all_of_a_large_cluster(members: int) -> None:
    """Each document of the cluster is measured together with the survivor, wherever that is sent."""
    rows = np.arange(1, members)
    batch = pa.record_batch({"row": rows, "kept": np.zeros_like(rows), "size": np.full_like(rows, members)})
    run: Any = SimpleNamespace(part_of=lambda rows: rows * 0)
    ((_, wanted),) = opened(_to_measure(run, [batch]))
    measured: list[int] = []
    for place in set(wanted["place"].to_pylist()):
        here = wanted.filter(pa.compute.equal(wanted["place"], pa.scalar(place, pa.uint64())))
        kept, others = (here.filter(pa.compute.equal(here["how"], how))["row"].to_pylist() for how in (0, 1))
        assert kept == [0] and len(others) <= LINKED
        measured += others
    assert sorted(measured) == rows.tolist()


def test_staging_keeps_parts_whole_and_in_order(tmp_path: Path) -> None:
    staging = Staging(str(tmp_path)).below("run")
    assert staging.names("signed") == [] and staging.marked("sign") is None
    table = pa.table({"row": [1, 2]})
    for name in ("signed/2", "signed/1"):
        staging.put(name, table)
    assert staging.names("signed") == ["signed/1", "signed/2"] and staging.get("signed/1") == table
    staging.mark("sign", {"documents": 4})
    assert staging.marked("sign") == {"documents": 4}
    with refused("staged-part-unreadable", part="signed/9"):
        staging.get("signed/9")
    staging.remove()
    assert not (tmp_path / "run").exists()


def test_what_a_killed_worker_leaves_half_written_is_no_part_to_anybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark reads all files of a folder except those whose names begin with `_` or a dot."""

    def half(table: pa.Table, sink: Any, **how: Any) -> None:
        sink.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr("lookalike.engines.spark.staging.pq.write_table", half)
    staging = Staging(str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        staging.put("signed/1", pa.table({"row": [1]}))
    assert [path.name[0] for path in (tmp_path / "signed").iterdir()] == ["_"]
    assert staging.names("signed") == [] and not staging.has("signed/1")


def test_a_place_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refused("unwritable", path=Notice("staging-folder", url=str(tmp_path / "file"))):
        Staging(str(tmp_path / "file")).put("signed/1", pa.table({"row": [1]}))
    with refused("staging-cannot-be-opened", url="nowhere://x"):
        Staging("nowhere://x").has("signed/1")
    with refused("staging-not-a-folder", value=""):
        Staging("")
