"""The signature of one document, for users' own code: compare, merge, store and restore."""

from __future__ import annotations

import re
import struct
import zlib
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InvalidOption, MalformedInput, PlanMismatch

MADE_BY = "lookalike.signature"
"""The entry in the metadata of a table of signatures that describes the rules with which they were made."""

COLUMN = "signature"

NONE = np.uint64(2**64 - 1)
"""The value of every slot of an empty document."""

MAGIC = b"LKSIG\x01"
_HEAD = struct.Struct("<6sIIH")  # magic, CRC-32 of the other bytes, size of the rules in bytes, number of slots
_HASHES = re.compile("(?:^|, )hashes=([0-9]+)(?:, seed=[0-9]+)?(?:, without [0-9a-f]+)?$")
"""The number of slots, at the end of the rules: stop words, which precede it, may contain anything."""


class Signature:
    """The signature of one document: an array of `hashes` slots.

    The share of slots in which two signatures agree estimates the similarity of their documents.

    `made_by` describes the rules (shingling, sketch, hashes, seed, and the versions of the format and of Unicode). Only
    signatures made with the same rules can be compared or merged. Signatures are immutable.

    >>> import lookalike as la
    >>> one, two = (la.signature(text, shingles="words:1") for text in ("the cat sat", "the cat sat down"))
    >>> one.similarity(two)
    0.7265625
    >>> (one | two) == two and la.Signature.from_bytes(one.to_bytes()) == one
    True
    """

    __slots__ = ("made_by", "values")

    values: npt.NDArray[np.uint64]
    made_by: str

    def __init__(self, values: Any, made_by: str) -> None:
        slots = _slots(values)
        if slots.ndim != 1 or not 0 < len(slots) < 1 << 16:
            raise InvalidOption("not-a-signature", shape=str(slots.shape))
        if not isinstance(made_by, str) or not _is_unicode(made_by):
            raise InvalidOption("not-rules-of-a-signature", value=made_by)
        hashes = _HASHES.search(made_by)
        if hashes is not None and hashes[1] != str(len(slots)):
            raise InvalidOption("slots-differ-from-rules", slots=len(slots), hashes=hashes[1])
        slots.flags.writeable = False
        object.__setattr__(self, "values", slots)
        object.__setattr__(self, "made_by", made_by)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a signature cannot be changed: {name}")

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __getattr__(self, name: str) -> Any:
            from lookalike.notices import datasketch

            raise datasketch.missing("a signature", name, datasketch.ATTRIBUTES.get(name))

    @classmethod
    def at(cls, table: Any, row: int, made_by: str | None = None) -> Signature:
        """Returns the signature in a row of a table that `signatures` returned, or of a DataFrame made from it.

        The rules are in the metadata of the table. DataFrames and CSV files do not keep metadata, so `made_by` is
        required for them: `la.signature("", …).made_by` with the same options, or that of any other signature.
        """
        try:
            stored = table if isinstance(table, pa.Table) else pa.table(table)
        except (pa.ArrowException, TypeError, ValueError):
            raise InvalidOption("signatures-not-in-table", type=type(table).__name__) from None
        if stored.column_names.count(COLUMN) != 1:
            raise InvalidOption("no-signatures-in-table", columns=stored.column_names)
        try:
            one = stored[COLUMN][index(row)]
        except (TypeError, IndexError, OverflowError):
            raise InvalidOption("no-such-signature", row=row, rows=len(stored)) from None
        rules = (stored.schema.metadata or {}).get(MADE_BY.encode())
        if made_by is None:
            if rules is None:
                raise InvalidOption("signatures-without-rules")
            made_by = rules.decode(errors="replace")
        slots = getattr(one, "values", None)
        if slots is None or slots.type != pa.uint64() or slots.null_count:
            return cls(one.as_py(), made_by)
        return cls(slots.to_numpy(), made_by)

    @property
    def is_empty(self) -> bool:
        """True if the document is empty, and therefore similar to no other document."""
        return bool((self.values == NONE).all())

    def similarity(self, other: Signature) -> float:
        """Returns the share of slots in which both signatures agree: an unbiased estimate of the Jaccard similarity.

        The standard error is at most 0.5 / √hashes. If a document is empty, the estimate is 0.
        """
        self._check_comparable(other)
        return 0.0 if self.is_empty or other.is_empty else float(np.mean(self.values == other.values))

    def merge(self, other: Signature, *others: Signature) -> Signature:
        """Returns the signature of the union of the sets of shingles that these signatures represent. `one | other`
        merges two signatures."""
        for each in (other, *others):
            self._check_comparable(each)
        return Signature(np.minimum.reduce([each.values for each in (self, other, *others)]), self.made_by)

    def __or__(self, other: Signature) -> Signature:
        return self.merge(other) if isinstance(other, Signature) else NotImplemented

    def _check_comparable(self, other: Signature) -> None:
        _check_signature(other)
        check_same_rules(self.made_by, other.made_by)
        if len(self) != len(other):
            raise PlanMismatch("signatures-of-different-lengths", one=len(self), other=len(other))

    def to_bytes(self) -> bytes:
        """Returns the signature, its rules and a checksum as bytes, in a format that does not depend on the machine."""
        rules, slots = self.made_by.encode(), self.values.astype("<u8").tobytes()
        return _HEAD.pack(MAGIC, zlib.crc32(rules + slots), len(rules), len(self.values)) + rules + slots

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Signature:
        """Creates a signature from the bytes that `to_bytes` returned."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise InvalidOption("not-bytes-of-a-signature", type=type(data).__name__)
        data = bytes(data)
        if len(data) < _HEAD.size:
            raise MalformedInput("damaged-signature")
        magic, crc, length, slots = _HEAD.unpack_from(data)
        body = data[_HEAD.size :]
        if magic != MAGIC or len(body) != length + 8 * slots or zlib.crc32(body) != crc:
            raise MalformedInput("damaged-signature")
        try:
            return cls(np.frombuffer(body, "<u8", offset=length), body[:length].decode())
        except (UnicodeDecodeError, InvalidOption):
            raise MalformedInput("damaged-signature") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return Signature.from_bytes, (self.to_bytes(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Signature):
            return NotImplemented
        return self.made_by == other.made_by and bool(np.array_equal(self.values, other.values))

    def __hash__(self) -> int:
        return hash((self.made_by, self.values.tobytes()))

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Signature({len(self)} hashes{', empty' if self.is_empty else ''}; {self.made_by})"


def _is_unicode(text: str) -> bool:
    """True unless the text contains lone surrogates, which cannot be stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _slots(values: Any) -> npt.NDArray[np.uint64]:
    """Copies the values to an array. Raises an error if they are not whole numbers of 64 bits."""
    if isinstance(values, pa.Array | pa.ChunkedArray):
        values = values.to_pylist()
    try:
        given = values if isinstance(values, np.ndarray) else np.array(list(values), object)
    except (TypeError, ValueError):
        raise InvalidOption("not-slots-of-a-signature", value=values) from None
    if given.dtype != np.uint64:
        for value in given.flat:
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 0 <= value < 1 << 64:
                raise InvalidOption("not-slots-of-a-signature", value=value)
    return given.astype(np.uint64)


def _check_signature(other: object) -> None:
    if not isinstance(other, Signature):
        raise InvalidOption("other-is-not-a-signature", type=type(other).__name__)


def check_same_rules(one: str, other: str) -> None:
    """Raises an error that lists the differences if two signatures were made with different rules."""
    if one == other:
        return
    rules, others = _rules_by_name(one), _rules_by_name(other)
    names = [name for name in dict.fromkeys([*rules, *others]) if rules.get(name) != others.get(name)]
    changes = [f"{name} {rules.get(name, 'none')} and {others.get(name, 'none')}" for name in names]
    raise PlanMismatch("signatures-of-different-rules", differences=changes)


def _rules_by_name(made_by: str) -> dict[str, str]:
    """Returns the rules of a signature by name. Stop words are one rule, even if they contain commas."""
    before, _, rest = made_by.partition(", words=[")
    words, _, after = rest.rpartition("], sketch=")
    rules = before.split(", ") + [f"words=[{words}]", *f"sketch={after}".split(", ")] * bool(rest)
    return dict(rule.replace("=", " ", 1).partition(" ")[::2] for rule in rules)
