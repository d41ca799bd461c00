"""An index finds the documents that contain a passage: every one that shares a whole run of shingles with the query."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.reference import definitions
from lookalike.engines.reference.definitions import Windows
from lookalike.flow import Auto, Chars, Documents, Shingling, Words
from lookalike.flow.shingles import KINDS
from lookalike.index import passages
from lookalike.kernel import Cpu
from lookalike.testing.index_contents import Contents
from lookalike.text.definitions import GOLDEN
from tests.index.laws import WORDS
from tests.index.test_queries import index
from tests.parity import strategies as our
from tests.refusals import refused

RUN = passages.run_of(Words(2))

shingles = st.integers(0, 2**64 - 1)


# The choice


@given(st.lists(shingles, min_size=1, max_size=9), st.data())
def test_texts_with_a_common_run_have_a_common_choice(run: list[int], data: st.DataObject) -> None:
    """Whatever is before and after it. A query, which looks up all its shingles, finds even more."""
    around = st.lists(st.one_of(shingles, st.sampled_from(run)), max_size=12)
    one, other = (Windows((*data.draw(around), *run, *data.draw(around))) for _ in range(2))
    common = set(definitions.winnow(one, len(run))) & set(definitions.winnow(other, len(run)))
    assert common & set(run)
    assert set(definitions.winnow(one, len(run))) <= set(definitions.winnow(one, 1)) == set(one.values)


@pytest.mark.parametrize("run", [1, 8, 32])
def test_about_two_of_each_run_and_one_more_are_chosen(run: int) -> None:
    values = tuple(np.random.default_rng(run).integers(0, 2**64, 40_000, np.uint64).tolist())
    chosen = definitions.winnow(Windows(values), run)
    assert len(chosen) == pytest.approx(2 / (run + 1) * len(values), rel=0.05)
    assert np.mean(np.array(chosen) >= 2**63) == pytest.approx(0.5, abs=0.05)  # they are spread evenly


kinds = st.sampled_from([kind for kind in KINDS.values() if kind is not Auto]).flatmap(our.of_kind)


@given(st.lists(our.texts, max_size=5), kinds, st.integers(1, 12), st.integers(1, 3))
def test_the_kernel_chooses_as_the_definition_does(
    texts: list[str], shingling: Shingling, run: int, threads: int
) -> None:
    chosen = [definitions.winnow(definitions.windows(text, shingling), run) for text in texts]
    found = Cpu(threads).winnow(Documents.from_texts(texts), shingling, run)
    assert found.sizes.tolist() == list(map(len, chosen))
    assert found.values.tolist() == [value for one in chosen for value in one]


@pytest.mark.parametrize("shingling", [Words(2), Words(2, bag=True), Chars(4, whitespace="keep")], ids=str)
@pytest.mark.parametrize("ignores", ["nothing", "some", "all"])
def test_huge_texts_are_read_in_blocks_and_chosen_from_as_a_whole(shingling: Shingling, ignores: str) -> None:
    """The runs that begin in one block and end in the next one are not lost."""
    drawn = [f"longer than usual {n}" for n in np.random.default_rng(3).integers(0, 500, 60_000)]
    text = " ".join(drawn)
    assert len(text) > 1 << 20
    if shingling.kind == "words":
        pieces = [" ".join(pair) for pair in pairwise(text.split())]
    else:
        pieces = [text[at : at + 4] for at in range(len(text) - 3)]
    in_order = Cpu(1).shingle(Documents.from_texts(pieces), replace(shingling, bag=False)).values
    every = np.unique(in_order)
    left_out = {"nothing": every[:0], "some": every[::7], "all": every}[ignores]
    ignoring = replace(shingling, ignored=left_out.astype("<u8").tobytes())
    found = Cpu(1).winnow(Documents.from_texts([text]), ignoring, 8)
    if ignores == "all":
        assert found.values.tolist() == Cpu(1).shingle(Documents.from_texts([text]), ignoring).values.tolist()
        return
    kept = in_order[~np.isin(in_order, left_out)]
    runs = np.lib.stride_tricks.sliding_window_view(kept, 8)
    least = (runs * np.uint64(GOLDEN)).argmin(axis=1)
    assert found.values.tolist() == np.unique(runs[np.arange(len(runs)), least]).tolist()


# Queries


words = st.lists(st.sampled_from(WORDS), min_size=RUN + 1, max_size=RUN + 6)


@settings(max_examples=40)
@given(st.lists(words, min_size=1, max_size=6), st.data())
def test_a_passage_is_found_in_every_document_that_contains_it(quotes: list[list[str]], data: st.DataObject) -> None:
    """However long the documents are, in segments and among recent documents. Containment is exact."""
    around = st.lists(st.sampled_from(WORDS), max_size=60)
    long = [" ".join([*data.draw(around), *quote, *data.draw(around)]) for quote in quotes]
    half = len(long) // 2
    with index(long[:half], long[half:], contain=True) as ix:
        for place, quote in enumerate(quotes):
            found = ix.query(" ".join(quote), measure="containment", threshold=0.1)
            sets = [set(zip(text.split(), text.split()[1:], strict=False)) for text in [" ".join(quote), *long]]
            shares = {id: len(sets[0] & one) / len(sets[0]) for id, one in enumerate(sets[1:])}
            assert dict(found.of(0))[place] == 1.0
            assert all(shares[id] == share for id, share in found.of(0))
            assert found.similarity.tolist() == sorted(found.similarity.tolist(), reverse=True)
            alone = ix.query(" ".join(quote), measure="containment", threshold=0.1, top=1)
            assert list(alone) == list(found)[:1]


def test_a_sentence_is_found_in_a_long_page(tmp_path: Path) -> None:
    page = " ".join(f"word{n}" for n in range(5000))
    with la.Index.create(tmp_path / "x.index", contain=True) as ix:
        ix.add({"page": page, "other": "nothing of this kind is there"})
        sentence = " ".join(f"word{n}" for n in range(4000, 4014))
        assert ix.query(sentence).of(0) == []
        found = ix.query(sentence, measure="containment")
        assert found.of(0) == [("page", 1.0)] and "containment of 0.8 or more" in repr(found)
        assert ix.query(sentence + " and more", measure="containment", threshold=0.5).of(0) == [("page", 10 / 12)]
        assert ix.query("", measure="containment").of(0) == []


def test_a_passage_of_characters_may_have_typing_errors_around_it(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "x.index", contain=True, shingles="chars:5") as ix:
        ix.add(["The seals of the harbour sleep on the quay until the ferries come back in the morning."])
        assert ix.info()["passage"] == 32
        asked = "they sleep on the quay until the ferries come bakc"
        assert len(ix.query(asked, measure="containment", threshold=0.7)) == 1


def test_many_queries_are_looked_up_in_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The candidates of a query stay together, whatever the size of the steps."""
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(WORDS, 40)) for _ in range(60)]
    contents = Contents()
    contents.put(dict(enumerate(texts)))
    with la.Index.create(tmp_path / "x.index", contain=True, shingles=Words(2), threshold=0.5, seed=7) as ix:
        ix.add(texts)
        monkeypatch.setattr("lookalike.index.embedded_lookup.MOST_HITS", 3)
        contents.compare(ix)


