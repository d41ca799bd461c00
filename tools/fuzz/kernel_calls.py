"""Fuzz target: calls every function of the compiled module with random arrays."""

from __future__ import annotations

import contextlib
import random
import tempfile
from typing import Any, ClassVar

import numpy as np

from .random_inputs import (
    damaged,
    expect,
    random_lists,
    random_offsets,
    random_rules,
    random_sets,
    random_threads,
    text_of,
)


def kernel(rng: random.Random) -> None:
    """Calls a function of the compiled module with valid or invalid arguments."""
    from lookalike.kernel import _native

    calls = [_cutting, _signing, _keys, _joining, _counting, _strings, _forest, _vectors, _scores, _records, _prints]
    call = rng.choice([*calls, _pages, _segments])
    with contextlib.suppress(ValueError, TypeError, OverflowError, MemoryError):
        call(rng, Recorder(_native))
    if rng.random() < 0.05:
        _native.force(rng.choice([None, *_native.paths()]))


class Recorder:
    """Wraps the compiled module, or one of its objects, and records which functions returned an answer."""

    answered: ClassVar[set[str]] = set()

    def __init__(self, of: Any, name: str = "") -> None:
        self._of, self._name = of, name

    def __getattr__(self, name: str) -> Any:
        thing, named = getattr(self._of, name), self._name + name
        if not callable(thing):
            return thing

        def call(*arguments: Any) -> Any:
            answer = thing(*arguments)
            self.answered.add(named)
            return Recorder(answer, f"{named}.") if isinstance(thing, type) and name != "Rules" else answer

        return call


def _cutting(rng: random.Random, native: Any) -> None:
    data = np.frombuffer(damaged(rng, text_of(rng, 30).encode("utf-8", "surrogatepass")) or b"x", np.uint8)
    strings = random_offsets(rng, len(data))
    lists = rng.choice([None, random_offsets(rng, len(strings) - 1)])
    validity = rng.choice([None, np.frombuffer(rng.randbytes(rng.randrange(5)) or b"\0", np.uint8)])
    place = (data, strings, lists, validity, rng.choice([0, 1, 7, -1, 2**62]))
    if rng.random() < 0.5:
        offsets, values = native.shingle(*place, random_rules(rng, native), random_threads(rng))
        expect(offsets[-1] == len(values) and (np.diff(offsets) >= 0).all(), "offsets of shingles")
        part, parts = rng.choice([(0, 1), (1, 3), (2, 2), (-1, 5)])
        native.shingle_part(*place, random_rules(rng, native), part, parts, random_threads(rng))
        native.winnow(*place, random_rules(rng, native), rng.choice([1, 3, 8, 0, -1, 2**40]), random_threads(rng))
        native.repeated_runs(*place, random_rules(rng, native), rng.choice([1, 2, 0, -1, 2**40]), random_threads(rng))
        chosen = np.unique(values)[::2]
        columns = np.array([[rng.random() < 0.5 for _ in range(2)] for _ in chosen], np.uint8).reshape(-1, 2)
        some = columns[: len(chosen) - rng.choice([0, 0, 1])]
        windows, _, _ = native.members(*place, random_rules(rng, native), chosen, some, random_threads(rng))
        expect((windows >= 0).all(), "members")
        return
    if rng.random() < 0.3:
        census, threads = native.Census(rng.choice([1.0, 0.3, 0.0, 1e-300])), random_threads(rng)
        start = rng.choice([0, 0, 5, -1])
        windows = census.add(*place, random_rules(rng, native), start, threads)[-1]
        left_out = np.array([rng.random() < 0.3 for _ in range(len(windows) + rng.choice([0, 0, 1]))], np.bool_)
        with contextlib.suppress(OSError), tempfile.TemporaryFile(buffering=0) as file:
            if rng.random() < 0.3:
                census.spill(rng.choice([-1, file.fileno()]), rng.choice([0, 8, 2**40, -1]))
            can = census.can_match(windows, left_out, rng.choice([1, 4, 0]), rng.choice([5, 4, 10**9]), threads)
            expect(not (can & left_out).any(), "rows that were left out")
        return
    if rng.random() < 0.2:
        words, raw = native.hash_texts(*place, random_rules(rng, native), rng.random() < 0.5, random_threads(rng))[:2]
        expect(words.shape == raw.shape, "hashes of texts")
        return
    if rng.random() < 0.2:
        ends = [np.array([rng.randrange(-1, 4) for _ in range(rng.choice([2, 2, 2, 3]))], np.int64) for _ in range(2)]
        identical, lost = native.losses(*place, random_rules(rng, native), *ends, random_threads(rng))
        expect((lost >= 0).all() and (lost[identical] == 0).all(), "losses")
        return
    hashes, bands = rng.choice([1, 8, 128, 4097, 0]), rng.choice([1, 2, 9, 0, 200])
    rows = rng.choice([1, 2, 13, -1])
    native.sketch(
        *place,
        random_rules(rng, native),
        rng.choice(["fast", "classic", "slow"]),
        hashes,
        rng.getrandbits(64),
        bands,
        rows,
        random_threads(rng),
    )


