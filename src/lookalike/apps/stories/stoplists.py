"""Stop lists: the most frequent words of a language, one file per language (`stopwords/CODE.txt`).

Words are separated by white space. To add a language, add its file; to use your own list, pass its path. In scripts
without spaces, words and stop words are single characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lookalike.errors import InputError, InvalidOption, MalformedInput, NoInput
from lookalike.flow import Documents, Words
from lookalike.flow.arrays import Hashes
from lookalike.flow.sketches import EMPTY, SHORT
from lookalike.flow.stopwords import ENGLISH
from lookalike.kernel import default
from lookalike.storage.foreign_errors import why
from lookalike.text.rules import hash_bytes, normalize
from lookalike.text.spans import shingle_hashes

PROSE = 0.1
"""The minimum share of stop words with which a text counts as written in a language. In prose, the share is usually
near 0.4.
"""

SEEN = 0.02
"""A language is reported if more than this share of the texts is in it."""

WORDS = Words(1)


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


def detect_languages(documents: Iterable[Documents], threads: int = 1) -> tuple[str, ...]:
    """Returns the languages in which the texts are written, most frequent first; English if none is recognised.

    >>> detect_languages([Documents.from_texts(["The house that stands on the hill is the one that he had in mind."])])
    ('en',)
    """
    names, kernel = languages(), default(threads)
    found: Counter[str] = Counter()
    total = 0
    for several in documents:
        counts, sizes, flags = kernel.members(several, WORDS, *_stop_hashes(names))
        counts, sizes = (some[(flags & (EMPTY | SHORT)) == 0] for some in (counts, sizes))  # texts that have words
        total += len(sizes)
        best = counts.shape[1] - 1 - np.argmax(counts[:, ::-1], axis=1)  # of equal counts, the last language
        most = counts[np.arange(len(counts)), best]
        found.update(names[language] for language in best[most / sizes >= PROSE].tolist())
    chosen = [language for language, count in found.most_common() if count > SEEN * total]
    return tuple(chosen) or ("en",)


@cache
def _stop_hashes(names: tuple[str, ...]) -> tuple[Hashes, npt.NDArray[np.uint8]]:
    """Returns the shingles of the stop words of these languages; and for each (row) and language (column), 1 if it is
    one of the language."""
    lists = [{*shingle_hashes(_token_hashes(stop_list(name)), 1).tolist()} for name in names]
    hashes = sorted(set().union(*lists))
    return np.array(hashes, np.uint64), np.array([[stop in some for some in lists] for stop in hashes], np.uint8)


def _token_hashes(words: Sequence[str]) -> Hashes:
    return np.array([hash_bytes(normalize(word, WORDS).encode()) for word in words], np.uint64)


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split()))
