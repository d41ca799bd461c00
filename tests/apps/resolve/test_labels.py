"""Labels: they calibrate probabilities and measure the result, and what is wrong with them is named."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.apps.resolve import Proportion, Settings
from lookalike.apps.resolve.calibration import LEAST, fitted
from lookalike.io.sinks import write_table
from tests.apps.resolve.people import people
from tests.refusals import refused

ROWS, PERSON = people(120, 40)
TABLE = [{"id": f"p{i}", **row} for i, row in enumerate(ROWS)]


def labels(many: int = 40, seed: int = 1, wrong: int = 0) -> list[dict[str, Any]]:
    """As many labelled matches as labelled other pairs; the first `wrong` are the opposite of the truth."""
    draw = random.Random(seed)
    pairs = [(i, j) for i in range(len(ROWS)) for j in range(i + 1, len(ROWS))]
    chosen = draw.sample([pair for pair in pairs if PERSON[pair[0]] == PERSON[pair[1]]], many // 2)
    chosen += draw.sample([pair for pair in pairs if PERSON[pair[0]] != PERSON[pair[1]]], many // 2)
    return [
        {"left": f"p{i}", "right": f"p{j}", "match": "yes" if (PERSON[i] == PERSON[j]) != (place < wrong) else "no"}
        for place, (i, j) in enumerate(chosen)
    ]


@pytest.mark.parametrize(("slope", "shift"), [(0.3, 0.0), (1.0, -3.0), (0.15, 2.0)])
def test_the_line_is_found_from_which_labels_were_drawn(slope: float, shift: float) -> None:
    draw = np.random.default_rng(3)
    score = draw.normal(-shift / slope, 4 / slope, 20_000)
    matches = draw.random(len(score)) < 1 / (1 + np.exp(-slope * np.clip(score, -20, 20) - shift))
    line = fitted(score, matches)
    assert line is not None and abs(line.slope - slope) < 0.05 * slope + 0.01 and abs(line.shift - shift) < 0.2


@given(st.lists(st.tuples(st.floats(-400, 400), st.booleans()), min_size=10, max_size=40))
def test_labels_never_turn_scores_around(labelled: list[tuple[float, bool]]) -> None:
    score, matches = (np.array(values) for values in zip(*labelled, strict=True))
    line = fitted(score.astype(float), matches.astype(bool))
    assert (line is None) == (min(matches.sum(), (~matches).sum()) < 5)
    assert line is None or (line.slope >= LEAST and np.isfinite([line.slope, line.shift]).all())


def test_few_labels_that_agree_with_the_scores_hardly_change_them() -> None:
    line = fitted(np.repeat([9.0, -9.0], 5), np.repeat([True, False], 5))
    assert line is not None and abs(line.slope - 1) < 0.02 and abs(line.shift) < 0.01


def test_labels_measure_precision_and_recall() -> None:
    found = la.resolve(TABLE, labels=labels())
    assert found.evaluation is not None and found.evaluation.is_calibrated
    assert found.evaluation.labels == 40 and found.evaluation.matches == 20
    entity = dict(zip(found.clusters.to_arrow()["id"].to_pylist(), found.outcome.labels.tolist(), strict=True))
    reported = [one for one in labels() if entity[one["left"]] == entity[one["right"]]]
    assert found.evaluation.reported == len(reported)
    assert found.evaluation.right == sum(one["match"] == "yes" for one in reported)
    assert found.evaluation.recall.low < found.evaluation.recall.value <= found.evaluation.recall.high
    assert "labels" in str(found)


def test_intervals_contain_the_true_share_in_95_of_100_samples() -> None:
    draw = np.random.default_rng(5)
    seen = [Proportion(int(count), 60) for count in draw.binomial(60, 0.9, 400)]
    assert np.mean([one.low <= 0.9 <= one.high for one in seen]) >= 0.94
    assert str(Proportion(0, 0)) == "unknown" and Proportion(0, 9).low == 0 and Proportion(9, 9).high == 1


def test_wrong_matches_lower_the_probabilities_of_others_but_not_their_order() -> None:
    usual, doubted = la.resolve(TABLE), la.resolve(TABLE, labels=labels(wrong=10))
    scores = [dict(zip(zip(*one.matches.columns[:2]), one.matches["score"].to_pylist())) for one in (usual, doubted)]  # noqa: B905
    both = sorted(scores[0].keys() & scores[1].keys(), key=lambda pair: scores[0][pair])
    assert len(both) > 20 and [*map(scores[1].get, both)] == sorted(map(scores[1].__getitem__, both))
    assert scores[1][both[-1]] < scores[0][both[-1]] / 2
    steps = doubted.explain(*(one.as_py() for one in both[-1]))
    assert "labels" in [step.name for step in steps.steps]
    assert abs(sum(step.adds for step in steps.steps) - steps.score) < 1e-9


def test_calibration_is_saved_with_the_settings(tmp_path: Path) -> None:
    found = la.resolve(TABLE, labels=labels(wrong=4))
    again = la.resolve(TABLE, settings=found.settings.to_toml())
    assert again.matches == found.matches and again.evaluation is None
    loaded = la.load(found.save(tmp_path / "saved"))
    assert loaded.evaluation == found.evaluation and loaded.matches == found.matches
    for text in ("slope = 0", "slope = -1", "slope = 'a'", "shift = nan"):
        broken = found.settings.to_toml().replace(f"{text.split()[0]} =", f"{text}\n#", 1)
        with pytest.raises(la.errors.InvalidOption):
            Settings.from_toml(broken)


@pytest.mark.parametrize("form", ["file", "tuples", "table", "other names", "positions", "matches of a run"])
def test_labels_can_be_given_in_many_forms(form: str, tmp_path: Path) -> None:
    expected = la.resolve(TABLE, labels=labels()).evaluation
    rows, data = labels(), TABLE
    given: Any
    if form == "file":
        given = tmp_path / "labels.csv"
        write_table(pa.Table.from_pylist(rows), given)
    elif form == "tuples":
        given = [(one["left"], one["right"], one["match"] == "yes") for one in rows]
    elif form == "table":
        given = pa.Table.from_pylist([{**one, "match": int(one["match"] == "yes"), "note": "x"} for one in rows])
    elif form == "other names":
        given = [{"a": one["right"], "b": one["left"], "verdict": one["match"].upper()} for one in rows]
    elif form == "positions":
        data = ROWS
        given = [{**one, "left": int(one["left"][1:]), "right": int(one["right"][1:])} for one in rows]
    else:
        given = [*rows, rows[0], {"left": "p0", "right": "nobody", "match": None}]  # labelled again; not labelled yet
    assert la.resolve(data, labels=given).evaluation == expected


def test_labels_of_two_tables_name_the_left_id_first() -> None:
    left, right = TABLE[:80], [{**row, "id": row["id"].replace("p", "q")} for row in TABLE[80:]]
    given = [
        {"left": f"p{i}", "right": f"q{j}", "match": PERSON[i] == PERSON[j]}
        for i in range(80) for j in range(80, 160) if PERSON[i] == PERSON[j] or (i + j) % 50 == 0
    ]  # fmt: skip
    found = la.link(left, right, labels=given)
    assert found.evaluation is not None
    matches = {(left, right) for left, right, *_ in zip(*(column.to_pylist() for column in found.matches.columns))}  # noqa: B905
    assert found.evaluation.reported == sum((one["left"], one["right"]) in matches for one in given)
    with refused("unknown-labelled-records", id="q99"):
        la.link(left, right, labels=[("q99", "p0", True)])


def test_with_points_labels_only_measure() -> None:
    found = la.resolve(TABLE, labels=labels(), method="points")
    assert found.evaluation is not None and not found.evaluation.is_calibrated


def test_too_few_labels_of_a_kind_only_measure() -> None:
    found = la.resolve(TABLE, labels=[one for one in labels() if one["match"] == "yes"])
    assert found.evaluation is not None and not found.evaluation.is_calibrated
    assert found.matches == la.resolve(TABLE).matches
    assert [one.code for one in found.warnings] == ["too-few-labels"]


@pytest.mark.parametrize(
    ("given", "code", "values"),
    [
        ([("p0", "p1", True), ("p1", "p0", False)], "labels-contradict", {"left": "p1", "right": "p0"}),
        ([("p0", "p1", 1), ("p1", "p2", 1), ("p0", "p2", 0)], "labels-contradict-through-others", {"left": "p0"}),
        ([("p0", "p1", 1), ("x", "p0", 1), ("y", "p2", 0)], "unknown-labelled-records", {"id": "x", "count": 2}),
        ([("p0", "p1", 1), ("p1", "y", 0)], "unknown-labelled-records", {"id": "y", "row": 1}),
        ([("p0", None, 1)], "unknown-labelled-records", {"id": None}),
        ([("p0", "p0", True)], "same-record", {"left": "p0"}),
        ([("p0", "p1", "maybe")], "not-a-label", {"value": "maybe", "row": 0}),
        ([("p0", "p1", None)], "no-labels", {}),
        ([{"left": "p0", "right": "p1"}], "labels-columns", {"columns": ("left", "right")}),
        ("nowhere.csv", "no-such-file", {}),
    ],
)  # fmt: skip
def test_what_is_wrong_with_labels_is_named(given: Any, code: str, values: dict[str, Any]) -> None:
    with refused(code, **values):
        la.resolve(TABLE, labels=given)
