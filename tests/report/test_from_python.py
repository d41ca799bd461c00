"""Reports from Python: every verb that has one takes `report=`, and its result has the method `report`."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import lookalike as la
from lookalike.kernel import Cpu
from tests.contracts.test_results import PEOPLE, TALE, TEXTS
from tests.refusals import refused

VERBS: dict[str, Callable[..., Any]] = {
    "find_pairs": lambda **more: la.find_pairs(TEXTS, id="id", threshold=0.5, **more),
    "find_clusters": lambda **more: la.find_clusters(TEXTS, id="id", threshold=0.5, **more),
    "dedupe": lambda **more: la.dedupe(TEXTS, id="id", threshold=0.5, **more),
    "dedupe against": lambda **more: la.dedupe(TEXTS[1:], against=TEXTS[:1], id="id", threshold=0.5, **more),
    "contamination": lambda **more: la.contamination(TEXTS, TEXTS[:2], id="id", shingles="words:2", **more),
    "plagiarism": lambda **more: la.plagiarism([f"My own thoughts. {TALE}", "Nothing."], [TALE], **more),
    "resolve": lambda **more: la.resolve(PEOPLE, **more),
    "link": lambda **more: la.link(PEOPLE[:12], PEOPLE[12:], **more),
}
BASKETS = {"basket": "who", "column": "what"}
FROM_DOCUMENTS = ["find_pairs", "find_clusters", "dedupe", "dedupe against"]


def body(path: Path) -> str:
    """A report without its last lines, which have the time of day."""
    return path.read_text(encoding="utf-8").partition("<footer>")[0]


@pytest.mark.parametrize("verb", VERBS)
def test_the_option_and_the_method_write_the_same_page(verb: str, tmp_path: Path) -> None:
    one, other = tmp_path / "one.html", tmp_path / "other.html"
    found = VERBS[verb](report=one)
    assert found.report(str(other)) == other
    assert body(one) == body(other) and "<h1>" in body(one)


@pytest.mark.parametrize("verb", VERBS)
def test_an_existing_file_is_only_replaced_by_force_and_refused_before_the_work(verb: str, tmp_path: Path) -> None:
    page, calls = tmp_path / "page.html", list[Any]()
    page.write_text("mine")
    with refused("output-exists"):
        VERBS[verb](report=page, progress=lambda *call: calls.append(call))
    assert not [call for call in calls if call[0] != "read"] and page.read_text() == "mine"
    found = VERBS[verb](report=page, force=True)
    assert page.read_text() != "mine"
    with refused("output-exists"):
        found.report(page)
    found.report(page, force=True)


@pytest.mark.parametrize("verb", FROM_DOCUMENTS)
def test_a_loaded_result_takes_the_data(verb: str, tmp_path: Path) -> None:
    found = VERBS[verb](report=tmp_path / "one.html")
    for again in (la.load(found.save(tmp_path / "saved")), pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        with refused("result-without-files"):
            again.report(tmp_path / "two.html")
    if verb != "dedupe against":  # whose rows come from two collections
        again.report(tmp_path / "two.html", TEXTS)
        assert body(tmp_path / "two.html") == body(tmp_path / "one.html")


def test_a_loaded_result_of_files_finds_them(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("\n".join(row["text"] for row in TEXTS))
    found = la.find_pairs(tmp_path / "texts.txt", format="lines", threshold=0.5, report=tmp_path / "one.html")
    la.load(found.save(tmp_path / "saved")).report(tmp_path / "two.html")
    assert body(tmp_path / "two.html") == body(tmp_path / "one.html")


def test_what_follows_from_pairs_has_a_report(tmp_path: Path) -> None:
    pairs = la.find_pairs(TEXTS, id="id", threshold=0.5)
    for name, result in {"higher": pairs.rethreshold(0.8), "clusters": pairs.clusters()}.items():
        assert "looked at the moon" in result.report(tmp_path / f"{name}.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ([row["text"] for row in TEXTS], {}),
        ({row["text"]: row["text"] for row in TEXTS}, {}),
        ((row["text"] for row in TEXTS), {}),
        (pa.Table.from_pylist(TEXTS), {"id": "id", "column": "text"}),
        ([row["text"].split() for row in TEXTS], {}),
        (pa.table({"who": ["a", "a", "b", "b"], "what": ["tea", "ale", "ale", "tea"]}), BASKETS),
        ([row["text"] for row in TEXTS], {"tokenizer": str.split}),
    ],
    ids=["texts", "ids and texts", "generator", "table", "tokens", "baskets", "tokenizer"],
)  # fmt: skip
def test_data_in_memory_is_read_again(data: Any, options: dict[str, Any], tmp_path: Path) -> None:
    found = la.find_pairs(data, threshold=0.3, report=tmp_path / "one.html", **options)
    found.report(tmp_path / "two.html")
    assert body(tmp_path / "one.html") == body(tmp_path / "two.html")


def test_a_result_does_not_keep_a_second_copy_of_the_texts() -> None:
    texts = [row["text"] for row in TEXTS]
    found = la.find_pairs(texts)
    assert found._source is None and found._data is texts


def test_the_report_and_the_forecast_use_the_threads_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They once used every core, because the engine had no attribute `threads` to pass on."""
    used, create = set(), Cpu.__init__

    def recorded(kernel: Cpu, threads: int = 1) -> None:
        used.add(threads)
        create(kernel, threads)

    monkeypatch.setattr(Cpu, "__init__", recorded)
    la.find_clusters(TEXTS, id="id", threads=1, report=tmp_path / "page.html")
    la.forecast(TEXTS, id="id", threads=1)
    assert used == {1}


