"""Cards show any content safely, and never more than fits on a screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.display.card import WIDEST, Card
from lookalike.display.cells import ROWS, FirstRows, cell, clean, width
from lookalike.display.marked_texts import marked
from lookalike.results.deduped import KeptRows
from tests.display.pages import Page

HOSTILE = [
    "<script>alert(1)</script>",
    "</td></table><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "</style><script>alert(1)</script>",
    "\x1b]0;title\x07\x1b[31mred",
    "\u202eright to left",
    "&lt;script&gt;",
    "a\nb\tc\rd",
]
texts = st.text(max_size=200) | st.sampled_from(HOSTILE)
values = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats() | texts


@given(texts, texts, st.lists(st.tuples(texts, texts), max_size=3), st.dictionaries(texts, texts, max_size=4))
def test_nothing_in_a_card_is_taken_for_markup_or_for_control_sequences(
    title: str, words: str, facts: list[tuple[str, str]], row: dict[str, str]
) -> None:
    table = pa.table(
        {name: [value.encode("utf-8", "replace").decode()] for name, value in row.items() if name.isascii()}
    )
    card = Card(title, words, counts=facts, facts=facts, tables=[FirstRows.of(table)], notes=[title, words])
    page = Page.of(card.html())
    assert page.harmless
    assert [clean(value) for value in table.column_names] == page.cells[2 * len(facts) :][: table.num_columns]
    assert all(line.isprintable() or "\u200c" in line or "\u200d" in line for line in card.text().split("\n"))


@given(values)
def test_a_cell_is_one_short_line(value: Any) -> None:
    shown = cell(value)
    assert len(shown) <= 80 and not set(shown) & set("\n\r\t\x1b\x00")
    if isinstance(value, int):
        assert shown == str(value), "ids are shown digit by digit"
    if isinstance(value, float) and shown == "1":
        assert value == 1, "what is only almost 1 is not shown as 1"


@given(st.integers(0, 40), st.integers(1, 30), st.integers(1, 60))
def test_rows_and_columns_that_are_not_shown_are_counted(rows: int, columns: int, letters: int) -> None:
    table = pa.table({f"c{i}": pa.array(["é漢"[i % 2] * letters] * rows, pa.string()) for i in range(columns)})
    card = Card("Title", tables=[FirstRows.of(table)])
    lines = card.text().split("\n")
    assert all(width(line) <= WIDEST for line in lines)
    page = Page.of(card.html())
    shown = len([name for name in page.cells if name in table.column_names])
    hidden = [f"{rows - ROWS:,} more row"] * (rows > ROWS) + [f"{columns - shown:,} more column"] * (columns > shown)
    assert all(words in page.text for words in hidden) and ("… and" in page.text) == bool(hidden)
    in_line = len(lines[2].split())
    assert (f"{columns - in_line:,} more column" in lines[-1]) == (in_line < columns)


def test_long_ids_do_not_hide_the_other_columns_of_a_pair() -> None:
    """With ids such as addresses, only the left id of each pair was printed."""
    table = pa.table({"left": ["https://a.example/" + "é漢" * 30], "right": ["b" * 70], "similarity": [0.875]})
    head, row = Card("x", tables=[FirstRows.of(table)]).text().split("\n")[2:]
    assert head.split() == ["left", "right", "similarity"] and row.count("…") == 2 and row.endswith("…       0.875")
    assert width(row) == width(head) <= WIDEST


def test_columns_line_up_whatever_the_script() -> None:
    table = pa.table({"name": ["ab", "漢字", "e\u0301"], "n": [1, 20, 300]})
    lines = Card("x", tables=[FirstRows.of(table)]).text().split("\n")[2:]
    assert [width(line) for line in lines] == [width(lines[0])] * 4


@given(texts, st.lists(st.integers(0, 200), max_size=6))
def test_marked_texts_are_complete(words: str, places: list[int]) -> None:
    cuts = sorted({min(place, len(words)) for place in places})
    marks = list(zip(cuts[::2], cuts[1::2], strict=False))
    page = Page.of(marked(words, marks))
    assert (page.harmless and page.text == words.replace("\r\n", "\n").replace("\r", "\n")) or page.text == words
    assert page.tags == ["mark"] * len(marks)


@pytest.mark.parametrize("words", HOSTILE)
def test_texts_ids_and_columns_of_results_are_escaped(words: str) -> None:
    rows = [{words: f"{words} {n}", "text": f"{words} the cat sat on the mat and looked {n % 2}"} for n in range(4)]
    found: list[Any] = [
        la.find_pairs(rows, id=words, column="text", threshold=0.3),
        la.find_clusters(rows, id=words, column="text", threshold=0.3),
        la.dedupe(rows, id=words, column="text", threshold=0.3),
        la.compare(rows[0]["text"], rows[1]["text"]),
        la.join([[words, "b"], [words, "b"]], threshold=0.5),
        la.frequent_pairs([[words, "b"], [words, "b"]], support=2),
        la.contamination(rows, rows[:2], id=words, column="text", shingles="words:2"),
    ]
    for result in found:
        page = Page.of(result._repr_html_())
        assert page.harmless, type(result)
        assert "\x1b" not in str(result)


def test_kept_rows_are_shown_without_reading_the_file_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any line of JSON may add a column, so that all columns are known only at the end of the file."""
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f'{{"id": {n}, "text": "{n**9} is a number", "more": 1}}\n' for n in range(20_000)))
    found = la.dedupe(path, id="id")
    assert isinstance(found.read_kept, KeptRows)
    source, reads = found.read_kept.source, []
    read = source.read

    def noted(columns: Any = None, start: int = 0, stop: int | None = None) -> Any:
        reads.append((columns, stop))
        return read(columns, start, stop)

    monkeypatch.setattr(source, "read", noted)
    assert "0 is a number" in found._repr_html_()
    ((columns, stop),) = reads
    assert columns == ["id", "text"] and stop is not None and stop < 20


def test_a_result_whose_data_has_changed_is_still_shown(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "a b c"}\n{"text": "a b c"}\n')
    found = la.dedupe(path)
    assert "Kept rows" in str(found)
    path.write_text('{"text": "x y z, which is longer"}\n')
    assert "Kept rows" not in str(found) and "Removed rows" in str(found)
    path.unlink()
    assert "Removed rows" in str(found)


def test_a_long_label_does_not_touch_its_words() -> None:
    lines = Card("Audit", facts=[("recall", "1"), ("in one cluster", "1")]).text().splitlines()
    assert lines[1:] == ["recall          1", "in one cluster  1"]
