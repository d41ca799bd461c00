"""The result of `frequent_pairs`: measures, order and the report of passes; and invalid input."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.errors import InvalidOption, MalformedInput, NoInput
from tests.refusals import refused

BASKETS = [["milk", "bread", "milk"], ["bread", "milk", "eggs"], ["beer"], [], ["eggs", "bread"]]


def test_support_confidence_lift_and_interest_follow_their_definitions() -> None:
    table = la.frequent_pairs(BASKETS, support=2).to_arrow()
    assert table.column_names == ("left right count support confidence reverse_confidence lift interest".split())
    first = table.slice(0, 1).to_pylist()[0]
    assert (first["left"], first["right"], first["count"]) == ("bread", "eggs", 2)
    assert first["support"] == 2 / 5
    assert first["confidence"] == 2 / 3
    assert first["reverse_confidence"] == 1
    assert first["lift"] == pytest.approx((2 / 5) / (3 / 5 * 2 / 5))
    assert first["interest"] == pytest.approx(2 / 3 - 2 / 5)


def test_pairs_are_ordered_by_count_and_then_by_item() -> None:
    found = la.frequent_pairs([[10, 9, 2], [2, 10], [9, 10]], support=1)
    assert found.top() == [(2, 10, 2), (9, 10, 2), (2, 9, 1)]
    assert found.top(1) == [(2, 10, 2)]
    assert len(found) == 3 and repr(found) == "FrequentPairs(3 in 1 or more of 3 baskets)"


def test_a_list_of_iterators_can_be_read_in_every_pass() -> None:
    """Regression: the first pass exhausted them, and the second found no pair."""
    lines = ["1 2", "2 1 3", "3"]
    for baskets in ([map(int, line.split()) for line in lines], tuple(iter(line.split()) for line in lines)):
        assert la.frequent_pairs(baskets, support=2).count.tolist() == [2]


def test_most_methods_take_two_passes_and_the_report_lists_them() -> None:
    passes = {
        method: la.frequent_pairs(BASKETS, support=2, method=method).report.passes
        for method in ("apriori", "pcy", "multihash", "multistage")
    }
    assert {method: len(found) for method, found in passes.items()} == {
        "apriori": 2,
        "pcy": 2,
        "multihash": 2,
        "multistage": 3,
    }
    first, second = passes["pcy"]
    assert first.counts["baskets"] == 5 and first.counts["items"] == 9
    assert first.counts["distinct items"] == 4 and first.counts["frequent items"] == 3
    assert first.counts["frequent buckets"] == 2
    assert second.counts == {"candidate pairs": 2, "frequent pairs": 2}
    assert all(size >= 0 for one in passes["pcy"] for size in one.bytes.values())


def test_too_little_memory_takes_more_passes_and_adds_a_note() -> None:
    baskets = [list(range(start, start + 60)) for start in range(0, 6000, 20)]
    roomy = la.frequent_pairs(baskets, support=1, method="apriori")
    tight = la.frequent_pairs(baskets, support=1, method="apriori", memory="1MiB")
    assert tight.to_arrow().equals(roomy.to_arrow())
    assert len(roomy.report.passes) == 2 and not roomy.report.notes
    assert len(tight.report.passes) > 2 and tight.report.notes[-1].code == "pairs-in-passes"
    assert max(one.bytes.get("triples", 0) for one in tight.report.passes) <= 1 << 20


def test_triangle_or_triples_is_chosen_by_size() -> None:
    def table(baskets: Any) -> str:
        sizes = la.frequent_pairs(baskets, support=1, method="apriori").report.passes[-1].bytes
        return next(name for name in sizes if name.startswith("tri"))

    assert table([list(range(300))]) == "triangle"
    assert table([[2 * i, 2 * i + 1] for i in range(5000)]) == "triples"


@pytest.mark.parametrize(
    "baskets", [[], [[]], [[], []], [["a"]], [["a"], ["b"]], [["a", "a"]], iter([]), pa.table({"items": [[]]})]
)
def test_without_pairs_the_table_is_empty_and_has_its_columns(baskets: Any) -> None:
    found = la.frequent_pairs(baskets, support=0.5)
    assert len(found) == 0 and found.top() == []
    assert found.to_arrow().num_columns == 8


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"method": "magic"}, "not-one-of"),
        ({"memory": "lots"}, "not-a-size"),
        ({"memory": "1KiB"}, "memory-below-least"),
    ],
)
def test_invalid_options_of_counting_are_refused(options: Any, code: str) -> None:
    with refused(code):
        la.frequent_pairs(BASKETS, support=1, **options)


@pytest.mark.parametrize(
    "options",
    [{"threads": 0}, {"column": "x"}, {"separator": ","}, {"separator": "ab"}, {"format": "xml"}, {"on_error": "hope"}],
)
def test_invalid_options_of_reading_are_refused(options: Any) -> None:
    with pytest.raises(InvalidOption):
        la.frequent_pairs(BASKETS, support=1, **options)


@pytest.mark.parametrize(
    "baskets",
    [[["a", 1]], [[1, 2], ["a"]], [[1.5]], [[None, 1]], [[True]], ["abc"], [5], [[2**63]], [["\ud800"]]],
)
def test_malformed_baskets_are_refused(baskets: Any) -> None:
    with pytest.raises(MalformedInput):
        la.frequent_pairs(baskets, support=1)


def test_a_number_is_refused_as_baskets() -> None:
    with pytest.raises(InvalidOption):
        la.frequent_pairs(5, support=1)


def test_a_missing_file_or_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoInput):
        la.frequent_pairs(tmp_path / "none.dat", support=1)
    path = tmp_path / "a.parquet"
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"x": [[1, 2]]}), path)
    with refused("no-such-column", columns=("x",)):
        la.frequent_pairs(path, support=1)


def test_a_file_that_changes_between_passes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    path.write_text("1 2\n")

    def change(stage: str, done: int, total: int | None) -> None:
        if stage.startswith("pass 2"):
            path.write_text("1 2 3\n")

    with refused("input-changed"):
        la.frequent_pairs(path, support=1, progress=change)


@pytest.mark.parametrize("baskets", [[[2**63, 1]], pa.table({"items": pa.array([[2**63, 1]], pa.list_(pa.uint64()))})])
def test_whole_numbers_of_64_bits_are_refused(baskets: Any) -> None:
    with pytest.raises(MalformedInput):
        la.frequent_pairs(baskets, support=1)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system does not report peak memory")
def test_the_memory_limit_covers_the_whole_process(tmp_path: Path) -> None:
    """As measured by the system, on baskets whose pairs need several times as much."""
    rng = random.Random(7)
    lines = [" ".join(str(rng.randrange(20_000)) for _ in range(40)) + "\n" for _ in range(6_000)]
    (tmp_path / "b.dat").write_text("".join(lines))
    code = (
        "import atexit, sys; from lookalike.cli import main\n"
        "atexit.register(lambda: print(*[line for line in open('/proc/self/status') if line.startswith('VmHWM')]))\n"
        "sys.argv = ['lookalike', 'frequent', 'b.dat', '--support', '4', '--method', 'apriori', '--memory', '192MiB', "
        "'--out', 'p.csv']\n"
        "main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert int(ran.stdout.split()[1]) <= 192 * 1024, ran.stderr
    assert "3 passes" in " ".join(ran.stderr.split()), ran.stderr
