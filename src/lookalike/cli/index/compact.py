"""lookalike index compact: returns the space of deleted documents, and merges all segments."""

from __future__ import annotations

import time

from lookalike.cli.command_options import Quiet
from lookalike.cli.index.opening import LOADS, IndexPath, open_index, print_summary
from lookalike.cli.options import Options, takes
from lookalike.notices.readable import in_words
from lookalike.requests.indexes import CompactIndex
from lookalike.results.summary import counted

EXAMPLE = """\b
Examples:
  lookalike index compact corpus.index
  lookalike index compact corpus.index --json"""


@takes(CompactIndex, Quiet, loads=LOADS, example=EXAMPLE)
def compact(index: IndexPath, *, options: Options) -> None:
    """Returns the space of deleted documents, and merges all segments.

    Queries are quickest afterwards. It needs as much free space as the remaining documents take. Other processes can
    read the index meanwhile. If it is interrupted, nothing is lost.
    """
    from lookalike.display.progress import watching

    began = time.perf_counter()
    with open_index(index, options) as ix, watching(options.progress) as shown:
        before = ix.info()
        ix.compact(progress=shown)
        after = ix.info()
    seconds = time.perf_counter() - began
    lines = [
        ("index", f"{counted(after['documents'], 'document')} in {index}"),
        ("dropped", counted(before["deleted"], "deleted document")),
        ("size", f"{in_words(after['bytes'])}, before {in_words(before['bytes'])}"),
        ("time", f"{seconds:.2f} s"),
    ]
    facts = {name: after[name] for name in ("documents", "bytes")}
    facts |= {"dropped": before["deleted"], "bytes_before": before["bytes"], "total_seconds": seconds}
    print_summary(options, lines, facts)


command = compact
