"""The stub agrees with the compiled module in names and arguments."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from lookalike import kernel
from lookalike.kernel import _native

STUB = Path(kernel.__file__).with_name("_native.pyi")


def declared() -> dict[str, list[str]]:
    """The names in the stub; for functions, with the names of their arguments."""
    names: dict[str, list[str]] = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            names[node.name] = [argument.arg for argument in node.args.args]
        elif isinstance(node, ast.ClassDef):
            (init,) = (item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__")
            names[node.name] = [argument.arg for argument in init.args.args[1:]]
    return names


def compiled() -> dict[str, list[str]]:
    """The same for the compiled module, in which docstrings start with the signature."""
    names: dict[str, list[str]] = {}
    for name in dir(_native):
        if name.startswith("_"):
            continue
        value = getattr(_native, name)
        documented = vars(value)["__init__"] if isinstance(value, type) else value
        signature = documented.__doc__.splitlines()[0]
        arguments = re.findall(r"(\w+): ", signature)
        names[name] = [argument for argument in arguments if argument != "self" and argument != "dtype"]
    return names


def test_the_stub_has_every_name_of_the_module_and_no_other() -> None:
    assert declared().keys() == compiled().keys()


def test_the_stub_has_the_arguments_of_the_module() -> None:
    assert declared() == compiled()


def test_every_native_function_is_called_in_the_package() -> None:
    """A function that no module calls is dead code; each is called by one module only, its wrapper."""
    package = Path(kernel.__file__).parents[1]
    calls = [name for path in package.rglob("*.py") for name in set(re.findall(r"_native\.(\w+)", path.read_text()))]
    shared = {
        "Rules",
        "hash_bytes",
        "normalize",
        "FirstPass",
        "PairPass",
        "Census",
        "Groups",
    }  # types, and what rules are made with
    assert set(calls) >= declared().keys()
    assert {name for name in calls if calls.count(name) > 1} <= shared
