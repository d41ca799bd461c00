"""Help as plain text, its options under headings. `lookalike COMMAND --help` is read more often than any page."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from lookalike.cli.options import CUT, FIND, INPUT, OUTPUT, RUN

HEADINGS = ("Arguments", INPUT, FIND, CUT, RUN, OUTPUT, "Other")


class Command(TyperCommand):
    """A command whose help lists arguments and options under headings, in the order in which they are declared."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        for parameter in self.get_params(ctx):
            if parameter.param_type_name == "argument":
                groups["Arguments"].append((_name(parameter), getattr(parameter, "help", None) or ""))
            elif record := parameter.get_help_record(ctx):
                groups[getattr(parameter, "rich_help_panel", None) or "Other"].append(record)
        for heading, records in groups.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        return ["[OPTIONS]", *(_name(argument) for argument in arguments)]


class Program(TyperGroup):
    """The program itself; its commands stay in the order in which they were added."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)


def _name(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())
