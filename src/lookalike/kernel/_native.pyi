"""The types of the compiled module; `lookalike.kernel` documents the functions."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

_Bytes = npt.NDArray[np.uint8]
_Hashes = npt.NDArray[np.uint64]
_Rows = npt.NDArray[np.int64]

class Rules:
    def __init__(
        self,
        kind: str,
        k: int,
        normalize: str,
        case: str,
        whitespace: str,
        bag: bool,
        bits: int,
        stopwords: _Hashes,
        ignored: _Hashes | None = None,
        key: int = 0,
    ) -> None: ...

class Unpacker:
    def __init__(self, format: str, size: int) -> None: ...
    def feed(self, data: bytes) -> bytes: ...

def json_lines(data: bytes) -> tuple[_Rows, _Rows, int] | None: ...
def plain_values(data: bytes, most: int) -> tuple[_Rows, _Bytes, int]: ...
def paths() -> list[str]: ...
def steps() -> tuple[int, int]: ...
def path() -> str: ...
def force(path: str | None) -> None: ...
def trim() -> None: ...
def mix(x: int) -> int: ...
def hash_bytes(data: bytes, key: int = 0) -> int: ...
def hash128(data: bytes, key_a: int, key_b: int) -> tuple[int, int]: ...
def normalize(text: bytes, rules: Rules) -> bytes: ...
def token_spans(text: bytes, rules: Rules) -> tuple[_Rows, _Rows, _Hashes]: ...
def shingle(
    data: _Bytes,
    strings: _Rows,
    lists: _Rows | None,
    validity: _Bytes | None,
    validity_start: int,
    rules: Rules,
    threads: int,
) -> tuple[_Rows, _Hashes]: ...
def repeated_runs(
    data: _Bytes,
    strings: _Rows,
    lists: _Rows | None,
    validity: _Bytes | None,
    validity_start: int,
    rules: Rules,
    least: int,
    threads: int,
) -> tuple[_Rows, _Rows, _Rows, _Rows]: ...
def members(
    data: _Bytes,
    strings: _Rows,
    lists: _Rows | None,
    validity: _Bytes | None,
    validity_start: int,
    rules: Rules,
    values: _Hashes,
    sets: npt.NDArray[np.uint8],
    threads: int,
) -> tuple[_Rows, _Rows, _Bytes]: ...
def shingle_part(
    data: _Bytes,
    strings: _Rows,
    lists: _Rows | None,
    validity: _Bytes | None,
    validity_start: int,
    rules: Rules,
    part: int,
    parts: int,
    threads: int,
) -> tuple[_Rows, _Hashes]: ...
def winnow(
    data: _Bytes,
    strings: _Rows,
    lists: _Rows | None,
    validity: _Bytes | None,
    validity_start: int,
    rules: Rules,
    run: int,
    threads: int,
) -> tuple[_Rows, _Hashes]: ...
def sketch(
    data: _Bytes,
    strings: _Rows,
    lists: _Rows | None,
    validity: _Bytes | None,
    validity_start: int,
    rules: Rules,
    sketch: str,
    hashes: int,
    seed: int,
    bands: int,
    rows: int,
    threads: int,
) -> tuple[_Hashes, _Hashes, _Bytes, _Hashes, _Rows, _Rows, npt.NDArray[np.uint32]]: ...
def hash_texts(
    data: _Bytes,
    strings: _Rows,
    lists: _Rows | None,
    validity: _Bytes | None,
    validity_start: int,
    rules: Rules,
    raw: bool,
    threads: int,
) -> tuple[_Hashes, _Hashes, _Bytes, _Hashes, _Rows, _Rows, npt.NDArray[np.uint32]]: ...
def losses(
    data: _Bytes,
    strings: _Rows,
    lists: _Rows | None,
    validity: _Bytes | None,
    validity_start: int,
    rules: Rules,
    removed: _Rows,
    kept: _Rows,
    threads: int,
) -> tuple[npt.NDArray[np.bool_], _Rows]: ...

class Census:
    def __init__(self, share: float) -> None: ...
    def add(
        self,
        data: _Bytes,
        strings: _Rows,
        lists: _Rows | None,
        validity: _Bytes | None,
        validity_start: int,
        rules: Rules,
        start: int,
        threads: int,
    ) -> tuple[_Hashes, _Hashes, _Bytes, _Rows, _Rows, npt.NDArray[np.uint32]]: ...
    @property
    def nbytes(self) -> int: ...
    def spill(self, file: int, most: int) -> None: ...
    def place(self, starts: _Rows, bits: int) -> None: ...
    def can_match(
        self,
        windows: npt.NDArray[np.uint32],
        left_out: npt.NDArray[np.bool_],
        numerator: int,
        denominator: int,
        threads: int,
    ) -> npt.NDArray[np.bool_]: ...

class Postings:
    def __init__(self, file: int, counts: _Hashes, firsts: _Hashes, most_kept: int) -> None: ...
    @property
    def pages(self) -> list[int]: ...
    def find(
        self,
        queries: _Hashes,
        left_out: npt.NDArray[np.bool_] | None,
        band: int,
        start: int,
        most: int,
        cap: int,
        threads: int,
    ) -> tuple[_Rows, _Rows, int, _Rows, _Rows]: ...
    def page_of(self, band: int, key: int) -> int: ...
    def read(self, band: int, first: int, last: int) -> tuple[_Hashes, npt.NDArray[np.uint32]]: ...

def posting_pages(
    keys: _Hashes,
    band: int,
    positions: npt.NDArray[np.uint32] | None,
    left_out: npt.NDArray[np.bool_] | None,
) -> tuple[_Bytes, _Hashes, int]: ...
def record_pages(records: _Bytes) -> _Bytes: ...
def read_records(file: int, first: int, count: int, width: int, positions: _Rows) -> _Bytes: ...

class TopScores:
    def __init__(self, margins: npt.NDArray[np.float32], top: int) -> None: ...
    def add(
        self,
        scores: npt.NDArray[np.float32],
        own: npt.NDArray[np.float32],
        first: int,
        first_row: int,
        threads: int,
    ) -> None: ...
    def remaining(self) -> tuple[_Rows, _Rows]: ...
    def keep(self, queries: _Rows, rows: _Rows) -> None: ...
    def waiting(self) -> int: ...

class TopScores64:
    def __init__(self, margins: npt.NDArray[np.float64], top: int) -> None: ...
    def add(
        self,
        scores: npt.NDArray[np.float64],
        own: npt.NDArray[np.float64],
        first: int,
        first_row: int,
        threads: int,
    ) -> None: ...
    def remaining(self) -> tuple[_Rows, _Rows]: ...
    def keep(self, queries: _Rows, rows: _Rows) -> None: ...
    def waiting(self) -> int: ...

class Groups:
    def __init__(self, rows: int, elements: int, numerator: int, denominator: int, most: int) -> None: ...
    @property
    def nbytes(self) -> int: ...
    def count(self, offsets: _Rows, values: _Hashes, threads: int) -> None: ...
    def add(self, offsets: _Rows, values: _Hashes, threads: int) -> None: ...
    def spill(self, file: int, most: int) -> None: ...
    def labels(self, threads: int) -> _Rows: ...

def prune_sets(
    offsets: _Rows, values: _Hashes, numerator: int, denominator: int, threads: int
) -> tuple[npt.NDArray[np.bool_], _Rows, _Hashes]: ...
def sign(offsets: _Rows, values: _Hashes, sketch: str, hashes: int, seed: int, threads: int) -> _Hashes: ...
def simhash(offsets: _Rows, values: _Hashes, words: int, seed: int, threads: int) -> _Hashes: ...
def band_keys(signatures: _Hashes, bands: int, rows: int, threads: int) -> _Hashes: ...
def copies(hashes: _Hashes, empty: npt.NDArray[np.bool_], threads: int) -> _Rows: ...
def bucketed(keys: _Hashes, left_out: npt.NDArray[np.bool_], threads: int) -> _Bytes: ...
def candidates(keys: _Hashes, threads: int, most: int, first: int, last: int, split: int) -> tuple[_Rows, _Rows]: ...
def buckets(
    keys: _Hashes, rows: npt.NDArray[np.uint32] | None, left_out: npt.NDArray[np.bool_] | None
) -> tuple[npt.NDArray[np.uint32], _Rows]: ...
def intersections(offsets: _Rows, values: _Hashes, left: _Rows, right: _Rows, threads: int) -> _Rows: ...
def similar_pairs(
    keys: _Hashes,
    offsets: _Rows,
    values: _Hashes,
    numerator: int,
    denominator: int,
    threads: int,
    most: int,
    first: int,
    last: int,
    split: int,
) -> tuple[_Rows, _Rows, _Rows, int, int, int]: ...
def similar_components(
    keys: _Hashes,
    offsets: _Rows,
    values: _Hashes,
    numerator: int,
    denominator: int,
    threads: int,
    first: int,
    last: int,
    split: int,
    known: _Rows | None,
    stars_only: bool,
) -> tuple[_Rows, int, _Rows, _Rows]: ...
def choose_survivors(
    keys: _Hashes,
    offsets: _Rows,
    values: _Hashes,
    numerator: int,
    denominator: int,
    contained_numerator: int,
    contained_denominator: int,
    order: _Rows,
    always_kept: int,
    left: _Rows,
    right: _Rows,
    threads: int,
) -> tuple[_Rows, _Rows, int]: ...
def removing_pairs(order: _Rows, always_kept: int, left: _Rows, right: _Rows) -> _Rows: ...
def connect(n: int, left: _Rows, right: _Rows) -> _Rows: ...

class Forest:
    def __init__(self, rows: int) -> None: ...
    def join(self, left: _Rows, right: _Rows) -> None: ...
    def join_buckets(self, members: npt.NDArray[np.uint32], starts: _Rows) -> None: ...
    def find(self, rows: _Rows) -> _Rows: ...

def exact_pairs(
    offsets: _Rows,
    values: _Hashes,
    right_offsets: _Rows | None,
    right_values: _Hashes | None,
    measure: str,
    numerator: int,
    denominator: int,
    threads: int,
    most: int,
) -> tuple[_Rows, _Rows, _Rows, int, int, int, int]: ...
def exact_top(
    offsets: _Rows,
    values: _Hashes,
    right_offsets: _Rows | None,
    right_values: _Hashes | None,
    measure: str,
    numerator: int,
    denominator: int,
    top: int,
    threads: int,
    most: int,
) -> tuple[_Rows, _Rows, _Rows, int, int, int, int]: ...
def sign_weighted(
    offsets: _Rows, values: _Hashes, weights: npt.NDArray[np.float64], hashes: int, seed: int, threads: int
) -> _Hashes: ...
def rank_pairs(pairs: _Hashes, counts: npt.NDArray[np.uint32]) -> tuple[_Rows, _Rows, _Rows]: ...

class FirstPass:
    baskets: int
    items: int
    """The number of items in all baskets, including repetitions."""
    pairs: int
    largest: int
    distinct: int
    integers: bool
    has_more: bool
    dictionary_bytes: int
    buffer_bytes: int
    def __init__(self, limit: int, waiting: int, tables: int, bits: int, width: int) -> None: ...
    def take_text(self, data: bytes, separator: int, threads: int) -> None: ...
    def take_lists(self, data: _Bytes, strings: _Rows, lists: _Rows, threads: int) -> None: ...
    def frequent(self, support: int) -> tuple[_Bytes, _Rows, _Rows]: ...
    def bitmap(self, table: int, support: int) -> tuple[_Bytes, int]: ...
    def next(self) -> None: ...

class PairPass:
    baskets: int
    """The number of baskets read so far in this pass."""
    has_more: bool
    table_bytes: int
    dictionary_bytes: int
    buffer_bytes: int
    def __init__(self, data: _Bytes, strings: _Rows, bitmaps: list[_Bytes], limit: int, waiting: int) -> None: ...
    def count_triangle(self, threads: int) -> None: ...
    def count_triples(self) -> None: ...
    def count_buckets(self, function: int, bits: int, width: int) -> None: ...
    def take_text(self, data: bytes, separator: int, threads: int) -> None: ...
    def take_lists(self, data: _Bytes, strings: _Rows, lists: _Rows, threads: int) -> None: ...
    def finish(self, support: int) -> tuple[_Hashes, npt.NDArray[np.uint32], int]: ...
    def bitmap(self, support: int) -> tuple[_Bytes, int]: ...
    def next(self) -> None: ...

def vector_keys(
    values: npt.NDArray[np.float32], bands: int, rows: int, seed: int, width: float, threads: int
) -> npt.NDArray[np.uint32]: ...
def bit_keys(bits: _Hashes, size: int, bands: int, rows: int, seed: int, threads: int) -> npt.NDArray[np.uint32]: ...
def near_vectors(
    values: npt.NDArray[np.float32],
    own: npt.NDArray[np.float32] | None,
    keys: npt.NDArray[np.uint32],
    sketches: _Hashes | None,
    differing: int,
    kind: int,
    bound: float,
    threads: int,
    most: int,
    is_near: Callable[[_Rows, _Rows], npt.NDArray[np.bool_]] | None,
) -> tuple[_Rows, _Rows, int]: ...
def near_bits(
    bits: _Hashes,
    keys: npt.NDArray[np.uint32],
    differing: npt.NDArray[np.uint32],
    threads: int,
    most: int,
    is_near: Callable[[_Rows, _Rows], npt.NDArray[np.bool_]] | None,
) -> tuple[_Rows, _Rows, int]: ...
def bits_within(
    left: _Hashes, right: _Hashes | None, distance: int, threads: int, most: int
) -> tuple[_Rows, _Rows, int]: ...
def plan_within(left: _Hashes, right: _Hashes | None, distance: int) -> tuple[int, int, int, float]: ...
def scores_above(
    scores: npt.NDArray[np.floating], own: npt.NDArray[np.floating], bars: npt.NDArray[np.floating], threads: int
) -> tuple[_Rows, _Rows]: ...
def common_ones(one: _Hashes, two: _Hashes, left: _Rows, right: _Rows, threads: int) -> _Rows: ...
def measure_vectors(
    one: npt.NDArray[np.floating],
    two: npt.NDArray[np.floating],
    left: _Rows,
    right: _Rows,
    term: int,
    threads: int,
) -> npt.NDArray[np.float64]: ...
def nearest_vectors(
    values: npt.NDArray[np.float32],
    own: npt.NDArray[np.float32] | None,
    keys: npt.NDArray[np.uint32],
    queries: npt.NDArray[np.float32],
    query_own: npt.NDArray[np.float32] | None,
    query_keys: npt.NDArray[np.uint32],
    exact: npt.NDArray[np.floating],
    exact_queries: npt.NDArray[np.floating],
    squares: npt.NDArray[np.float64] | None,
    query_squares: npt.NDArray[np.float64] | None,
    kind: int,
    scale: float,
    margin: float,
    top: int,
    threads: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], int]: ...
def nearest_in_lists(
    values: npt.NDArray[np.float32],
    own: npt.NDArray[np.float32] | None,
    queries: npt.NDArray[np.float32],
    query_own: npt.NDArray[np.float32] | None,
    starts: _Rows,
    ids: _Rows,
    first: _Rows,
    asking: _Rows,
    lists: _Rows,
    exact: npt.NDArray[np.floating],
    exact_queries: npt.NDArray[np.floating],
    squares: npt.NDArray[np.float64] | None,
    query_squares: npt.NDArray[np.float64] | None,
    kind: int,
    scale: float,
    margin: float,
    top: int,
    threads: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], int]: ...
def nearest_records(
    offsets: _Rows,
    tokens: npt.NDArray[np.uint32],
    index_offsets: _Rows,
    index_tokens: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.float64],
    top: int,
    budget: int,
    within: bool,
    threads: int,
) -> tuple[_Rows, _Rows, npt.NDArray[np.float64], int]: ...
def shared_weights(
    offsets: _Rows,
    tokens: npt.NDArray[np.uint32],
    other_offsets: _Rows,
    other_tokens: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.float64],
    left: _Rows,
    right: _Rows,
    threads: int,
) -> npt.NDArray[np.float64]: ...
def print_neighbourhoods(
    offsets: _Rows,
    points: npt.NDArray[np.float64],
    places: npt.NDArray[np.float64],
    sectors: int,
    distance: float,
    turn: float,
    threads: int,
) -> _Hashes: ...
def print_keys(sets: _Hashes, ranks: npt.NDArray[np.uint16], bands: int, threads: int) -> npt.NDArray[np.uint32]: ...
def print_votes(
    offsets: _Rows,
    points: npt.NDArray[np.float64],
    sets: _Hashes,
    keys: npt.NDArray[np.uint32],
    other_offsets: _Rows,
    other_points: npt.NDArray[np.float64],
    other_sets: _Hashes,
    other_keys: npt.NDArray[np.uint32],
    numerator: int,
    denominator: int,
    least: int,
    within: bool,
    threads: int,
) -> tuple[_Rows, _Rows, _Rows]: ...
def align_prints(
    offsets: _Rows,
    points: npt.NDArray[np.float64],
    sets: _Hashes,
    other_offsets: _Rows,
    other_points: npt.NDArray[np.float64],
    other_sets: _Hashes,
    left: _Rows,
    right: _Rows,
    distance: float,
    cosine: float,
    numerator: int,
    denominator: int,
    tries: int,
    threads: int,
) -> tuple[
    npt.NDArray[np.float64],
    _Rows,
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
]: ...
