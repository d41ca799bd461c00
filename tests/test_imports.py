"""Every module can be imported by itself, and without the optional packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"

MODULES = sorted(
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
    if path.stem != "__main__"
)

ALONE = """
import importlib, sys
absent = {"cupy", "duckdb", "pandas", "polars", "pyspark", "pytest", "hypothesis", "unicodedata2"}
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
for name in sys.argv[1:]:
    for loaded in [m for m in sys.modules if m.partition(".")[0] == "lookalike" and not m.endswith("_native")]:
        del sys.modules[loaded]
    importlib.import_module(name)
    print(name)
"""


def test_every_module_imports_by_itself_and_without_optional_packages() -> None:
    """Each starts from nothing of lookalike loaded, so that no module leans on another having been imported first."""
    done = subprocess.run([sys.executable, "-c", ALONE, *MODULES], capture_output=True, text=True)
    assert done.stdout.split() == MODULES, done.stderr