def _strings(rng: random.Random, native: Any) -> None:
    content, rules = damaged(rng, text_of(rng, 30).encode("utf-8", "surrogatepass")), random_rules(rng, native)
    native.hash_bytes(content)
    native.hash128(content, rng.getrandbits(64), rng.getrandbits(64))
    native.mix(rng.getrandbits(64))
    native.trim()
    native.path()
    native.normalize(content, rules)
    starts, ends, hashes = native.token_spans(content, rules)
    expect(len(starts) == len(ends) == len(hashes) and (starts <= ends).all(), "spans")


def _signing(rng: random.Random, native: Any) -> None:
    offsets, values = random_sets(rng)
    hashes = rng.choice([1, 8, 64, 128, 0, 5000])
    if rng.random() < 0.2:
        odd = rng.choice([[1.0, 0.3, 7.5], [0.0, 1.0, 0.3, -1.0, float("nan"), 1e308]])
        weights = np.array([rng.choice(odd) for _ in values], np.float64)
        native.sign_weighted(offsets, values, weights, hashes, rng.getrandbits(64), random_threads(rng))
        return
    bits = native.simhash(offsets, values, rng.choice([1, 2, 5, 0, 2**40]), rng.getrandbits(64), random_threads(rng))
    expect(len(bits) == len(offsets) - 1, "bits of sets")
    signed = native.sign(
        offsets, values, rng.choice(["fast", "classic"]), hashes, rng.getrandbits(64), random_threads(rng)
    )
    expect(signed.shape == (len(offsets) - 1, hashes), "signatures")
    native.band_keys(signed, rng.choice([1, 4, 0, 2**40]), rng.choice([1, 2, 8, -1]), random_threads(rng))


def _keys(rng: random.Random, native: Any) -> None:
    rows, bands = rng.randrange(12), rng.choice([0, 1, 2, 5])
    keys = np.array([rng.choice([0, 1, 2, 2**64 - 1, rng.getrandbits(64)]) for _ in range(rows * bands)], np.uint64)
    keys = keys.reshape(rows, bands)
    flags = np.array([rng.random() < 0.3 for _ in range(rows + rng.choice([0, 0, 0, 1]))], np.bool_)
    native.bucketed(keys, flags, random_threads(rng))
    native.copies(keys[:, :2].copy(), flags, random_threads(rng))
    left, right = native.candidates(keys, random_threads(rng), rng.choice([2**63, 2**63, 3]), *_band_range(rng, bands))
    expect(len(left) == 0 or ((left < right).all() and right.max() < rows), "candidates")
    ends = [np.array([rng.randrange(-1, rows + 1) for _ in range(3)], np.int64) for _ in range(2)]
    native.connect(rng.choice([rows, 0, -1]), *ends)


