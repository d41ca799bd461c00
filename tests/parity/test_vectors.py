"""Both implementations reproduce the published test vectors, and so do the examples in the documentation."""

from __future__ import annotations

import doctest
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookalike.engines.reference import definitions
from lookalike.families.amplify import Banded
from lookalike.flow import Documents, Shingling, Stopwords
from lookalike.flow.sketches import EMPTY, FALLBACK, SHORT
from lookalike.kernel import Cpu
from lookalike.planning.plan import FORMAT, UNICODE
from lookalike.text import rules
from tests.vectors import make

ROOT = Path(__file__).parents[2]
VECTORS: dict[str, Any] = json.loads((ROOT / "tests/vectors/format-2.json").read_text(encoding="utf-8"))


def numbers(hexadecimal: list[str]) -> list[int]:
    return [int(text, 16) for text in hexadecimal]


def shingling(options: dict[str, Any]) -> Shingling:
    if options["kind"] == "stopwords":
        return Stopwords(**{name: value for name, value in options.items() if name not in ("kind", "words")})
    return Shingling.from_dict(options)


def test_the_vectors_have_the_current_format_version() -> None:
    assert (VECTORS["format"], VECTORS["unicode"]) == (FORMAT, UNICODE)


def test_the_definitions_reproduce_the_vectors() -> None:
    assert make.vectors() == VECTORS


def test_the_examples_in_the_documentation_are_correct() -> None:
    outcome = doctest.testfile(str(ROOT / "docs/reference/format.md"), module_relative=False)
    assert outcome.attempted > 5
    assert outcome.failed == 0


@pytest.mark.parametrize(("x", "mixed"), VECTORS["mix"])
def test_the_kernel_mixes(x: str, mixed: str) -> None:
    assert rules.mix(int(x, 16)) == int(mixed, 16)


@pytest.mark.parametrize(("text", "hashed"), VECTORS["hash_bytes"])
def test_the_kernel_hashes_bytes(text: str, hashed: str) -> None:
    assert rules.hash_bytes(text.encode()) == int(hashed, 16)


@pytest.mark.parametrize(("text", "key", "hashed"), VECTORS["keyed_bytes"])
def test_the_kernel_hashes_bytes_with_a_key(text: str, key: str, hashed: str) -> None:
    assert rules.hash_bytes(text.encode(), int(key, 16)) == int(hashed, 16)


@pytest.mark.parametrize(("text", "key", "hashed"), VECTORS["hash128"])
def test_the_kernel_hashes_to_128_bits(text: str, key: list[str], hashed: list[str]) -> None:
    assert rules.hash128(text.encode(), *numbers(key)) == tuple(numbers(hashed))


@pytest.mark.parametrize(
    "vector", VECTORS["texts"] + VECTORS["keyed_texts"], ids=lambda v: f"{v['shingles']['kind']} of {v['text']!a}"
)
def test_the_kernel_cuts_texts(vector: dict[str, Any]) -> None:
    cut = shingling(vector["shingles"])
    documents = Documents.from_texts([vector["text"]])
    if isinstance(vector["text"], str):
        assert rules.token_spans(vector["text"], cut)[2].tolist() == numbers(vector["tokens"])
    assert Cpu().shingle(documents, cut)[0].tolist() == numbers(vector["set"])
    sketches = Cpu().sketch(documents, cut, sketch="fast", hashes=4, seed=0, banding=Banded(2, 2))
    assert sketches.words[0].tolist() == numbers(vector["words"])
    assert sketches.bytes[0].tolist() == numbers(vector["bytes"])
    flags = (not vector["set"], vector["short"], vector["fallback"])
    assert tuple(bool(sketches.flags[0] & f) for f in (EMPTY, SHORT, FALLBACK)) == flags


@pytest.mark.parametrize("vector", VECTORS["sets"], ids=lambda v: f"{v['sketch']} of {len(v['set'])}")
def test_the_kernel_signs_sets(vector: dict[str, Any]) -> None:
    shingles = definitions.as_shingles([numbers(vector["set"])])
    found = Cpu().sign(shingles, sketch=vector["sketch"], hashes=vector["hashes"], seed=int(vector["seed"], 16))
    assert found[0].tolist() == numbers(vector["signature"])
    assert Cpu().band_keys(found, vector["bands"], vector["rows"])[0].tolist() == numbers(vector["keys"])


@pytest.mark.parametrize("vector", VECTORS["weighted"], ids=lambda v: f"of {len(v['weights'])}")
def test_the_kernel_signs_weighted_sets(vector: dict[str, Any]) -> None:
    values = np.array(numbers([element for element, _ in vector["weights"]]), np.uint64)
    weights = np.array([float.fromhex(weight) for _, weight in vector["weights"]])
    offsets = np.array([0, len(values)])
    found = Cpu().sign_weighted(offsets, values, weights, hashes=vector["hashes"], seed=int(vector["seed"], 16))
    assert found[0].tolist() == numbers(vector["signature"])
