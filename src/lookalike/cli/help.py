"""Plain-text help with options grouped under headings."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

from lookalike.notices.naming import command_line
from lookalike.requests.option import GROUPS, Declared

HEADINGS = ("Arguments", *GROUPS, "Other")


class Command(TyperCommand):
    """A command whose help lists arguments and options under headings, in the order in which they are declared."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        fields: dict[str, Declared] = self.callback.fields  # type: ignore[union-attr]
        parameter: Any  # typer's classes differ between its versions
        for parameter in self.get_params(ctx):
            if parameter.param_type_name == "argument":
                groups["Arguments"].append((_name(parameter), getattr(parameter, "help", None) or ""))
                continue
            field = fields.get(parameter.name or "")
            if field is not None:
                repeats = " Can be repeated." if parameter.multiple else ""
                parameter.help = field.option.sentence(command_line) + repeats
            if record := parameter.get_help_record(ctx):
                groups["Other" if field is None else field.option.group].append(record)
        for heading, records in groups.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        return ["[OPTIONS]", *(_name(argument) for argument in arguments)]


def _name(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())
