"""The compiled module as Python sees it; `lookalike.kernel` says what the functions do."""

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
    ) -> None: ...

def paths() -> list[str]: ...
def force(path: str | None) -> None: ...
def mix(x: int) -> int: ...
def hash_bytes(data: bytes) -> int: ...
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
) -> tuple[_Hashes, _Bytes, _Hashes]: ...
def sign(offsets: _Rows, values: _Hashes, sketch: str, hashes: int, seed: int, threads: int) -> _Hashes: ...
def band_keys(signatures: _Hashes, bands: int, rows: int, threads: int) -> _Hashes: ...
def copies(fingerprints: _Hashes, empty: npt.NDArray[np.bool_]) -> _Rows: ...
def bucketed(keys: _Hashes, threads: int) -> npt.NDArray[np.bool_]: ...
def candidates(keys: _Hashes, threads: int) -> tuple[_Rows, _Rows]: ...
def intersections(offsets: _Rows, values: _Hashes, left: _Rows, right: _Rows, threads: int) -> _Rows: ...
def similar_pairs(
    keys: _Hashes, offsets: _Rows, values: _Hashes, numerator: int, denominator: int, threads: int, most: int
) -> tuple[_Rows, _Rows, _Rows, int, int]: ...
def similar_components(
    keys: _Hashes, offsets: _Rows, values: _Hashes, numerator: int, denominator: int, threads: int
) -> tuple[_Rows, int]: ...
def connect(n: int, left: _Rows, right: _Rows) -> _Rows: ...
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
) -> tuple[_Rows, _Rows, _Rows, int, int, int, int]: ...
