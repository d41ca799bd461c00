"""lookalike compare: two texts → how similar they are, and what they share."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import OUTPUT, Options, planning, takes

if TYPE_CHECKING:
    from rich.text import Text

    from lookalike.text.comparison import Comparison, Passage

EXAMPLE = """\b
Example:
  lookalike compare a.txt b.txt
  lookalike compare draft.md final.md --shingles words:3 --passages 20"""

WHOLE = 3000
"""Texts of up to this many characters are shown whole, with what they share marked; of longer ones the passages."""

LONG = 300
"""Passages longer than this are shown by their beginning and end."""

One = Annotated[str, typer.Argument(metavar="A", show_default=False, help="A text file, or - for standard input.")]
Two = Annotated[str, typer.Argument(metavar="B", show_default=False, help="The text file to compare it with.")]
Passages = Annotated[
    int,
    typer.Option(
        metavar="N",
        rich_help_panel=OUTPUT,
        show_default=False,
        help="How many of the longest shared passages to show where the texts are long (default: 10).",
    ),
]
Json = Annotated[bool, typer.Option("--json", rich_help_panel=OUTPUT, show_default=False, help="Everything, as JSON.")]


@takes(planning)
def compare(a: One, b: Two, passages: Passages = 10, json: Json = False, *, options: Options) -> None:
    """How similar two texts are, and which passages they share.

    The similarity is given in each measure that applies. On a terminal shared passages are in colour; elsewhere they
    stand between [[ and ]].
    """
    from lookalike.cli.outputs import check_outputs
    from lookalike.cli.process import speaks_utf8
    from lookalike.cli.session import save_plan
    from lookalike.errors import InvalidOption
    from lookalike.requests.plan import plan_from
    from lookalike.text.comparison import compare as compare_texts

    if a == b == "-":
        raise InvalidOption("standard input can be read once only; name a file for one of the two texts")
    if options.plan_options.get("ignore_common") is not None:
        raise InvalidOption("two texts do not say which shingles are common; --ignore-common is for a corpus")
    check_outputs({"--save-plan": options.planning["save_plan"]})
    plan = plan_from(options.planning["plan"], "pairs", options.plan_options)
    texts = read(a), read(b)
    result = compare_texts(*texts, plan)
    if json:
        from json import dumps

        print(dumps(result.to_dict(), ensure_ascii=not speaks_utf8(), indent=1))
    else:
        show(result, (a, b), passages)
    save_plan(options, result.plan.to_toml())


def read(path: str) -> str:
    """A text file, whatever its name; it has to be UTF-8."""
    from lookalike.errors import InputError, MalformedInput, NoInput

    if path == "-" and sys.stdin is None:
        raise InputError("standard input is closed; name a file instead of '-'")
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        raise NoInput(f"there is no file {path}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        where = "standard input" if path == "-" else path
        raise MalformedInput(
            f"{where} is not UTF-8 text: byte {error.object[error.start]:#04x} at offset {error.start:,}"
        ) from None


def show(result: Comparison, names: tuple[str, str], most: int) -> None:
    """Prints measures, then the texts or their passages: in colour on a terminal, else between marks."""
    from rich.console import Console
    from rich.text import Text

    colour = sys.stdout.isatty()
    # soft_wrap: files and pipes get the text as it is, not cut to somebody's idea of a width
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
        console.print(
            Text(f"and {rest:,} shorter shared passages; see more of them with --passages {len(result.passages)}")
        )


def account(result: Comparison) -> list[Text]:
    """The measures and the verdict, line by line."""
    from rich.text import Text

    from lookalike.planning.explain import chance, describe_shingles
    from lookalike.text.comparison import LABELS

    plan = result.plan
    counts = "a pair" if result.counts else "not a pair"
    lines = [(LABELS[name], f"{value:.4f}") for name, value in result.measures.items()]
    lines.append(("shingles", f"{plan.shingles}: {describe_shingles(plan.shingles)}"))
    lines.append(("verdict", result.verdict))
    lines.append((f"at threshold {plan.threshold}", f"{counts}; looked at with probability {chance(result.chance)}"))
    return [Text(f"{name:<23}", style="dim") + Text(text, style="not dim") for name, text in lines]


def place(result: Comparison, passage: Passage, names: tuple[str, str]) -> str:
    """Where a passage stands in both files: a.txt:12 = b.txt:40, 310 characters."""
    lines = result.a.count("\n", 0, passage.start_a) + 1, result.b.count("\n", 0, passage.start_b) + 1
    return f"{names[0]}:{lines[0]} = {names[1]}:{lines[1]}, {passage.end_a - passage.start_a:,} characters"


def marked(text: str, marks: tuple[tuple[int, int], ...] | None, *, colour: bool) -> Text:
    """A text with its marked parts (all of it, if no marks are given) in colour or in brackets."""
    from rich.text import Text

    shown, at = Text(), 0
    for start, end in ((0, len(text)),) if marks is None else marks:
        shown.append(text[at:start])
        shown.append(
            text[start:end] if colour else f"[[{text[start:end]}]]", style="black on bright_green" if colour else ""
        )
        at = end
    return shown.append(text[at:])


def shortened(text: str) -> str:
    if len(text) <= LONG + 60:
        return text
    half = LONG // 2
    return f"{text[:half]} … {len(text) - 2 * half:,} characters … {text[-half:]}"


command = compare
