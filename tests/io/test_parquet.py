"""Parquet: types, row groups, files that disagree, and broken ones."""

from __future__ import annotations

import base64
import struct
import zlib
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.errors import MalformedInput
from lookalike.flow.documents import TEXT, TOKENS
from lookalike.io.formats import parquet, parquet_steps, row_groups
from lookalike.io.open import open_source
from lookalike.io.workers import in_order
from lookalike.notices import Notice
from tests.io.making import read_rows, texts
from tests.refusals import refused


def given_file(path: Path, columns: dict[str, pa.Array], **options: object) -> str:
    pq.write_table(pa.table(columns), path, **options)
    return str(path)


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["a", None, "c"]),
        pa.array(["a", None, "c"], pa.large_string()),
        pa.array(["a", None, "c"], pa.string_view()),
        pa.array(["a", None, "c"]).dictionary_encode(),
        pa.array([b"a", None, b"c"]),
    ],
    ids=lambda array: str(array.type),
)
def test_every_type_of_text_is_read_as_text(tmp_path: Path, array: pa.Array) -> None:
    source = open_source(given_file(tmp_path / "a.parquet", {"text": array}))
    assert next(source.read(["text"])).data.schema.field("text").type == TEXT
    assert [row["text"] for row in read_rows(source, ["text"])] == ["a", None, "c"]
    assert texts(source) == ["a", "", "c"]


@pytest.mark.parametrize(
    "array", [pa.array([["a", "b"], None, []]), pa.array([[1, 2], None, []], pa.list_(pa.int32()))]
)
def test_lists_of_strings_and_of_integers_are_tokens(tmp_path: Path, array: pa.Array) -> None:
    source = open_source(given_file(tmp_path / "a.parquet", {"text": array}))
    assert next(source.read(["text"])).data.schema.field("text").type == TOKENS
    assert texts(source) == [[str(t) for t in row or []] for row in array.to_pylist()]


@pytest.mark.parametrize("array", [pa.array([1.5]), pa.array([1]), pa.array([[1.5]]), pa.array([{"a": 1}])])
def test_a_column_of_another_type_is_refused(tmp_path: Path, array: pa.Array) -> None:
    path = given_file(tmp_path / "a.parquet", {"text": array})
    kind = str(array.type).replace("item", "element")
    with refused("not-a-text-column", where=path, column="text", type=kind):
        open_source(path)


def test_only_the_row_groups_of_a_range_are_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = given_file(tmp_path / "a.parquet", {"text": pa.array([f"t{i}" for i in range(100)])}, row_group_size=10)
    source = open_source(path, batch_rows=4)
    assert source.total_rows() == 100
    touched: list[int] = []
    original = pq.ParquetFile.iter_batches

    def watched(self: pq.ParquetFile, *args: object, row_groups: list[int], **options: object) -> object:
        touched.extend(row_groups)
        return original(self, *args, row_groups=row_groups, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", watched)
    assert texts(source, 34, 52) == [f"t{i}" for i in range(34, 52)]
    assert touched == [3, 4, 5]


def test_several_threads_read_what_one_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "LANE_BYTES", 100)
    for name, rows, size in (("a", 100, 7), ("b", 3, 3), ("c", 60, 60)):
        column = pa.array([f"text {i} of {name}" for i in range(rows)])
        given_file(tmp_path / f"{name}.parquet", {"text": column}, row_group_size=size)
    source = open_source(str(tmp_path / "*.parquet"), batch_rows=5)
    starts = [next(piece.start for piece in lane) for lane in source.lanes(["text"])]
    assert starts[:3] == [0, 7, 14] and starts[-2:] == [100, 103]
    one = texts(source)
    for start, stop, threads in ((0, None, 2), (0, None, 5), (13, 110, 3), (100, 103, 2), (50, 50, 2)):
        loaded = in_order(source.lanes(["text"], start, stop), lambda piece: (piece.start, piece.load()), threads)
        got = [(first, data.column(0).to_pylist()) for first, data in loaded]
        assert [text for _, some in got for text in some] == one[start:stop]
        assert [first for first, _ in got] == [start + sum(len(some) for _, some in got[:i]) for i in range(len(got))]


