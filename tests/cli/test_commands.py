"""Each command does what its help says, with the library's own answers."""

from __future__ import annotations

import json
import re
from itertools import takewhile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.cli.dedupe import beside
from lookalike.cli.summary import lines_of

from .conftest import ROWS, Run


def test_pairs_go_to_standard_output_as_json_lines(lookalike: Run) -> None:
    ran = lookalike("pairs", "news.jsonl", "--id", "id", "--shingles", "words:2")
    found = la.find_pairs("news.jsonl", id="id", shingles="words:2")
    assert ran.code == 0
    assert ran.rows == found.to_arrow().to_pylist()
    assert [(row["left"], row["right"]) for row in ran.rows] == [("a", "c"), ("a", "d"), ("c", "d")]


@pytest.mark.parametrize("name", ["pairs.parquet", "pairs.jsonl", "pairs.csv"])
def test_pairs_are_written_to_a_file_and_nothing_to_standard_output(lookalike: Run, name: str) -> None:
    ran = lookalike("pairs", "news.jsonl", "--shingles", "words:2", "--out", name)
    assert (ran.code, ran.out) == (0, "")
    assert name in ran.err
    text = Path(name).read_bytes()
    rows = pq.read_table(name).num_rows if name.endswith("parquet") else text.count(b"\n") - name.endswith("csv")
    assert rows == 3


def test_clusters_have_a_row_for_every_document(lookalike: Run) -> None:
    ran = lookalike("clusters", "news.jsonl", "--id", "id", "--keep", "best:score", "--shingles", "words:2")
    assert ran.rows == [
        {"id": "a", "cluster": 0, "size": 3, "representative": "c"},
        {"id": "b", "cluster": 1, "size": 1, "representative": "b"},
        {"id": "c", "cluster": 0, "size": 3, "representative": "c"},
        {"id": "d", "cluster": 0, "size": 3, "representative": "c"},
        {"id": "e", "cluster": 2, "size": 1, "representative": "e"},
    ]


def test_dedupe_keeps_rows_as_they_were_and_accounts_for_the_rest(lookalike: Run) -> None:
    ran = lookalike(
        "dedupe", "news.jsonl", "--id", "id", "--keep", "longest", "--shingles", "words:2", "--out", "u.jsonl"
    )
    assert (ran.code, ran.out) == (0, "")
    kept = [json.loads(line) for line in Path("u.jsonl").read_text().splitlines()]
    assert kept == [ROWS[1], ROWS[3], ROWS[4]]
    removed = pq.read_table("u.jsonl.removed.parquet").to_pylist()
    assert [(row["id"], row["kept"], row["cluster"]) for row in removed] == [("a", "d", 0), ("c", "d", 0)]
    words = len(str(ROWS[0]["text"]).split()) - 1
    assert {row["similarity"] for row in removed} == {words / (words + 2)}
    assert "kept             3 (60.0%)" in ran.err
    assert "removed          2 (40.0%)" in ran.err


def test_dedupe_to_standard_output_gives_the_kept_rows(lookalike: Run) -> None:
    ran = lookalike("dedupe", "news.jsonl", "--shingles", "words:2", "--out", "-")
    assert ran.rows == [ROWS[0], ROWS[1], ROWS[4]]
    assert [path.name for path in Path.cwd().iterdir()] == ["news.jsonl"]


def test_dedupe_of_many_files_writes_a_folder_that_holds_kept_rows_only(lookalike: Run) -> None:
    Path("crawl").mkdir()
    table = pa.Table.from_pylist(ROWS)
    pq.write_table(table.slice(0, 2), "crawl/one.parquet")
    pq.write_table(table.slice(2), "crawl/two.parquet")
    ran = lookalike("dedupe", "crawl/*.parquet", "--id", "id", "--shingles", "words:2", "--out", "clean/")
    assert ran.code == 0
    assert pq.read_table("clean")["id"].to_pylist() == ["a", "b", "e"]
    assert pq.read_table("clean.removed.parquet")["id"].to_pylist() == ["c", "d"]


def test_several_inputs_are_read_one_after_the_other(lookalike: Run) -> None:
    Path("more.jsonl").write_text(json.dumps(ROWS[1]) + "\n")
    ran = lookalike("pairs", "news.jsonl", "more.jsonl", "--shingles", "words:5")
    assert (1, 5) in [(row["left"], row["right"]) for row in ran.rows]


def test_a_saved_plan_gives_the_same_answer_again(lookalike: Run) -> None:
    first = lookalike("pairs", "news.jsonl", "--threshold", "0.7", "--shingles", "words:2", "--save-plan", "plan.toml")
    again = lookalike("pairs", "news.jsonl", "--plan", "plan.toml")
    assert again.rows == first.rows
    assert la.Plan.load("plan.toml").threshold == la.Plan.load("plan.toml").threshold
    assert 'threshold = "0.7"' in Path("plan.toml").read_text()
    changed = lookalike("pairs", "news.jsonl", "--plan", "plan.toml", "--threshold", "1")
    assert len(changed.rows) == 1  # options change single entries of the plan


