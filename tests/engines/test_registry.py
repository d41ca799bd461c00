"""Engines by name: each has the options that it declares, and refuses those of another."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module

import pytest

from lookalike.engines import engine
from lookalike.engines.local.engine import Local
from lookalike.engines.registry import ENGINES, NAMES, OPTIONS
from tests.refusals import refused


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_accepts_exactly_the_options_it_declares(name: str) -> None:
    """Parameters after the first that only tests use are not declared. A declared default is that of the class."""
    declared = ENGINES[name]
    module, _, made = declared.made_by.partition(":")
    accepted = inspect.signature(getattr(import_module(module), made)).parameters
    for option in declared.options:
        assert accepted[option.name].default == option.default
        assert option.help.endswith(".")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_another_engine_is_refused(name: str, option: str) -> None:
    owners = tuple(owner for owner in NAMES if option in {known.name for known in ENGINES[owner].options})
    if name not in owners:
        with refused("option-of-another-engine", option=option, owners=owners, engine=name):
            engine(name, **{option: "x"})


def test_none_leaves_every_option_at_its_default() -> None:
    assert engine("reference", **dict.fromkeys(OPTIONS)).name == "reference"


def test_what_is_no_engine_or_no_option_is_refused() -> None:
    with refused("not-one-of", option="engine", allowed=NAMES, value="hadoop"):
        engine("hadoop")
    with refused("unknown-option", option="cores"):
        engine("local", cores=2)
    with refused("not-an-engine", value=7):
        engine(7)  # type: ignore[arg-type]


def test_an_engine_that_is_made_already_has_its_options() -> None:
    made = Local(threads=1)
    assert engine(made, threads=None) is made
    with refused("option-of-a-made-engine", option="threads", engine="local"):
        engine(made, threads=2)


def test_options_are_listed_without_loading_engines() -> None:
    """The help of a command lists all options, and must be fast."""
    listed = "from lookalike.engines.registry import OPTIONS; import sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "pyarrow", "lookalike.kernel", "lookalike.engines.base"} & {*loaded}
