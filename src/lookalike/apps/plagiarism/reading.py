"""Cuts documents into shingles (of words in texts, of tokens in programs), as sets or with their positions."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.apps.plagiarism.lexer import Language, check_code, language_of, tokenize
from lookalike.errors import InvalidOption
from lookalike.flow import Documents, Shingles, Tokens, Words
from lookalike.flow.arrays import Hashes
from lookalike.flow.checks import check_one_of, check_whole
from lookalike.flow.distinct import is_among
from lookalike.flow.progress import Progress
from lookalike.flow.shingles import LONGEST
from lookalike.joins.source_sets import Cutting
from lookalike.kernel import default
from lookalike.text.spans import Cut, cut

K = 5
"""The default number of words or tokens per shingle."""


@dataclass(frozen=True)
class Reading:
    """The rules for cutting documents: which are source code, whether names count, and the length of shingles."""

    code: str = "auto"
    names: Literal["fold", "keep"] = "fold"
    k: int = K

    def __post_init__(self) -> None:
        check_code(self.code)
        check_one_of("names", self.names, ("fold", "keep"))
        check_whole("k", self.k, 1, LONGEST)

    def language(self, name: str) -> Language | None:
        """Returns the language family of a document with this name; None if it is a text."""
        if self.code == "auto":
            return language_of(name)
        return None if self.code == "no" else self.code  # type: ignore[return-value]

    def shingling(self, language: Language | None) -> Words | Tokens:
        return Words(self.k) if language is None else Tokens(self.k)

    def sets(self, documents: Documents, names: Sequence[str]) -> Shingles:
        """Returns the set of shingles of each document. Languages are recognised by the suffixes of `names`."""
        if documents.has_tokens:
            raise InvalidOption("plagiarism-needs-texts")
        languages = [self.language(name) for name in names]
        if not any(languages):
            return default(1).shingle(documents, self.shingling(None))
        texts = documents.texts.to_pylist()
        of_code = [i for i, language in enumerate(languages) if language]
        of_text = [i for i, language in enumerate(languages) if not language]
        tokens = [tokenize(texts[i], languages[i], names=self.names).words for i in of_code]  # type: ignore[arg-type]
        lists = pa.array(tokens, pa.large_list(pa.large_string()))
        code = default(1).shingle(Documents(lists), self.shingling("c"))
        plain = default(1).shingle(Documents(documents.texts.take(pa.array(of_text, pa.int64()))), self.shingling(None))
        sets = dict(zip(of_code, code, strict=True)) | dict(zip(of_text, plain, strict=True))
        ordered = [sets[i] for i in range(len(texts))]
        offsets = np.cumsum([0, *map(len, ordered)], dtype=np.int64)
        return Shingles(offsets, np.concatenate(ordered), documents.start)

    def cut(self, text: str, name: str) -> Cut:
        """Cuts one document into shingles, with their positions."""
        language = self.language(name)
        if language is None:
            return cut(text, self.shingling(None))
        tokens = tokenize(text, language, names=self.names)
        found = cut(tokens.words, self.shingling(language))
        last = np.minimum(found.first + self.k, len(tokens)) - 1
        starts, ends = np.array(tokens.starts, np.int64), np.array(tokens.ends, np.int64)
        return dataclasses.replace(found, text=text, starts=starts[found.first], ends=ends[last])


class Cutter(Cutting):
    """A `Cutting` whose documents are cut by a `Reading`, in the language that the name of each document implies."""

    def __init__(self, source: object, reading: Reading, *, threads: int, progress: Progress, stage: str) -> None:
        super().__init__(source, reading.shingling(None), threads=threads, progress=progress, stage=stage)  # type: ignore[arg-type]
        self.reading = reading

    def sets(self, documents: Documents, ids: pa.Array | None) -> Shingles:
        names = [""] * len(documents) if ids is None else [str(id) for id in ids.to_pylist()]
        return self.reading.sets(documents, names)


def without(sets: Shingles, ignored: Hashes) -> Shingles:
    """Removes the ignored shingles, which are in ascending order, from the sets."""
    if not len(ignored):
        return sets
    return _kept(sets, ~is_among(sets.values, ignored))


def only(sets: Shingles, rows: npt.NDArray[np.bool_]) -> Shingles:
    """Keeps the sets of the selected rows, and makes all other sets empty."""
    return _kept(sets, np.repeat(rows, sets.sizes))


def _kept(sets: Shingles, kept: npt.NDArray[np.bool_]) -> Shingles:
    total = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
    return Shingles(total[sets.offsets], sets.values[kept], sets.start)


def cut_without(cut: Cut, ignored: Hashes) -> Cut:
    """Removes the ignored shingles, which are in ascending order, from a cut document."""
    if not len(ignored):
        return cut
    kept = np.flatnonzero(~is_among(cut.values, ignored))
    return Cut(cut.text, cut.values[kept], cut.starts[kept], cut.ends[kept], cut.first[kept], cut.tokens)