def test_the_report_is_written_where_asked(lookalike: Run) -> None:
    ran = lookalike("pairs", "news.jsonl", "--out", "p.parquet", "--report", "r.html")
    assert ran.code == 0
    assert Path("r.html").read_text().startswith("<!doctype html>")
    assert "r.html" in ran.err


@pytest.mark.parametrize(("shingles", "same"), [("words:2", "words"), ("stopwords", "shingles")])
def test_summary_and_report_say_which_texts_have_the_same_words(lookalike: Run, shingles: str, same: str) -> None:
    """Texts that differ in case and punctuation have the same words, but are not identical."""
    ran = lookalike("dedupe", "news.jsonl", "--shingles", shingles, "--out", "d.jsonl", "--report", "r.html")
    assert "identical        0\nsame words       1 (20.0%)\n" in ran.err
    assert f"same words: the same {same} as the document kept, in the same order" in Path("r.html").read_text()


def test_the_summary_names_what_was_read_found_and_spent(lookalike: Run) -> None:
    ran = lookalike("clusters", "news.jsonl", "--shingles", "words:2", "--out", "c.parquet")
    for words in (
        "documents        5 from news.jsonl",
        "unusable         1 empty, 0 malformed",
        "same words       1 (20.0%)",
        "near-duplicates  1 (20.0%)",
        "clusters         1, the largest has 3 documents",
        "time ",
        "documents/s",
        "written to       c.parquet",
    ):
        assert words in ran.err


def figure(summary: str, name: str) -> str:
    """The text of one line of a summary, with its continuation lines."""
    lines = summary.splitlines()
    [first] = [i for i, line in enumerate(lines) if line.startswith(f"{name:<17}")]
    rest = takewhile(lambda line: line.startswith(" " * 17), lines[first + 1 :])
    return " ".join([lines[first][17:], *map(str.strip, rest)])


def test_time_and_rate_of_the_summary_are_those_of_the_whole_run(lookalike: Run) -> None:
    """The rate once left out choosing and writing rows: it was too good by a factor of three."""
    ran = lookalike("dedupe", "news.jsonl", "--shingles", "words:2", "--out", "u.jsonl", "--report", "r.html")
    total, _, stages = figure(ran.err, "time").partition(" s (")
    taken = [float(stage.rstrip(")").split()[-1]) for stage in stages.split(",")]
    assert float(total) >= sum(taken) - 0.005 * (1 + len(taken))
    assert "report" in stages and sum(taken) == pytest.approx(float(total), abs=0.005 * (1 + len(taken)))
    rate = float(figure(ran.err, "rate").split()[0].replace(",", ""))
    assert rate == pytest.approx(5 / float(total), abs=0.5 + 5 * 0.006 / float(total) ** 2)


def test_the_summary_has_memory_used_and_allowed_and_the_chosen_shingles(lookalike: Run) -> None:
    ran = lookalike("dedupe", "news.jsonl", "--memory", "3GiB", "--out", "u.jsonl", "--forecast")
    used = re.fullmatch(
        r"([0-9.]+) ([MG]iB) used at the peak, 3 GiB allowed; nothing spilled", figure(ran.err, "memory")
    )
    assert used is not None
    assert 30 < float(used[1]) * {"MiB": 1, "GiB": 1024}[used[2]] < 3 * 1024
    assert figure(ran.err, "shingles") == "words:5, chosen by auto; chars:5 would tolerate typing errors"
    assert figure(ran.err, "forecast").startswith("same words: 1 predicted, 1 actual")
    given = lookalike("dedupe", "news.jsonl", "--shingles", "words:2", "--out", "v.jsonl")
    assert figure(given.err, "shingles") == "words:2"