def _joining(rng: random.Random, native: Any) -> None:
    offsets, values = random_sets(rng)
    other = rng.choice([(None, None), random_sets(rng)])
    threshold = rng.choice(
        [(4, 5), (1, 1), (1, 10**9), (0, 1), (3, 2), (7, 1), (-1, 1), (2**31 - 1, 1), (2**62, 2**62)]
    )
    measure = rng.choice(["jaccard", "dice", "cosine", "overlap", "containment", "hamming", "none"])
    kind = rng.randrange(6)
    if kind == 5:
        groups = native.Groups(
            len(offsets) - rng.choice([1, 1, 1, 0, 2]), len(values), *threshold, rng.choice([0, 999])
        )
        groups.count(offsets, values, random_threads(rng))
        with contextlib.suppress(OSError), tempfile.TemporaryFile(buffering=0) as file:
            if rng.random() < 0.5:
                groups.spill(rng.choice([-1, file.fileno()]), rng.choice([0, 8, 2**40, -1]))
            groups.add(offsets, values, random_threads(rng))
            labels = groups.labels(random_threads(rng))
            expect((labels <= np.arange(len(labels))).all(), "groups")
    elif kind == 4:
        kept, left, _ = native.prune_sets(offsets, values, *threshold, random_threads(rng))
        expect(len(left) == kept.sum() + 1, "pruned sets")
    elif kind == 0:
        native.exact_pairs(offsets, values, *other, measure, *threshold, random_threads(rng), rng.choice([0, 3, 2**63]))
    elif kind == 1:
        top, most = rng.choice([1, 3, 0, -1, 2**40]), rng.choice([0, 3, 2**63])
        native.exact_top(offsets, values, *other, measure, *threshold, top, random_threads(rng), most)
    else:
        keys = np.array([rng.getrandbits(2) for _ in range(2 * (len(offsets) - 1))], np.uint64).reshape(-1, 2)
        place = _band_range(rng, 2)
        if kind == 2:
            native.similar_pairs(
                keys, offsets, values, *threshold, random_threads(rng), rng.choice([1, 2**63 - 1]), *place
            )
        else:
            known = rng.choice([None, np.array([rng.randrange(i + 1) for i in range(len(offsets) - 1)], np.int64)])
            stars = rng.random() < 0.3
            native.similar_components(keys, offsets, values, *threshold, random_threads(rng), *place, known, stars)
            _surviving(rng, native, keys, (offsets, values), threshold)
        ends = [np.array([rng.randrange(-1, len(offsets)) for _ in range(3)], np.int64) for _ in range(2)]
        native.intersections(offsets, values, *ends, random_threads(rng))


def _surviving(rng: random.Random, native: Any, keys: Any, sets: Any, threshold: tuple[int, int]) -> None:
    rows = len(keys)
    order = list(range(rows)) if rng.random() < 0.9 else [rng.randrange(-1, rows + 1) for _ in range(rows)]
    rng.shuffle(order)
    left, right = ([rng.randrange(-(rng.random() < 0.1), rows) for _ in range(3 if rows else 0)] for _ in range(2))
    ends = np.array(left, np.int64), np.array(right, np.int64)
    places, kept = np.array(order, np.int64), rng.choice([0, 0, 1, rows, -1])
    pair = native.removing_pairs(places, kept, *ends)
    expect(len(pair) == rows, "one pair per row")
    share = rng.choice([(0, 1), (1, 1), (9, 10), (2, 1)])
    survivor, *_ = native.choose_survivors(keys, *sets, *threshold, *share, places, kept, *ends, random_threads(rng))
    expect((survivor[survivor] == survivor).all(), "a survivor survives")


def _forest(rng: random.Random, native: Any) -> None:
    rows = rng.choice([0, 1, 5, 9, -1])
    forest = native.Forest(rows)
    count = max(rows, 0)
    keys = np.array([rng.choice([rng.getrandbits(64), rng.randrange(4)]) for _ in range(count)], np.uint64)
    named = rng.choice(
        [None, np.array([rng.randrange(count + 1) for _ in range(count + rng.choice([0, 0, 1]))], np.uint32)]
    )
    left_out = rng.choice([None, np.array([rng.random() < 0.3 for _ in range(count)], np.bool_)])
    members, starts = native.buckets(keys, named, left_out)
    with contextlib.suppress(ValueError):
        forest.join_buckets(members, rng.choice([starts, random_offsets(rng, len(members))]))
    forest.join(*(np.array([rng.randrange(-1, rows + 1) for _ in range(3)], np.int64) for _ in range(2)))
    found = forest.find(np.arange(max(rows, 0) + rng.choice([0, 0, 1]), dtype=np.int64))
    expect((found <= np.arange(len(found))).all(), "roots")


