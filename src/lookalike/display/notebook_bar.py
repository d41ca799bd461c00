"""The progress bar of a notebook: one output of the cell, which is replaced a few times per second."""

from __future__ import annotations

import time
import uuid

from lookalike.display.progress import Stage
from lookalike.drawing.markup import tag, text


class NotebookBar:
    """Draws a progress bar below the cell. It needs no widgets, so that it works in every kind of notebook."""

    def __init__(self) -> None:
        self._id, self._drawn = uuid.uuid4().hex, False

    def draw(self, stage: Stage) -> None:
        words = stage.words(time.perf_counter())
        value = None if stage.share is None else f"{stage.share:.4f}"
        bar = tag("progress", kind="lookalike", value=value)
        html = tag("div", text(stage.name), " ", bar, " ", text(words))
        self._publish({"text/html": html, "text/plain": f"{stage.name}: {words}"})

    def close(self) -> None:
        if self._drawn:
            self._publish({"text/html": "", "text/plain": ""})

    def _publish(self, data: dict[str, str]) -> None:
        from IPython.display import publish_display_data  # a notebook has it, a plain install need not

        publish_display_data(data, transient={"display_id": self._id}, update=self._drawn)  # type: ignore[no-untyped-call]
        self._drawn = True
