"""Writes the report on pairs, clusters or a deduplication from the result."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from lookalike.errors import InputError, InvalidOption
from lookalike.flow.checks import check_true_or_false, check_whole
from lookalike.results.opening import has_screen, open_report
from lookalike.results.shown import Shown, display

if TYPE_CHECKING:
    from lookalike.io.source import Source
    from lookalike.results.summary import Summary


class DocumentReport:
    """Adds the methods `report` and `show` to a result whose documents can be read again."""

    if TYPE_CHECKING:

        @property
        def summary(self) -> Summary: ...

    _source: Source | None = None
    """The documents of the result; None if the result was loaded or copied, since it does not contain the texts."""
    _data: Any = None
    """The caller's own data, if the documents can be read from it again. It is kept instead of a copy in memory."""
    _checksum: str | None = None
    """The checksum of `_data` when the result was made, because the caller may change the data afterwards."""

    def report(self, path: str | Path, data: Any = None, *, force: bool = False) -> Path:
        """Writes a report: one HTML file that can be read offline. With `force`, an existing file is replaced.

        The texts are read from the data again. `data` can be omitted, unless the data was in memory and the result was
        loaded, pickled or copied.
        """
        source = self._documents("report", data)
        return report_writer("write_report")(path, self, source, force=force)  # type: ignore[no-any-return]

    def show(self, n: int = 5, data: Any = None, *, browser: bool | None = None) -> Shown:
        """Shows texts with their differences marked: the first `n` pairs, or the `n` largest clusters.

        For `dedupe`, each removed document is shown beside the one that was kept. Scripts print it; notebooks and
        prompts display what is returned. `data` is as for `report`.

        With `browser`, the report is written to a temporary folder and opened in a browser too (default: if the output
        goes to a terminal of a machine with a display).
        """
        check_whole("n", n, 1)
        if browser is not None:
            check_true_or_false("browser", browser)
        source = self._documents("show", data)
        shown = import_module("lookalike.report.shown").show_documents(self, source, n)
        if has_screen() if browser is None else browser:
            path = open_report(lambda path: report_writer("write_report")(path, self, source))
            shown = replace(shown, text=f"{shown.text}\n\nThe report is open in a browser: {path}")
        return display(shown)

    def _documents(self, method: str, data: Any) -> Source:
        """Opens the documents of the result again. `method` is the method that needs them, for errors."""
        if getattr(self, "noun", "documents") != "documents" or self.summary.plan.startswith("vectors ="):
            raise InvalidOption("report-of-vectors", method=method)
        source = self._source
        if data is None and self._data is not None:
            source = self._reopened()
        elif data is not None or source is None:
            from lookalike.io.open import reopen

            source, _ = reopen(self.summary.input, data)
            if source.in_memory and (rows := source.total_rows()) != self.summary.documents:
                raise InputError("data-of-another-result", rows=rows, documents=self.summary.documents)
        return source

    def _remembered(self) -> Source | None:
        """Returns the documents of a result that was made from data in memory; None if they have to be read again."""
        if self._data is not None:
            return self._reopened()
        return None if '"paths":' in self.summary.input else self._source

    def _reopened(self) -> Source:
        """Opens the caller's own data again. Raises an error if it has changed since the result was made."""
        from lookalike.io.memory_source import checksum
        from lookalike.io.open import reopen

        try:
            source, _ = reopen(self.summary.input, self._data)
        except InputError as error:
            raise InputError("data-differs-from-result") from error
        if checksum(source) != self._checksum:
            raise InputError("data-differs-from-result")
        return source

    def _read_from(self, source: Source | None, data: Any = None, checksum: str | None = None) -> Self:
        """Stores the data from which the documents of this result can be read again. Returns the result."""
        object.__setattr__(self, "_source", source)  # results are frozen
        object.__setattr__(self, "_data", data)
        object.__setattr__(self, "_checksum", checksum)
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_source", "_data", "_checksum")}


def report_writer(name: str) -> Any:
    """Imports a function of `lookalike.report`, a higher layer that results do not import at the top."""
    return getattr(import_module("lookalike.report"), name)
