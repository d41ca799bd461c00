"""lookalike index add: adds documents to an index."""

from __future__ import annotations

import time

from lookalike.cli.command_options import Quiet
from lookalike.cli.index.opening import LOADS, IndexPath, open_index, print_summary, shown_name
from lookalike.cli.options import Inputs, Options, takes
from lookalike.requests.indexes import AddToIndex
from lookalike.results.summary import counted

EXAMPLE = """\b
Examples:
  lookalike index add corpus.index 'crawl/*.parquet' --id id
  zcat crawl.jsonl.gz | lookalike index add corpus.index - --column body --id url"""


@takes(AddToIndex, Quiet, loads=LOADS, example=EXAMPLE)
def add(index: IndexPath, inputs: Inputs, *, options: Options) -> None:
    """Adds documents to an index, all or none.

    When the command ends, the documents are on the disk. A document whose id exists replaces the old one. Without --id,
    the index assigns the next integers as ids.
    """
    from lookalike.cli.inputs import check_inputs, open_inputs
    from lookalike.display.progress import watching

    began = time.perf_counter()
    check_inputs(inputs)
    source = open_inputs(inputs, options)
    with open_index(index, options) as ix:
        with watching(options.progress) as shown:
            added = ix.add(source, progress=shown)
        total, seconds = len(ix), time.perf_counter() - began
    lines = [("added", f"{counted(len(added), 'document')} from {source.name}")]
    lines += [("replaced", f"{counted(added.replaced, 'document')} with the same ids")] if added.replaced else []
    lines += [("unusable", f"{source.malformed:,} malformed")] if source.malformed else []
    lines += [("index", f"{counted(total, 'document')} in {shown_name(index)}"), ("time", f"{seconds:.2f} s")]
    lines += [("rate", f"{len(added) / seconds:,.0f} documents/s")] if len(added) else []
    facts = {"added": len(added), "replaced": added.replaced, "malformed": source.malformed, "documents": total}
    print_summary(options, lines, facts | {"total_seconds": seconds}, warnings=source.warnings)


command = add
