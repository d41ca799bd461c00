"""lookalike frequent: parses, calls one function, writes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from .conftest import Run

BASKETS = "1 2 3\n1 2\n\n3 2 2\n"


def test_pairs_go_to_standard_output_the_most_frequent_first(lookalike: Run) -> None:
    Path("baskets.dat").write_text(BASKETS)
    ran = lookalike("frequent", "baskets.dat", "--support", "2")
    assert ran.code == 0
    assert [(row["left"], row["right"], row["count"]) for row in ran.rows] == [(1, 2, 2), (2, 3, 2)]
    assert "2 in 2 or more of 4 baskets" in ran.err
    assert "4 baskets, 8 items, 3 distinct items, 3 frequent" in ran.err


@pytest.mark.parametrize("name", ["pipe", "pipe.csv"])
def test_a_pipe_is_read_and_read_once(name: str, tmp_path: Path) -> None:
    """Regression: the pipe was opened a second time, when it was already empty, so that the run found no baskets or
    never ended."""
    os.mkfifo(tmp_path / name)
    (tmp_path / "more.dat").write_text("1,2\n")
    for inputs, count in (([name], 2), ([name, "more.dat"], 3)):
        command = [sys.executable, "-m", "lookalike", "frequent", *inputs, "--separator", ",", "--support", "1", "-q"]
        threading.Thread(target=(tmp_path / name).write_text, args=("1,2\n1,2\n",), daemon=True).start()
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0 and f'"count": {count}' in ran.stdout


@pytest.mark.parametrize("method", ["apriori", "pcy", "multistage", "multihash"])
def test_options_are_those_of_the_function(lookalike: Run, method: str) -> None:
    Path("orders.csv").write_text("order,product\n1,a b\n2,c\n1,c\n2,a b\n")
    options = ["--column", "product", "--basket", "order", "--support", "1.0", "--memory", "2MiB", "--threads", "1"]
    ran = lookalike("frequent", "orders.csv", *options, "--method", method, "--out", "pairs.parquet", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert pq.read_table("pairs.parquet").select(["left", "right", "count"]).to_pylist() == [
        {"left": "a b", "right": "c", "count": 2}
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        (["b.dat", "--support", "0"], 2, "support-below-one", {}),
        (["b.dat", "--support", "-3"], 2, "support-below-one", {}),
        (["b.dat", "--support", "1.5"], 2, "support-share-above-one", {}),
        (["b.dat", "--support", "few"], 2, "not-a-support", {"value": "few"}),
        (["b.dat", "--support", "1", "--method", "magic"], 2, "not-one-of", {"option": "method", "value": "magic"}),
        (["b.dat", "--support", "1", "--memory", "much"], 2, "not-a-size", {"option": "memory", "value": "much"}),
        (["b.dat", "--support", "1", "--separator", ";;"], 2, "not-a-separator", {"value": ";;"}),
        (["b.dat", "--support", "1", "--column", "x"], 2, "basket-file-has-no-columns", {}),
        (["-", "b.dat", "--support", "1"], 2, "standard-input-with-files", {}),
        (["none.dat", "--support", "1"], 3, "no-such-file", {"path": "none.dat"}),
        (["news.jsonl", "--support", "1"], 3, "no-such-column", {"column": "items"}),
        (
            ["news.jsonl", "--support", "1", "--column", "text"],
            3,
            "texts-instead-of-lists",
            {"name": "news.jsonl", "column": "text"},
        ),
        (["b.dat", "--support", "1", "--out", "b.csv"], 4, "output-exists", {"path": "b.csv"}),
        (["b.csv", "--support", "1", "--out", "b.csv", "--force"], 4, "output-is-input", {"path": "b.csv"}),
        (["*.csv", "--support", "1", "--out", "b.csv", "--force"], 4, "output-is-input", {"path": "b.csv"}),
        (["many", "--support", "1", "--out", "many/b.csv", "--force"], 4, "output-is-input", {"path": "many/b.csv"}),
        (
            ["many", "--column", "a", "--basket", "b", "--support", "1", "--out", "many/b.csv", "--force"],
            4,
            "output-is-input",
            {"path": "many/b.csv"},
        ),
        (["b.dat", "--support", "1", "--out", "pairs.docx"], 2, "unknown-output-format", {"path": "pairs.docx"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_invalid_is_refused(
    lookalike: Run, arguments: list[str], code: int, refused: str, values: dict[str, object]
) -> None:
    Path("b.dat").write_text(BASKETS)
    Path("b.csv").write_text("a,b\n")
    Path("many").mkdir()
    Path("many/b.csv").write_text("a,b\n1,2\n")
    lookalike("frequent", *arguments).refused(code, refused, values)
