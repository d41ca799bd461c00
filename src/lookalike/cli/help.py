"""Plain-text help with options grouped under headings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import click

from lookalike.notices.naming import command_line
from lookalike.requests.option import GROUPS, Declared

HEADINGS = ("Arguments", *GROUPS, "Other")

CONTEXT = {"help_option_names": ["--help", "-h"], "max_content_width": 100}


class Argument(NamedTuple):
    """The description of a positional argument.

    The metavar is `INPUT...` if it can be repeated, `[RIGHT]` if optional.
    """

    metavar: str
    help: str


class Command(click.Command):
    """A command whose help lists arguments and options under headings, in the order in which they are declared."""

    arguments: Mapping[str, Argument]
    fields: Mapping[str, Declared]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        groups["Arguments"] = list(self.arguments.values())
        for parameter in self.get_params(ctx):
            if not isinstance(parameter, click.Option):
                continue
            field = self.fields.get(parameter.name or "")
            if field is not None:
                repeats = " Can be repeated." if parameter.multiple else ""
                parameter.help = field.option.sentence(command_line) + repeats
            if record := parameter.get_help_record(ctx):
                groups["Other" if field is None else field.option.group].append(record)
        for heading, records in groups.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["[OPTIONS]", *(argument.metavar for argument in self.arguments.values())]
