"""Lazy exports: the names of a package are imported when they are first used, so that importing it is quick."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazy(
    package: str, homes: Mapping[str, str], packages: Iterable[str] = (), hints: str | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Returns the functions `__getattr__` and `__dir__` of a package that imports its names on first use.

    `homes` maps each exported name to the module of the package that defines it.

    `packages` are modules and subpackages to make available as attributes, as in `la.joins.prefix`. `hints` is the
    module of the package that explains a name that does not exist.
    """
    subpackages = tuple(packages)

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name in homes:
            return getattr(import_module(f"{package}.{homes[name]}"), name)
        if name in subpackages:
            return import_module(f"{package}.{name}")
        if hints is not None:
            raise import_module(f"{package}.{hints}").missing_name(package, name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def __dir__() -> list[str]:  # noqa: N807
        own = [name for name in vars(sys.modules[package]) if name.startswith("__")]
        return sorted([*homes, *subpackages, *own])

    return __getattr__, __dir__
