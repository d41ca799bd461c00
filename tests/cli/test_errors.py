"""Every failure gives one clear line and a documented exit code, and leaves no incomplete output."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from lookalike.cli import run

from .conftest import Run


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        (["pairs", "none.jsonl"], 3, "no-such-file", {"path": "none.jsonl"}),
        (["pairs", "*.nothing"], 3, "glob-matches-nothing", {}),
        (["pairs", "news.jsonl", "--column", "body"], 3, "no-such-column", {"column": "body"}),
        (["pairs", "news.jsonl", "--id", ""], 2, "not-a-column-name", {"option": "id", "value": ""}),
        (["pairs", "news.jsonl", "--column", ""], 2, "not-a-column-name", {"option": "column", "value": ""}),
        (["pairs", "news.jsonl", "--basket", ""], 2, "not-a-column-name", {"option": "basket", "value": ""}),
        (["resolve", "news.jsonl", "--id", ""], 2, "not-a-column-name", {"option": "id", "value": ""}),
        (["pairs", "news.jsonl", "--id", "key"], 3, "no-such-column", {"column": "key"}),
        (
            ["pairs", "news.jsonl", "--threshold", "80"],
            2,
            "not-a-share",
            {"option": "threshold", "value": "80", "meant": "0.8"},
        ),
        (["pairs", "news.jsonl", "--threshold", "x"], 2, "not-a-share", {"option": "threshold", "value": "x"}),
        (["pairs", "news.jsonl", "--recall", "1.5"], 2, "not-a-share", {"option": "recall", "value": 1.5}),
        (["pairs", "news.jsonl", "--shingles", "words:-1"], 2, "shingle-length-out-of-range", {}),
        (["pairs", "news.jsonl", "--shingles", "lines:5"], 2, "no-such-shingles", {"value": "lines:5"}),
        (
            ["pairs", "news.jsonl", "--shingles", "words:5", "--whitespace", "drop"],
            2,
            "whitespace-without-characters",
            {},
        ),
        (["pairs", "news.jsonl", "--verify", "maybe"], 2, "not-one-of", {"option": "verify", "value": "maybe"}),
        (["pairs", "news.jsonl", "--engine", "steam"], 2, "not-one-of", {"option": "engine", "value": "steam"}),
        (["pairs", "news.jsonl", "--threads", "0"], 2, "not-in-whole-range", {"option": "threads", "value": 0}),
        (["pairs", "news.jsonl", "--on-error", "hope"], 2, "not-one-of", {"option": "on_error", "value": "hope"}),
        (["pairs", "news.jsonl", "--format", "doc"], 2, "not-one-of", {"option": "format", "value": "doc"}),
        (["pairs", "news.jsonl", "--bands", "100", "--rows", "5"], 2, "too-few-hashes", {"needed": 500}),
        (["pairs", "news.jsonl", "--plan", "none.toml"], 3, "plan-not-readable", {"path": "none.toml"}),
        (
            ["pairs", "news.jsonl", "--treshold", "0.8"],
            2,
            "unknown-option",
            {"option": "treshold", "meant": "threshold"},
        ),
        (["pairs", "-", "news.jsonl"], 2, "standard-input-with-files", {}),
        (
            ["dedupe", "news.jsonl", "--keep", "best", "--out", "u.jsonl"],
            2,
            "not-one-of",
            {"option": "keep", "value": "best"},
        ),
        (
            ["dedupe", "news.jsonl", "--keep", "best:stars", "--out", "u.jsonl"],
            3,
            "no-column-to-keep-by",
            {"column": "stars"},
        ),
        (["clusters", "news.jsonl", "--out", "news.jsonl"], 4, "output-exists", {"path": "news.jsonl"}),
        (["pairs", "news.jsonl", "--report", "news.jsonl"], 4, "output-exists", {"path": "news.jsonl"}),
        (["pairs", "news.jsonl", "--save-plan", "news.jsonl"], 4, "output-exists", {"path": "news.jsonl"}),
        (["pairs", "news.jsonl", "--out", "news.jsonl/p.parquet"], 4, "unwritable", {"path": "news.jsonl/p.parquet"}),
        (["pairs", "news.jsonl", "--report", "news.jsonl/r.html"], 4, "unwritable", {"path": "news.jsonl/r.html"}),
        (["dedupe", "news.jsonl", "--out", "kept.xlsx"], 2, "unknown-output-format", {"path": "kept.xlsx"}),
        (["pairs", "news.jsonl", "--out", "pairs.docx"], 2, "unknown-output-format", {"path": "pairs.docx"}),
        (["dedupe", "news.jsonl", "--out", "news.jsonl", "--force"], 4, "output-is-input", {"path": "news.jsonl"}),
        (["compare", "none.txt", "none.txt"], 3, "no-such-file", {"path": "none.txt"}),
        (["compare", "news.jsonl/a", "none.txt"], 3, "no-such-file", {"path": "news.jsonl/a"}),
        (["compare", ".", "."], 3, "folder-instead-of-file", {"name": "."}),
        (["compare", "news.jsonl", "a.csv"], 2, "table-instead-of-text", {"name": "news.jsonl"}),
        (
            ["compare", "news.jsonl", "news.jsonl", "--ignore-common", "0.05"],
            2,
            "unknown-option",
            {"option": "ignore_common"},
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_invalid_is_refused_in_one_line(
    lookalike: Run, arguments: list[str], code: int, refused: str, values: dict[str, object]
) -> None:
    ran = lookalike(*arguments)
    ran.refused(code, refused, values)
    assert ran.err.count("\n") == 1
    assert [path.name for path in Path.cwd().iterdir()] == ["news.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("pairs news.jsonl --recall much", "--recall"),
        ("dedupe news.jsonl", "--out"),
        ("contamination news.jsonl", "--test"),
        ("frequent news.jsonl", "--support"),
        ("paris news.jsonl", "pairs"),
    ],
)
def test_arguments_that_click_refuses_are_named_in_one_line(lookalike: Run, arguments: str, named: str) -> None:
    ran = lookalike(*arguments.split())
    ran.refused(2, None, {})
    assert named in ran.err and ran.err.count("\n") == 1


def test_a_command_without_arguments_shows_its_help(lookalike: Run) -> None:
    ran = lookalike("pairs")
    assert ran.code == 2 and ran.err.startswith("Usage: lookalike pairs")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("broken.jsonl", b'{"text": "a"}\n' * 16 + b"{oops\n", "line 17"),
        ("notutf8.jsonl", b'{"text": "caf\xe9"}\n', "UTF-8"),
        ("cut.parquet", b"PAR1 and then nothing", "cut.parquet"),
        ("cut.jsonl.gz", gzip.compress(b'{"text": "a"}\n' * 1000, mtime=0)[:-20], "cut.jsonl.gz"),
        ("number.jsonl", b'{"text": 5}\n', "number.jsonl"),
    ],
)
def test_broken_data_is_named_with_its_place(lookalike: Run, name: str, content: bytes, words: str) -> None:
    Path(name).write_bytes(content)
    ran = lookalike("dedupe", name, "--out", "out.jsonl", "--quiet")
    assert ran.code == 3
    assert words in ran.err
    assert name in ran.err
    assert ran.err.count("\n") == 1
    assert sorted(path.name for path in Path.cwd().iterdir()) == sorted(["news.jsonl", name])


@pytest.mark.parametrize("command", ["pairs", "clusters", "dedupe"])
def test_an_empty_file_is_a_corpus_of_no_documents(lookalike: Run, command: str) -> None:
    Path("empty.jsonl").touch()
    ran = lookalike(command, "empty.jsonl", "--out", "out.jsonl", "--report", "r.html")
    assert (ran.code, ran.out) == (0, "")
    assert "documents        0 from empty.jsonl" in ran.err
    assert Path("out.jsonl").read_bytes() == b""
    assert "There were no documents to read." in Path("r.html").read_text()


def test_a_folder_without_documents_is_an_input_error(lookalike: Run) -> None:
    Path("hollow").mkdir()
    ran = lookalike("pairs", "hollow")
    ran.refused(3, "folder-without-files", {"folder": "hollow"})


def test_outputs_that_exist_are_refused_before_any_work_and_overwritten_by_force(lookalike: Run) -> None:
    Path("p.parquet").write_text("mine")
    ran = lookalike("pairs", "news.jsonl", "--out", "p.parquet")
    assert ran.code == 4
    assert Path("p.parquet").read_text() == "mine"
    assert lookalike("pairs", "news.jsonl", "--out", "p.parquet", "--force").code == 0
    assert Path("p.parquet").read_bytes()[:4] == b"PAR1"


def test_dedupe_refuses_where_the_removed_rows_cannot_go(lookalike: Run) -> None:
    Path("u.jsonl.removed.parquet").write_text("mine")
    ran = lookalike("dedupe", "news.jsonl", "--out", "u.jsonl")
    assert ran.code == 4
    assert "u.jsonl.removed.parquet" in ran.err
    assert not Path("u.jsonl").exists()


def test_an_unexpected_error_asks_to_be_reported_and_shows_its_trace_on_request(
    lookalike: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("lookalike.run.start", fail)
    ran = lookalike("pairs", "news.jsonl")
    assert ran.code == 70
    assert "ZeroDivisionError: by zero" in ran.err
    assert "Please report it" in ran.err
    assert ran.err.count("\n") == 1
    with pytest.raises(ZeroDivisionError):
        run(["--traceback", "pairs", "news.jsonl"])


def test_an_option_without_its_value_names_the_help_of_its_command(lookalike: Run) -> None:
    assert lookalike("pairs", "news.jsonl", "--threshold").err.rstrip().endswith("See lookalike pairs --help")


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        ("fingerprints prints.csv --json", 3, None),
        ("resolve people.csv --settings circular --report r.html", 2, "settings-unreadable"),
        ("pairs news.jsonl --out circular", 4, "unwritable"),
        (f"compare news.jsonl news.jsonl --save-plan {'a' * 3000}", 4, "unwritable"),
        ("dedupe news.jsonl --out u.jsonl --work ~nobody-at-all/work", 4, "unwritable"),
        ("audit ~nobody-at-all/result", 3, "no-result-at-path"),
    ],
)
def test_impossible_paths_are_not_reported_as_bugs(
    lookalike: Run, arguments: str, exit_code: int, code: str | None
) -> None:
    """Most ended with exit code 70: circular links, long names, unknown users, and prints without --out."""
    Path("circular").symlink_to("circular")
    Path("people.csv").write_text("name,town\nAnna,Bonn\nAnne,Bonn\n")
    Path("prints.csv").write_text("print,x\na,1\n")
    ran = lookalike(*arguments.split())
    assert ran.code == exit_code and "bug" not in ran.err
    assert code is None or (ran.error is not None and ran.error.code == code)
