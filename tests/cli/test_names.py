"""Files whose names are not UTF-8: read, written, saved, resumed, and shown with escapes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

import lookalike as la
from lookalike.apps.fingerprints import Grid, Model, write_template
from tests.cli.conftest import ROWS, Run

LATIN = os.fsdecode(b"caf\xe9")
"""A name in Latin-1, as Python reads it on a system whose names are UTF-8."""

SHOWN = "caf\\xe9"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="names are bytes only on POSIX systems")


@pytest.fixture(autouse=True)
def odd_names(lookalike: Run) -> None:
    """The corpus in every format, and input of every command, under names that are not UTF-8."""
    Path("news.jsonl").rename(f"{LATIN}.jsonl")
    table = pa.Table.from_pylist(ROWS)
    with Path(f"{LATIN}.parquet").open("wb") as file:
        pq.write_table(table, file)
    lines = [f"{row['id']},{str(row['text']).replace(',', '')}\n" for row in ROWS]
    Path(f"{LATIN}.csv").write_text("id,text\n" + "".join(lines), encoding="utf-8")
    Path(LATIN).mkdir()
    for row in ROWS:
        Path(LATIN, f"{LATIN}{row['id']}.txt").write_text(str(row["text"]), encoding="utf-8")
    Path(f"{LATIN}.baskets").write_text("bread milk\nbread milk\nmilk jam\n", encoding="utf-8")
    with Path(f"{LATIN}.npy").open("wb") as file:
        np.save(file, np.eye(3, dtype=np.float32))
    prints = [first for first, _ in Model(Grid(15, 15)).fingers(2, 2, seed=4)]
    with Path(f"{LATIN}.png").open("wb") as file:
        Image.new("RGB", (8, 8)).save(file, "PNG")
    Path(f"{LATIN}.fmr").write_bytes(write_template(prints))


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet", ".csv", ""])
@pytest.mark.parametrize("command", ["pairs", "clusters", "dedupe"])
def test_corpora_are_read_and_written(lookalike: Run, command: str, suffix: str) -> None:
    outputs = ["--out", f"{LATIN}.out.parquet", "--report", f"{LATIN}.html", "--save-plan", f"{LATIN}.toml"]
    removed = ["--removed", f"{LATIN}.removed.jsonl"] if command == "dedupe" else []
    ran = lookalike(command, LATIN + suffix, *outputs, *removed)
    assert ran.code == 0, ran.err
    for name in (*outputs[1::2], *removed[1::2]):
        assert Path(name).is_file() and name.replace(LATIN, SHOWN) in ran.err
    assert SHOWN in Path(f"{LATIN}.html").read_text(encoding="utf-8")


def test_each_file_of_a_folder_keeps_its_name(lookalike: Run) -> None:
    assert lookalike("dedupe", LATIN, "--out", f"{LATIN}.unique").code == 0
    kept = {path.name for path in Path(f"{LATIN}.unique").iterdir()}
    assert {f"{LATIN}a.txt", f"{LATIN}b.txt"} <= kept


def test_a_run_is_resumed(lookalike: Run) -> None:
    with la.Work(f"{LATIN}.work", keep=True) as work:
        first = la.find_pairs(f"{LATIN}.jsonl", work=work)
    with la.Work(f"{LATIN}.work", resume=True) as work:
        second = la.find_pairs(f"{LATIN}.jsonl", work=work)
    assert second.summary.resumed and second.to_arrow().equals(first.to_arrow())


def test_a_result_is_saved_audited_and_found_again(lookalike: Run) -> None:
    result = la.dedupe(f"{LATIN}.jsonl")
    result.save(f"{LATIN}.result")
    restored = la.load(f"{LATIN}.result")
    assert restored.summary == result.summary
    assert json.loads(restored.summary.input)["paths"] == [f"{LATIN}.jsonl"]
    assert la.audit(restored, sample=5).recall == la.audit(result, sample=5).recall
    assert lookalike("audit", f"{LATIN}.result", "--sample", "5").code == 0
    assert lookalike("pairs", f"{LATIN}.parquet", "--out", f"{LATIN}.pairs.parquet").code == 0
    assert lookalike("audit", f"{LATIN}.pairs.parquet", "--sample", "5").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["contamination", f"{LATIN}.jsonl", "--test", f"{LATIN}.parquet", "--report", f"{LATIN}.html"],
        ["join", f"{LATIN}.jsonl", f"{LATIN}.csv", "--threshold", "0.7"],
        ["frequent", f"{LATIN}.baskets", "--format", "baskets", "--support", "2"],
        ["nearest", f"{LATIN}.npy", "--measure", "cosine", "--top", "1"],
        ["resolve", f"{LATIN}.csv", "--report", f"{LATIN}.html", "--save-settings", f"{LATIN}.toml"],
        ["link", f"{LATIN}.csv", f"{LATIN}.csv"],
        ["stories", f"{LATIN}.jsonl"],
        ["plagiarism", LATIN, "--report", f"{LATIN}.html"],
        ["fingerprints", f"{LATIN}.fmr"],
        ["images", f"{LATIN}.png", "--report", f"{LATIN}.html"],
        ["explain", f"{LATIN}.jsonl"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_command_takes_such_names(lookalike: Run, arguments: list[str]) -> None:
    ran = lookalike(*arguments, *([] if arguments[0] == "explain" else ["--out", f"{LATIN}.out.jsonl"]))
    assert ran.code == 0, ran.err


def test_json_has_the_names_themselves(lookalike: Run) -> None:
    """Programs open the outputs by these names; JSON can hold them, as escapes."""
    ran = lookalike("dedupe", f"{LATIN}.jsonl", "--out", f"{LATIN}.out.jsonl", "--json")
    assert ran.code == 0 and Path(json.loads(ran.out)["outputs"]["out"]).is_file()


def test_texts_in_such_files_are_compared(lookalike: Run) -> None:
    ran = lookalike("compare", f"{LATIN}/{LATIN}a.txt", f"{LATIN}/{LATIN}d.txt")
    assert ran.code == 0 and SHOWN in ran.out


def test_an_error_names_the_file_with_escapes(lookalike: Run) -> None:
    lookalike("pairs", f"no{LATIN}.jsonl").refused(3, "no-such-file", {"path": f"no{SHOWN}.jsonl"})
    taken = lookalike("pairs", f"{LATIN}.jsonl", "--out", f"{LATIN}.csv")
    taken.refused(4, "output-exists", {"path": f"{SHOWN}.csv"})
