"""Checks and opens the inputs that are named in a command's arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lookalike.cli.options import Options
from lookalike.errors import InvalidOption
from lookalike.requests.reading import Reading

if TYPE_CHECKING:
    from lookalike.io.source import Source


def check_inputs(*collections: Sequence[str] | None) -> None:
    """Raises an error if a name is empty, or if more than one collection is read from standard input."""
    if any("" in names for names in collections if names):
        raise InvalidOption("empty-input")
    if sum("-" in names for names in collections if names) > 1:
        raise InvalidOption("standard-input-twice")


def open_inputs(inputs: Sequence[str], options: Options) -> Source:
    """Opens the source that the arguments name."""
    from lookalike.io.open import Paths, open_source

    return open_source(Paths(inputs), **options.of(Reading))


def open_second_inputs(inputs: Sequence[str], options: Options, request: type[Any], prefix: str) -> Source:
    """Opens a second source. Its own options are declared by `request`, and their names have the prefix."""
    from lookalike.io.open import Paths, open_source
    from lookalike.requests.option import naming, of_second_input

    with naming(request, prefix):
        how = of_second_input(options.of(Reading), options.of(request), request, prefix)
        return open_source(Paths(inputs), **how)
