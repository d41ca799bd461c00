"""Every module can be imported alone and without optional packages. Short runs import few modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SOURCE = Path(__file__).parents[1] / "src"

MODULES = sorted(
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
    if path.stem != "__main__"
)

ALONE = """
import importlib, sys
absent = {"IPython", "cupy", "duckdb", "pandas", "polars", "pyspark", "pytest", "hypothesis", "unicodedata2"}
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
    """Before each import, all modules of lookalike are unloaded, so that no module depends on an earlier import."""
    done = subprocess.run([sys.executable, "-c", ALONE, *MODULES], capture_output=True, text=True)
    assert done.stdout.split() == MODULES, done.stderr


HEAVY = {"fsspec", "numpy.ma", "pandas", "pyarrow.compute", "pyarrow.dataset", "rich", "tempfile", "tomllib", "click"}
"""Modules that are slow to import and that a run over a small file does not need."""


def imported_by(code: str, *arguments: str) -> set[str]:
    """The heavy modules that are loaded after the code has run in its own process."""
    shown = f"import sys\n{code}\nprint(*sorted({HEAVY!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", shown, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_importing_lookalike_imports_almost_nothing() -> None:
    code = "import lookalike\nassert not {'numpy', 'pyarrow', 'lookalike.api'} & sys.modules.keys()"
    assert imported_by(code) == set()


def test_the_verbs_import_nothing_heavy() -> None:
    assert imported_by("import lookalike.api") == set()


@pytest.mark.parametrize("verb", ["find_pairs", "find_clusters"])
def test_a_run_over_a_parquet_file_imports_nothing_heavy(tmp_path: Path, verb: str) -> None:
    """pyarrow imports pandas, if it is installed, to convert arrays. That took as long as all the rest."""
    path = tmp_path / "texts.parquet"
    pq.write_table(pa.table({"text": ["the cat sat on the mat", "The cat sat on the mat!", "", "a dog"]}), path)
    assert imported_by(f"import lookalike; lookalike.{verb}(sys.argv[1]).to_arrow()", str(path)) == set()


def test_a_deduplicated_parquet_file_is_written_without_heavy_imports(tmp_path: Path) -> None:
    path = tmp_path / "texts.parquet"
    pq.write_table(pa.table({"text": ["the cat sat on the mat", "The cat sat on the mat!", "", "a dog"]}), path)
    code = "import lookalike; lookalike.dedupe(sys.argv[1], out=sys.argv[1] + '.kept.parquet')"
    assert imported_by(code, str(path)) == set()