def _vectors(rng: random.Random, native: Any) -> None:
    rows, width = rng.randrange(12), rng.choice([16, 32, 64, 128, 0, 17])
    odd = rng.choice([[0.0, 1.0, -0.5, 3.25], [0.0, float("nan"), float("inf"), 1e38, -1e-40]])
    values = np.array([rng.choice(odd) for _ in range(rows * width)], np.float32).reshape(rows, width)
    bits = np.array([rng.getrandbits(64) for _ in range(rows * 2)], np.uint64).reshape(rows, 2)
    bands, each, seed = rng.choice([1, 3, 0, 2**40]), rng.choice([1, 9, 32, 0, 33]), rng.getrandbits(64)
    threads, most = random_threads(rng), rng.choice([0, 5, 2**62])
    is_near = rng.choice([None, lambda left, right: (left + right) % 2 == 0, lambda left, right: left[1:] > 0])
    with contextlib.suppress(ValueError):
        keys = native.vector_keys(values, bands, each, seed, rng.choice([0.0, 0.0, 1.5, -1.0, 1e-30]), threads)
        own = rng.choice([None, np.zeros(rows + rng.choice([0, 0, 1]), np.float32)])
        sketches, kind = rng.choice([None, bits]), rng.choice([0, 1, 2, 3])
        differing, some = rng.choice([0, 40, 128]), keys[: rng.choice([0, 9])]
        left, right, _ = native.near_vectors(values, own, some, sketches, differing, kind, 0.5, threads, most, is_near)
        expect(len(left) == 0 or ((left < right).all() and right.max() < rows), "near vectors")
        squares, top = rng.choice([None, np.ones(rows)]), rng.choice([1, 4, 0])
        found, _, _ = native.nearest_vectors(
            values, own, keys, values, own, keys, values, values, squares, squares, kind, 1.0, 0.0, top, threads
        )
        expect((found < rows).all(), "nearest vectors")
        found, _, _ = native.nearest_in_lists(
            values,
            own,
            values,
            own,
            *random_lists(rng, rows),
            values,
            values,
            squares,
            squares,
            kind,
            1.0,
            0.0,
            top,
            threads,
        )
        expect((found < rows).all(), "nearest vectors in lists")
    with contextlib.suppress(ValueError):
        keys = native.bit_keys(bits, rng.choice([1, 100, 128, 0, 129]), bands, each, seed, threads)
        native.near_bits(bits, keys, np.full(rows, rng.choice([0, 60, 2**31]), np.uint32), threads, most, is_near)
        distance, other = (
            rng.choice([0, 1, 9, 64, 128, 2**40]),
            rng.choice([None, bits[: rows // 2], bits[:, :1].copy()]),
        )
        left, right, _ = native.bits_within(bits, other, distance, threads, most)
        expect(len(left) == 0 or (left.max() < rows and right.max() < rows), "bits within a distance")
        native.plan_within(bits, other, distance)
    ends = [np.array([rng.randrange(-1, rows + 1) for _ in range(3)], np.int64) for _ in range(2)]
    native.common_ones(bits, bits, *ends, threads)
    native.measure_vectors(values, values, *ends, rng.choice([0, 1, 2, 3, 4]), threads)


def _scores(rng: random.Random, native: Any) -> None:
    number, kind = rng.choice([(np.float32, native.TopScores), (np.float64, native.TopScores64)])
    queries, rows, odd = rng.randrange(5), rng.randrange(9), rng.choice([[0.0, 1.0, -0.5], [0.0, np.nan, np.inf, 1e38]])
    scores = np.array([rng.choice(odd) for _ in range(queries * rows)], number).reshape(queries, rows)
    margins, bars = (np.array([rng.choice(odd) for _ in range(queries)], number) for _ in range(2))
    own = np.array([rng.choice(odd) for _ in range(rows + rng.choice([0, 0, 0, 1]))], number)
    found, _ = native.scores_above(scores, own, bars, random_threads(rng))
    expect(len(found) <= scores.size, "scores above a bar")
    best = kind(margins, rng.choice([1, 1, 3, 0, 2**40]))
    best.add(scores, own, rng.choice([0, 0, 1]), rng.choice([0, 7, 2**40]), random_threads(rng))
    best.keep(*best.remaining())
    expect(best.waiting() <= scores.size, "scores that wait")


def _records(rng: random.Random, native: Any) -> None:
    vocabulary = rng.choice([1, 5, 9])

    def rows() -> tuple[Any, Any]:
        tokens = [sorted(rng.sample(range(vocabulary), rng.randrange(vocabulary + 1))) for _ in range(rng.randrange(8))]
        flat = [token + rng.choice([0] * 99 + [2**31]) for row in tokens for token in row]
        offsets = np.cumsum([0, *map(len, tokens)]) if rng.random() < 0.8 else random_offsets(rng, len(flat))
        return np.asarray(offsets, np.int64), np.array(flat, np.uint32)

    weights = np.array([rng.choice([1.0, 0.25, 0.0, float("nan"), 1e308]) for _ in range(vocabulary)])
    queries, index = rows(), rows()
    within, top, budget = rng.random() < 0.5, rng.choice([1, 3, 0, 2**40]), rng.choice([100, 3, 0])
    others = queries if within else index
    left, right, _, _ = native.nearest_records(*queries, *others, weights, top, budget, within, random_threads(rng))
    expect(len(left) == 0 or (left.max() < len(queries[0]) - 1 and right.min() >= 0), "nearest records")
    ends = [np.array([rng.randrange(len(side[0])) for _ in range(3)], np.int64) for side in (queries, index)]
    native.shared_weights(*queries, *index, weights, *ends, random_threads(rng))


def _prints(rng: random.Random, native: Any) -> None:
    """Fingerprints: minutiae, some of them nowhere, in sets that need not be theirs."""

    def side() -> tuple[Any, ...]:
        sizes = [rng.randrange(6) for _ in range(rng.randrange(4))]
        offsets = np.cumsum([0, *sizes]) if rng.random() < 0.9 else random_offsets(rng, sum(sizes))
        numbers = [0.0, 1.0, 2.5, 359.0, -1.0, 1e308, float("nan")]
        points = np.array([[rng.choice(numbers) for _ in range(sum(sizes))] for _ in range(5)]).reshape(5, -1)
        sets = native.print_neighbourhoods(np.asarray(offsets, np.int64), points, places, sectors, 1.0, 45.0, threads)
        keys = native.print_keys(sets, ranks, rng.choice([1, 2, 0]), threads)
        return np.asarray(offsets, np.int64), points, sets, keys

    threads, sectors = random_threads(rng), rng.choice([1, 6, 400])
    places = np.array([[0.0, 1.0, 2.0], [0.0, -1.0, float("nan")]])
    ranks = np.array([[rng.randrange(18) for _ in range(2)] for _ in range(18)], np.uint16)
    one = side()
    two = one if rng.random() < 0.5 else side()
    how = (rng.choice([0, 3]), rng.choice([10, 0, 2**40]), rng.choice([0, -1, 2**62]), one is two)
    left, right, _ = native.print_votes(*one, *two, *how, threads)
    expect(len(left) == 0 or (left.max() < len(one[0]) - 1 and right.max() < len(two[0]) - 1), "votes for prints")
    some = [max(1, len(side[0]) - rng.choice([1, 1, 0])) for side in (one, two)]
    ends = [np.array([rng.randrange(-(rng.random() < 0.1), prints) for _ in range(3)], np.int64) for prints in some]
    native.align_prints(*one[:3], *two[:3], *ends, 0.7, 0.9, 3, 10, rng.choice([0, 16]), threads)


def _pages(rng: random.Random, native: Any) -> None:
    native.steps()
    data = rng.randbytes(rng.randrange(200))
    if rng.random() < 0.5:  # lengths that may be right
        data = b"".join(rng.randrange(9).to_bytes(4, "little") + rng.randbytes(rng.randrange(9)) for _ in range(5))
    offsets, values, read = native.plain_values(data, rng.choice([0, 3, 2**40, -1]))
    expect(offsets[-1] == len(values) and read <= len(data), "strings of a page")
    size = rng.choice([0, 10, 10**4, 2**62])
    unpacker = native.Unpacker(rng.choice(["snappy", "lz4", "zip"]), size)
    given = 0
    for _ in range(5):
        given += len(unpacker.feed(rng.choice([b"", bytes([size % 128]), rng.randbytes(rng.randrange(300))])))
    expect(given <= size, "bytes of a page")


def _segments(rng: random.Random, native: Any) -> None:
    """Writes postings and records to a file, damages it at times, and reads them back."""
    lines = native.json_lines(damaged(rng, b"".join(rng.choices([b'{"text": "a"}\n', b"[1]\n", b"\n", b"x"], k=5))))
    expect(lines is None or len(lines[0]) == len(lines[1]), "lines of JSON")
    rows, width = rng.choice([0, 1, 30, 900]), rng.choice([1, 24, 72, 4092, 4093, 0])
    keys = np.array([[rng.choice([0, 1, 2**64 - 1, rng.getrandbits(64)])] for _ in range(rows)], np.uint64).reshape(
        -1, 1
    )
    positions = rng.choice([None, np.arange(rows, dtype=np.uint32), np.arange(rows + 1, dtype=np.uint32)])
    flags = rng.choice([None, np.array([rng.random() < 0.3 for _ in range(rows)], np.bool_)])
    pages, firsts, count = native.posting_pages(keys, rng.choice([0, 0, 0, 1, -1]), positions, flags)
    expect(count <= rows and len(pages) == 4096 * len(firsts), "pages of postings")
    records = np.frombuffer(rng.randbytes(rows * width), np.uint8).reshape(rows, width)
    wanted = np.array([rng.choice([0, rows - 1, rows, -1, 2**62]) for _ in range(rng.randrange(4))], np.int64)
    with contextlib.suppress(OSError, RuntimeError, ValueError), tempfile.TemporaryFile(buffering=0) as file:
        file.write(damaged(rng, pages.tobytes()))
        counts = np.array([rng.choice([count, count, 2**62])], np.uint64)
        looked_up = native.Postings(file.fileno(), counts, rng.choice([firsts, firsts[:-1]]), rng.choice([0, 9, -1]))
        queries, found, following, _, _ = looked_up.find(
            keys[:50], None, rng.choice([0, 0, 1, -1]), rng.choice([0, 3, 2**40]), rng.choice([0, 9, 2**40]),
            rng.choice([0, 2]), random_threads(rng),
        )  # fmt: skip
        expect(len(queries) == len(found) and following <= len(keys), "postings found")
        looked_up.page_of(0, rng.getrandbits(64))
        looked_up.read(0, 0, rng.choice([len(firsts), 1, 2**40]))
    with contextlib.suppress(OSError, RuntimeError), tempfile.TemporaryFile(buffering=0) as file:
        file.write(native.record_pages(records).tobytes())
        again = native.read_records(
            file.fileno(), rng.choice([0, 0, 2**60]), rng.choice([rows, rows, 2**62]), width, wanted
        )
        expect(again.shape == (len(wanted), width), "records")


def _band_range(rng: random.Random, bands: int) -> tuple[int, int, int]:
    """Returns the first and last band to use, and the row at which the other collection starts."""
    return rng.choice([0, 0, 1, -1]), rng.choice([bands, bands, 1, 9]), rng.choice([0, 0, 2, -1, 2**40])


def _counting(rng: random.Random, native: Any) -> None:
    lines = damaged(rng, "\n".join(" ".join(rng.choices("abcd1", k=rng.randrange(6))) for _ in range(8)).encode())
    bits, width = rng.choice([0, 3, 10, 33]), rng.choice([1, 2, 4, 3])
    first = native.FirstPass(rng.choice([1 << 20, 1000, 0]), rng.choice([1 << 16, 10]), rng.randrange(3), bits, width)
    first.take_text(lines, rng.choice([0, ord(" "), ord(","), 10, 200]), random_threads(rng))
    data, strings, _ = first.frequent(rng.choice([1, 2, 0]))
    pairs = native.PairPass(data, strings, [], 1 << 20, 1 << 16)
    rng.choice([lambda: pairs.count_triangle(2), pairs.count_triples, lambda: pairs.count_buckets(0, bits, width)])()
    pairs.take_text(lines, 0, random_threads(rng))
    found, counts, _ = pairs.finish(1)
    native.rank_pairs(found, counts[: len(counts) - rng.choice([0, 0, 1])])
