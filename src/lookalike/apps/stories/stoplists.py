"""Stop lists: the most frequent words of a language, one file per language (`stopwords/CODE.txt`).

Words are separated by white space. To add a language, add its file; to use your own list, pass its path. In scripts
without spaces, words and stop words are single characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lookalike.errors import InputError, InvalidOption, MalformedInput, NoInput
from lookalike.flow import Words
from lookalike.flow.stopwords import ENGLISH
from lookalike.storage.foreign_errors import why
from lookalike.text.rules import hash_bytes, normalize, token_spans

Counts: TypeAlias = "npt.NDArray[np.int64]"

PROSE = 0.1
"""The minimum share of stop words with which a text counts as written in a language. In prose, the share is usually
near 0.4.
"""

BATCH = 1_000_000
"""The number of characters whose words are counted at a time."""

SEEN = 0.02
"""A language is reported if more than this share of the texts is in it."""


@cache
def languages() -> tuple[str, ...]:
    """Returns the codes of the languages that have a stop list."""
    names = (path.name for path in (files(__package__) / "stopwords").iterdir())
    return tuple(sorted({"en", *(name.removesuffix(".txt") for name in names if name.endswith(".txt"))}))


@cache
def stop_list(language: str) -> tuple[str, ...]:
    """Returns the stop words of a language, given its code (`en`, `de` …) or the path of a stop list.

    >>> stop_list("de")[:4]
    ('aber', 'alle', 'allem', 'allen')
    """
    if language == "en":
        return ENGLISH
    if language in languages():
        return _words((files(__package__) / "stopwords" / f"{language}.txt").read_text(encoding="utf-8"))
    if not Path(language).suffix and "/" not in language:
        raise InvalidOption("no-stop-list", language=language, languages=languages())
    try:
        found = _words(Path(language).expanduser().read_text(encoding="utf-8-sig"))
    except (FileNotFoundError, RuntimeError):  # RuntimeError: ~name of an unknown user
        raise NoInput("stop-list-missing", path=language) from None
    except UnicodeDecodeError:
        raise MalformedInput("stop-list-not-utf8", path=language) from None
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        raise InputError("stop-list-unreadable", path=language, reason=why(error)) from None
    if not found:
        raise MalformedInput("stop-list-empty", path=language)
    return found


def combined(chosen: Sequence[str]) -> tuple[str, ...]:
    """Returns the stop words of several languages, without repetitions."""
    return tuple(dict.fromkeys(word for language in chosen for word in stop_list(language)))


def detect_languages(texts: Iterable[str]) -> tuple[str, ...]:
    """Returns the languages in which the texts are written, most frequent first; English if none is recognised.

    >>> detect_languages(["The house that stands on the hill is the one that he had in mind."])
    ('en',)
    """
    rules, names = Words(1), languages()
    stops = _StopHashes.of_all(rules)
    found: Counter[str] = Counter()
    total = 0
    for several in _batches(texts):
        counts, sizes = _stop_words(stops, rules, several)
        total += len(sizes)
        best = counts.shape[1] - 1 - np.argmax(counts[:, ::-1], axis=1)  # of equal counts, the last language
        most = counts[np.arange(len(counts)), best]
        found.update(names[language] for language in best[most / sizes >= PROSE].tolist())
    chosen = [language for language, count in found.most_common() if count > SEEN * total]
    return tuple(chosen) or ("en",)


@dataclass(frozen=True, eq=False)
class _StopHashes:
    """The hashes of the stop words of all languages, sorted, and the languages of each."""

    hashes: npt.NDArray[np.uint64]
    languages: Counts
    """One row per hash, and one column per language: 1 if it is a stop word of the language."""
    starts: npt.NDArray[np.bool_]
    """Whether a hash starts with these 16 bits. Most words are not stop words, and this is decided without a search."""

    @classmethod
    def of_all(cls, rules: Words) -> _StopHashes:
        lists = [{hash_bytes(normalize(word, rules).encode()) for word in stop_list(name)} for name in languages()]
        hashes = np.array(sorted(set().union(*lists)), np.uint64)
        starts = np.zeros(1 << 16, np.bool_)
        starts[hashes >> np.uint64(48)] = True
        return cls(hashes, np.array([[stop in some for some in lists] for stop in hashes.tolist()], np.int64), starts)

    def counted(self, words: npt.NDArray[np.uint64], sizes: Counts) -> Counts:
        """Returns, for each text (row) and language (column), the number of its words that are stop words.

        `words` are the hashes of all words, text after text, and `sizes` the number of words of each text.
        """
        maybe = np.flatnonzero(self.starts[(words >> np.uint64(48)).astype(np.int64)])
        places = np.minimum(np.searchsorted(self.hashes, words[maybe]), len(self.hashes) - 1)
        are = self.hashes[places] == words[maybe]
        text_of = np.repeat(np.arange(len(sizes)), sizes)[maybe[are]]
        stops = len(self.hashes)  # counted per text and stop word, and then per language
        pairs, counts = np.unique(text_of * stops + places[are], return_counts=True)
        out = np.zeros((len(sizes), self.languages.shape[1]), np.int64)
        np.add.at(out, pairs // stops, self.languages[pairs % stops] * counts[:, None])
        return out


def _stop_words(stops: _StopHashes, rules: Words, texts: Sequence[str]) -> tuple[Counts, Counts]:
    """Returns the numbers of stop words, by text and language, and of all words, for each text that has words."""
    words = [token_spans(text, rules).hashes for text in texts]
    sizes = np.array([len(some) for some in words], np.int64)
    counts = stops.counted(np.concatenate(words), sizes)
    return counts[sizes > 0], sizes[sizes > 0]


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yields the texts in groups of about BATCH characters."""
    group: list[str] = []
    size = 0
    for text in texts:
        group.append(text)
        size += len(text)
        if size > BATCH:
            yield group
            group, size = [], 0
    if group:
        yield group


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split()))
