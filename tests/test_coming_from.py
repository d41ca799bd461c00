"""The scripts that the pages of docs/coming-from show are those whose figures they give."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_docs import blocks

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks/coming_from"
# for a tool that is configured by a file, the page shows that file instead of the script
SHOWN = {file.stem: file for kind in ("py", "toml") for file in sorted(FOLDER.glob(f"*_theirs.{kind}"))}


@pytest.mark.parametrize("file", SHOWN.values(), ids=SHOWN)
def test_the_page_shows_the_measured_script(file: Path) -> None:
    name = file.stem.removesuffix("_theirs").replace("_", "-")
    text = file.read_text(encoding="utf-8")
    code = text.partition("import annotations\n\n")[2] if file.suffix == ".py" else text
    assert code in [block.text for block in blocks(ROOT / f"docs/coming-from/{name}.md")]
