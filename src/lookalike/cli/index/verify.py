"""lookalike index verify: reads everything in an index, and reports damage."""

from __future__ import annotations

import time

from lookalike.cli.command_options import Quiet
from lookalike.cli.index.opening import LOADS, IndexPath, open_index, print_summary, shown_name
from lookalike.cli.options import Options, takes
from lookalike.requests.indexes import VerifyIndex
from lookalike.results.summary import counted

EXAMPLE = """\b
Examples:
  lookalike index verify corpus.index
  lookalike index verify corpus.index --quiet && cp -r corpus.index backup"""


@takes(VerifyIndex, Quiet, loads=LOADS, example=EXAMPLE)
def verify(index: IndexPath, *, options: Options) -> None:
    """Reads everything in an index, and reports damage.

    Every page and block has a checksum. The exit code is 0 if all are correct, and 3 if something is damaged; the error
    then names the file.
    """
    from lookalike.display.progress import watching

    began = time.perf_counter()
    with open_index(index, options) as ix, watching(options.progress) as shown:
        ix.verify(progress=shown)
        total = len(ix)
    seconds = time.perf_counter() - began
    lines = [
        ("index", f"{counted(total, 'document')} in {shown_name(index)}"),
        ("damage", "none"),
        ("time", f"{seconds:.2f} s"),
    ]
    print_summary(options, lines, {"documents": total, "damage": False, "total_seconds": seconds})


command = verify
