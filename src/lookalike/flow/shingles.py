"""Shingles: the set of short pieces of text that represents a document, and the rules for cutting a text into them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.flow.checks import check_one_of, check_whole
from lookalike.flow.stopwords import ENGLISH

LONGEST = 10_000
"""The maximum k, the number of words, characters or tokens per shingle."""

Whitespace = Literal["fold", "drop", "keep"]


@dataclass(frozen=True, eq=False)
class Shingles:
    """The shingle sets of consecutive documents, the first of which is row `start`.

    The set of document `start + i` is `values[offsets[i]:offsets[i + 1]]`. The values of each set are distinct and
    ascending, so that two sets can be compared in one pass.
    """

    offsets: npt.NDArray[np.int64]
    values: npt.NDArray[np.uint64]
    start: int = 0

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> npt.NDArray[np.uint64]:
        return self.values[self.offsets[i] : self.offsets[i + 1]]

    def __iter__(self) -> Iterator[npt.NDArray[np.uint64]]:
        return (self[i] for i in range(len(self)))

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        return np.diff(self.offsets)


@dataclass(frozen=True, kw_only=True)
class Shingling:
    """The rules for splitting a text into a set of shingles (docs/reference/format.md, sections 1 and 2)."""

    kind: ClassVar[str] = ""

    case: Literal["fold", "keep"] = "fold"
    normalize: Literal["nfkc", "none"] = "nfkc"
    bag: bool = False
    bits: Literal[32, 64] = 64
    ignored: bytes = field(default=b"", repr=False)
    """Shingles that are removed from all sets because they are too common: 8 bytes each (little-endian), in ascending
    order. They are determined from the data when a plan is resolved."""
    key: int = field(default=0, repr=False)
    """A secret 64-bit number that changes the hashes of all tokens. Whoever does not know it cannot prepare texts that
    collide. It is 0 except in an index."""

    def __post_init__(self) -> None:
        check_one_of("case", self.case, ("fold", "keep"))
        check_one_of("normalize", self.normalize, ("nfkc", "none"))
        check_one_of("bits", self.bits, (32, 64))
        check_one_of("bag", self.bag, (True, False))
        check_whole("key", self.key, 0, 2**64 - 1)
        # two options that only some kinds have
        k = getattr(self, "k", 1)
        if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= LONGEST:
            shown = f"{self.kind}:{k}" if not isinstance(k, int) or k.bit_length() <= 64 else f"{self.kind}:…"
            raise InvalidOption("shingle-length-out-of-range", longest=LONGEST, shingles=shown)
        check_one_of("whitespace", getattr(self, "whitespace", "fold"), ("fold", "drop", "keep"))

    def __str__(self) -> str:
        return f"{self.kind}:{self.k}" if hasattr(self, "k") else self.kind

    def to_dict(self) -> dict[str, Any]:
        """Returns the options as plain values, for TOML. `from_dict` is the inverse; `ignored` is not included.

        The key is included unless it is 0.
        """
        values = dataclasses.asdict(self)
        del values["ignored"]
        if not self.key:
            del values["key"]
        if isinstance(self, Stopwords):
            values["words"] = list(self.words)
        return {"kind": self.kind, **values}

    @property
    def ignores(self) -> npt.NDArray[np.uint64]:
        """The ignored shingles as an array."""
        return np.frombuffer(self.ignored, "<u8")

    @staticmethod
    def from_dict(values: dict[str, Any]) -> Shingling:
        """Creates a shingling from the result of `to_dict`."""
        options = dict(values)
        name = options.pop("kind", "auto")
        kind = _kind(name, name)
        unknown = options.keys() - {f.name for f in dataclasses.fields(kind)} | options.keys() & {"ignored"}
        if unknown:
            raise InvalidOption("unused-shingle-option", option=min(unknown), shingles=kind.kind)
        if isinstance(options.get("words"), list):
            options["words"] = tuple(options["words"])
        return kind(**options)


@dataclass(frozen=True)
class Words(Shingling):
    """Windows of k words, for documents (`words:5`)."""

    kind: ClassVar[str] = "words"
    k: int = 5


@dataclass(frozen=True)
class Symbols(Shingling):
    """Windows of k words and symbols, for source code and short texts (`symbols:5`). Punctuation is ignored."""

    kind: ClassVar[str] = "symbols"
    k: int = 5


@dataclass(frozen=True)
class Chars(Shingling):
    """Windows of k characters (k = 5 suits short texts, k = 9 long texts). A typing error affects only the windows that
    contain it."""

    kind: ClassVar[str] = "chars"
    k: int = 9
    whitespace: Whitespace = "fold"


@dataclass(frozen=True)
class Tokens(Shingling):
    """Windows of k tokens: the elements of a list column, or of a text split at white space. `tokens` means k = 1."""

    kind: ClassVar[str] = "tokens"
    k: int = 1


@dataclass(frozen=True)
class Stopwords(Shingling):
    """A stop word and the next two words. Such shingles are rarer in boilerplate than in prose (MMDS, 3.2.4)."""

    kind: ClassVar[str] = "stopwords"
    words: tuple[str, ...] = ENGLISH

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.words, tuple) or not self.words or not all(isinstance(w, str) for w in self.words):
            raise InvalidOption("no-stop-words", words=self.words)


@dataclass(frozen=True)
class Auto(Shingling):
    """Words:5, symbols:5 for source code, or tokens for lists: chosen from the data (`lookalike.planning.resolve`)."""

    kind: ClassVar[str] = "auto"


KINDS: dict[str, type[Shingling]] = {c.kind: c for c in (Words, Symbols, Chars, Tokens, Stopwords, Auto)}


def parse_shingling(text: str | Shingling, **options: Any) -> Shingling:
    """Creates a shingling from its name, such as `"words:5"`, `"symbols:5"`, `"chars:9"`, `"tokens"` or `"auto"`."""
    if isinstance(text, Shingling):
        return dataclasses.replace(text, **options) if options else text
    if not isinstance(text, str):
        raise InvalidOption("no-such-shingles", value=text)
    name, colon, number = text.partition(":")
    kind = _kind(name, text)
    if colon:
        if "k" not in {f.name for f in dataclasses.fields(kind)}:
            raise InvalidOption("shingles-without-length", kind=name, shingles=text)
        try:
            options["k"] = int(number)
        except ValueError:
            raise InvalidOption("shingle-length-not-a-number", kind=name, shingles=text) from None
    unknown = options.keys() - {f.name for f in dataclasses.fields(kind)}
    if unknown:
        raise InvalidOption("unused-shingle-option", option=min(unknown), shingles=str(text))
    return kind(**options)


def _kind(name: str, given: str) -> type[Shingling]:
    if name not in KINDS:
        raise InvalidOption("no-such-shingles", value=given)
    return KINDS[name]
