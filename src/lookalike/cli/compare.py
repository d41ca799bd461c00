"""lookalike compare: shows how similar two texts are, and which passages they share."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from lookalike.cli.command_options import Passages, SavePlan
from lookalike.cli.help import Argument
from lookalike.cli.options import Options, takes
from lookalike.notices.readable import visible
from lookalike.requests.verbs import Compare

if TYPE_CHECKING:
    from rich.text import Text

    from lookalike.text.comparison import Comparison, Passage

EXAMPLE = """\b
Examples:
  lookalike compare a.txt b.txt
  lookalike compare draft.md final.md --shingles words:3 --passages 20"""

WHOLE = 3000
"""Texts of at most this many characters are shown whole, with shared passages marked.

If either text is longer, only the longest shared passages are shown.
"""

LONG = 300
"""The number of characters shown of a long passage: half from its beginning, half from its end."""

One = Annotated[str, Argument("A", "A text file, which may be compressed, or - for standard input.")]
Two = Annotated[str, Argument("B", "The text file to compare A with.")]


@takes(Compare, Passages, SavePlan, example=EXAMPLE)
def compare(a: One, b: Two, *, options: Options) -> None:
    """Shows how similar two texts are, and which passages they share.

    The similarity is printed for each measure that applies. Shared passages are shown in colour on a terminal, and
    between [[ and ]] elsewhere.
    """
    from lookalike.api import compare as compare_texts
    from lookalike.cli.inputs import check_inputs
    from lookalike.cli.json_output import print_json
    from lookalike.io.one_text import read_text
    from lookalike.io.outputs import Outputs
    from lookalike.planning.plan import Plan
    from lookalike.requests.shared import Finding

    check_inputs([a], [b])
    outputs = Outputs({"save_plan": options["save_plan"]}, force=None)
    # an invalid plan is refused before a text is read
    plan = Plan.from_options(options["plan"], "pairs", options.of(Finding))
    result = compare_texts(*(read_text(path, options["encoding"]) for path in (a, b)), plan=plan)
    outputs.write_text("save_plan", result.plan.to_toml())
    if options["json"]:
        print_json(options, result.to_dict(), result.warnings, outputs)
    else:
        show(result, (a, b), options["passages"])


def show(result: Comparison, names: tuple[str, str], most: int) -> None:
    """Prints the measures, then the texts or their shared passages.

    Shared text is in colour on a terminal, and in brackets elsewhere. Control characters are shown as escapes.
    """
    from rich.console import Console
    from rich.text import Text

    from lookalike.notices import Notice
    from lookalike.notices.naming import command_line

    names = visible(names[0]), visible(names[1])
    colour = sys.stdout.isatty()
    # soft_wrap: rich must not add line breaks to the texts
    console = Console(highlight=False, soft_wrap=True, color_system="auto" if colour else None)
    for line in account(result):
        console.print(line)
    if max(len(result.a), len(result.b)) <= WHOLE:
        for name, text, marks in ((names[0], result.a, result.marks_a), (names[1], result.b, result.marks_b)):
            console.print()
            console.print(Text(f"{name}", style="bold"))
            console.print(marked(text, marks, colour=colour))
        return
    longest = sorted(result.passages, key=lambda p: (p.start_a - p.end_a, p.start_a))[:most]
    for passage in sorted(longest):
        console.print()
        console.print(Text(place(result, passage, names), style="bold"))
        console.print(marked(shortened(passage.text), None, colour=colour))
    rest = len(result.passages) - len(longest)
    if rest:
        console.print()
        console.print(Text(Notice("more-passages", count=rest, all=len(result.passages)).render(command_line)))


def account(result: Comparison) -> list[Text]:
    """Formats the measures, the kind of shingles and the verdict as lines."""
    from rich.text import Text

    from lookalike.planning.explain import chance, describe_shingles
    from lookalike.text.comparison import LABELS

    plan = result.plan
    counts = "a pair" if result.counts else "not a pair"
    lines = [(LABELS[name], f"{value:.4f}") for name, value in result.measures.items()]
    lines.append(("shingles", f"{plan.shingles}: {describe_shingles(plan.shingles)}"))
    lines.append(("verdict", result.verdict))
    lines.append((f"at threshold {plan.threshold}", f"{counts}; a candidate with probability {chance(result.chance)}"))
    return [Text(f"{name:<23}", style="dim") + Text(text, style="not dim") for name, text in lines]


def place(result: Comparison, passage: Passage, names: tuple[str, str]) -> str:
    """Returns the line numbers of a passage in both files, and its length: a.txt:12 = b.txt:40, 310 characters."""
    lines = result.a.count("\n", 0, passage.start_a) + 1, result.b.count("\n", 0, passage.start_b) + 1
    return f"{names[0]}:{lines[0]} = {names[1]}:{lines[1]}, {passage.end_a - passage.start_a:,} characters"


def marked(text: str, marks: tuple[tuple[int, int], ...] | None, *, colour: bool) -> Text:
    """Returns the text with its marked parts in colour or in brackets. If `marks` is None, the whole text is marked."""
    from rich.text import Text

    shown, at = Text(), 0
    for start, end in ((0, len(text)),) if marks is None else marks:
        shown.append(visible(text[at:start]))
        shared = visible(text[start:end])
        shown.append(shared if colour else f"[[{shared}]]", style="black on bright_green" if colour else "")
        at = end
    return shown.append(visible(text[at:]))


def shortened(text: str) -> str:
    if len(text) <= LONG + 60:
        return text
    half = LONG // 2
    return f"{text[:half]} … {len(text) - 2 * half:,} characters … {text[-half:]}"


command = compare
