"""The definitions in docs/reference/format.md, section by section, in plain Python that is slow but readable.

Section 1, from texts to tokens, is in `text/definitions.py`.

The code uses dictionaries, sets and loops; NumPy is only used for input and output arrays. It shares no code with the
native kernel, and tests compare the two. A function with a counterpart in the kernel has the same name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from lookalike.flow import Candidates, Chars, Documents, Shingles, Shingling, Stopwords
from lookalike.text import unicode
from lookalike.text.definitions import (
    BASE,
    GOLDEN,
    WORD,
    Hash,
    characters,
    hash128,
    hash_bytes,
    keys_of,
    mix,
    normalize,
    tokens,
)

# --- 2. Tokens → shingles ---------------------------------------------------------------------------------------------


def polynomial(values: Iterable[int]) -> int:
    """Computes v₀·BASEⁿ⁻¹ + … + vₙ₋₁ modulo 2⁶⁴, by Horner's rule."""
    total = 0
    for value in values:
        total = (total * BASE + value) & WORD
    return total


def shingle_hash(window: Sequence[int]) -> int:
    """Returns the shingle of a window, given the hashes of its tokens."""
    return mix((polynomial(window) + len(window) * GOLDEN) & WORD)


@dataclass(frozen=True)
class Windows:
    """The shingles of a text in order, including repetitions, and flags that describe how the text was cut."""

    values: tuple[int, ...]
    short: bool = False
    """True if the text has fewer tokens than a window, so the whole text is one shingle."""
    fallback: bool = False
    """True if no stop word is followed by two words, so the text is cut as words:3."""


def windows(text: str | Sequence[str | None], shingling: Shingling) -> Windows:
    """Returns the shingles of a text or of a list of tokens, one per window."""
    if isinstance(text, str) and is_blank(text, shingling):
        return Windows(())
    found = tokens(text, shingling)
    if not found:
        # A list without tokens is empty. A text of only punctuation is one shingle.
        whole = characters(normalize(text, shingling), "fold", shingling.key)[1] if isinstance(text, str) else []
        return Windows(_in_bits([shingle_hash(whole)], shingling), short=True) if whole else Windows(())
    fallback = False
    if isinstance(shingling, Stopwords):
        chosen = stops(shingling)
        cut = [found[i : i + 3] for i in range(len(found) - 2) if found[i] in chosen]
        k, fallback = 3, not cut
    else:
        cut, k = [], getattr(shingling, "k", 0)
        assert k  # every other kind has a length, except `auto`, which no resolved plan has
    short = len(found) < k
    if short:
        cut = [found]
    elif not cut:
        cut = [found[i : i + k] for i in range(len(found) - k + 1)]
    return Windows(_in_bits([shingle_hash(window) for window in cut], shingling), short, fallback)


def is_blank(text: str, shingling: Shingling) -> bool:
    """True if a text consists of white space only, or of nothing."""
    return all(unicode.is_space(ord(character)) for character in normalize(text, shingling))


@lru_cache(maxsize=8)
def stops(shingling: Stopwords) -> frozenset[int]:
    """Returns the token hashes of the stop words."""
    return frozenset(hash_bytes(normalize(word, shingling).encode(), shingling.key) for word in shingling.words)


def _in_bits(values: list[int], shingling: Shingling) -> tuple[int, ...]:
    return tuple(mix(value >> 32) for value in values) if shingling.bits == 32 else tuple(values)


def elements(found: Windows, *, bag: bool, ignored: bytes = b"") -> list[int]:
    """Returns the set of a text: its distinct shingles in ascending order. For a bag, repetitions are elements too.

    Ignored shingles are left out. If all shingles are ignored, the whole text becomes one shingle.
    """
    seen: dict[int, int] = defaultdict(int)
    chosen = set()
    values = [value for value in found.values if value not in _words(ignored)]
    if found.values and not values:
        one = sum(found.values) & WORD
        two = sum((value >> 32) * (value & 0xFFFFFFFF) for value in found.values) & WORD
        values = [mix(one ^ mix(two))]
    for value in values:
        chosen.add(mix((value + seen[value] * GOLDEN) & WORD) if bag and seen[value] else value)
        seen[value] += 1
    return sorted(chosen)


def set_of(found: Windows, shingling: Shingling) -> list[int]:
    """Returns the set of a text, according to the shingling's rules for bags and ignored shingles."""
    return elements(found, bag=shingling.bag, ignored=shingling.ignored)


def winnow(found: Windows, run: int, ignored: bytes = b"") -> list[int]:
    """Returns the shingles that stand for the passages of a text, in ascending order (index-format.md).

    Two texts with a common run of `run` shingles choose the same one there: the least, in the order of `key`. Which of
    several equal ones is least makes no difference, because only their value is kept.

    >>> text = Windows((5, 3, 8, 3, 9, 2))
    >>> winnow(text, 3) == sorted({min(text.values[i : i + 3], key=lambda v: v * GOLDEN & WORD) for i in range(4)})
    True
    """
    values = [value for value in found.values if value not in _words(ignored)]
    if not values:
        return elements(found, bag=False, ignored=ignored)
    runs = [values[i : i + run] for i in range(max(1, len(values) - run + 1))]
    return sorted({min(some, key=lambda value: value * GOLDEN & WORD) for some in runs})


