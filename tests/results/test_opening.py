"""`show()` opens the report in a browser where there is one."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import lookalike as la
from tests.refusals import refused

TEXTS = ["the cat sat on the mat and looked at the moon", "the cat sat on the mat and looked at the stars"]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that a browser was asked to open."""
    found: list[Path] = []

    def note(address: str) -> bool:
        found.append(Path(urlsplit(address).path))
        return True

    monkeypatch.setattr(webbrowser, "open", note)
    return found


@pytest.mark.parametrize("verb", [la.find_pairs, la.find_clusters, la.dedupe])
def test_the_report_opens_in_a_browser(
    verb: object,
    opened: list[Path],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    shown = verb(TEXTS, threshold=0.5, shingles="words:2").show(browser=True)  # type: ignore[operator]
    (path,) = opened
    assert "<!doctype html>" in path.read_text(encoding="utf-8") and path.is_relative_to(tmp_path)
    assert os.name != "posix" or path.parent.stat().st_mode & 0o077 == 0
    assert str(shown).endswith(f"The report is open in a browser: {path}") and str(path) in capsys.readouterr().out


def test_without_a_screen_nothing_opens(opened: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = la.find_pairs(TEXTS, threshold=0.5, shingles="words:2")
    pairs.show()  # the output is not a terminal
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    pairs.show()
    assert opened == []
    monkeypatch.setenv("DISPLAY", ":0")
    pairs.show(browser=False)
    assert opened == []
    pairs.show()
    assert len(opened) == 1
    with refused("not-true-or-false"):
        pairs.show(browser="firefox")  # type: ignore[arg-type]