# Refusals and facts


def test_an_index_without_passages_refuses_to_look_for_them(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "x.index") as ix:
        assert (ix.info()["contain"], ix.info()["passage"]) == (False, None)
        with refused("index-without-passages", name=str(tmp_path / "x.index")):
            ix.query("a text", measure="containment")
        with refused("not-one-of", option="measure", value="dice"):
            ix.query("a text", measure="dice")


def test_what_cannot_be_created_is_refused(tmp_path: Path) -> None:
    with refused("passages-need-texts"):
        la.Index.create(tmp_path / "x.index", contain=True, texts=False)
    with refused("not-true-or-false", option="contain"):
        la.Index.create(tmp_path / "x.index", contain="yes")  # type: ignore[arg-type]
    assert not (tmp_path / "x.index").exists()


def test_an_index_describes_its_passages(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "x.index", contain=True) as ix:
        assert (ix.info()["contain"], ix.info()["passage"]) == (True, None)
        assert len(ix.query("a text", measure="containment")) == 0
        ix.add(["a text"])
        assert (ix.info()["contain"], ix.info()["passage"]) == (True, RUN)
    with la.Index.open(tmp_path / "x.index") as ix:
        assert len(ix.query("a text", measure="containment")) == 1


def test_passages_are_not_computed_for_other_indexes(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "x.index", shingles=Words(2), seed=7, hashes=16, bands=8, rows=2) as ix:
        ix.add(["one two three"] * 300)
    (keys,) = (tmp_path / "x.index" / "segments").glob("*.keys")
    assert keys.stat().st_size < 11 * 4096
