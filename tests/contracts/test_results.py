"""The laws that all classes of results obey: whatever can be done with one result can be done with all."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest
from PIL import Image

import lookalike as la
from lookalike.apps.fingerprints import AlignedMatches, Grid, Model, PrintMatches, Scans, match_prints
from lookalike.apps.fingerprints.pairs import PrintPairs
from lookalike.apps.images import NearestPictures, PicturePairs
from lookalike.notices import Notice
from lookalike.results import result as module
from lookalike.results.summary import Summary
from tests.display.pages import Page
from tests.refusals import refused

TEXTS = [
    {"id": "a", "text": "the cat sat on the mat and looked at the moon"},
    {"id": "b", "text": "The cat sat on the mat, and looked at the moon!"},
    {"id": "c", "text": "a dog"},
    {"id": "c", "text": "the cat sat on the mat and looked at the sun"},
    {"id": "e", "text": ""},
]
VECTORS = np.array([[3, 4], [6, 8.1], [-4, 3], [3, 4]], np.float64)
BASKETS = [["milk", "bread"], ["bread", "milk", "eggs"], ["beer"], ["eggs", "milk"]]
PEOPLE = [
    {"id": f"{table}{i}", "name": name, "town": town, "seen": f"2020-01-{i + 1:02}"}
    for table in "pq"
    for i, (name, town) in enumerate(
        [("Ann Smith", "Leeds"), ("Bob Jones", "York"), ("Cleo Marsh", "Bath"), ("Dan Field", "Hull")] * 3
    )
]
PAGES = [
    {"url": "http://a.org/1", "date": "2020-01-02", "text": "The storm that came in the night has torn the roof off."},
    {"url": "http://b.org/1", "date": "2020-01-01", "text": "The storm that came in the night has torn the roof off!"},
    {"url": "http://b.org/2", "date": None, "text": "There is a fair in the town on Sunday, and it is open to all."},
]
TALE = "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of fools."

RESULTS: dict[str, tuple[type, Callable[[], Any]]] = {
    "pairs": (la.Pairs, lambda: la.find_pairs(TEXTS, id="id", threshold=0.5)),
    "pairs by position": (la.Pairs, lambda: la.find_pairs([row["text"] for row in TEXTS], threshold=0.5)),
    "pairs not verified": (la.Pairs, lambda: la.find_pairs(TEXTS, verify="none", method="lsh")),
    "no pairs": (la.Pairs, lambda: la.find_pairs(["a b c", "x y z"])),
    "pairs by cosine": (la.Pairs, lambda: la.find_pairs(VECTORS, measure="cosine", threshold=0.9)),
    "pairs by distance": (la.Pairs, lambda: la.find_pairs(VECTORS, measure="euclidean", distance=1)),
    "clusters": (la.Clusters, lambda: la.find_clusters(TEXTS, id="id", threshold=0.5, keep="longest")),
    "clusters of pairs": (la.Clusters, lambda: la.find_pairs(TEXTS, threshold=0.5).clusters()),
    "dedupe": (la.Deduped, lambda: la.dedupe(TEXTS, id="id", threshold=0.5)),
    "dedupe against": (la.Deduped, lambda: la.dedupe(TEXTS[1:], against=TEXTS[:1], id="id", threshold=0.5)),
    "join": (la.Matches, lambda: la.join(TEXTS, TEXTS[:2], id="id", threshold=0.5)),
    "join by distance": (la.Matches, lambda: la.join(["Jon", "John", "Mary"], measure="levenshtein", distance=1)),
    "nearest": (la.Matches, lambda: la.nearest(VECTORS, VECTORS[:2] + 1, top=2)),
    "index": (la.IndexMatches, lambda: asked_index()),
    "frequent pairs": (la.FrequentPairs, lambda: la.frequent_pairs(BASKETS, support=2)),
    "audit": (la.Audit, lambda: la.audit(la.find_pairs(TEXTS, threshold=0.5), TEXTS)),
    "audit of clusters": (la.Audit, lambda: la.audit(la.find_clusters(["a b c", "x y z"]), ["a b c", "x y z"])),
    "contamination": (la.Contamination, lambda: la.contamination(TEXTS, TEXTS[:2], id="id", shingles="words:2")),
    "forecast": (la.Forecast, lambda: la.forecast(TEXTS, id="id", threshold=0.5)),
    "comparison": (la.Comparison, lambda: la.compare(TEXTS[0]["text"], TEXTS[3]["text"])),
    "resolve": (la.Resolved, lambda: la.resolve(PEOPLE)),
    "resolve by points": (la.Resolved, lambda: la.resolve(PEOPLE, method="points", check="seen")),
    "link": (la.Resolved, lambda: la.link(PEOPLE[:12], PEOPLE[12:])),
    "stories": (la.Stories, lambda: la.stories(PAGES, language="en", url="url", date="date")),
    "stories by length": (la.Stories, lambda: la.stories(PAGES, column="text", language="en", method="length")),
    "plagiarism": (la.Plagiarism, lambda: la.plagiarism([f"My own thoughts. {TALE}", "Nothing."], [TALE])),
    "fingerprints": (PrintMatches, lambda: match_prints(prints(), count=64)),
    "fingerprints, not aligned": (AlignedMatches, lambda: match_prints(scans())),
    "pictures": (PicturePairs, lambda: of_pictures(la.images.find_pairs)),
    "nearest pictures": (NearestPictures, lambda: of_pictures(lambda folder: la.images.nearest(folder, folder, top=2))),
}
COLUMNS = {
    "pairs": "left right similarity",
    "pairs by distance": "left right distance",
    "clusters": "id cluster size representative",
    "dedupe": "id text",
    "join": "left right similarity",
    "join by distance": "left right similarity distance",
    "index": "left right similarity containment",
    "frequent pairs": "left right count support confidence reverse_confidence lift interest",
    "audit": "left right similarity",
    "contamination": "test train containment resemblance covered passage",
    "forecast": "documents empty same_words bytes candidates pairs memory disk seconds",
    "comparison": "start_a end_a start_b end_b text",
    "resolve": "id cluster size representative",
    "link": "left right score probability",
    "stories": "id story representative pages host date",
    "plagiarism": "submission other kind similarity containment reverse resemblance copied passages longest",
    "fingerprints": "left right similarity shared buckets",
    "fingerprints, not aligned": "left right similarity paired rotation shift_x shift_y",
    "pictures": "left right similarity kind turned brightness",
    "nearest pictures": "query picture rank features similarity kind",
}


def asked_index() -> la.IndexMatches:
    with TemporaryDirectory() as folder, la.Index.create(Path(folder) / "x.index", threshold=0.5, seed=1) as ix:
        ix.add(TEXTS)
        return ix.query(TEXTS[:2], id="id")


def of_pictures(ask: Callable[[str], Any]) -> Any:
    with TemporaryDirectory() as folder:
        for name in ("one.png", "two.png", "three.gif"):
            pixels = np.random.default_rng(len(name)).integers(0, 255, (6, 8, 3), np.uint8)
            Image.fromarray(pixels).resize((96, 72), Image.Resampling.BILINEAR).save(Path(folder, name))
        Path(folder, "broken.jpg").write_bytes(b"no picture")
        return ask(folder)


def prints() -> list[Any]:
    return [one for finger in Model(Grid(12, 12)).fingers(2, 2, seed=7) for one in finger]


def scans() -> list[Any]:
    return [one for finger in Scans().fingers(2, 2, seed=7) for one in finger]


@pytest.fixture(scope="module", params=RESULTS)
def result(request: pytest.FixtureRequest) -> Any:
    kind, make = RESULTS[request.param]
    made = make()
    assert type(made) is kind
    return made


def same(one: Any, other: Any) -> None:
    """Asserts that two results are equal in all their public parts."""
    assert type(one) is type(other) and repr(one) == repr(other) and str(one) == str(other)
    assert one.summary == other.summary and one.warnings == other.warnings
    assert one.to_arrow().equals(other.to_arrow(), check_metadata=True)
    tables, others = one.tables(), other.tables()
    assert tables.keys() == others.keys() and all(tables[name].equals(others[name]) for name in tables)
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())


def test_every_result_class_is_here() -> None:
    public = {kind for name in dir(la) if isinstance(kind := getattr(la, name), type) and issubclass(kind, la.Result)}
    assert public - {la.Result} <= {kind for kind, _ in RESULTS.values()}


def test_the_summary_is_structured_and_goes_through_json(result: Any) -> None:
    summary = result.summary
    assert isinstance(summary, Summary) and Summary.from_dict(json.loads(json.dumps(summary.to_dict()))) == summary
    assert result.warnings == summary.warnings and all(isinstance(one, Notice) for one in result.warnings)


def test_the_arrow_stream_is_the_table(result: Any) -> None:
    table = result.to_arrow()
    assert pa.table(result).equals(table, check_metadata=True)
    first = next(iter(result.tables().values()))
    assert first.equals(table), "the main table is the first"


def test_left_and_right_are_the_columns(result: Any) -> None:
    for side in ("left", "right"):
        if hasattr(result, side):
            assert getattr(result, side).to_pylist() == result.to_arrow()[side].to_pylist()


def test_its_head_is_its_first_rows(result: Any) -> None:
    rows = list(result)
    assert result.head(2) == rows[:2] and result.head() == rows[:5] and result.head(0) == []
    with refused("not-a-whole-number", option="n"):
        result.head(-1)


def test_frames_have_the_rows_of_the_table(result: Any) -> None:
    table = result.to_arrow()
    for frame in (result.to_pandas(), result.to_polars()):
        assert list(frame.columns) == table.column_names and len(frame) == table.num_rows


def test_frames_made_from_the_result_have_named_columns(result: Any) -> None:
    table = result.to_arrow()
    assert polars.DataFrame(result).columns == table.column_names
    rows = list(result)
    if rows:
        frame = pandas.DataFrame(result)
        assert list(frame.columns) == list(rows[0]._fields) and set(frame.columns) <= set(table.column_names)
        assert len(frame) == len(rows)
        first = rows[0]._fields[0]
        assert getattr(rows[0], first) == rows[0][0] == table[first][0].as_py()
        again = pickle.loads(pickle.dumps(rows[0]))
        assert again == rows[0] and again._fields == rows[0]._fields
        with pytest.raises(AttributeError, match="no column 'nonsense'"):
            rows[0].nonsense  # noqa: B018


def test_it_goes_through_json(result: Any) -> None:
    json.loads(json.dumps(result.to_dict()))


def test_the_repr_is_one_short_line(result: Any) -> None:
    assert re.fullmatch(rf"{type(result).__name__}\(.{{1,150}}\)", repr(result))


def test_a_notebook_shows_a_card_with_its_first_rows(result: Any) -> None:
    page = Page.of(result._repr_html_())
    title, words = repr(result).removesuffix(")").split("(", 1)
    assert page.text.startswith(f"{title} {words}") and "style" in page.tags
    table = next(iter(result.tables().values()))
    if isinstance(result, (la.Pairs, la.Matches, la.FrequentPairs, la.Contamination, la.Plagiarism, PrintPairs)):
        assert set(table.column_names) <= set(page.cells)
        assert {str(row["id" if "id" in row else table.column_names[0]]) for row in table.to_pylist()} <= set(
            page.cells
        )


def test_print_shows_the_same_in_lines_of_text(result: Any) -> None:
    lines = str(result).split("\n")
    assert (all(line.isprintable() for line in lines) and len(lines) > 1) or len(result) == 0


def test_it_survives_pickling_and_copying(result: Any) -> None:
    same(pickle.loads(pickle.dumps(result)), result)
    same(copy.copy(result), result)
    same(copy.deepcopy(result), result)


def test_it_survives_saving(result: Any, tmp_path: Path) -> None:
    saved = result.save(tmp_path / "result")
    same(la.load(saved), result)
    assert {"summary.json", "plan.toml"} <= {path.name for path in saved.iterdir()}
    assert (saved / "plan.toml").read_text(encoding="utf-8") == result.summary.plan
    la.load(saved).save(saved, force=True)
    same(la.load(saved), result)


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_are_as_documented(name: str) -> None:
    assert RESULTS[name][1]().to_arrow().column_names == COLUMNS[name].split()


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(module, "import_module", missing)
    with refused("missing-package", package=package):
        getattr(la.find_pairs(["a b c"]), f"to_{package}")()


def test_reasons_are_given_by_a_loaded_result(tmp_path: Path) -> None:
    for found in (la.resolve(PEOPLE), la.link(PEOPLE[:12], PEOPLE[12:])):
        again = la.load(found.save(tmp_path / str(len(found.records))))
        assert str(again.explain("p0", "q0")) == str(found.explain("p0", "q0"))


def test_a_loaded_comparison_and_its_pairs_answer_as_before(tmp_path: Path) -> None:
    pairs = la.find_pairs(TEXTS, id="id", threshold=0.5)
    again = la.load(pairs.save(tmp_path / "pairs"))
    assert again.top() == pairs.top() and again.of("a") == pairs.of("a")
    assert list(again.rethreshold(0.9)) == list(pairs.rethreshold(0.9))
    assert again.clusters().members() == pairs.clusters().members()
    both = la.compare(TEXTS[0]["text"], TEXTS[3]["text"])
    assert la.load(both.save(tmp_path / "both")).marked("a") == both.marked("a")
