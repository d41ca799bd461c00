"""`plagiarism` finds planted passages at their positions, and all figures follow their definitions."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.apps.plagiarism.page import render, write_page
from lookalike.apps.plagiarism.passages import covered
from lookalike.joins.sets import nearest_sets
from lookalike.kernel import default
from tests.refusals import refused

K = 5

PROGRAM = """
public class Mean {
    public static void main(String[] args) {
        double total = 0;
        for (int i = 0; i < args.length; i++) { total += Double.parseDouble(args[i]); }
        System.out.println("The mean is " + total / args.length);
    }
}
"""
RENAMED = """// my very own work
public class Average { public static void main(String[] a) {
    double sum = 0; // the sum
    for (int k = 0; k < a.length; k++) {
        sum += Double.parseDouble(a[k]);
    }
    System.out.println("The mean is " + sum / a.length); } }
"""
OTHER = """
import java.util.Scanner;
class Guess {
    boolean right(int number) { while (true) { if (new Scanner(System.in).nextInt() == number) return true; } }
}
"""


def words(prefix: str, count: int) -> list[str]:
    return [f"{prefix}{i}" for i in range(count)]


@given(st.integers(30, 60), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.booleans())
def test_a_planted_passage_is_found_to_the_character(
    length: int, before: int, after: int, there: int, upper: bool
) -> None:
    passage = " ".join(words("p", length))
    one = " ".join([*words("a", before), passage.upper() if upper else passage, *words("b", after)])
    two = ", ".join([*words("c", there), passage, *words("d", 40)])
    (found,) = la.plagiarism([one], [two]).passages.to_pylist()
    start, end = one.lower().index(passage), one.lower().index(passage) + len(passage)
    assert (found["start"], found["end"], found["tokens"]) == (start, end, length)
    assert (found["other_start"], found["other_end"]) == (two.index(passage), two.index(passage) + len(passage))
    assert one[start:end].startswith(found["text"].rstrip("…"))


@given(st.lists(st.integers(5, 39), min_size=1, max_size=3, unique=True))
def test_changed_words_do_not_split_a_passage(changed: list[int]) -> None:
    copied = [f"x{i}" if i in changed else word for i, word in enumerate(words("p", 45))]
    if any(not abs(i - j) >= 11 for i in changed for j in changed if i != j):
        return  # more than a few words changed in one place
    one = " ".join([*words("a", 9), *copied, *words("b", 9)])
    (found,) = la.plagiarism([one], [" ".join(words("p", 45))]).passages.to_pylist()
    assert (one[found["start"] : found["end"]], found["tokens"]) == (" ".join(copied), 45)


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=25), min_size=2, max_size=5))
def test_all_figures_follow_their_definitions(texts: list[list[str]]) -> None:
    found = la.plagiarism([" ".join(text) for text in texts], threshold="0.000001", common=1)
    for row in found.pairs.to_pylist():
        a, b = texts[row["submission"]], texts[row["other"]]
        one, two = runs(a), runs(b)
        assert row["containment"] == len({*one} & {*two}) / len({*one})
        assert row["reverse"] == len({*one} & {*two}) / len({*two})
        assert row["resemblance"] == len({*one} & {*two}) / len({*one, *two})
        alike = min(under(one, {*two}), under(two, {*one}))
        assert row["similarity"] == alike / min(len(a), len(b))


def runs(text: list[str]) -> list[tuple[str, ...]]:
    """A document shorter than a run is one run."""
    return [tuple(text[i : i + K]) for i in range(max(len(text) - K, 0) + 1)]


def under(one: list[tuple[str, ...]], other: set[tuple[str, ...]]) -> int:
    """Tokens in runs that the other contains too, counted one by one."""
    return len({i + j for i, run in enumerate(one) if run in other for j in range(len(run))})


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=8))
def test_overlapping_spans_are_counted_once(spans: list[tuple[int, int]]) -> None:
    ends = [(start, start + length) for start, length in spans]
    assert covered(ends) == len({i for start, end in ends for i in range(start, end)})


def test_a_passage_deep_inside_a_long_text_is_located() -> None:
    passage = " ".join(words("p", 30))
    long = " ".join([*words("a", 30_000), passage, *words("b", 9_000)])
    assert len(long) > 200_000
    (row,) = la.plagiarism([long], [" ".join([*words("c", 40_000), passage])]).passages.to_pylist()
    assert long[row["start"] : row["end"]] == passage
    (pair,) = la.plagiarism([long], [passage + " and more"]).pairs.to_pylist()
    assert pair["similarity"] > 0.9 and pair["containment"] < 0.01


@pytest.mark.parametrize("length", range(K, 10))
def test_short_documents_that_another_contains_are_found(length: int) -> None:
    short = " ".join(words("s", length))
    within = " ".join([*words("a", 30), short, *words("b", 30)])
    for call in (([short, short],), ([short], [short]), ([short, within],), ([short], [within]), ([within], [short])):
        (row,) = la.plagiarism(*call).pairs.to_pylist()
        assert row["similarity"] == 1
    if length < 8:  # a few words that two longer documents have in common are chance
        other = " ".join([*words("c", 30), short, *words("d", 30)])
        assert len(la.plagiarism([within, other], threshold="0.000001")) == 0


@pytest.mark.parametrize("length", range(1, 10))
def test_a_passage_of_the_least_length_is_found(length: int) -> None:
    passage = " ".join(words("p", max(K, length)))
    texts = [" ".join([*words(f"{x}y", 30), passage, *words(f"{x}z", 30)]) for x in "ab"]
    for call in ((texts,), (texts[:1], texts[1:])):
        (row,) = la.plagiarism(*call, passage=length, threshold=1).passages.to_pylist()
        assert row["text"] == passage


def test_programs_are_compared_without_names_and_layout() -> None:
    rows = [{"id": f"{i}.java", "text": text} for i, text in enumerate((PROGRAM, RENAMED, OTHER))]
    first, *rest = la.plagiarism(rows, id="id").pairs.to_pylist()
    assert (first["submission"], first["other"], first["similarity"]) == ("0.java", "1.java", 1)
    assert all(row["similarity"] < 0.5 for row in rest)
    assert la.plagiarism(rows, id="id", names="keep").pairs["similarity"][0].as_py() < 0.8
    assert la.plagiarism(rows, code="c").pairs["similarity"][0].as_py() == 1
    assert la.plagiarism(rows, id="id", code="no").pairs["similarity"].to_pylist()[:1] < [0.8]


def test_templates_are_ignored() -> None:
    skeleton = " ".join(words("t", 60))
    texts = [f"{skeleton} {' '.join(words(x, 50))}" for x in "abc"]
    assert len(la.plagiarism(texts)) == 3
    found = la.plagiarism(texts, template=[skeleton])
    assert (len(found), found.template) == (0, 60 - K + 1)


def test_text_in_nearly_all_submissions_is_no_passage_unless_they_are_few() -> None:
    skeleton = " ".join(words("t", 60))
    texts = [f"{skeleton} {' '.join(words(f'own{i}x', 40))}" for i in range(12)]
    texts[3] += " " + " ".join(words("shared", 30))
    texts[5] = " ".join(words("shared", 30)) + " " + texts[5]
    found = la.plagiarism(texts)
    (row,) = found.passages.to_pylist()
    assert (row["submission"], row["other"], row["tokens"]) == (3, 5, 30) and found.common == 60 - K + 1
    assert len(la.plagiarism(texts[:10]).passages) > 40  # ten may have copied from one another


def test_a_folder_is_read_file_by_file_as_code_or_prose(tmp_path: Path) -> None:
    for name, text in {"ann/A.java": PROGRAM, "bob/B.java": RENAMED, "bob/readme.md": "see B"}.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text, encoding="utf-8")
    (tmp_path / "library.jsonl").write_text('{"text": "see B"}\n', encoding="utf-8")
    found = la.plagiarism(tmp_path / "in", tmp_path / "library.jsonl")
    assert (found.submissions, found.sources) == (3, 1)
    assert found.pairs.select(["submission", "other"]).to_pylist() == [
        {"submission": "ann/A.java", "other": "bob/B.java"},
        {"submission": "bob/readme.md", "other": "0"},
    ]
    assert repr(found) == "Plagiarism(2 pairs of 3 submissions and 1 sources)"


def test_files_of_one_author_are_not_compared() -> None:
    copied = " ".join(words("p", 40))
    names = ["ann/1", "ann/2", "ann/3", "bob/1", "c"]
    rows = [{"id": name, "text": f"{copied} {' '.join(words(f'x{i}y', 9))}"} for i, name in enumerate(names)]
    for top in (1, 9):
        found = la.plagiarism(rows, id="id", by_folder=True, top=top).pairs
        pairs = set(zip(found["submission"].to_pylist(), found["other"].to_pylist(), strict=True))
        assert pairs and all(a.partition("/")[0] != b.partition("/")[0] for a, b in pairs)
    assert len(pairs) == 7 and len(la.plagiarism(rows, id="id")) == 10


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), min_size=2, max_size=12), st.integers(1, 3))
def test_authors_with_many_files_are_compared_like_those_with_few(files: list[tuple[str, int]], top: int) -> None:
    """Either way, every file with a partner has a pair, no pair is of one author, and no list is longer than needed."""
    from lookalike.apps.plagiarism import find

    copied = words("p", 60)
    texts = [" ".join([*copied[3 * start : 3 * start + 30], *words(f"x{i}y", 9)]) for i, (_, start) in enumerate(files)]
    rows = [
        {"id": f"{author}/{i}", "text": text} for (i, text), (author, _) in zip(enumerate(texts), files, strict=True)
    ]
    found, asked = [], []

    def nearest(*sets: Any, top: int, **rest: Any) -> Any:
        asked.append(top)
        return nearest_sets(*sets, top=top, **rest)

    for few in (1, 2, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(find, "MANY_FILES", few)
            patch.setattr(find, "nearest_sets", nearest)
            asked.clear()
            pairs = la.plagiarism(rows, id="id", by_folder=True, top=top, threshold="0.000001").pairs
            assert max(asked) < top + few
        found.append({*zip(pairs["submission"].to_pylist(), pairs["other"].to_pylist(), strict=True)})
    everything = la.plagiarism(rows, id="id", top=99, threshold="0.000001").pairs
    apart = {
        (a, b)
        for a, b in zip(everything["submission"].to_pylist(), everything["other"].to_pylist(), strict=True)
        if a[0] != b[0]
    }
    for some in found:
        assert some <= apart
        assert {name for pair in some for name in pair} == {name for pair in apart for name in pair}


def test_the_size_of_blocks_of_sources_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [" ".join(words("p", 20 + i)) for i in range(9)]
    whole = la.plagiarism(texts[:3], texts, top=4)
    from lookalike.apps.plagiarism import find

    monkeypatch.setattr(find, "BLOCK", 1)
    monkeypatch.setattr(find, "size_of", lambda sets: 1)
    assert la.plagiarism(texts[:3], texts, top=4, batch_rows=2).pairs == whole.pairs


def test_empty_input_has_no_pairs() -> None:
    for submissions, sources in (([], None), ([""], [""]), (["a b"], []), ([], ["a b"])):
        found = la.plagiarism(submissions, sources)
        assert len(found) == 0 and found.pairs.num_rows == found.passages.num_rows == 0
        assert "There are none." in render(found)


@pytest.mark.parametrize(
    ("call", "code", "values"),
    [
        ({"passage": 0}, "not-a-whole-number", {"option": "passage", "least": 1}),
        ({"top": 1.5}, "not-a-whole-number", {"option": "top"}),
        ({"code": "cobol"}, "not-one-of", {"option": "code", "allowed": ("auto", "no", "c", "python")}),
        ({"names": "drop"}, "not-one-of", {"option": "names"}),
        ({"template": [["a", "list"]]}, "plagiarism-needs-texts", {}),
    ],
)
def test_invalid_options_are_refused(call: dict[str, Any], code: str, values: dict[str, Any]) -> None:
    with refused(code, **values):
        la.plagiarism(["a"], **call)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ({"threshold": 80}, "not-a-share"),
        ({"k": 0}, "not-in-whole-range"),
        ({"sources": "no/such/folder"}, "no-such-file"),
    ],
)
def test_invalid_thresholds_lengths_and_paths_are_refused(call: dict[str, Any], code: str) -> None:
    with refused(code):
        la.plagiarism(["a"], **call)


class Links(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = dict(attrs)
        self.ids += [given["id"]] if given.get("id") else []  # type: ignore[list-item]
        self.links += [given["href"]] if given.get("href") else []  # type: ignore[list-item]


def test_the_page_is_escaped_and_its_links_have_targets(tmp_path: Path) -> None:
    nasty = "<script>alert('x')</script> & \"quoted\" </article>"
    passage = " ".join(words("p", 30))
    texts = [f"{nasty} {passage} {passage}", f"{passage} {nasty}", passage + " tail " * 400]
    rows = [{"id": f"<i>{i}</i>", "text": text} for i, text in enumerate(texts)]
    found = la.plagiarism(rows, [{"id": "x", "text": PROGRAM}], id="id")
    path = write_page(tmp_path / "page.html", found)
    page = path.read_text(encoding="utf-8")
    links = Links(page)
    assert "script" not in links.tags and "i" not in links.tags and "&lt;i&gt;0" in page
    assert len(links.ids) == len({*links.ids})
    assert {link.removeprefix("#") for link in links.links} <= {*links.ids}
    assert len(re.findall(r'class="copied', page)) == 2 * found.passages.num_rows > 0
    assert "characters …" in page
    with refused("output-exists", path=str(path)):
        write_page(path, found)


def test_code_and_texts_are_cut_on_one_thread_by_each_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several workers cut documents at the same time, so none of them starts further threads."""
    used: list[int] = []

    def kernel(threads: int) -> Any:
        used.append(threads)
        return default(threads)

    monkeypatch.setattr("lookalike.apps.plagiarism.reading.default", kernel)
    (tmp_path / "a.py").write_text("def area(width, height):\n    return width * height\n")
    (tmp_path / "b.txt").write_text("a text without any code that is long enough to be cut into shingles")
    la.plagiarism(str(tmp_path), threads=3)
    assert set(used) == {1}