@pytest.mark.parametrize(("codec", "quick"), [("zstd", True), ("snappy", True), ("none", True), ("gzip", False)])
def test_what_is_slow_to_decode_is_put_aside(tmp_path: Path, codec: str, quick: bool) -> None:
    source = open_source(given_file(tmp_path / "a.parquet", {"text": pa.array(["a"])}, compression=codec))
    assert source.cheap_to_reread is quick


def test_large_texts_come_in_small_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_groups, "BATCH_BYTES", 10_000)
    rows = [f"{i:04}" * 250 for i in range(100)]
    source = open_source(given_file(tmp_path / "a.parquet", {"text": pa.array(rows)}, use_dictionary=False))
    assert texts(source) == rows
    assert 5 <= max(map(len, source.read(["text"]))) <= 10


def grouped_file(path: Path, column: pa.Array, sizes: list[int]) -> str:
    """Writes a column in row groups of the given sizes, and the rest in one more."""
    table = pa.table({"text": column, "n": pa.array(range(len(column)))})
    with pq.ParquetWriter(path, table.schema) as writer:
        for start, size in zip([0, *accumulate(sizes)], [*sizes, len(column)], strict=True):
            writer.write_table(table.slice(start, size), row_group_size=max(size, 1))
    return str(path)


@settings(max_examples=60, deadline=None)
@given(
    words=st.lists(st.binary(max_size=4), max_size=80),
    repeats=st.lists(st.sampled_from([1, 1, 1, 200]), min_size=80, max_size=80),
    sizes=st.lists(st.integers(0, 40), max_size=12),
    batch_rows=st.sampled_from([1, 3, 8192]),
    step_rows=st.integers(1, 9),
    many_rows=st.sampled_from([0, 20, 1024]),
)
def test_rows_do_not_depend_on_the_row_groups(
    words: list[bytes], repeats: list[int], sizes: list[int], batch_rows: int, step_rows: int, many_rows: int
) -> None:
    values = [word * times for word, times in zip(words, repeats, strict=False)]
    good = [n for n, value in enumerate(values) if value.decode("utf-8", "replace").encode() == value]
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "LANE_BYTES", 900)
        for name, value in (("BATCH_BYTES", 600), ("STEP_ROWS", step_rows), ("MANY_ROWS", many_rows)):
            patch.setattr(row_groups, name, value)
        path = grouped_file(Path(folder, "a.parquet"), broken(values), sizes)
        source = open_source(path, on_error="skip", batch_rows=batch_rows)
        for columns in (["text"], ["n"], ["text", "n"]):  # the positions of malformed rows do not depend on these
            assert [row.get("n", n) for row, n in zip(read_rows(source, columns), good, strict=True)] == good
            assert source.malformed == len(values) - len(good)
        assert [row["n"] for row in read_rows(source, ["n"], 5, 30)] == good[5:30]
        if len(good) == len(values):
            strict = open_source(path, batch_rows=batch_rows)
            got = list(in_order(strict.lanes(["text", "n"]), lambda piece: piece.load(), 3))
            assert [t.encode() for data in got for t in data["text"].to_pylist()] == values
            assert all(len(data) <= step_rows or data.nbytes <= 600 + 9 * len(data) for data in got)


def test_long_texts_in_one_row_group_do_not_shrink_other_batches(tmp_path: Path) -> None:
    """One row group of long texts once made a file 10 to 20 times slower: its batches were the batches of all."""
    column = pa.array(["short"] * 3000 + [f"{i}long" * 400_000 for i in range(9)] + ["short"] * 3000)
    source = open_source(grouped_file(tmp_path / "a.parquet", column, [1000, 1000, 1000, 9, 1000, 1000]))
    sizes = [len(batch) for batch in source.read(["text"])]
    assert sizes[0] == sizes[-1] == 3000 and 2 <= max(sizes[1:-1]) <= 9


