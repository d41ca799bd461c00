"""Engines carry out plans. All engines give the same answer, and each is imported only when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookalike.engines.base import Engine


def engine(name: str | Engine = "local", **options: Any) -> Engine:
    """Returns the engine with this name, configured with these options: `engine("local", threads=4, memory="2GiB")`.

    `registry.py` lists the engines, and each engine's folder declares its options. An engine
    instance is returned unchanged and takes no further options.
    """
    from lookalike.engines.registry import declaration
    from lookalike.errors import InvalidOption

    if isinstance(name, str):
        return declaration(name).make(options)
    if not hasattr(name, "run"):
        raise InvalidOption("not-an-engine", value=name)
    for option in (option for option, value in options.items() if value is not None):
        raise InvalidOption("option-of-a-made-engine", option=option, engine=name.name)
    return name
