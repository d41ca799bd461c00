"""Signatures for users: similarity, merging, storing, and errors if they were made with different rules."""

from __future__ import annotations

import pickle
import struct
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.reference.engine import Reference
from lookalike.flow import Documents
from tests.refusals import refused

texts = st.text(alphabet="ab cd.", max_size=40)
tokens = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=30)


@given(st.lists(texts, max_size=6), st.sampled_from(["fast", "classic"]), st.sampled_from(["words:1", "chars:3"]))
def test_the_table_has_the_signatures_of_the_reference(rows: list[str], sketch: Any, shingles: str) -> None:
    table = la.signatures(rows, sketch=sketch, shingles=shingles, hashes=16)
    plan = la.Plan(sketch=sketch, shingles=shingles, hashes=16).resolve()
    engine = Reference()
    documents = Documents(pa.array(rows, pa.large_string()), 0)
    wanted = engine.sign(engine.shingle(documents, plan), plan)
    found = [la.Signature.at(table, row) for row in range(len(rows))]
    assert [one.values.tolist() for one in found] == wanted.values.tolist()
    assert all(one.made_by == wanted.made_by for one in found)
    assert found == [la.signature(text, sketch=sketch, shingles=shingles, hashes=16) for text in rows]


@given(tokens, tokens)
def test_the_signature_of_a_union_is_the_merged_one(one: list[str], two: list[str]) -> None:
    """Law: merging is commutative and idempotent, and merging signatures is signing the union."""
    a, b = la.signature(one), la.signature(two)
    assert a | b == b | a == la.signature(one + two) and a | a == a


@given(tokens, tokens)
def test_the_estimate_is_within_the_promised_error(one: list[str], two: list[str]) -> None:
    similarity = len({*one} & {*two}) / len({*one} | {*two})
    estimate = la.signature(one, hashes=4096).similarity(la.signature(two, hashes=4096))
    assert abs(estimate - similarity) <= 6 * 0.5 / 64
    assert (estimate == 1) == (similarity == 1)


@given(texts, st.integers(1, 300))
def test_a_signature_survives_bytes_and_pickling(text: str, hashes: int) -> None:
    one = la.signature(text, hashes=hashes, shingles="chars:2")
    assert la.Signature.from_bytes(one.to_bytes()) == one == pickle.loads(pickle.dumps(one))
    assert hash(la.Signature.from_bytes(one.to_bytes())) == hash(one) and len(one) == hashes


@given(st.lists(tokens, min_size=2, max_size=5))
def test_many_signatures_are_merged_at_once(sets: list[list[str]]) -> None:
    first, *others = map(la.signature, sets)
    assert first.merge(*others) == la.signature([token for one in sets for token in one])
    with refused("signatures-of-different-rules"):
        first.merge(*others, la.signature(["a"], seed=1))


LIBRARY = ["New library opens its doors on Friday at nine", "The new library opens its doors on Friday at nine"]
CODE = ["for (i = 0; i < n; i++) { total += values[i]; }", "for (i = 0; i < n; i++) { total -= values[i]; }"]


def test_signatures_of_source_code_warn_that_pairs_are_cut_differently(recwarn: pytest.WarningsRecorder) -> None:
    """Signatures of prose, short or long, agree with pairs. Those of code do not see symbols, unless told to."""
    warnings.simplefilter("always")
    cases: list[tuple[list[str], dict[str, Any]]] = [(LIBRARY, {}), (CODE, {"shingles": "symbols:5"})]
    for texts, cut in cases:
        one, two = (la.signature(text, **cut) for text in texts)
        similarity = la.find_pairs(texts, threshold=0.1).top()[0][2]
        assert abs(one.similarity(two) - similarity) < 0.14  # three standard errors
    la.signature(""), la.signature("a long text " * 50), la.signature(["tokens"])
    assert not recwarn.list
    for sign in (la.signature, lambda text: la.signatures([text])):
        sign(CODE[0])
        warning = recwarn.pop(la.LookalikeWarning)
        assert "symbols:5" in str(warning.message) and warning.filename == __file__


def test_signatures_are_refused_at_once_wherever_texts_are_expected(tmp_path: Path) -> None:
    """The error for a missing column said to name the column of signatures, which was an error too."""
    table = la.signatures([{"id": 1, "text": "a"}], id="id", shingles="chars:5")
    pq.write_table(table, tmp_path / "signatures.parquet")
    for data in (table, table.to_pandas(), table.drop_columns("id"), tmp_path / "signatures.parquet"):
        with refused("signatures-as-documents"):
            la.find_pairs(data)
    with refused("no-such-column"):  # here, another column may contain the texts
        la.find_pairs(table.append_column("body", pa.array(["a"])))
    one = la.Signature.at(table, 0)
    for rows in ([one], [None, one], {"a": one}, [{"text": one}], iter([one])):
        with refused("signature-objects-as-documents"):
            la.find_pairs(rows)