def test_a_repeated_long_text_does_not_fill_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the file, the text is stored once, so that a thousand rows seem to be short."""
    monkeypatch.setattr(row_groups, "BATCH_BYTES", 100_000)
    source = open_source(grouped_file(tmp_path / "a.parquet", pa.array(["long" * 2500] * 1000), [1000]))
    sizes = [len(batch) for batch in source.read(["text"])]
    assert max(sizes) <= parquet_steps.STEP_ROWS and max(sizes[1:]) <= 10 and sum(sizes) == 1000


def broken(values: list[bytes]) -> pa.Array:
    """Strings that are not UTF-8, as some writers produce them."""
    return pa.array(values, pa.binary()).view(pa.string())


def test_broken_utf8_is_found_in_parquet_too(tmp_path: Path) -> None:
    values = [b"fine", b"caf\xe9", b"fine too"] * 3
    path = given_file(tmp_path / "a.parquet", {"text": broken(values), "n": pa.array(range(9))}, row_group_size=4)
    reason = Notice("not-utf8", byte="0xe9", offset=3)
    with refused("malformed-row", where=Notice("row", name=path, row=1), reason=reason):
        texts(open_source(path))
    source = open_source(path, on_error="skip")
    assert source.total_rows() is None
    good = [0, 2, 3, 5, 6, 8]
    assert read_rows(source, ["n"]) == [{"n": n} for n in good]
    assert source.total_rows() == 6
    assert source.malformed == 3
    for start in range(7):
        fresh = open_source(path, on_error="skip", batch_rows=2)
        for reader in (source, fresh):
            assert read_rows(reader, ["n"], start, start + 2) == [{"n": n} for n in good[start : start + 2]]


def test_broken_utf8_in_another_column_is_an_error_only_where_it_is_read(tmp_path: Path) -> None:
    path = given_file(tmp_path / "a.parquet", {"text": pa.array(["a", "b"]), "more": broken([b"fine", b"\xff"])})
    source = open_source(path)
    assert texts(source) == ["a", "b"]
    with refused("damaged-column", name=path, column="more", reason="Invalid UTF8 sequence at string index 1"):
        read_rows(source)


def test_files_whose_texts_or_ids_disagree_are_named(tmp_path: Path) -> None:
    given_file(tmp_path / "a.parquet", {"text": pa.array(["x"]), "id": pa.array([1])})
    given_file(tmp_path / "b.parquet", {"text": pa.array([["x"]]), "id": pa.array([1])})
    given_file(tmp_path / "c.parquet", {"text": pa.array(["x"]), "id": pa.array(["1"])})
    a, b, c = (str(tmp_path / f"{name}.parquet") for name in "abc")
    with refused("column-types-differ", column="text", type="large_string", first=a, other=b):
        open_source(str(tmp_path / "[ab].parquet"))
    with refused("column-types-differ", column="id", type="int64", first=a, other_type="large_string", other=c):
        open_source(str(tmp_path / "[ac].parquet"), id="id")
    assert texts(open_source(str(tmp_path / "[ac].parquet"))) == ["x", "x"]
    with refused("column-types-clash", column="id", name=c):
        read_rows(open_source(str(tmp_path / "[ac].parquet")))


def test_types_that_differ_a_little_are_joined(tmp_path: Path) -> None:
    given_file(tmp_path / "a.parquet", {"text": pa.array(["x"]), "n": pa.array([1], pa.int32()), "z": pa.nulls(1)})
    given_file(
        tmp_path / "b.parquet", {"text": pa.array(["y"], pa.large_string()), "n": pa.array([1.5]), "z": pa.array(["z"])}
    )
    given_file(tmp_path / "c.parquet", {"text": pa.nulls(1)})
    assert read_rows(open_source(str(tmp_path))) == [
        {"text": "x", "n": 1.0, "z": None},
        {"text": "y", "n": 1.5, "z": "z"},
        {"text": None, "n": None, "z": None},
    ]


@pytest.mark.parametrize(
    ("ids", "code", "row"),
    [
        (pa.array([1, None]), "missing-id", 1),
        (pa.array([1.5, 2]), "not-an-id-column", None),
        (pa.array([1, 2**64 - 1], pa.uint64()), "column-not-converted", None),
        (broken([b"a", b"\xff"]), "unreadable-id", 1),
        (pa.nulls(2), "missing-id", 0),
    ],
)
def test_invalid_ids_are_reported(tmp_path: Path, ids: pa.Array, code: str, row: int | None) -> None:
    path = given_file(tmp_path / "a.parquet", {"text": pa.array(["x", "y"]), "id": ids})
    where = path if row is None else Notice("row", name=path, row=row)
    with refused(code, where=where, column="id"):
        read_rows(open_source(path, id="id"), ["id"])


HISTOGRAM = (
    "c-oazL2DC16n-<=Y`2m_S~|ln<PgLz5z;nEZ4t?3Hf?Az#Wc3q_Le4VQcTmhiN>1>9z^u)MJjj`Ja`c*cu?y>{S~2j_vT5_H?v8$wO$;;o7r#P"
    "`@ZkJO;Qx4G}Bm$IR$1g7zaqanfVnrKLAhwsHRj*tC&%7mI0e!b`sO0OlNv*9ul-VYtm|JYz+GKXIA}sgV4}7K!L}E?UMo<4<zzPs$oiZ&#Q)T"
    "|NiR!C~m#C4|)erdj~HFKBVQv(Y+^f>(pJz`04cs#;YB#eE3`ehcD4khAkwSIWR;MA!IX2Ixu8?0gx==pJ6G=LzHOYXl8A`ZGiL_WoHYF2JQ?2"
    "@Y`Q^k$;?>3mP_!!A)@Ddg32wpg+3o4<tkgMLnxA2d3Vx)ZN`O(}6`MsY!RLlTe6Z(i}Clj(ewrhV(*K0-C8ccG?K|sUvQ~-F2Item>I>BTe9j"
    "6|=H7#8||d13hX<P8Q(?-zWSdv9H_4$+u-Cv2~EFfW1-3TDoNeP6UpTTvT3^{y-NwP5zAX_tbtEvcHm(BR|E;mn_?eT6vrR?{jN?gQThay(7Fw"
    "?9ZD0Nc+F>p3*vx9q4k>{D;O3+u%oGuwrIJluB2wUGgVx_UMdUUEv5JR)xPV3xPmQ<b|k-TuosPCalOqPKad%1iSFBayR6usGcR2b3sz8l)3^d"
    "LB1Fsw-tX)EGWK;<nOP%ie6FqL(1;Dd|n#z`}O%iFSWH%Px&3JN$JgjzEe`@=3n}YGL$z;jcrA@up;vjT$g^Z|0OvGMLsNA%&Q`&HmvuT9EH=`"
    "^7$8oQ3?TOyjAvY-f}xrl~!x2?0I|L_-)r~@9Z_>nfd9|blS?|ch~>G1pYRQ_*e7?e_I|1"
)
"""A file made by the fuzzer, whose footer describes the chunk of `id` wrongly."""

CODEC = (
    "c-obd&2G~`5XWa1%QBJ=X~nF(m4yPLt046wsc0ooF0+BsiXc);sOm8!R$8^BAx%ldGjQMm5bA+PfE!Q3iD%%B#O^wYaX$`>Z14ELGryS~"
    "*)2+H=wXO=o5&Fs0V?0u|CIe200)3>6#*CV!HU@|p^tvN1r^?{M&@2vfNAvY-7K0j#=+16Tq@AKd*JLE7DR9}r-b(loPc0%mswFT+sQov"
    "m21=+>&fOOME+UlFn!xbA23|z5kKlKLo>Do?W;FRC!?9*8G-dda2d<Gf*3=&34Tf1Bn$-?6Y-fTt%Bmv<cc{OAh$;-nWZi~=}YB0`Iq8q"
    ";T^*{5ucd)$<$YtkL)T13KVZjVSU%i4<>#w^_#12{QpLErOv}y6>)J(a21G;9>_QfDM?=KKgp&SUGQ~lkIC8|W%hz-Ou9$gL_KQsoTfF="
    "OY1a<cAb!~lx^up)@#jCjbn>;A%{-v<nc6j-#C7co;qH~@~5`#o*OL#8C&FQ*WdF(t5e8Ma+2<3+6NmyaoL7<Kzf|@{VY$?I&tg4rG8xL"
    "_WqvZYnMU<QF+iFzB^AxtDV7MwLKi3j?3@U;n~q?zr3-vR$Z&fy7|nq3%;0%x6Hr#7f9)w&H"
)
"""A file made by the fuzzer, whose footer has the wrong codec of `text`."""


@pytest.mark.parametrize(
    ("packed", "column", "other", "message"),
    [
        (HISTOGRAM, "id", "text", "Repetition level histogram size mismatch"),
        (CODEC, "text", "id", "Unsupported compression codec"),
    ],
)
def test_a_column_that_is_described_wrongly_says_so(
    tmp_path: Path, packed: str, column: str, other: str, message: str
) -> None:
    """Arrow 26 ends the process when it is asked about such a chunk; only its reader raises an error."""
    path = tmp_path / "a.parquet"
    path.write_bytes(zlib.decompress(base64.b85decode(packed)))
    source = open_source(str(path), column=column)
    for use in (lambda: list(source.documents()), lambda: source.cheap_to_reread):
        with refused("damaged-file", name=str(path)) as caught:
            use()
        assert caught.value.values["reason"].startswith(message)  # Arrow's own
    source = open_source(str(path), column=other)  # the first column is not used
    assert len(list(source.documents(0, 9))) == 1 and source.cheap_to_reread in (True, False)


def test_truncated_and_damaged_files_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    given_file(path, {"text": pa.array([f"text number {i}" for i in range(1000)])}, use_dictionary=False)
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], whole[:-1], b"", b"PAR1", b"not parquet at all", whole[8:]):
        path.write_bytes(content)
        with refused("damaged-file", name=str(path)):
            texts(open_source(str(path)))
    path.write_bytes(whole[:4] + b"\xff" * 400 + whole[404:])
    with refused("damaged-file", name=str(path)):
        texts(open_source(str(path)))


def test_files_without_rows_and_empty_row_groups_can_be_read(tmp_path: Path) -> None:
    assert texts(open_source(given_file(tmp_path / "a.parquet", {"text": pa.array([], pa.string())}))) == []
    table = pa.table({"text": ["x"]})
    with pq.ParquetWriter(tmp_path / "b.parquet", table.schema) as writer:
        for part in (table.slice(0, 0), table, table.slice(0, 0), table):
            writer.write_table(part)
    assert texts(open_source(str(tmp_path / "b.parquet"))) == ["x", "x"]


WORDS = pa.array(["one", "two", "three"]).dictionary_encode()


@pytest.mark.parametrize(
    "columns",
    [
        {"text": WORDS},
        {"text": ["a", "b", "c"], "other": WORDS},
        {
            "text": ["a", "b", "c"],
            "other": pa.StructArray.from_arrays([pa.ListArray.from_arrays(range(4), WORDS)], "a"),
        },
    ],
    ids=["text", "other", "nested"],
)
def test_values_that_are_not_in_their_dictionary_are_errors(tmp_path: Path, columns: dict[str, pa.Array]) -> None:
    """Arrow does not check them. A text ended with an error of Arrow, and another column was copied unchecked."""
    path = tmp_path / "a.parquet"
    given_file(path, columns, compression="none", write_statistics=False)
    numbers, damaged = (struct.pack("<BBH", 2, 1 << 1 | 1, bits) for bits in (0b100100, 0b110100))  # two bits each
    content = path.read_bytes()
    at = content.rindex(numbers)  # of the last column
    path.write_bytes(content[:at] + damaged + content[at + len(numbers) :])
    with pytest.raises(MalformedInput):
        read_rows(open_source(str(path)), None)
    with pytest.raises(MalformedInput):
        la.dedupe(str(path), out=tmp_path / "out.parquet", progress=False)