def test_what_has_no_report_says_so(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    vectors = np.array([[3, 4], [6, 8.1], [3, 4.0]])
    with refused("not-for-vectors", option="report"):
        la.find_pairs(vectors, measure="cosine", threshold=0.9, report=path)
    with refused("report-of-vectors"):
        la.find_pairs(vectors, measure="cosine", threshold=0.9).report(path)
    with refused("unknown-option"):
        la.join(TEXTS, id="id", report=path)  # type: ignore[call-arg]
    with refused("report-without-texts", verb="contamination"):
        pickle.loads(pickle.dumps(VERBS["contamination"]())).report(path)


def test_a_report_does_not_overwrite_its_data(tmp_path: Path) -> None:
    data = tmp_path / "texts.txt"
    data.write_text("a b c\na b c\n")
    for call in (
        lambda: la.find_pairs(data, format="lines", report=data, force=True),
        lambda: la.contamination(data, ["a b c"], format="lines", report=data, force=True),
        lambda: la.plagiarism(data, format="lines", report=data, force=True),
    ):
        with refused("output-is-input"):
            call()
    assert data.read_text() == "a b c\na b c\n"


@pytest.mark.parametrize("follow", [lambda pairs: pairs, la.Pairs.clusters])
def test_data_that_has_changed_is_refused(follow: Callable[[la.Pairs], Any], tmp_path: Path) -> None:
    """A list that was emptied gave a KeyError, and one with other texts a report on the wrong texts."""
    import pandas as pd

    for changed in ([], [*TEXTS, TEXTS[0]], TEXTS[::-1], [{**TEXTS[0], "text": ""}, *TEXTS[1:]]):
        data = list(TEXTS)
        found = follow(la.find_pairs(data))
        data[:] = changed
        with refused("data-differs-from-result"):
            found.report(tmp_path / "report.html")
        data[:] = TEXTS
        found.report(tmp_path / "report.html", force=True)
    frame = pd.DataFrame(TEXTS)
    found = follow(la.find_pairs(frame))
    frame.drop(columns="text", inplace=True)
    with refused("data-differs-from-result"):
        found.report(tmp_path / "report.html", force=True)
    with refused("data-of-another-result", rows=1, documents=len(TEXTS)):
        found.report(tmp_path / "report.html", TEXTS[:1], force=True)
