"""The engines by name, and the options that each of them declares.

An engine is a folder. Its `__init__.py` declares the engine without importing its class, so that the command line can
list every option before an engine is loaded. To add an engine, write its folder and add its name to `NAMES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lookalike.errors import InvalidOption

if TYPE_CHECKING:
    from lookalike.engines.base import Engine

NAMES = ("local", "reference", "spark")


@dataclass(frozen=True)
class EngineOption:
    """One option of an engine, as a user writes it."""

    name: str
    type: Any
    """A Python type, such as `int | None`."""
    default: Any
    help: str
    """One sentence."""


@dataclass(frozen=True)
class Declaration:
    """An engine before it is loaded: its name, the location of its class, and the options that the class accepts."""

    name: str
    made_by: str
    """Module and class: `package.module:Class`."""
    help: str
    options: tuple[EngineOption, ...] = ()

    def make(self, options: Mapping[str, Any]) -> Engine:
        """Loads the engine with these options; None means the default. Options of other engines are refused."""
        given = {name: value for name, value in options.items() if value is not None}
        for name in given.keys() - {option.name for option in self.options}:
            raise _refusal(name, self.name)
        module, _, name = self.made_by.partition(":")
        made: Engine = getattr(import_module(module), name)(**given)
        return made


def declaration(name: str) -> Declaration:
    """The declaration of the engine of this name."""
    if name not in NAMES:
        raise InvalidOption("not-one-of", option="engine", allowed=NAMES, value=name)
    declared: Declaration = import_module(f"lookalike.engines.{name}").DECLARATION
    return declared


def options() -> dict[str, EngineOption]:
    """All options of all engines by name."""
    return {option.name: option for name in NAMES for option in declaration(name).options}


def _refusal(option: str, engine: str) -> InvalidOption:
    owners = [name for name in NAMES if option in {known.name for known in declaration(name).options}]
    if not owners:
        return InvalidOption("unknown-option", verb=f"engine {engine}", option=option, meant=None)
    return InvalidOption("option-of-another-engine", option=option, owners=owners, engine=engine)
