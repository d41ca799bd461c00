"""Counts of requests, in the text format of Prometheus. Paths are those of routes, so that no id becomes a label."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper limits of the histogram of durations, in seconds."""

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """The counts since the start. They are only changed by the thread of the event loop."""

    def __init__(self) -> None:
        self._requests: Counter[Labels] = Counter()
        self._refused: Counter[Labels] = Counter()
        self._durations: dict[Labels, list[int]] = {}
        self._seconds: Counter[Labels] = Counter()
        self.received = self.sent = 0
        """Bytes of bodies."""
        self.in_progress = 0

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts an answered request."""
        where: Labels = (("method", method), ("route", route))
        self._requests[*where, ("status", str(status))] += 1
        buckets = self._durations.setdefault(where, [0] * (len(BUCKETS) + 1))
        buckets[bisect_left(BUCKETS, seconds)] += 1
        self._seconds[where] += seconds  # type: ignore[assignment]

    def refuse(self, code: str) -> None:
        """Counts a problem by its code."""
        self._refused[(("code", code),)] += 1

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Returns all counts. `gauges` are the current figures of the index: name, help and value."""
        lines = [
            *_family("requests_total", "counter", "Answered requests.", self._requests.items()),
            *_family("problems_total", "counter", "Requests that were refused or failed.", self._refused.items()),
            *self._histogram(),
            *_family("received_bytes_total", "counter", "Bytes of bodies received.", [((), self.received)]),
            *_family("sent_bytes_total", "counter", "Bytes of bodies sent.", [((), self.sent)]),
            *_family("requests_in_progress", "gauge", "Requests in progress.", [((), self.in_progress)]),
        ]
        for name, (words, value) in gauges.items():
            lines += _family(name, "gauge", words, [((), value)])
        return "\n".join(lines) + "\n"

    def _histogram(self) -> Iterator[str]:
        name = "lookalike_request_seconds"
        yield f"# HELP {name} Seconds from the arrival of a request to the end of its answer."
        yield f"# TYPE {name} histogram"
        for where, counts in sorted(self._durations.items()):
            total = 0
            for limit, count in zip((*BUCKETS, "+Inf"), counts, strict=True):
                total += count
                yield _sample(f"{name}_bucket", (*where, ("le", str(limit))), total)
            yield _sample(f"{name}_sum", where, self._seconds[where])
            yield _sample(f"{name}_count", where, total)


def _family(name: str, kind: str, words: str, samples: Iterable[tuple[Labels, float]]) -> Iterator[str]:
    yield f"# HELP lookalike_{name} {words}"
    yield f"# TYPE lookalike_{name} {kind}"
    for labels, value in sorted(samples):
        yield _sample(f"lookalike_{name}", labels, value)


def _sample(name: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{inside}}} {value!r}" if inside else f"{name} {value!r}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