def test_appending_tables_of_different_rules_is_seen_as_the_reference_says(tmp_path: Path) -> None:
    one, two = (la.signatures(LIBRARY, shingles=shingles) for shingles in ("chars:5", "words:5"))
    assert one.schema.equals(two.schema) and one.schema.metadata != two.schema.metadata
    pq.write_table(la.signatures(["x"], shingles="chars:5"), tmp_path / "stored.parquet")
    assert one.schema.metadata == pq.read_table(tmp_path / "stored.parquet").schema.metadata


@given(st.data())
def test_damaged_bytes_are_refused(data: st.DataObject) -> None:
    whole = bytearray(la.signature("a b c d e f", hashes=4).to_bytes())
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= 1 << data.draw(st.integers(0, 7))
    for bytes_ in (bytes(whole), bytes(whole[:place]), b""):
        with refused("damaged-signature"):
            la.Signature.from_bytes(bytes_)


def test_the_bytes_are_those_of_the_first_version() -> None:
    """The format is fixed: what one version stores, every later version reads."""
    rules = (
        b"format 1, unicode 15.0.0, kind=words, case=fold, normalize=nfkc, bag=False, bits=64, k=5, "
        b"sketch=fast, hashes=2, seed=0"
    )
    stored = (
        bytes.fromhex("4c4b53494701b213540a770000000200") + rules + bytes.fromhex("a0183c491e3a0100dc5828a9f11d0000")
    )
    one = la.signature("the cat sat on the mat", hashes=2)
    assert one.to_bytes() == stored and la.Signature.from_bytes(stored) == one


def test_signatures_of_different_rules_are_refused_with_the_difference() -> None:
    one, other = la.signature("a b c"), la.signature("a b c", seed=7, shingles="words:3")
    for use in (one.similarity, one.merge):
        with refused("signatures-of-different-rules", differences=("k 5 and 3", "seed 0 and 7")):
            use(other)
    with refused("signatures-of-different-rules", differences=("hashes 128 and 64",)):
        one.similarity(la.signature("a b c", hashes=64))
    text, sets = la.signature("a b c"), la.signature(["a", "b", "c"])
    with refused("signatures-of-different-rules"):
        text.similarity(sets)


@pytest.mark.parametrize("values", [[-1], [1.5], "abc", None, [True], [1 << 64], np.array([-1]), np.array([0.5])])
def test_slots_must_be_whole_numbers_of_64_bits(values: Any) -> None:
    """1.5 was truncated; other values raised errors of NumPy."""
    with refused("not-slots-of-a-signature"):
        la.Signature(values, "x")
    assert la.Signature([0, (1 << 64) - 1], "x").values.tolist() == [0, (1 << 64) - 1]


def test_a_signature_has_as_many_slots_as_its_rules_say() -> None:
    one = la.signature("a b c", hashes=4)
    with refused("slots-differ-from-rules", slots=3, hashes="4"):
        la.Signature(one.values[:3], one.made_by)
    with refused("not-a-signature", shape="(1, 4)"):
        la.Signature(one.values.reshape(1, 4), one.made_by)


