"""The program: its commands, its version, and what its exit codes mean."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli import (
    audit,
    clusters,
    compare,
    contamination,
    dedupe,
    explain,
    fingerprints,
    frequent,
    join,
    link,
    nearest,
    pairs,
    plagiarism,
    resolve,
    stories,
)
from lookalike.cli.help import Command, Program

EXIT_CODES = """\b
Exit codes:
    0  done
    1  something else went wrong; the message says what
    2  an option or argument that cannot be (threshold 80, words:-1)
    3  the input could not be read (no such file or column, broken data)
    4  the output could not be written (exists already, no space left)
    5  an optional package is missing; the message says what to install
   70  lookalike is at fault; please report it
  129  the terminal was closed (SIGHUP); no output was left half-written
  130  interrupted by Ctrl-C; no output was left half-written
  141  whoever read standard output stopped reading, as head does
  143  terminated (SIGTERM); no output was left half-written"""

EXAMPLES = """\b
Example:
  lookalike dedupe news.jsonl --threshold 0.8 --out unique.jsonl"""

app = typer.Typer(
    name="lookalike",
    cls=Program,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: quick, and good to grep
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    epilog=f"{EXAMPLES}\n\n{EXIT_CODES}",
)


def _version(wanted: bool) -> None:
    if wanted:
        from lookalike import __version__

        print(f"lookalike {__version__}")
        raise typer.Exit()


@app.callback()
def lookalike(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    traceback: Annotated[bool, typer.Option("--traceback", hidden=True)] = False,
) -> None:
    """Finds similar documents: pairs, clusters, and a corpus without its near-duplicates."""


COMMANDS = {
    "pairs": pairs,
    "clusters": clusters,
    "dedupe": dedupe,
    "audit": audit,
    "contamination": contamination,
    "join": join,
    "nearest": nearest,
    "frequent": frequent,
    "resolve": resolve,
    "link": link,
    "stories": stories,
    "plagiarism": plagiarism,
    "fingerprints": fingerprints,
    "compare": compare,
    "explain": explain,
}
for name, module in COMMANDS.items():
    app.command(name, cls=Command, epilog=module.EXAMPLE, no_args_is_help=module is not explain)(module.command)
