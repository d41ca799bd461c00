"""The report of pairs, clusters or a deduplication, written from the result."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from lookalike.errors import InvalidOption

if TYPE_CHECKING:
    from lookalike.io.source import Source
    from lookalike.results.summary import Summary


class DocumentReport:
    """Adds the method `report` to a result whose documents can be read again."""

    if TYPE_CHECKING:

        @property
        def summary(self) -> Summary: ...

    _source: Source | None = None
    """The documents of the result; None if it was loaded or copied, since texts are not part of a result."""

    def report(self, path: str | Path, data: Any = None, *, force: bool = False) -> Path:
        """Writes a report, one HTML file that can be read offline. With `force`, an existing file is replaced.

        The texts are read from the data again. `data` can be omitted, unless the data was in memory and the result was
        loaded, pickled or copied.
        """
        if getattr(self, "noun", "documents") != "documents":
            raise InvalidOption("report-of-vectors")
        source = self._source
        if data is not None or source is None:
            from lookalike.io.source_description import reopen

            source, _ = reopen(self.summary.input, data)
        return report_writer("write_report")(path, self, source, force=force)  # type: ignore[no-any-return]

    def _read_from(self, source: Source | None) -> Self:
        """Notes where the documents of this result were read. Returns the result."""
        object.__setattr__(self, "_source", source)  # results are frozen
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_source"}


def report_writer(name: str) -> Any:
    """A function of `lookalike.report`, a higher layer that knows all results. Results know it only through this."""
    return getattr(import_module("lookalike.report"), name)
