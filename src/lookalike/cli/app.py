"""The `lookalike` program: its commands, its help and its exit codes."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from lookalike.cli.help import Command

COMMANDS = {
    "pairs": "Finds every pair of similar documents or, with --measure, of near vectors.",
    "clusters": "Groups similar documents.",
    "dedupe": "Keeps one document of each cluster.",
    "audit": "Measures the recall of a result.",
    "contamination": "Finds test documents that appear in the training data.",
    "join": "Finds every similar pair between two collections, or within one.",
    "nearest": "Finds the vectors that are nearest to each query.",
    "frequent": "Finds pairs of items that are often in the same basket.",
    "resolve": "Finds records of one table that are the same person, product or publication.",
    "link": "Finds records of two tables that are the same person, product or publication.",
    "stories": "Finds pages that carry the same article, whatever boilerplate surrounds it.",
    "plagiarism": "Finds submissions with passages copied from one another, or from sources.",
    "fingerprints": "Finds prints that may be of the same finger, without comparing every pair.",
    "compare": "Compares two texts: how similar they are, and which passages they share.",
    "explain": "Explains what a plan will find and miss; with INPUT, forecasts a run.",
}
"""Each command with its line of help.

A command is in the module of the same name, which is imported when the command is called, so that `lookalike --help` is
fast.
"""

EXIT_CODES = """\b
Exit codes:
    0  success
    1  another error; the message says which
    2  invalid option or argument (threshold 80, words:-1)
    3  the input could not be read (no such file or column, malformed data)
    4  the output could not be written (exists already, no space left)
    5  an optional package is missing; the message says what to install
   70  a bug in lookalike; please report it
  129  the terminal was closed (SIGHUP); no output is incomplete
  130  interrupted by Ctrl-C; no output is incomplete
  141  the program that read standard output stopped reading, as head does
  143  terminated (SIGTERM); no output is incomplete"""

EXAMPLES = """\b
Example:
  lookalike dedupe news.jsonl --threshold 0.8 --out unique.jsonl"""

SETTINGS: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,  # plain help: fast, and easy to grep
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["--help", "-h"], "max_content_width": 100},
}


class Program(TyperGroup):
    """The group of all commands. It imports the module of a command only when that command is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Imports the module of a command, and returns the command in the form that typer runs."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"lookalike.cli.{cmd_name}")
        alone = typer.Typer(**SETTINGS)
        describe = alone.command(cmd_name, cls=Command, epilog=module.EXAMPLE, no_args_is_help=cmd_name != "explain")
        describe(module.command)
        return get_command(alone)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    name="lookalike",
    cls=Program,
    no_args_is_help=True,
    invoke_without_command=True,  # for --version
    epilog=f"{EXAMPLES}\n\n{EXIT_CODES}",
    **SETTINGS,
)


@app.callback()
def lookalike(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    traceback: Annotated[bool, typer.Option("--traceback", hidden=True)] = False,
) -> None:
    """Finds similar documents: pairs, clusters, and a corpus without its near-duplicates."""
    if version:
        from lookalike import __version__

        print(f"lookalike {__version__}")
        raise typer.Exit()
    if context.invoked_subcommand is None:
        context.fail("Missing command.")


program: Any = get_command(app)
program.commands = dict.fromkeys(COMMANDS)  # names only, so that typer can suggest one
