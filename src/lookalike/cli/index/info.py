"""lookalike index info: shows the counts, sizes and plan of an index."""

from __future__ import annotations

from lookalike.cli.command_options import Printed
from lookalike.cli.index.opening import LOADS, IndexPath, lines_of_plan, open_index, shown_name
from lookalike.cli.options import Options, takes

EXAMPLE = """\b
Examples:
  lookalike index info corpus.index
  lookalike index info corpus.index --json"""


@takes(Printed, loads=LOADS, example=EXAMPLE)
def info(index: IndexPath, *, options: Options) -> None:
    """Shows the counts, sizes and plan of an index."""
    import tomllib

    from lookalike.cli.json_output import print_json
    from lookalike.cli.summary import lines_of
    from lookalike.notices.readable import in_words, visible

    with open_index(index, options) as ix:
        facts, plan = ix.info(), ix.plan
    if options["json"]:
        print_json(options, facts | {"plan": tomllib.loads(plan.to_toml())})
        return
    each = f", {facts['bytes'] / facts['documents']:,.0f} bytes per document" if facts["documents"] else ""
    kinds = {None: "decided by the first add", "int": "integers", "str": "strings"}
    lines = [
        ("index", shown_name(index)),
        ("documents", f"{facts['documents']:,}"),
        ("deleted", f"{facts['deleted']:,} since the last compaction"),
        ("size", f"{in_words(facts['bytes'])}{each}"),
        ("unused", f"{in_words(facts['dead_bytes'])}, which lookalike index compact returns"),
        ("segments", f"{facts['segments']:,}, and {facts['recent']:,} recent documents outside them"),
        ("ids", kinds[facts["ids"]]),
        *([("containment", _passages(facts["passage"]))] if facts["contain"] else []),
        *lines_of_plan(plan),
    ]
    print(visible(lines_of(lines)), end="", flush=True)


def _passages(run: int | None) -> str:
    """Returns the line about passages. `run` is None before the first add."""
    length = "" if run is None else f" of {run} shingles"
    return f"found by passages{length} (--measure containment)"


command = info
