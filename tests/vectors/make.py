"""Prints the test vectors of the signature format, computed from the definitions.

    python tests/vectors/make.py > tests/vectors/format-2.json

Use it only to add vectors or for a new version of the format, never to make a failing test pass.
"""

from __future__ import annotations

import json
from typing import Any

from lookalike.engines.reference import definitions
from lookalike.families.darts import sign_weighted
from lookalike.flow import Chars, Shingling, Stopwords, Symbols, Tokens, Words
from lookalike.planning.plan import FORMAT, UNICODE
from lookalike.text.definitions import hash128, hash_bytes, mix, tokens

LONG = "sixteen bytes, and then some more"
TEXTS: list[tuple[str | list[str | None], Shingling]] = [
    ("The quick brown fox", Words(2)),
    ("the  QUICK brown ﬁx!", Words(2)),
    ("The quick brown fox", Words(5)),
    ("東京は夜の7時", Words(2)),
    ("สวัสดีครับ", Words(3)),
    ("Straße İstanbul e\u0301", Words(1, normalize="none")),
    ("Straße İstanbul e\u0301", Words(1, case="keep")),
    ("int[] x = f(a, -b) != 'c';", Symbols(2)),
    ("GPLv3+ or C#? «Ja!» 3.0", Symbols(3)),
    ("!!!", Words(5)),
    (" \t", Words(5)),
    ("abcab", Chars(2)),
    ("abcab", Chars(2, bag=True)),
    ("abcab", Chars(2, bits=32)),
    ("touch \n down", Chars(9)),
    ("touch \n down", Chars(9, whitespace="drop")),
    ("touch \n down", Chars(9, whitespace="keep")),
    ("a rose is a rose is a rose", Words(2, bag=True)),
    ("a rose is a rose is a rose", Stopwords()),
    ("rose petals fall", Stopwords()),
    ("B a\u00a0a", Tokens(1)),
    (["B", "a", "a", LONG], Tokens(2)),
    (["B", None, "", "a"], Tokens(2)),
    ("Ünïcode \t ﬁts \u3000 in four  chains of sixteen bytes, twice: " + LONG, Chars(5)),
]
KEY = 0x0123456789ABCDEF

KEYED: list[tuple[str | list[str | None], Shingling]] = [
    ("The quick brown fox", Words(2, key=KEY)),
    ("東京は夜の7時", Words(2, key=2**64 - 1)),
    ("int[] x = f(a, -b) != 'c';", Symbols(2, key=KEY)),
    ("!!!", Words(5, key=KEY)),
    ("abcab", Chars(2, key=KEY)),
    ("Ünïcode \t ﬁts", Chars(5, key=KEY)),
    ("a rose is a rose is a rose", Stopwords(key=KEY)),
    (["B", "a", "b\0", LONG], Tokens(2, key=KEY)),
]

SETS: list[tuple[list[int], int, int, int, int]] = [
    # elements, hashes, seed, bands, rows
    ([1, 2, 3], 8, 0, 2, 4),
    ([2**64 - 1], 5, 1, 2, 2),
    ([mix(i) for i in range(1, 41)], 16, 2**64 - 1, 4, 3),
]
WEIGHTED: list[tuple[dict[int, float], int, int]] = [
    # elements with weights, hashes, seed
    ({1: 0.5, 2: 3.0}, 8, 0),
    ({2**64 - 1: 1e-100, 7: 1e100}, 5, 1),
    ({mix(i): (i % 7 + 1) * 2.0 ** (i - 30) for i in range(1, 61)}, 64, 2**64 - 1),
]


def hexadecimal(value: int) -> str:
    return f"{value:016x}"


def vectors() -> dict[str, Any]:
    return {
        "format": FORMAT,
        "unicode": UNICODE,
        "mix": [[hexadecimal(x), hexadecimal(mix(x))] for x in (0, 1, 2**63, 2**64 - 1)],
        "hash_bytes": [
            [text, hexadecimal(hash_bytes(text.encode()))]
            for text in ("", "a", "fox", "字", "sixteen bytes, a", LONG, "\0", "\0" * 16)
        ],
        "hash128": [
            [text, [hexadecimal(part) for part in key], [hexadecimal(part) for part in hash128(text.encode(), key)]]
            for key in ((0, 0), (1, 2**64 - 1))
            for text in (
                "",
                "a",
                "eight by",
                "nine byte",
                "sixteen bytes, a",
                LONG,
                LONG * 4,
                "\0",
                "\0" * 16,
                "\0" * 64,
            )
        ],
        "texts": [about(text, shingling) for text, shingling in TEXTS],
        "keyed_bytes": [
            [text, hexadecimal(KEY), hexadecimal(hash_bytes(text.encode(), KEY))]
            for text in ("", "a", "fox", "sixteen bytes, a", LONG, "b\0")
        ],
        "keyed_texts": [about(text, shingling) for text, shingling in KEYED],
        "sets": [signed(*line, sketch) for line in SETS for sketch in ("fast", "classic")],
        "weighted": [weighed(*line) for line in WEIGHTED],
    }


def about(text: str | list[str | None], shingling: Shingling) -> dict[str, Any]:
    found = definitions.windows(text, shingling)
    options = shingling.to_dict()
    if options.pop("words", None):
        options["words"] = "ENGLISH"
    return {
        "text": text,
        "shingles": options,
        "tokens": [hexadecimal(token) for token in tokens(text, shingling)],
        "set": [hexadecimal(value) for value in definitions.elements(found, bag=shingling.bag)],
        "words": [hexadecimal(value) for value in definitions.hash_words(text, shingling)],
        "bytes": [hexadecimal(value) for value in definitions.hash_raw(text)],
        "short": found.short,
        "fallback": found.fallback,
    }


def signed(values: list[int], hashes: int, seed: int, bands: int, rows: int, sketch: str) -> dict[str, Any]:
    shingles = definitions.as_shingles([sorted(values)])
    signatures = definitions.sign(shingles, sketch=sketch, hashes=hashes, seed=seed)
    keys = definitions.band_keys(signatures, bands, rows)
    return {
        "set": [hexadecimal(value) for value in sorted(values)],
        "sketch": sketch,
        "hashes": hashes,
        "seed": hexadecimal(seed),
        "signature": [hexadecimal(value) for value in signatures[0].tolist()],
        "bands": bands,
        "rows": rows,
        "keys": [hexadecimal(value) for value in keys[0].tolist()],
    }


def weighed(weights: dict[int, float], hashes: int, seed: int) -> dict[str, Any]:
    return {
        "weights": [[hexadecimal(element), weight.hex()] for element, weight in weights.items()],
        "hashes": hashes,
        "seed": hexadecimal(seed),
        "signature": [hexadecimal(value) for value in sign_weighted(weights, hashes=hashes, seed=seed)],
    }


def lines(values: dict[str, Any]) -> str:
    """JSON with one vector per line, for readable diffs."""
    entries = []
    for name, value in values.items():
        body = json.dumps(value)
        if isinstance(value, list):
            body = "[\n  " + ",\n  ".join(json.dumps(item) for item in value) + "\n ]"
        entries.append(f' "{name}": {body}')
    return "{\n" + ",\n".join(entries) + "\n}"


if __name__ == "__main__":
    print(lines(vectors()))
