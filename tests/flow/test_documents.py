"""Documents are converted from many Arrow types to two layouts."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lookalike.flow import Documents
from tests.refusals import refused


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_every_text_type_gives_the_same_texts(kind: pa.DataType) -> None:
    texts = (
        pa.array(["one", None, "two"]).cast(kind) if kind != pa.string_view() else pa.array(["one", None, "two"], kind)
    )
    assert Documents(texts).to_pylist() == ["one", "", "two"]


@pytest.mark.parametrize("tokens", [[["a", "b"], None, []], [[1, 2], None, []]])
def test_lists_of_strings_and_of_integers_are_tokens(tokens: list[list[object] | None]) -> None:
    documents = Documents(pa.array(tokens))
    assert documents.has_tokens
    assert documents.to_pylist() == [[str(t) for t in row or []] for row in tokens]


def test_python_sets_of_tokens_are_accepted() -> None:
    assert Documents.from_texts([{"a"}, ["b", 3]]).to_pylist() == [["a"], ["b", "3"]]


def test_a_column_of_numbers_is_refused_with_its_type() -> None:
    with refused("neither-texts-nor-tokens", type="double"):
        Documents(pa.array([1.5]))


def test_a_lone_surrogate_is_refused() -> None:
    with refused("lone-surrogate"):
        Documents.from_texts(["\ud800"])


def test_a_lone_surrogate_in_a_token_is_malformed_input() -> None:
    with refused("lone-surrogate"):
        Documents.from_texts([["a", "\ud800"]])