def test_other_objects_are_not_signatures() -> None:
    one = la.signature("a b c", hashes=4)
    for use in (one.similarity, one.merge):
        with refused("other-is-not-a-signature", type="NoneType"):
            use(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        one | None  # type: ignore[operator]
    for data in (None, "text", [1]):
        with refused("not-bytes-of-a-signature", type=type(data).__name__):
            la.Signature.from_bytes(data)  # type: ignore[arg-type]
    assert (
        la.Signature.from_bytes(memoryview(one.to_bytes())) == one == la.Signature.from_bytes(bytearray(one.to_bytes()))
    )


@pytest.mark.parametrize(("rules", "slots"), [(b"\xff", 1), (b"hashes=2", 1), (b"x", 0)])
def test_bytes_with_a_right_checksum_can_be_damaged(rules: bytes, slots: int) -> None:
    body = rules + bytes(8 * slots)
    with refused("damaged-signature"):
        la.Signature.from_bytes(struct.pack("<6sIIH", b"LKSIG\x01", zlib.crc32(body), len(rules), slots) + body)


def test_a_plan_that_ignores_common_shingles_is_refused() -> None:
    with refused("signatures-with-ignore-common", share="0.5"):
        la.signature("a b c", plan=la.Plan(ignore_common=0.5))


def test_a_table_keeps_ids_rules_and_rows() -> None:
    table = la.signatures([{"key": "x", "text": "a b c d e"}, {"key": "y", "text": ""}], id="key", hashes=8)
    assert table.column_names == ["id", "signature"] and table["id"].to_pylist() == ["x", "y"]
    assert la.Signature.at(table, 0) == la.signature("a b c d e", hashes=8)
    empty = la.Signature.at(table, 1)
    assert empty.is_empty and empty.similarity(empty) == 0 and "empty" in repr(empty)
    assert la.signatures([], hashes=8).num_rows == 0
    with refused("no-signatures-in-table"):
        la.Signature.at(pa.table({"a": [1]}), 0)


def test_a_plan_makes_signatures_that_can_be_compared_with_those_of_options() -> None:
    plan = la.Plan(shingles="chars:4", hashes=32, seed=3)
    assert la.signature("storm", plan=plan) == la.signature("storm", shingles="chars:4", hashes=32, seed=3)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_a_table_that_lost_its_rules_needs_them_again(library: str) -> None:
    """Polars drops the metadata: a table of signatures that had passed through it was of no use."""
    pytest.importorskip(library)
    texts, how = ["a b c d e f", "a b c d e g"], dict[str, Any](hashes=16, shingles="words:2")
    table: Any = la.signatures(texts, **how)
    frame = {
        "polars": lambda: __import__("polars").from_arrow(table),
        "pandas": table.to_pandas,
        "pyarrow": lambda: table.replace_schema_metadata(None),
    }[library]()
    with refused("signatures-without-rules"):
        la.Signature.at(frame, 1)
    assert la.Signature.at(frame, 1, made_by=la.signature("", **how).made_by) == la.signature(texts[1], **how)
    with refused("slots-differ-from-rules"):
        la.Signature.at(frame, 1, made_by=la.signature("").made_by)


def test_what_is_no_text_is_refused() -> None:
    for wrong in (b"a", 7, None, {"text": "a record is not a text"}):
        with refused("signature-without-text"):
            la.signature(wrong)
    with refused("not-a-signature"):
        la.Signature(np.zeros((2, 2), np.uint64), "")
    with pytest.raises(AttributeError):
        la.signature("a").values = np.zeros(1)  # type: ignore[assignment]


def test_the_functions_of_a_family_can_be_called_one_by_one() -> None:
    """The reference promises functions to call on items; `for f in family.sample(3)` raised a TypeError."""
    draws = la.MinHash().sample(3, seed=5)
    items = {"a", "b", "c"}
    assert [f(items) for f in draws] == draws(items).tolist() == [draws[i](items) for i in range(len(draws))]
    with pytest.raises(IndexError):
        draws[3]


def test_signatures_are_not_read_as_sets_of_tokens(tmp_path: Path) -> None:
    table = la.signatures(["a b c d e f", "a b c d e g"])
    pq.write_table(table, tmp_path / "signatures.parquet")
    without_metadata = table.replace_schema_metadata(None)
    for data in (table, tmp_path / "signatures.parquet", without_metadata, without_metadata.to_pandas()):
        with refused("signatures-as-documents", column="signature"):
            la.find_pairs(data, column="signature", threshold=0.8)
    sets = pa.table({"signature": [["a", "b"], ["a", "b"]]})  # an ordinary column may have this name
    assert len(la.find_pairs(sets, column="signature", threshold=0.8)) == 1


def test_signatures_of_different_lengths_are_refused() -> None:
    one, two = la.Signature([1, 2, 3], "mine"), la.Signature([1, 2], "mine")
    for combine in (one.similarity, one.merge):
        with refused("signatures-of-different-lengths", one=3, other=2):
            combine(two)


def test_stop_words_may_look_like_other_rules() -> None:
    """A stop word with a comma was taken for several rules, and one like "x, hashes=7" for the number of slots."""
    words = ("a, b", "c=d], sketch=classic", "x, hashes=7, y", ", words=[")
    one, other = (la.signature("the cat sat", shingles=la.Stopwords(words=words[:n])) for n in (3, 4))
    assert la.Signature.from_bytes(one.to_bytes()) == one and one.similarity(one) == 1
    with refused("signatures-of-different-rules", differences=(f"words {list(words[:3])} and {list(words)}",)):
        one.similarity(other)


def test_a_text_or_tokens_may_come_from_an_array() -> None:
    for text in (np.str_("the cat sat"), np.array("the cat sat")):
        assert la.signature(text) == la.signature("the cat sat")
    for tokens in (np.array(["a", "b"]), pa.array(["a", "b"]), pa.chunked_array([["a"], ["b"]])):
        assert la.signature(tokens) == la.signature(["a", "b"])


@pytest.mark.parametrize(
    ("column", "row", "code"),
    [
        ([[1, 2]], 1, "no-such-signature"),
        ([[1, 2]], 2**70, "no-such-signature"),
        ([[1, 2]], "0", "no-such-signature"),
        ([[1, None]], 0, "not-slots-of-a-signature"),
        ([[-1, 2]], 0, "not-slots-of-a-signature"),
        ([[0.5, 2]], 0, "not-slots-of-a-signature"),
        ([None], 0, "not-slots-of-a-signature"),
        (["text"], 0, "not-slots-of-a-signature"),
    ],
)
def test_what_is_no_signature_in_a_table_is_refused(column: list[Any], row: Any, code: str) -> None:
    """All raised errors of Arrow or Python."""
    with refused(code):
        la.Signature.at(pa.table({"signature": column}), row, made_by="mine")


def test_what_is_no_table_and_no_rules_is_refused() -> None:
    for table in (None, "text", [1, 2]):
        with refused("signatures-not-in-table"):
            la.Signature.at(table, 0)
    rules: Any
    for rules in (None, b"mine", 7, "\udcff"):
        with refused("not-rules-of-a-signature"):
            la.Signature([1, 2], rules)