@lru_cache(maxsize=8)
def _words(data: bytes) -> frozenset[int]:
    """Returns the 64-bit hashes stored in `data`, 8 bytes each, as a set."""
    return frozenset(int.from_bytes(data[i : i + 8], "little") for i in range(0, len(data), 8))


def common(sets: Sequence[Sequence[int]], share: Fraction) -> bytes:
    """Returns the elements that are in more than this share of the sets, in ascending order, as 8 bytes each."""
    counts = Counter(element for one in sets for element in one)
    chosen = sorted(element for element, count in counts.items() if count > share * len(sets))
    return b"".join(element.to_bytes(8, "little") for element in chosen)


def hash_words(text: str | Sequence[str | None], shingling: Shingling) -> Hash:
    """Returns the hash of the tokens of a text in their order, or zero if the text is empty.

    Texts with equal hashes have the same words in the same order, and therefore the same set.
    """
    _, _, *pair = keys_of(shingling.key)
    key = (pair[0], pair[1])
    if isinstance(text, str) and is_blank(text, shingling):
        return 0, 0
    if isinstance(text, str) and isinstance(shingling, Chars):
        normalized, keep = normalize(text, shingling), shingling.whitespace == "keep"
        spans, _ = characters(normalized, shingling.whitespace)
        kept = (normalized[start] for start, _ in spans)
        return hash128("".join(c if keep or not unicode.is_space(ord(c)) else " " for c in kept).encode(), key)
    found = tokens(text, shingling)
    if not found and isinstance(text, str):
        found = characters(normalize(text, shingling), "fold", shingling.key)[1]
    return hash128(b"".join(token.to_bytes(8, "little") for token in found), key) if found else (0, 0)


def hash_raw(text: str | Sequence[str | None]) -> Hash:
    """Returns the hash of the bytes of a text. In a list, each token follows its length; that of None is 2⁶⁴ − 1."""
    if isinstance(text, str):
        return hash128(text.encode())
    tokens = [None if token is None else token.encode() for token in text]
    parts = [(WORD, b"") if token is None else (len(token), token) for token in tokens]
    return hash128(b"".join(length.to_bytes(8, "little") + token for length, token in parts))


def shingle(documents: Documents, shingling: Shingling) -> Shingles:
    """Converts texts to sets of shingles, in one table."""
    texts = documents.to_pylist()
    return as_shingles((set_of(windows(text, shingling), shingling) for text in texts), documents.start)


def as_shingles(sets: Iterable[Sequence[int]], start: int = 0) -> Shingles:
    """Combines sets, each in ascending order, into one table."""
    sets = list(sets)
    offsets = np.cumsum([0, *(len(values) for values in sets)], dtype=np.int64)
    return Shingles(offsets, np.array([value for values in sets for value in values], dtype=np.uint64), start)


# --- 3. Set → signature -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def multipliers(seed: int, count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the multipliers M(i) and the constants C(i) for i = 0 … count − 1."""
    s = mix((seed + GOLDEN) & WORD)
    m = tuple(mix((s + (i + 1) * GOLDEN) & WORD) | 1 for i in range(count))
    c = tuple(mix(s ^ ((i + 1) * BASE & WORD)) for i in range(count))
    return m, c


def fast(values: Iterable[int], hashes: int, seed: int) -> list[int]:
    """Computes a signature by Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup, 2017).

    There are t slots and 2t rounds. In each of the first t rounds, every element falls into one slot, so a large set
    fills all slots in about one round. In round t + j, every element falls into slot j, so even a small set fills all
    slots.
    """
    values = list(values)
    m, _ = multipliers(seed, 2 * hashes)
    slots = [WORD] * hashes
    for i in range(2 * hashes):
        for a in values:
            x = a * m[i] & WORD
            if i < hashes:
                p = (x >> 32) * hashes
                slot = p >> 32
                value = i << 48 | (p & 0xFFFFFFFF) << 16 | (x >> 16 & 0xFFFF)
            else:
                slot = i - hashes
                value = i << 48 | x >> 16
            slots[slot] = min(slots[slot], value)
        if WORD not in slots:
            break
    return slots


def classic(values: Iterable[int], hashes: int, seed: int) -> list[int]:
    """Computes a MinHash signature: slot i is the minimum of the hash function a·M(i) + C(i) over all elements a."""
    values = list(values)
    m, c = multipliers(seed, hashes)
    return [min(((a * m[i] + c[i]) & WORD for a in values), default=WORD) for i in range(hashes)]


SKETCHES = {"fast": fast, "classic": classic}


def sign(shingles: Shingles, *, sketch: str, hashes: int, seed: int) -> npt.NDArray[np.uint64]:
    """Computes the signature of each set. The result has one row per document."""
    rows = [SKETCHES[sketch](values.tolist(), hashes, seed) for values in shingles]
    return np.array(rows, dtype=np.uint64).reshape(len(shingles), hashes)


