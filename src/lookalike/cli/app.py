"""The `lookalike` program: its commands, its help and its exit codes."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click

from lookalike.cli.help import CONTEXT
from lookalike.cli.process import COMPLETION
from lookalike.errors import InvalidOption

COMMANDS = {
    "pairs": "Finds pairs of similar documents or, with --measure, of similar vectors.",
    "clusters": "Groups similar documents.",
    "dedupe": "Keeps one document from each cluster.",
    "index": "Keeps documents in a folder, to ask which of them are similar to new ones.",
    "serve": "Starts a service over an index or a saved result.",
    "audit": "Measures the recall of a result.",
    "contamination": "Finds test documents that appear in the training data.",
    "join": "Finds every similar pair between two collections, or within one.",
    "nearest": "Finds the vectors that are nearest to each query.",
    "frequent": "Finds pairs of items that often occur in the same basket.",
    "resolve": "Finds records in one table that refer to the same person, product or publication.",
    "link": "Finds records in two tables that refer to the same person, product or publication.",
    "stories": "Finds pages that carry the same article, whatever boilerplate surrounds it.",
    "plagiarism": "Finds passages that submissions share with one another or with sources.",
    "fingerprints": "Finds prints that may come from the same finger, without comparing every pair.",
    "images": "Finds copies of pictures, also scaled, recompressed, cropped or turned ones.",
    "compare": "Shows how similar two texts are, and which passages they share.",
    "explain": "Explains what a plan will find and miss; with INPUT, forecasts a run.",
}
"""Maps each command to its line of help.

Each command is in a module of the same name, which is imported when the command is called, so that `lookalike --help`
is fast.
"""

SHELLS = ("bash", "zsh", "fish")

EXIT_CODES = """\b
Exit codes:
    0  success
    1  any other error; see the message
    2  invalid option or argument, such as threshold 80 or words:-1
    3  the input could not be read (no such file or column, malformed data)
    4  the output could not be written (it already exists, or no space is left)
    5  an optional package is missing; the message says what to install
    6  the service refused a request, or cannot be reached
   70  a bug in lookalike; please report it
  129  the terminal was closed (SIGHUP); no incomplete output is left
  130  interrupted by Ctrl-C; no incomplete output is left
  141  the program that reads the output, such as head, stopped reading early
  143  terminated (SIGTERM); no incomplete output is left"""

EXAMPLES = """\b
Example:
  lookalike dedupe news.jsonl --threshold 0.8 --out unique.jsonl"""


class Group(click.Group):
    """A group whose commands are in the modules of a package, each in a module of the same name.

    A module is imported only when its command is called.
    """

    lines: Mapping[str, str] = COMMANDS
    """Maps each command to its line of help."""
    package = "lookalike.cli"

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lines and ctx.resilient_parsing:
            return None  # a shell asks for completions, and an error would disturb what is being typed
        if cmd_name not in self.lines:
            from difflib import get_close_matches

            meant = next(iter(get_close_matches(cmd_name, self.lines)), None)
            raise InvalidOption("unknown-command", command=cmd_name, meant=meant)
        command: click.Command = import_module(f"{self.package}.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.lines.items()))


@click.command(
    "lookalike",
    cls=Group,
    context_settings=CONTEXT,
    no_args_is_help=True,
    invoke_without_command=True,  # for --version
    subcommand_metavar="COMMAND [ARGS]...",
    epilog=f"{EXAMPLES}\n\n{EXIT_CODES}",
)
@click.option("--version", is_flag=True, help="Print the version and exit.")
@click.option(
    "--completion",
    type=click.Choice(SHELLS),
    metavar="|".join(SHELLS),
    help="Print a script that completes commands, options and values in this shell, and exit.",
)
@click.option("--traceback", is_flag=True, hidden=True)
@click.pass_context
def program(context: click.Context, version: bool, completion: str | None, traceback: bool) -> None:
    """Finds similar things: near-duplicate documents, overlapping sets, matching records, and similar vectors."""
    if version:
        from lookalike import __version__

        print(f"lookalike {__version__}")
    elif completion is not None:
        from click.shell_completion import get_completion_class

        script = get_completion_class(completion)
        assert script is not None
        print(script(program, {}, "lookalike", COMPLETION).source())
    elif context.invoked_subcommand is None:
        context.fail("Missing command.")


def every_command() -> dict[str, click.Command]:
    """Returns all commands by name, those of groups too: `pairs`, `index`, `index create` and so on."""
    found: dict[str, click.Command] = {}
    context = click.Context(program)
    for name in COMMANDS:
        command = program.get_command(context, name)
        assert command is not None
        found[name] = command
        if isinstance(command, Group):
            inside = {one: command.get_command(context, one) for one in command.lines}
            found |= {f"{name} {one}": member for one, member in inside.items() if member is not None}
    return found
