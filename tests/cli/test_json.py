"""With --json, every command prints one object: what it found, its notices and outputs, or the error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from lookalike.cli.app import every_command

from .conftest import BASE, Run

RUNS = {
    "pairs": "pairs news.jsonl --shingles words:2 --out p.parquet",
    "clusters": "clusters news.jsonl --shingles words:2 --out c.csv --report r.html",
    "dedupe": "dedupe news.jsonl --shingles words:2 --out u.jsonl",
    "index create": "index create new.index",
    "index add": "index add x.index news.jsonl --id id",
    "index query": "index query x.index news.jsonl --out q.parquet",
    "index delete": "index delete x.index a",
    "index clusters": "index clusters x.index --out ic.csv",
    "index export": "index export x.index --out e.jsonl",
    "index info": "index info x.index",
    "index verify": "index verify x.index",
    "index compact": "index compact x.index",
    "audit": "audit p.parquet --out missed.jsonl",
    "contamination": "contamination news.jsonl --test news.jsonl --out leaks.csv",
    "join": "join news.jsonl --threshold 0.5 --out j.csv",
    "nearest": "nearest v.npy --top 1 --out n.csv",
    "frequent": "frequent baskets.dat --support 2 --out f.csv",
    "resolve": "resolve people.csv --out e.csv",
    "link": "link people.csv people.csv --out l.csv",
    "stories": "stories news.jsonl --language en --out s.csv",
    "plagiarism": "plagiarism essays --out pl.csv",
    "fingerprints": "fingerprints prints.csv --out fp.csv",
    "images": "images pictures --out im.csv",
    "compare": "compare essays/a.txt essays/b.txt",
    "explain": "explain news.jsonl --save-plan plan.toml",
}

WITHOUT = {"index", "serve"}
"""A group of commands, and a command that runs until it is stopped."""


@pytest.fixture
def files(lookalike: Run) -> None:
    """Small inputs for every command."""
    np.save("v.npy", np.eye(4) + 0.1)
    Path("baskets.dat").write_text("milk bread\nmilk bread\nbeer\n")
    people = "".join(f"Ann Smith {i % 20},1980-01-{i % 20 + 1:02},Bonn\n" for i in range(40))
    Path("people.csv").write_text(f"name,born,city\n{people}")
    Path("essays").mkdir()
    Path("pictures").mkdir()
    Image.new("RGB", (8, 8)).save("pictures/black.png")
    for name in "ab":
        Path(f"essays/{name}.txt").write_text(f"{BASE} {BASE} {name}")
    Path("prints.csv").write_text(
        "print,x,y\n" + "".join(f"{p},{i * 9 % 97},{i * 7 % 89}\n" for p in "ab" for i in range(30))
    )
    assert lookalike(*RUNS["pairs"].split(), "-q").code == 0
    assert lookalike(*"index create x.index --shingles words:2".split()).code == 0
    assert lookalike(*RUNS["index add"].split()).code == 0


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", [name for name in every_command() if name not in WITHOUT])
def test_a_command_prints_one_object(lookalike: Run, command: str) -> None:
    ran = lookalike(*RUNS[command].split(), *(["--force"] if "--out" in RUNS[command] else []), "--json")
    assert ran.code == 0, ran.err
    printed: dict[str, Any] = json.loads(ran.out)
    assert list(printed) == ["command", "summary", "notices", "outputs"] and printed["command"] == command
    assert printed["summary"] and all(Path(path).exists() for path in printed["outputs"].values())
    assert len(printed["outputs"]) == RUNS[command].count("--out") + RUNS[command].count("--report") + RUNS[
        command
    ].count("--save-plan") + (command == "dedupe")
    assert "written to" not in ran.err, "the summary is not printed twice"


def test_the_counts_are_those_of_the_summary(lookalike: Run) -> None:
    found = json.loads(lookalike("dedupe", "news.jsonl", "--shingles", "words:2", "--out", "u.jsonl", "--json").out)
    summary = found["summary"]
    assert (summary["documents"], summary["empty"], summary["kept"], summary["removed"]) == (5, 1, 3, 2)
    assert (summary["same_words"], summary["near_duplicates"], summary["largest_clusters"]) == (1, 1, [3])
    assert summary["plan"]["shingles"]["k"] == 2 and summary["total_seconds"] > 0


@pytest.mark.usefixtures("files")
def test_resolve_counts_its_entities_and_leaves_out_what_it_has_not(lookalike: Run) -> None:
    summary = json.loads(lookalike("resolve", "people.csv", "--out", "e.csv", "--json").out)["summary"]
    rows = Path("e.csv").read_text().splitlines()[1:]
    grouped = [row.split(",") for row in rows if int(row.split(",")[2]) > 1]  # id, cluster, size, representative
    assert summary["entities"] == len({row[1] for row in grouped}) > 0
    assert summary["records_in_entities"] == len(grouped)
    assert not {"plan", "shingles", "memory", "clusters", "clustered"} & summary.keys()


def test_a_table_is_written_only_to_a_file(lookalike: Run) -> None:
    ran = lookalike("pairs", "news.jsonl", "--json")
    assert json.loads(ran.out)["outputs"] == {}
    lookalike("pairs", "news.jsonl", "--json", "--out", "-")
    ran = lookalike("dedupe", "news.jsonl", "--json", "--out", "-")
    assert ran.code == 2 and json.loads(ran.out)["error"]["code"] == "json-beside-table"
    ran = lookalike("dedupe", "news.jsonl", "--json", "--out", "u.jsonl", "--removed", "-")
    assert json.loads(ran.out)["error"]["values"] == {"option": "removed"}


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        ("pairs none.jsonl --json", 3, "no-such-file"),
        ("pairs news.jsonl --json --threshold 80", 2, "not-a-share"),
        ("pairs news.jsonl --json --treshold 0.8", 2, "unknown-option"),
        ("pairs news.jsonl --json --threads many", 2, "see-help"),
        ("pairs news.jsonl --json=1", 2, "see-help"),
        ("pairs --json", 2, "see-help"),
        ("paris news.jsonl --json", 2, "unknown-command"),
        ("pairs news.jsonl --json --out news.jsonl", 4, "output-exists"),
    ],
)
def test_an_error_is_an_object_too(lookalike: Run, arguments: str, exit_code: int, code: str) -> None:
    ran = lookalike(*arguments.split())
    printed = json.loads(ran.out)
    assert (ran.code, printed["exit_code"], printed["error"]["code"]) == (exit_code, exit_code, code)
    assert ran.err == f"lookalike: error: {printed['error']['message']}\n"


def test_notices_have_their_sentences(lookalike: Run) -> None:
    Path("twice.jsonl").write_text('{"id": 1, "text": "a b c"}\n{"id": 1, "text": "d e f"}\n')
    printed = json.loads(lookalike("pairs", "twice.jsonl", "--id", "id", "--json").out)
    (notice,) = printed["notices"]
    assert notice["code"] == "duplicate-ids" and "--id" in notice["message"]