def test_quiet_says_nothing(lookalike: Run) -> None:
    ran = lookalike("pairs", "news.jsonl", "--out", "p.parquet", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_skipped_rows_are_counted_and_named(lookalike: Run) -> None:
    with Path("news.jsonl").open("a") as file:
        file.write("{broken\n")
    ran = lookalike("pairs", "news.jsonl", "--on-error", "skip", "--out", "p.parquet")
    assert ran.code == 0
    assert "1 malformed" in ran.err
    assert "line 6" in ran.err


def test_engines_and_threads_give_the_same_rows(lookalike: Run) -> None:
    shown = [
        lookalike("pairs", "news.jsonl", "--threshold", "0.5", *more).out
        for more in ((), ("--threads", "1"), ("--threads", "2"), ("--engine", "reference"))
    ]
    assert len(set(shown)) == 1
    assert shown[0]


def test_compare_shows_measures_and_marks_what_is_shared(lookalike: Run) -> None:
    Path("a.txt").write_text("The cat sat on the mat.")
    Path("b.txt").write_text("Yesterday the cat sat on a mat.")
    ran = lookalike("compare", "a.txt", "b.txt", "--shingles", "words:2")
    found = la.compare("The cat sat on the mat.", "Yesterday the cat sat on a mat.", shingles="words:2")
    assert ran.code == 0
    assert f"Jaccard                {found.measures['jaccard']:.4f}" in ran.out
    assert "[[The cat sat on]] the mat." in ran.out
    assert "Yesterday [[the cat sat on]] a mat." in ran.out
    assert "not a pair" in ran.out


def test_compare_lists_the_longest_passages_of_long_texts_with_their_lines(lookalike: Run) -> None:
    filler = "\n".join(f"line {i} of the first text, number {i * i}" for i in range(200))
    other = "\n".join(f"row {i} in another text, value {i * 7}" for i in range(200))
    shared = "one passage that both of these texts have in common, word for word"
    Path("a.txt").write_text(f"{filler}\n{shared}\n{filler}")
    Path("b.txt").write_text(f"{shared}\n{other}")
    ran = lookalike("compare", "a.txt", "b.txt", "--passages", "1")
    assert "a.txt:201 = b.txt:1, 66 characters" in ran.out
    assert f"[[{shared}]]" in ran.out


def test_compare_as_json_is_the_comparison(lookalike: Run) -> None:
    Path("a.txt").write_text("一二三四五六七八")
    Path("b.txt").write_text("一二三四五六七九")
    ran = lookalike("compare", "a.txt", "b.txt", "--json")
    assert json.loads(ran.out)["summary"] == json.loads(
        json.dumps(la.compare("一二三四五六七八", "一二三四五六七九").to_dict())
    )


def test_markup_in_texts_is_shown_as_it_is(lookalike: Run) -> None:
    Path("a.txt").write_text("[bold]not markup[/bold] [/] \\[x]")
    ran = lookalike("compare", "a.txt", "a.txt")
    assert "[[[bold]not markup[/bold] [/] \\[x]]]" in ran.out


def test_explain_prints_the_plans_own_explanation(lookalike: Run) -> None:
    ran = lookalike("explain", "--threshold", "0.9", "--recall", "0.95")
    assert ran.out == la.Plan(threshold="0.9", recall=0.95).explain()


def test_explain_as_json_has_the_numbers(lookalike: Run) -> None:
    numbers = json.loads(lookalike("explain", "--bands", "20", "--rows", "5", "--json").out)["summary"]
    assert (numbers["bands"], numbers["rows"]) == (20, 5)
    assert round(numbers["probabilities"]["0.8"], 6) == 0.999644


def test_explain_reads_and_saves_plans(lookalike: Run) -> None:
    lookalike("explain", "--threshold", "0.6", "--shingles", "chars:7", "--save-plan", "plan.toml")
    assert "chars:7" in lookalike("explain", "--plan", "plan.toml").out


@pytest.mark.parametrize(
    ("out", "removed"),
    [
        ("clean/", "clean.removed.parquet"),
        ("x/unique.jsonl", "x/unique.jsonl.removed.parquet"),
        ("unique.v2.jsonl.gz", "unique.v2.jsonl.gz.removed.parquet"),
        ("plain", "plain.removed.parquet"),
    ],
)
def test_removed_rows_go_next_to_the_output_never_into_it(out: str, removed: str) -> None:
    assert beside(out) == Path(removed)


@given(st.integers(0, 30))
def test_a_stage_and_its_seconds_stay_on_one_line(letters: int) -> None:
    shown = lines_of(
        [("time", f"0.41 s ({'x' * letters} 0.07, read candidates 0.01, connect 0.07, keep 0.04, write 1.00)")]
    )
    assert max(map(len, shown.splitlines())) <= 80 and "candidates 0.01" in shown and "keep 0.04" in shown
    assert "\u00a0" not in shown


def test_removals_that_a_chain_explains_are_counted(lookalike: Run) -> None:
    words = [f"w{i}" for i in range(20)]
    chain = [" ".join(words[start : start + 10]) for start in range(4)]  # neighbours share 9 of 11 words
    Path("chain.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in chain))
    chained = ("--linkage", "connected", "--out", "u.jsonl")
    ran = lookalike("dedupe", "chain.jsonl", "--shingles", "words:1", *chained)
    assert "removed          3 (75.0%)\n                 2 below the threshold, " in ran.err
    ran = lookalike("dedupe", "chain.jsonl", "--shingles", "words:1", "--out", "v.jsonl")
    assert "removed          2 (50.0%)" in ran.err and "below the threshold" not in ran.err
