"""The public interface: the names that `import lookalike` provides, and the time that it takes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import lookalike

SOURCE = Path(__file__).parents[1] / "src/lookalike"


def python(code: str) -> str:
    """Returns the output of a new Python process."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_the_public_names_are_sorted_and_given_once() -> None:
    assert lookalike.__all__ == sorted(set(lookalike.__all__))


@pytest.mark.parametrize("name", lookalike.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    thing = getattr(lookalike, name)
    assert thing.__name__ == name
    assert (thing.__doc__ or "").strip(), f"{name} has no docstring"


def test_dir_lists_the_public_names() -> None:
    assert set(lookalike.__all__) <= set(dir(lookalike))


def test_the_modules_for_users_are_attributes_after_a_bare_import() -> None:
    """`except la.errors.NoInput` failed with an AttributeError, unless other code had imported the module."""
    head = (SOURCE / "__init__.py").read_text(encoding="utf-8").partition("__version__ =")[0]
    modules = re.findall(r"from lookalike import (\w+) as", head)
    assert {"apps", "distances", "errors", "joins"} <= set(modules) <= set(dir(lookalike))
    for module in modules:
        python(f"import lookalike as la; la.{module}")


def test_everything_imported_for_type_checkers_is_public() -> None:
    """`__init__` names each thing twice, for type checkers and for look-up; the two must not drift apart."""
    head = (SOURCE / "__init__.py").read_text(encoding="utf-8").partition("__version__ =")[0]
    named = set(re.findall(r"from lookalike\.[\w.]+ import (\w+) as", head))
    assert named == {*lookalike.__all__, "images"}, "images is a module"


def test_an_unknown_name_is_refused_by_its_name() -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        lookalike.no_such_thing  # noqa: B018


def test_the_version_is_that_of_the_installed_package() -> None:
    from importlib.metadata import version

    assert lookalike.__version__ == version("lookalike")


def test_the_types_are_shipped() -> None:
    assert (SOURCE / "py.typed").exists()


def test_import_lookalike_loads_nothing_heavy() -> None:
    loaded = python("import sys, lookalike; print(*sys.modules)").split()
    heavy = {"cupy", "duckdb", "numpy", "pandas", "polars", "pyarrow", "pyspark", "rich", "click"}
    assert heavy.isdisjoint(loaded)


def test_finding_pairs_loads_no_optional_package() -> None:
    loaded = python("import sys, lookalike; lookalike.find_pairs(['a', 'b']); print(*sys.modules)").split()
    # pandas is missing from this list: pyarrow looks at it when it is there
    assert {"cupy", "duckdb", "polars", "pyspark", "rich", "click"}.isdisjoint(loaded)


def test_no_public_name_is_hidden_by_a_module_of_the_same_name() -> None:
    """`lookalike.compare` was once a function until `lookalike/compare.py` was imported, and a module from then on."""
    modules = {path.stem for path in SOURCE.iterdir()}
    assert modules.isdisjoint(lookalike.__all__)
