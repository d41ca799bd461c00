"""Pairs, clusters and matches show their texts, and can be taken like the elements of a list."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from tests.display.pages import Page
from tests.refusals import refused

CAT = "the cat sat on the mat and looked at the moon for a long time"
TEXTS = [CAT, CAT.replace("moon", "stars"), "a dog", CAT.upper(), "\x1b[2J<script>alert(1)</script> " + CAT]
FIND: dict[str, Any] = {"threshold": 0.5, "shingles": "words:2"}


def test_a_pair_is_a_row_and_a_slice_is_pairs() -> None:
    pairs = la.find_pairs(TEXTS, **FIND)
    assert pairs[0] == next(iter(pairs)) and pairs[0].similarity == pairs[0][2]
    assert pairs[-1] == list(pairs)[-1] and list(pairs[1:3]) == list(pairs)[1:3] == list(pairs[1:])[:2]
    assert isinstance(pairs[:2], la.Pairs) and len(pairs[::2]) == len(list(pairs)[::2]) and len(pairs[99:]) == 0
    assert pairs["similarity"].to_pylist() == [pair.similarity for pair in pairs]
    with pytest.raises(IndexError):
        pairs[len(pairs)]
    clusters = la.find_clusters(TEXTS, **FIND)
    assert clusters["size"].to_pylist() == clusters.to_arrow()["size"].to_pylist()
    assert clusters[0] == clusters.members()[0] and clusters[:1] == clusters.members()[:1]


def test_pairs_are_shown_with_their_differences_marked() -> None:
    shown = la.find_pairs(TEXTS, **FIND).show(2)
    assert repr(shown).startswith("2 of 6 pairs; what is in one text only is marked\n\n0 – 1: similarity 0.7500, ")
    assert "looked at the [-moon-] for" in str(shown) and "looked at the {+stars+} for" in str(shown)
    page = Page.of(shown._repr_html_())
    assert page.harmless and "mark" in page.tags and "stars" in page.text


@pytest.mark.parametrize("verb", [la.find_pairs, la.find_clusters, la.dedupe])
def test_what_is_shown_controls_neither_terminal_nor_page(verb: Any) -> None:
    shown = verb(TEXTS, **FIND).show(10)
    assert "\x1b" not in str(shown) and Page.of(shown._repr_html_()).harmless


def test_clusters_and_removed_documents_are_shown() -> None:
    clusters = la.find_clusters(TEXTS, keep="last", **FIND).show(1)
    assert str(clusters).startswith("1 of 1 cluster, largest first\n\nCluster of 4 documents, the representative first")
    removed = la.dedupe(TEXTS, **FIND).show()
    assert "3 of 3 removed documents, each beside the one that was kept" in str(removed)
    with_reference = la.dedupe([TEXTS[1], "a dog"], against=[CAT], **FIND).show()
    assert "[-moon-]" in str(with_reference) and "{+stars+}" in str(with_reference)


def test_matches_are_shown_from_both_collections(tmp_path: Path) -> None:
    names = la.join(["Jon Smith", "Ann"], ["Mary", "John Smith"], measure="levenshtein", distance=1)
    title, _, *lines = str(names.show()).splitlines()
    assert title == "1 of 1 pair; what is in one text only is marked"
    assert lines == ["0 – 1: distance 1", "  Jon Smith", "  Jo{+h+}n Smith"]
    (tmp_path / "right.csv").write_text("body\nmilk bread eggs\n")
    of: dict[str, Any] = {"shingles": "words:1", "threshold": 0.5}
    found = la.join(["milk bread"], tmp_path / "right.csv", right_column="body", **of)
    assert "bread {+eggs+}" in str(found.show()) and "bread {+eggs+}" in str(found[:1].show())
    again = pickle.loads(pickle.dumps(found))
    with refused("matches-without-texts"):
        again.show()
    assert str(again.show(5, ["milk bread"], ["milk bread eggs"])) == str(found.show())
    with refused("data-of-another-result"):
        again.show(5, ["milk bread"], ["milk", "bread"])


def test_vectors_have_no_texts_to_show() -> None:
    with refused("report-of-vectors", method="show"):
        la.find_pairs([[1, 0], [1, 0.1]], measure="cosine", threshold=0.5).show()
    with refused("report-of-vectors", method="show"):
        la.nearest([[1, 0], [1, 0.1]], top=1).show()


def test_texts_that_have_changed_are_not_shown() -> None:
    texts = [CAT, CAT]
    pairs = la.find_pairs(texts, **FIND)
    texts[1] = "other"
    with refused("data-differs-from-result"):
        pairs.show()
    assert "identical" in str(pairs.show(1, [CAT, CAT]))


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4), max_size=6), st.integers(1, 9))
def test_as_many_pairs_are_shown_as_asked_for(sets: list[list[str]], n: int) -> None:
    pairs = la.find_pairs(sets, threshold=0.3)
    first = min(n, len(pairs))
    shown = str(pairs.show(n))
    assert shown.count(": similarity ") == first and shown.startswith(f"{first} of {len(pairs)} pair")


def test_leaked_documents_are_shown_beside_the_training_documents() -> None:
    found = la.contamination([f"He said: {CAT}, and left"], [CAT], shingles="words:3")
    assert "containment 1.0000" in str(found.show()) and "{+He said+}" in str(found.show())
    with refused("result-without-texts", verb="contamination"):
        pickle.loads(pickle.dumps(found)).show()


def test_copied_passages_are_shown() -> None:
    found = la.plagiarism([f"My own <b>thoughts</b> first.\x1b {CAT}", "Nothing of this kind."], [CAT], passage=5)
    shown = found.show()
    assert f"[[{CAT}]]" in str(shown) and "\x1b" not in str(shown)
    page = Page.of(shown._repr_html_())
    assert page.harmless and "mark" in page.tags and "1 of 1 pair" in page.text


SHOW = f"""import lookalike as la
la.find_pairs({TEXTS[:2]!r}, threshold=0.5, shingles="words:2").show()
"""


@pytest.mark.parametrize("prompt", [False, True])
def test_show_prints_once_in_a_script_and_at_a_prompt(prompt: bool) -> None:
    """It returned an object that only prompts display: a script showed nothing."""
    python = [sys.executable, "-q", "-i"] if prompt else [sys.executable, "-c", SHOW]
    done = subprocess.run(python, input=SHOW * prompt, capture_output=True, text=True, check=True)
    assert done.stdout.count("looked at the {+stars+} for") == 1


def test_show_prints_to_a_terminal_without_every_character() -> None:
    script = SHOW.replace("moon", "луна")
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert "looked at the [-????-] for" in done.stdout


@pytest.mark.parametrize("found", [
    lambda: la.join(TEXTS, measure="jaccard", threshold=0.5, shingles="words:2"),
    lambda: la.find_clusters(TEXTS, **FIND),
    lambda: la.contamination([CAT], [CAT], shingles="words:2"),
    lambda: la.plagiarism(TEXTS[:2]),
    lambda: la.stories(TEXTS[:2]),
    lambda: la.resolve([{"name": "Ann Smith"}, {"name": "Ann Smith"}], method="points"),
])  # fmt: skip
def test_every_show_prints_in_a_script(found: Any, capsys: pytest.CaptureFixture[str]) -> None:
    result = found()
    capsys.readouterr()
    assert result.show().text + "\n" == capsys.readouterr().out
