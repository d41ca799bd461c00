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

from lookalike.errors import InputError, InvalidOption, MalformedInput, NoInput
from lookalike.flow import Words
from lookalike.flow.stopwords import ENGLISH
from lookalike.storage.foreign_errors import why
from lookalike.text.rules import hash_bytes, normalize, token_spans

PROSE = 0.1
"""The minimum share of stop words with which a text counts as written in a language. In prose, the share is usually
near 0.4.
"""

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
    rules = Words(1)
    names = languages()
    hashes = [{hash_bytes(normalize(word, rules).encode()) for word in stop_list(name)} for name in names]
    stops = np.array(sorted(set().union(*hashes)), np.uint64)
    is_of = np.array([[stop in some for some in hashes] for stop in stops.tolist()])  # stop word × language
    found: Counter[str] = Counter()
    total = 0
    for text in texts:
        words = token_spans(text, rules).hashes
        if not len(words):
            continue
        total += 1
        places = np.minimum(np.searchsorted(stops, words), len(stops) - 1)
        counts = is_of[places[stops[places] == words]].sum(axis=0).tolist()
        count, best = max(zip(counts, names, strict=True))
        found[best] += count / len(words) >= PROSE
    chosen = [language for language, count in found.most_common() if count > SEEN * total]
    return tuple(chosen) or ("en",)


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split()))
