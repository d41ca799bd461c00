"""The plan of an index is complete: any engine finds the pairs of the index with it. It contains a random key."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.errors import MalformedInput
from lookalike.flow import Documents, Tokens, parse_shingling
from lookalike.kernel import Cpu
from lookalike.planning.resolve import ResolvedPlan
from tests.index.laws import texts
from tests.index.test_queries import index, own_pairs, pairs


def made(folder: str | Path, data: Any = None, **options: Any) -> la.Index:
    Path(folder).mkdir(exist_ok=True)
    ix = la.Index.create(Path(folder) / "x.index", **options)
    if data is not None:
        ix.add(data)
    return ix


def resolved(ix: la.Index) -> ResolvedPlan:
    assert isinstance(ix.plan, ResolvedPlan)
    return ix.plan


def test_an_index_has_a_random_key_and_seed_unless_a_seed_is_given(tmp_path: Path) -> None:
    data = ["one two three four five six"]
    plans = [resolved(made(tmp_path / name, data)) for name in "ab"]
    assert all(plan.shingles.key and plan.plan.seed and plan.method == "lsh" for plan in plans)
    assert plans[0].shingles.key != plans[1].shingles.key and plans[0].plan.seed != plans[1].plan.seed
    assert resolved(made(tmp_path / "c", data, seed=3)).shingles.key == 0
    again = resolved(made(tmp_path / "d", data, plan=plans[0]))
    assert again.signed_by == plans[0].signed_by and again.banding == plans[0].banding


@settings(max_examples=40)
@given(texts(40), st.sampled_from(["local", "reference"]), st.sampled_from(["words:2", "chars:4", "symbols:2", "auto"]))
def test_the_plan_finds_the_pairs_of_the_index_on_every_engine(data: list[str], engine: str, shingles: str) -> None:
    with TemporaryDirectory() as folder, made(folder, data, shingles=shingles, threshold=0.5) as ix:
        own = own_pairs(ix, data)
        if not data:
            return
        for plan in (ix.plan, ix.plan.to_toml(), ResolvedPlan.from_toml(ix.plan.to_toml())):
            found = la.find_pairs(data, plan=plan, engine=engine)
            assert found.similarity is not None
            rows = zip(found.left_rows.tolist(), found.right_rows.tolist(), found.similarity.tolist(), strict=True)
            assert list(rows) == own


@settings(max_examples=30)
@given(texts(20), texts(20))
def test_ignored_shingles_are_those_of_the_first_add(first: list[str], more: list[str]) -> None:
    with index(ignore_common=0.2) as ix:
        ix.add(first)
        ix.add(more)
        if first:
            shingles = la.resolve_plan(first, la.Plan(**{**_options(), "ignore_common": 0.2})).shingles
            assert resolved(ix).shingles.ignored == shingles.ignored
            assert own_pairs(ix, first + more) == pairs(first + more, ix.plan)
            assert ResolvedPlan.from_toml(ix.plan.to_toml()) == ix.plan


def _options() -> dict[str, Any]:
    from tests.index.laws import PLAN

    return PLAN


def test_tokens_that_collide_without_a_key_differ_with_one() -> None:
    """Without a key, the length of a token cancels out against its bytes, so anybody can prepare such tokens."""
    one, two = [["a"] * 3, ["b\0"] * 3]
    documents = Documents.from_texts([one, two])
    for key, equal in ((0, True), (1, False), (2**64 - 1, False)):
        sets = Cpu().shingle(documents, Tokens(3, key=key))
        assert (sets[0].tolist() == sets[1].tolist()) == equal
        words = Cpu().hash_texts(documents, Tokens(3, key=key), raw=False).words
        assert (words[0].tolist() == words[1].tolist()) == equal


@given(st.text(max_size=60), st.integers(1, 2**64 - 1), st.sampled_from(["words:2", "chars:3", "symbols:2", "tokens"]))
def test_a_key_changes_the_words_but_not_the_bytes(text: str, key: int, shingles: str) -> None:
    plain = parse_shingling(shingles)
    documents = Documents.from_texts([text.encode("utf-8", "replace").decode()])
    one, two = (Cpu().hash_texts(documents, parse_shingling(plain, key=some), raw=False) for some in (0, key))
    assert one.bytes.tolist() == two.bytes.tolist() and one.flags.tolist() == two.flags.tolist()
    empty = one.flags[0] == 1
    assert (one.words.tolist() == two.words.tolist()) == empty
    sets = [Cpu().shingle(documents, parse_shingling(plain, key=some)).values.tolist() for some in (0, key)]
    assert len(sets[0]) == len(sets[1]) and (empty or not set(sets[0]) & set(sets[1]))


def test_a_signature_does_not_show_the_key(tmp_path: Path) -> None:
    ix = made(tmp_path, {"a": "one two three four five six"})
    plan, signature = resolved(ix), ix.signature("a")
    assert str(plan.shingles.key) not in signature.made_by and "keyed=" in signature.made_by
    same = la.signature("one two three four five six", plan=plan)
    assert signature.similarity(same) == 1.0
    assert str(plan.shingles.key) not in repr(plan) + repr(plan.plan) + repr(plan.shingles)


def test_damaged_ignored_shingles_in_a_plan_are_refused() -> None:
    text = la.Plan().resolve().to_toml().replace("[resolved]\n", "[resolved]\nignored = '%%'\n")
    with pytest.raises(MalformedInput) as error:
        la.Plan.from_toml(text)
    assert error.value.code == "plan-with-damaged-shingles"