# --- 4. Signature → band keys → candidates ----------------------------------------------------------------------------


def band_keys(signatures: npt.NDArray[np.uint64], bands: int, rows: int) -> npt.NDArray[np.uint64]:
    """Computes one key per band from each signature."""
    keys = [
        [
            mix((polynomial(slots[band * rows : (band + 1) * rows]) + (band + 1) * GOLDEN) & WORD)
            for band in range(bands)
        ]
        for slots in signatures.tolist()
    ]
    return np.array(keys, dtype=np.uint64).reshape(len(signatures), bands)


def candidates(keys: npt.NDArray[np.uint64], empty: Sequence[bool]) -> Candidates:
    """Finds the pairs of rows that share a bucket, from their band keys.

    Each band has its own buckets. Empty texts are in none of them.
    """
    pairs: set[tuple[int, int]] = set()
    for band in range(keys.shape[1]):
        buckets: dict[int, list[int]] = defaultdict(list)
        for row, key in enumerate(keys[:, band].tolist()):
            if not empty[row]:
                buckets[key].append(row)
        for bucket in buckets.values():
            pairs.update(combinations(bucket, 2))
    return Candidates.from_pairs(pairs)


def copies(hashes: Sequence[Hash], empty: Sequence[bool]) -> list[int]:
    """Returns, for each row, the first row with the same hash. An empty text is never a copy."""
    first: dict[Hash, int] = {}
    return [row if empty[row] else first.setdefault(mark, row) for row, mark in enumerate(hashes)]


# --- 5. Candidates → pairs → clusters ---------------------------------------------------------------------------------


def intersections(shingles: Shingles, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Returns, for each pair of positions, the number of common elements |A∩B|."""
    sets = [set(values.tolist()) for values in shingles]
    return [len(sets[i] & sets[j]) for i, j in pairs]


def survivors(
    order: Sequence[int],
    edges: Iterable[tuple[int, int]],
    always_kept: int = 0,
    copy_of: Sequence[int] | None = None,
    may_replace: Callable[[int, int], bool] = lambda kept, removed: True,
) -> list[int]:
    """Finds the row that is kept in the place of each row, or the row itself if it is kept.

    Rows are visited in the given order. A row that is similar to a kept one is removed, unless it is among the first
    `always_kept`. The most preferred row that is similar to it is kept in its place, or a copy of it if there is one.
    """
    neighbours: dict[int, list[int]] = defaultdict(list)
    for i, j in edges:
        neighbours[i].append(j)
        neighbours[j].append(i)
    place = {row: nth for nth, row in enumerate(order)}
    survivor, kept = list(range(len(order))), set[int]()
    for row in order:
        near = [other for other in neighbours[row] if other in kept and may_replace(other, row)]
        near.sort(key=lambda other: place[other])
        if place[row] < always_kept or not near:
            kept.add(row)
            continue
        copies = [other for other in near if copy_of is not None and copy_of[other] == copy_of[row]]
        survivor[row] = (copies or near)[0]
    return survivor


def connect(rows: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """Finds connected components, breadth first. Each row's label is the smallest row of its component."""
    neighbours: dict[int, list[int]] = defaultdict(list)
    for i, j in edges:
        neighbours[i].append(j)
        neighbours[j].append(i)
    labels = [-1] * rows
    for row in range(rows):
        if labels[row] >= 0:
            continue
        labels[row] = row
        reached = [row]
        for here in reached:  # grows during the loop
            for other in neighbours[here]:
                if labels[other] < 0:
                    labels[other] = row
                    reached.append(other)
    return labels


# --- Which documents can have a partner -------------------------------------------------------------------------------


def can_match(sets: Sequence[set[int]], threshold: Fraction) -> list[bool]:
    """Whether each set can have a similarity of at least `threshold` with another one, judging by its unique elements.

    A set that reaches the threshold with another one shares at least `threshold` of its elements with it. A set with
    too many elements of its own is left out. Its other elements may then be unique in another set, so the rest is
    looked at again, until nothing changes.
    """
    left = {i for i, elements in enumerate(sets) if elements}
    while True:
        counts = Counter(element for i in left for element in sets[i])
        shared = {i: sum(counts[element] > 1 for element in sets[i]) for i in left}
        stay = {i for i in left if shared[i] >= threshold * len(sets[i])}
        if stay == left:
            return [i in left for i in range(len(sets))]
        left = stay


def similar_groups(sets: Sequence[set[int]], threshold: Fraction) -> list[int]:
    """For each set, the first set of its group. Similar sets are in one group; two groups contain no similar sets."""
    first = list(range(len(sets)))
    for a, b in combinations(range(len(sets)), 2):
        if sets[a] | sets[b] and len(sets[a] & sets[b]) >= threshold * len(sets[a] | sets[b]):
            low, high = sorted((first[a], first[b]))
            first = [low if label == high else label for label in first]
    return first
