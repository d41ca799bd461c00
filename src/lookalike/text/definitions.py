"""The definitions of tokens and their hashes (section 1 of docs/reference/format.md), in plain Python.

Slow, but readable. The reference engine uses them, and so does `text/rules.py` if the native module cannot be loaded.
The code shares nothing with the native module, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.flow import Chars, Shingling, Stopwords, Symbols, Tokens, Words
from lookalike.text import unicode

WORD = 2**64 - 1
"""Mask for unsigned 64-bit arithmetic, and the value of a slot that no element has reached."""

GOLDEN = 0x9E3779B97F4A7C15
BASE = 0xD6E8FEB86659FD93
K0, K1, K2 = 0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3

Hash = tuple[int, int]
"""A 128-bit hash, as two numbers."""


def mix(x: int) -> int:
    """Maps 64 bits to 64 bits, one to one. Every output bit depends on every input bit."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


def fold(a: int, b: int) -> int:
    """Returns the XOR of both halves of the 128-bit product and of both factors, so that no factor is hidden by a 0."""
    return (a * b >> 64) ^ (a * b & WORD) ^ a ^ b


def keys_of(key: int) -> tuple[int, int, int, int]:
    """Returns the numbers A, B, P and Q that the key of a plan becomes. All are 0 if the key is 0."""
    a = mix(key)
    b = mix(a * BASE & WORD)
    p = mix(b * BASE & WORD)
    return a, b, p, mix(p * BASE & WORD)


def hash_bytes(data: bytes, key: int = 0) -> int:
    """Hashes bytes to 64 bits, 16 bytes at a time."""
    a, b, _, _ = keys_of(key)
    h = K0 ^ len(data) ^ (len(data) * a & WORD)
    for i in range(0, max(len(data), 1), 16):
        chunk = data[i : i + 16].ljust(16, b"\0")
        low, high = int.from_bytes(chunk[:8], "little"), int.from_bytes(chunk[8:], "little")
        h = fold(low ^ h ^ K1 ^ a, high ^ K2 ^ b)
    return h


def hash128(data: bytes, key: Hash = (0, 0)) -> Hash:
    """Hashes bytes to 128 bits. Four chains take 16 bytes in turn."""
    chains = [(mix(key[0] + i * GOLDEN & WORD), mix(key[1] ^ (i * BASE & WORD))) for i in range(1, 5)]
    for i in range(0, len(data), 16):
        chunk = data[i : i + 16].ljust(16, b"\0")
        low, high = int.from_bytes(chunk[:8], "little"), int.from_bytes(chunk[8:], "little")
        chains[i // 16 % 4] = _step(chains[i // 16 % 4], low, high)
    joined = chains[0]
    for low, high in (*chains[1:], (len(data), 0)):
        joined = _step(joined, low, high)
    b = joined[1] ^ mix(joined[0])
    return joined[0] ^ mix(b), b


def _step(chain: Hash, low: int, high: int) -> Hash:
    a, b = chain[0] ^ low, chain[1] ^ high
    return a * b & WORD ^ b, a * b >> 64 ^ a


def normalize(text: str, shingling: Shingling) -> str:
    """Normalises a text as the shingling requires. For `Tokens`, the text is not changed."""
    return _normalized(text, shingling)[0]


def _normalized(text: str, shingling: Shingling) -> tuple[str, list[tuple[int, int]]]:
    given = isinstance(shingling, Tokens)
    nfkc, folds = shingling.normalize == "nfkc" and not given, shingling.case == "fold" and not given
    return unicode.normalize_with_offsets(text, nfkc=nfkc, fold=folds)


def token_spans(text: str, shingling: Shingling) -> tuple[list[int], list[int], list[int]]:
    """Returns the start and end of each token in the original text, in code points, and the hash of each token."""
    normalized, origins = _normalized(text, shingling)
    if isinstance(shingling, Chars):
        spans, hashes = characters(normalized, shingling.whitespace, shingling.key)
    else:
        spans = _cut(normalized, shingling)
        hashes = [hash_bytes(normalized[start:end].encode(), shingling.key) for start, end in spans]
    starts = [min(first for first, _ in origins[start:end]) for start, end in spans]
    ends = [max(last for _, last in origins[start:end]) for start, end in spans]
    return starts, ends, hashes


def _cut(text: str, shingling: Shingling) -> list[tuple[int, int]]:
    """Returns the start and end of each token, for all kinds of shingles except characters."""
    if isinstance(shingling, Words | Stopwords):
        return unicode.word_spans(text)
    if isinstance(shingling, Symbols):
        return sorted(unicode.word_spans(text) + [(i, i + 1) for i in range(len(text)) if _is_symbol(text, i)])
    if isinstance(shingling, Tokens):
        return _between_spaces(text)
    raise TypeError(f"what are the tokens of shingles of kind {shingling.kind!r}?")


PUNCTUATION = frozenset("\"',.:;`¡«·»¿،؛؟۔।॥–—―‖‗‘’‚‛“”„‟•‹›、。「」『』")
"""Characters that separate words but do not change what they mean: never tokens of `symbols`."""


def _is_symbol(text: str, i: int) -> bool:
    """True if character i is a token of `symbols`: not white space, not part of a word, and not punctuation."""
    if unicode.word_class(ord(text[i])) != "other" or text[i] in PUNCTUATION:
        return False
    if text[i] not in "!?":
        return True
    following = text[i + 1 : i + 2]
    return bool(following) and following not in PUNCTUATION | set("!?") and not unicode.is_space(ord(following))


def tokens(text: str | Sequence[str | None], shingling: Shingling) -> list[int]:
    """Returns the hash of each token of a text or of a list of tokens. None is skipped."""
    if not isinstance(text, str):
        return [hash_bytes(token.encode(), shingling.key) for token in text if token is not None]
    return token_spans(text, shingling)[2]


def characters(text: str, whitespace: str, key: int = 0) -> tuple[list[tuple[int, int]], list[int]]:
    """Returns the range in the text and the hash of each character, with white space folded, dropped or kept."""
    a, _, _, _ = keys_of(key)
    spans: list[tuple[int, int]] = []
    codes: list[int] = []
    for i, character in enumerate(text):
        code = ord(character)
        if whitespace != "keep" and unicode.is_space(code):
            if whitespace == "drop" or not codes:
                continue
            code = ord(" ")
            if codes[-1] == code:  # another space of the same run
                spans[-1] = (spans[-1][0], i + 1)
                continue
        spans.append((i, i + 1))
        codes.append(code)
    if whitespace == "fold" and codes and codes[-1] == ord(" "):
        spans.pop()
        codes.pop()
    return spans, [mix((code + 1) * GOLDEN & WORD ^ a) for code in codes]


def _between_spaces(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    open_word = False
    for i, character in enumerate(text):
        if unicode.is_space(ord(character)):
            open_word = False
        elif open_word:
            spans[-1] = (spans[-1][0], i + 1)
        else:
            spans.append((i, i + 1))
            open_word = True
    return spans
