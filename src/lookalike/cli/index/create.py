"""lookalike index create: creates an empty index."""

from __future__ import annotations

from lookalike.cli.command_options import Quiet
from lookalike.cli.index.opening import LOADS, IndexPath, lines_of_plan, print_summary, shown_name
from lookalike.cli.options import Options, takes
from lookalike.requests.indexes import CreateIndex

EXAMPLE = """\b
Examples:
  lookalike index create corpus.index --threshold 0.8
  lookalike index create corpus.index --contain
  lookalike index create code.index --shingles symbols:5 --seed 1
  lookalike index create corpus.index --like 'crawl/*.parquet'"""


@takes(CreateIndex, Quiet, loads=LOADS, example=EXAMPLE)
def create(index: IndexPath, *, options: Options) -> None:
    """Creates an empty index.

    The index is a new folder. Its options cannot be changed later. What they leave open, such as the kind of shingles,
    is decided by the first documents that are added, or now from the data of --like.
    """
    import tomllib

    from lookalike.cli.inputs import check_inputs
    from lookalike.display.progress import watching
    from lookalike.index.index import Index
    from lookalike.io.open import Paths

    asked = options.of(CreateIndex)
    if (like := asked.get("like")) is not None:
        check_inputs(like)
        asked["like"] = Paths(like)
    with watching(options.progress) as shown, Index.create(index, progress=shown, **asked) as made:
        plan = made.plan
    print_summary(
        options,
        [("index", f"{shown_name(index)} created"), *lines_of_plan(plan)],
        {"plan": tomllib.loads(plan.to_toml())},
    )


command = create
