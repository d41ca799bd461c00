"""Text that many documents contain, in plain Python: the definition of `Kernel.repeated_runs`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from lookalike.engines.reference.definitions import windows
from lookalike.flow import Shingling


def repeated_runs(
    texts: Sequence[str | Sequence[str | None]], shingling: Shingling, least: int
) -> list[tuple[int, int, int, int]]:
    """Returns the distinct runs of windows that are each in at least `least` documents, by first occurrence.

    A run is (document, first window, number of windows, documents with the rarest of the windows).

    >>> from lookalike.flow import Words
    >>> repeated_runs(["menu of us: a", "b menu of us", "c d"], Words(1), 2)
    [(0, 0, 3, 2)]
    """
    found = [windows(text, shingling).values for text in texts]
    counts = Counter(value for values in found for value in set(values))
    runs: dict[tuple[int, ...], tuple[int, int, int, int]] = {}
    for document, values in enumerate(found):
        for is_frequent, places in groupby(range(len(values)), key=lambda at: counts[values[at]] >= least):
            if is_frequent:
                start, *rest = places
                run = tuple(values[start : start + len(rest) + 1])
                rarest = min(counts[value] for value in run)
                runs.setdefault(run, (document, start, len(run), rarest))
    return list(runs.values())
