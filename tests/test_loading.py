"""Where the native module cannot be loaded, the reference engine is the default, and results have a warning."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

NOT_LOADED = """
import sys
class Broken:
    def find_spec(self, name, path=None, target=None):
        if name == "lookalike.kernel._native":
            raise ImportError("wrong ELF class")
sys.meta_path.insert(0, Broken())
import lookalike as la
from tests.refusals import refused
texts = ["the cat sat on the mat today", "a dog", "The cat sat on the mat, today!"]
sets = [["milk", "bread"], ["bread", "milk"], ["beer"]]
"""


def run(code: str) -> str:
    """Runs the code where the import of the native module fails; returns what was written to stderr."""
    done = subprocess.run([sys.executable, "-c", NOT_LOADED + code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_by_default_the_reference_engine_runs_and_warns_once_per_place() -> None:
    shown = run("""
for _ in range(2):
    result = la.find_pairs(texts, shingles="words:2")
    assert result.top() == [(0, 2, 1.0)] and result.summary.engine == "reference", result
    (warning,) = result.warnings
    assert warning.code == "reference-engine-instead" and warning.values["reason"] == "wrong ELF class", warning
assert la.dedupe(texts, shingles="words:2").kept["text"].to_pylist() == texts[:2]
for result in la.join(sets), la.frequent_pairs(sets, support=2):
    assert len(result) == 1 and [one.code for one in result.warnings] == ["reference-engine-instead"], result
""")
    assert shown.count("wrong ELF class") == 3, shown  # once per line that calls verbs


def test_the_local_engine_is_refused_with_the_reason() -> None:
    run("""
for options in {"engine": "local"}, {"threads": 2}:
    with refused("native-module-not-loaded", reason="wrong ELF class"):
        la.find_pairs(texts, **options)
for verb, options in (la.join, {}), (la.frequent_pairs, {"support": 2}):
    with refused("native-module-not-loaded", reason="wrong ELF class"):
        verb(sets, engine="local", **options)
with refused("native-module-not-loaded", reason="wrong ELF class"):
    la.nearest([[1.0, 0.0], [0.0, 1.0]], top=1)  # has no reference engine
""")


def test_every_verb_with_an_engine_writes_its_report(tmp_path: Path) -> None:
    """Reports mark what two texts share. Only the native module could find it, so `report=` failed after the work."""
    run(f"""
import inspect
from pathlib import Path
verbs = [(name, getattr(la, name)) for name in la.__all__ if inspect.isfunction(getattr(la, name))]
options = {{name: {{*inspect.signature(verb).parameters}} for name, verb in verbs}}
assert sum("report" in some for some in options.values()) >= 6, options
for name, some in options.items():
    if "report" not in some:
        continue
    page = Path({str(tmp_path)!r}, name + ".html")
    more = {{"shingles": "words:2"}} if "shingles" in some else {{}}
    if "engine" in some:
        getattr(la, name)(texts, report=page, **more)
        assert "<mark" in page.read_text(encoding="utf-8"), name
    else:
        data = [{{"text": text}} for text in texts]
        with refused("native-module-not-loaded", reason="wrong ELF class"):
            getattr(la, name)(data, *[data] * (name in ("contamination", "link")), report=page, **more)
        assert not page.exists(), name
""")


@pytest.mark.parametrize("arguments", [["--help"], ["dedupe", "-", "--verbose", "--out", "-"]])
def test_the_command_line_works_without_the_native_module(arguments: list[str]) -> None:
    code = NOT_LOADED + f"from lookalike.cli import main\nsys.argv = ['lookalike', *{arguments!r}]\nmain()"
    lines = '{"text": "a dog"}\n{"text": "a cat"}\n'
    done = subprocess.run([sys.executable, "-c", code], input=lines, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert ("kernel not loaded" in done.stderr) == ("dedupe" in arguments), done.stderr
