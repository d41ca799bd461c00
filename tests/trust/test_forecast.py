"""A dry run predicts the run: counts exactly, estimates within a factor of two."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lookalike as la
from lookalike.cli import run
from lookalike.engines.local.engine import Local
from lookalike.engines.stages.memory import Allowance
from lookalike.storage import budget
from lookalike.trust import key_sample as keysample
from tests.refusals import refused

WORDS = [f"w{i}" for i in range(3000)]


def articles(n: int = 1500, family: int = 60) -> list[str]:
    """Texts of 40 words, with edited copies, exact ones, and a family of near-copies."""
    rng = np.random.default_rng(3)
    texts: list[list[str]] = [[WORDS[i] for i in rng.integers(0, 3000, 40)] for _ in range(n)]
    for _ in range(n // 5):
        copy = list(texts[int(rng.integers(n // 2))])
        for at in rng.integers(0, 40, int(rng.integers(0, 3))):
            copy[at] = WORDS[int(rng.integers(3000))]
        texts.append(copy)
    texts += [list(texts[i]) for i in range(n // 10)]
    for i in range(family):
        texts.append([*texts[7][:39], f"own{i}"])
    return [" ".join(text) for text in texts] + ["", " "]


@pytest.mark.parametrize("method", ["lsh", "exact", "auto"])
@pytest.mark.parametrize("most", [1 << 22, 16_000])
def test_predictions_match_the_run(method: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keysample.KeySample.__init__, "__defaults__", (most,))
    texts, options = articles(family=5 if most < 1 << 20 else 60), {"threshold": 0.7, "shingles": "words:2"}
    expected = la.forecast(texts, method=method, **options)  # type: ignore[arg-type]
    came = la.find_pairs(texts, method=method, **options).summary  # type: ignore[arg-type]
    assert expected.plan.to_toml() == came.plan
    counted = (expected.documents, expected.empty, expected.same_words, expected.bytes)
    assert counted == (came.documents, came.empty, came.same_words, came.bytes)
    assert came.pairs is not None and came.pairs / 2 < expected.pairs < 2 * came.pairs
    assert (expected.candidates is None) == expected.plan.exact
    if expected.candidates is not None and came.candidates is not None:
        assert came.candidates / 2 < expected.candidates < 2 * came.candidates
    assert expected.memory > 0 and expected.seconds > 0 and expected.disk == 0


def test_a_forecast_is_the_same_for_every_thread_count_and_batch_size() -> None:
    found = {
        dataclasses.replace(la.forecast(articles(300), threads=threads, batch_rows=rows, method="lsh"), seconds=0)
        for threads in (1, 2)
        for rows in (37, 8192)
    }
    assert len(found) == 1


def test_empty_and_tiny_inputs_have_a_forecast() -> None:
    for texts in ([], [""], ["a"], ["a", "b"]):
        expected = la.forecast(texts, method="lsh")
        assert (expected.documents, expected.pairs, expected.candidates) == (len(texts), 0, 0)
        assert "about" in str(expected)


def codes(expected: la.Forecast) -> list[str]:
    return [warning.code for warning in expected.warnings]


def test_false_candidates_large_buckets_and_long_lists_cause_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    chance = ["".join("abcdefgh"[i] for i in rng.integers(0, 8, 25)) for _ in range(800)]
    warned = la.forecast(chance, threshold=0.6, shingles="chars:2", method="lsh").warnings
    assert ("forecast-false-candidates", "chars:2") in [(one.code, one.values.get("shingles")) for one in warned]
    monkeypatch.setattr("lookalike.trust.dry_run.LARGE_BUCKET", 20)
    assert "forecast-large-buckets" in codes(la.forecast(articles(), method="lsh"))
    assert la.forecast(articles(300, family=0), method="lsh").warnings == ()
    monkeypatch.setattr(Allowance, "pairs", lambda self: 100)
    assert "forecast-pairs-exceed-memory" in codes(la.forecast(articles(), method="lsh"))
    assert "forecast-pairs-exceed-memory" not in codes(la.forecast(articles(), method="lsh", goal="clusters"))


def test_a_threshold_that_is_likely_to_chain_causes_a_warning() -> None:
    """Members of a family differ in two or three words: as many pairs are just below 0.8 as just above."""
    rng = np.random.default_rng(6)
    texts = []
    for family in range(10):
        for member in range(60):
            words = [f"f{family}x{i}" for i in range(40)]
            for at in rng.choice(40, 2 + member % 2, replace=False):
                words[at] = f"own{family}x{member}x{at}"
            texts.append(" ".join(words))
    options: dict[str, Any] = {"shingles": "words:1", "method": "lsh"}
    assert "forecast-chaining" in codes(la.forecast(texts, threshold=0.8, **options))
    assert "forecast-chaining" not in codes(la.forecast(texts, threshold=0.6, **options))


@pytest.mark.parametrize("goal", ["pairs", "clusters"])
@pytest.mark.parametrize("tables", [150_000, 1 << 40], ids=["in files", "in memory"])
@pytest.mark.parametrize("work", [False, True], ids=["without parts", "with parts"])
def test_disk_space_is_predicted_for_the_memory_available(
    goal: Any, tables: int, work: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowance = Allowance(tables, state=0)
    monkeypatch.setattr(Allowance, "of", lambda *_: allowance)
    options: dict[str, Any] = {"method": "lsh", "shingles": "words:2", "threshold": 0.7}
    kept: dict[str, Any] = {"work": tmp_path / "w"} if work else {}
    expected = la.forecast(articles(4000), goal=goal, **options, **kept)
    assert not (tmp_path / "w").exists()
    verb: Any = la.find_pairs if goal == "pairs" else la.find_clusters
    came = verb(articles(4000), engine=Local(threads=2, allowance=allowance), **options, **kept).summary
    assert (came.spilled > 0) == (tables < 1 << 40)
    disk = came.disk or came.spilled
    assert disk / 2 <= expected.disk <= 2 * disk


def test_a_budget_limits_the_predicted_memory_and_is_refused_if_too_small(capsys: Any, tmp_path: Path) -> None:
    free, bound = la.forecast(articles(), method="lsh"), budget.resident() + (400 << 20)
    assert la.forecast(articles(), method="lsh", memory=bound).memory <= max(bound, free.memory)
    with refused("memory-too-small", limit=1 << 20):
        la.forecast(articles(), memory="1MiB")
    assert run(["explain", write(tmp_path), "--memory", "1MiB", "--quiet"]) == 2
    assert "1 MiB" in capsys.readouterr().err
    assert run(["explain", "--memory", "1GiB"]) == 2
    assert "--memory" in capsys.readouterr().err


def write(tmp_path: Path) -> str:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in articles(400)), encoding="utf-8")
    return str(path)


def test_explain_makes_a_dry_run_of_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path)
    assert run(["explain", path, "--method", "lsh", "--quiet"]) == 0
    output = capsys.readouterr()
    assert "candidates about" in output.out and not output.err
    monkeypatch.setattr("lookalike.trust.dry_run.LARGE_BUCKET", 20)
    assert run(["explain", path, "--method", "lsh", "--quiet"]) == 0
    assert "\nwarning    about " in capsys.readouterr().out.replace("\n           ", " ")
    assert run(["explain", path, "--method", "lsh", "--json", "--quiet"]) == 0
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)["summary"]
    assert facts["forecast"]["documents"] == len(articles(400)) and facts["method"] == "lsh"
    assert run(["explain", str(tmp_path / "none.jsonl")]) == 3


def test_predicted_and_actual_values_are_reported_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, out = tmp_path / "r.html", tmp_path / "p.parquet"
    assert run(["pairs", write(tmp_path), "--forecast", "--report", str(report), "--out", str(out)]) == 0
    output = capsys.readouterr().err
    assert "similar pairs: about" in output
    page = report.read_text(encoding="utf-8")
    assert "predicted by the dry run" in page and "<td>similar pairs</td>" in page


@pytest.mark.parametrize(
    "options",
    [
        {"threshold": "0.01", "method": "exact"},
        {"threshold": "0.001", "recall": 1},
        {"threshold": 0.8, "method": "exact", "hashes": 1},
        {"threshold": 0.3, "hashes": 2, "bands": 1, "rows": 2},
    ],
    ids=str,
)
def test_every_plan_that_runs_has_a_forecast(options: dict[str, Any]) -> None:
    texts = ["the cat sat on the mat today", "The cat sat on the mat, today!", "a dog"]
    assert la.find_pairs(texts, **options) is not None
    assert la.forecast(texts, **options).documents == 3
