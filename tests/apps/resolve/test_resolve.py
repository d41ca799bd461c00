"""Resolve and link from end to end: results, determinism and explanations."""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.apps.resolve import Settings
from lookalike.apps.resolve.explanation import BITS
from lookalike.apps.resolve.points import days_of
from tests.apps.resolve.people import people
from tests.refusals import refused


def true_pairs(person: list[int]) -> set[tuple[int, int]]:
    return {(a, b) for a, b in combinations(range(len(person)), 2) if person[a] == person[b]}


def pairs_of(found: la.Resolved) -> set[tuple[int, int]]:
    table = found.matches
    return set(zip(table["left"].to_pylist(), table["right"].to_pylist(), strict=True))


def test_people_with_errors_are_found_without_labels_or_settings() -> None:
    rows, person = people()
    found = la.resolve(rows)
    truth, pairs = true_pairs(person), pairs_of(found)
    assert len(pairs & truth) >= 0.97 * len(truth) and len(pairs & truth) >= 0.97 * len(pairs)
    assert {(a, b) for group in found.clusters.members() for a, b in combinations(sorted(group), 2)} == pairs


def test_two_tables_are_linked_one_to_one() -> None:
    rows, person = people()
    last = {one: row for row, one in zip(rows, person, strict=True)}
    first = {one: row for row, one in reversed(list(zip(rows, person, strict=True)))}
    found = la.link(list(first.values()), list(last.values()))
    names = list(first), list(last)
    pairs = {(names[0][a], names[1][b]) for a, b in pairs_of(found)}
    assert found.settings.one_to_one and len(pairs) == len(found)
    assert sum(a == b for a, b in pairs) >= 0.97 * len(first)
    left, right = found.matches["left"].to_pylist(), found.matches["right"].to_pylist()
    assert len(set(left)) == len(left) and len(set(right)) == len(right)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_fields_are_enough_if_one_of_them_is_nearly_unique(seed: int) -> None:
    """A dependency of the phone on the name explained all pairs that agree in both: at most two matches were left."""
    draw = random.Random(seed)

    def misspelt(name: str) -> str:
        at = draw.randrange(len(name) - 1)
        return name[:at] + draw.choice([name[at + 1], name[at + 1] + name[at]]) + name[at + 2 :]

    everyone = [
        {"name": f"{row['given']} {row['surname'][-3:]}", "phone": row["phone"]} for row in people(600, 0, seed)[0]
    ]
    rows = draw.sample(range(600), 80)
    found = la.link(
        everyone, [everyone[row] | {"name": misspelt(everyone[row]["name"])} for row in rows], one_to_one=False
    )
    pairs = pairs_of(found)
    right = len(pairs & set(zip(rows, range(80), strict=True)))
    assert right >= 0.7 * 80 and right >= 0.95 * len(pairs)


def test_results_do_not_depend_on_threads_or_repetition() -> None:
    rows, _ = people(120, 40)
    once = la.resolve(rows, threads=1)
    again = la.resolve(rows, threads=3)
    assert once.matches.equals(again.matches) and once.settings.to_toml() == again.settings.to_toml()


def test_ids_keep_the_type_of_the_input(tmp_path: Path) -> None:
    """They were returned as texts, so that joining them with the input failed."""
    rows, _ = people(60, 20)
    numbered = [
        {"id": 1000 + place} | {name: value for name, value in row.items() if name != "id"}
        for place, row in enumerate(rows)
    ]
    pq.write_table(pa.Table.from_pylist(numbered), tmp_path / "people.parquet")
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in numbered))
    for number, data in enumerate(
        (numbered, pandas.DataFrame(numbered), tmp_path / "people.parquet", tmp_path / "people.jsonl")
    ):
        found = la.resolve(data, id="id")
        assert found.matches["left"].type == pa.int64() and found.to_arrow()["id"].to_pylist()[0] == 1000
        assert la.load(found.save(tmp_path / f"saved{number}")).matches == found.matches
        left, right = found.matches["left"][0].as_py(), found.matches["right"][0].as_py()
        assert str(found.explain(left, right)) == str(found.explain(str(left), str(right)))
        with refused("no-such-record"):
            found.explain(left, "x7")
    as_texts = la.resolve([row | {"id": str(row["id"])} for row in numbered], id="id")
    assert as_texts.matches["left"].to_pylist() == [str(one) for one in found.matches["left"].to_pylist()]
    table = pa.Table.from_pylist(numbered)
    ids = pa.array([2**63 + row["id"] for row in numbered], pa.uint64())
    huge = la.resolve(table.set_column(0, "id", ids), id="id")
    assert huge.matches["left"].to_pylist()[0] == str(2**63 + found.matches["left"][0].as_py())


def test_saved_settings_repeat_the_result_and_edits_are_applied(tmp_path: Path) -> None:
    rows, _ = people(120, 40)
    found = la.resolve(rows, ignore=["phone"])
    path = tmp_path / "settings.toml"
    path.write_text(found.settings.to_toml(), encoding="utf-8")
    again = la.resolve(rows, settings=path)
    assert la.resolve(rows, settings=found.settings.to_toml()).matches == again.matches, "TOML is not a path"
    assert again.matches.equals(found.matches) and again.settings.to_toml() == found.settings.to_toml()
    stricter = path.read_text(encoding="utf-8").replace("threshold = 0.5", "threshold = 0.999999")
    assert len(la.resolve(rows, settings=Settings.from_toml(stricter))) < len(found)


def test_the_order_of_columns_is_irrelevant() -> None:
    rows, _ = people(200, 60)
    turned = [dict(reversed(row.items())) for row in rows]
    assert pairs_of(la.resolve(rows)) == pairs_of(la.resolve(turned))


def test_settings_apply_to_columns_in_another_order() -> None:
    rows, _ = people(120, 40)
    found = la.resolve(rows)
    turned = [dict(reversed(row.items())) for row in rows]
    again = la.resolve(turned, settings=found.settings)
    assert again.matches.equals(found.matches) and again.settings.to_toml() == found.settings.to_toml()
    assert not again.warnings
    fewer = la.resolve(rows, settings=found.settings, ignore=["phone"])
    assert fewer.warnings[0].code == "weights-not-reused" and len(fewer.settings.fields) == 4


def test_settings_of_link_can_be_used_by_resolve() -> None:
    rows, _ = people(120, 40)
    other = [{"call": row["phone"]} | {name: row[name] for name in ("given", "surname", "born")} for row in rows]
    linked = la.link(rows, other, fields=["phone=call:phone"], one_to_one=True)
    found = la.resolve(rows, settings=linked.settings)
    assert [one.name for one in found.settings.fields] == ["given", "surname", "born", "phone"]
    assert found.warnings[0].code == "weights-not-reused"  # there are no rivals
    edited = linked.settings.to_toml().replace("one_to_one = true", "one_to_one = false")
    many = la.link(rows, other, settings=Settings.from_toml(edited))
    assert not many.settings.one_to_one and many.warnings[0].code == "weights-not-reused"


def test_the_steps_of_an_explanation_add_up_to_the_score() -> None:
    rows, _ = people(120, 40)
    for found in (la.resolve(rows), la.link(rows[:80], rows[80:])):
        table = found.matches
        for left, right, score, probability in zip(*(column.to_pylist() for column in table.columns[:4]), strict=True):
            said = found.explain(left, right)
            assert said.score == pytest.approx(score / BITS) and said.probability == pytest.approx(probability)
            assert sum(step.adds for step in said.steps) == pytest.approx(said.score)
    assert "together" in str(said)


def test_an_explanation_includes_rivals() -> None:
    rows, _ = people(120, 40)
    found = la.link(rows[:80], rows[80:], one_to_one=True)
    (left, right), *_ = pairs_of(found)
    rivals = {found.explain(left, other).steps[6].adds for other in range(80) if other != right}
    assert max(rivals) < found.explain(left, right).steps[6].adds


@pytest.mark.parametrize("many", [2, 300, 301, 700])
def test_any_number_of_equal_records_is_one_entity(many: int) -> None:
    rows = [{"a": "x y", "b": "z"}] * many + [{"a": "v", "b": "w"}]
    found = la.resolve(rows, method="points")
    assert found.clusters.members() == [list(range(many))]
    assert len(found) == (many * (many - 1) // 2 if many <= 300 else many - 1)


def test_equal_records_of_frequent_words_are_found() -> None:
    """Each word is in half of 50,000 records, more than are looked up per word."""
    rows = [{"colour": colour, "size": size} for colour in ("red", "blue") for size in ("small", "large")] * 12_500
    assert [len(group) for group in la.resolve(rows, method="points").clusters.members()] == [12_500] * 4
    linked = la.link(rows, rows[4:], method="points", threshold=200, one_to_one=True, top=1)
    assert len(linked) == len(rows) - 4


def test_empty_records_are_not_the_same() -> None:
    rows = [{"a": "x", "b": None}] + [{"a": None, "b": None}] * 3
    assert la.resolve(rows, method="points", threshold=0).clusters.members() == []


def test_a_field_gives_up_to_100_points() -> None:
    rows = [
        {"name": "Ann Smith", "city": "Leeds", "phone": "0113 496 0000"},
        {"name": "Ann Smith", "city": "Leeds", "phone": "0113 496 0000"},
        {"name": "Bob Jones", "city": "York", "phone": "01904 496 0001"},
    ]
    found = la.resolve(rows, method="points")
    assert found.matches.to_pylist() == [{"left": 0, "right": 1, "score": 300.0}]
    assert found.explain(0, 1).score == 300 and found.explain(0, 1).is_match and not found.explain(0, 2).is_match


def test_members_of_a_household_are_not_one_person() -> None:
    """Four people each share surname, street and phone; 60 of 400 are entered again, with an error in one field."""
    rows, _ = people(400, 0)
    for place, row in enumerate(rows):
        shared = rows[place - place % 4]
        row |= {name: shared[name] for name in ("surname", "street", "phone")}
    again = [row | {"given": row["given"] + "e"} if n % 2 else row | {"phone": None} for n, row in enumerate(rows[:60])]
    found = la.resolve(rows + again)
    truth = {(n, 400 + n) for n in range(60)}
    assert found.settings.weights is not None and found.settings.weights.r is not None
    assert len(pairs_of(found) & truth) >= 0.9 * len(truth) and len(pairs_of(found) - truth) <= 6
    said = found.explain(0, 400)
    assert "relatives" in [step.name for step in said.steps]
    assert sum(step.adds for step in said.steps) == pytest.approx(said.score)


def test_a_column_that_is_never_filled_with_another_is_ignored_unless_named_or_a_code() -> None:
    shops = [{"name": f"shop {n}", "since": f"19{n}", "street": None} for n in range(10, 40)]
    places = [{"name": None, "since": None, "street": f"{n} Long Street"} for n in range(10, 40)]
    found = la.link(shops + places, shops + places, method="points", threshold=90)
    assert found.ignored["street"] == "never filled together with another column" and len(found) == 30
    named = la.link(shops + places, shops + places, method="points", threshold=90, fields=["street:address"])
    assert "street" not in named.ignored and len(named) == 60
    coded = [{"name": None, "since": None, "street": f"AB{n}"} for n in range(10, 40)]
    assert "street" not in la.link(shops + coded, shops + coded, method="points").ignored
    apart = [{"a": "one thing", "b": None}, {"a": None, "b": "another"}]
    assert not la.resolve(apart, method="points").ignored  # all stand alone


def test_equal_records_of_one_table_share_one_match() -> None:
    rows, _ = people(120, 40)
    left, right = rows[:80], rows[80:]
    found = la.link(left, right, one_to_one=True)
    more = la.link(left + [dict(left[0])] * 5, right, settings=found.settings)
    steps = {step.name: step.adds for step in more.explain(0, 3).steps}
    assert steps["copies"] == pytest.approx(-np.log2(6)) and "copies" not in str(more.explain(1, 3))


def slipped(draw: random.Random, row: dict[str, str]) -> dict[str, str]:
    """The row with one wrong letter in half of its fields."""
    wrong = {name: draw.randrange(len(text)) for name, text in row.items() if draw.random() < 0.5}
    return row | {name: row[name][:at] + draw.choice("xyz") + row[name][at + 1 :] for name, at in wrong.items()}


def test_an_entity_larger_than_a_compared_group_stays_whole() -> None:
    draw = random.Random(0)
    words = ["".join(draw.choices("abcdefgh", k=6)) for _ in range(900)]
    things = [{"a": " ".join(draw.sample(words, 5)), "b": " ".join(draw.sample(words, 4))} for _ in range(400)]
    rows = [slipped(draw, things[0]) for _ in range(400)] + things[1:]
    found = la.resolve(rows, method="points", threshold=180, fields=["a:code", "b:code"])
    assert found.clusters.members() == [list(range(400))]
    assert "candidate-limit-reached" in [warning.code for warning in found.warnings]


def test_points_are_checked_by_an_independent_date() -> None:
    """The dates of matches differ by 10 days on average, those of random pairs by about 120."""
    draw = random.Random(0)
    rows, person = people(300, 100)
    day = {one: draw.randrange(365) for one in set(person)}
    first = np.datetime64("2020-01-01")
    for row, one in zip(rows, person, strict=True):
        row["seen"] = str(first + day[one] + draw.choice([-5, 5]))
    found = la.resolve(rows, method="points", check="seen")
    assert found.ignored["seen"] == "used to check the points"
    assert "seen" not in [one.name for one in found.settings.fields]
    groups = found.facts.checked
    assert groups[0].valid == 1 and groups[-1].valid < 0.2 and sum(group.pairs for group in groups) > 1000
    assert [group.least for group in groups] == sorted((group.least for group in groups), reverse=True)
    assert "days apart, 100% valid" in str(groups[0])
    assert found.matches.equals(la.resolve(rows, method="points", ignore=["seen"]).matches)
    for row in rows:
        row["seen"] = "2020-01-01"
    assert la.resolve(rows, method="points", check="seen").warnings[0].code == "points-not-checked"


def test_columns_are_paired_by_name_or_as_given() -> None:
    left = [{"http://x.org/one#Name": "Sony Turntable PSLX350H"}, {"http://x.org/one#Name": "Bose Acoustimass 5"}]
    right = [{"name": "bose acoustimass 5"}, {"name": "sony turntable pslx350h"}]
    assert pairs_of(la.link(left, right, method="points")) == {(0, 1), (1, 0)}
    titled = [{"title": row["name"]} for row in right]
    field = "http://x.org/one#Name=title:text"
    assert pairs_of(la.link(left, titled, method="points", fields=[field])) == {(0, 1), (1, 0)}
    assert pairs_of(la.link(left, titled, method="points")) == {(0, 1), (1, 0)}  # paired by their values
    with refused("no-column-to-compare"):
        la.link(left, [{"title": "Nikon Coolpix 900"}, {"title": "Canon Powershot G2"}])


@pytest.mark.parametrize(
    ("options", "code", "values"),
    [
        ({"fields": ["born"]}, "field-not-name-and-kind", {"value": "born"}),
        ({"fields": ["born:day"]}, "unknown-field-kind", {"field": "born", "value": "day"}),
        ({"fields": ["age:number"]}, "no-such-column", {"column": "age", "options": ("fields", "ignore")}),
        ({"threshold": 2}, "record-threshold-out-of-range", {"most": 1, "value": 2}),
        ({"threshold": "0.5"}, "record-threshold-out-of-range", {"value": "0.5"}),
        ({"threshold": float("nan")}, "record-threshold-out-of-range", {}),
        ({"top": 0}, "not-a-whole-number", {"option": "top"}),
        ({"method": "magic"}, "not-one-of", {"allowed": ("weights", "points")}),
        ({"id": "given"}, "record-ids-missing", {"column": "given", "count": 1}),
        ({"check": "born"}, "check-without-points", {}),
        ({"check": "given", "method": "points"}, "no-dates", {"column": "given"}),
        ({"check": "age", "method": "points"}, "no-such-column", {"column": "age", "options": ("check",)}),
        ({"settings": "no-such-file.toml"}, "settings-unreadable", {"path": "no-such-file.toml"}),
        ({"treshold": 0.5}, "unknown-option", {"verb": "resolve", "option": "treshold"}),
    ],
)
def test_invalid_options_are_refused(options: dict[str, object], code: str, values: dict[str, Any]) -> None:
    rows, _ = people(20, 5)
    with refused(code, **values):
        la.resolve(rows, **options)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "rows", [[{"name": "Ann"}], [{"a": "x", "b": "y"}], [{"name": "Ann"}, {"name": "Ann"}], [{"a": "x", "b": None}] * 3]
)
def test_tiny_tables_are_resolved(rows: list[dict[str, object]]) -> None:
    found = la.resolve(rows)
    assert len(found.clusters.labels) == len(rows)


def test_results_are_arrow_tables() -> None:
    rows, _ = people(60, 20)
    found = la.resolve(pa.Table.from_pylist(rows))
    assert pa.table(found).column_names == ["id", "cluster", "size", "representative"]
    assert np.all(np.diff(found.matches["left"].to_numpy()) >= 0)


def test_few_matches_cause_a_warning() -> None:
    rows = [{"name": name, "city": city} for name in ("ann", "anne", "bob") for city in ("leeds", "york")]
    assert la.resolve(rows).warnings[0].code == "no-matches-to-learn-from"
    assert la.resolve(people(12, 6)[0]).warnings[0].code == "few-matches"
    assert not la.resolve(rows, method="points").warnings


def test_a_date_that_checks_is_not_compared_however_it_is_spelt() -> None:
    left = [{"name": f"ann {i}", "Registered": "2001-01-01"} for i in range(12)]
    right = [{"name": f"ann {i}", "registered": "2001-01-02"} for i in range(12)]
    found = la.link(left, right, method="points", check="registered")
    assert [field.name for field in found.settings.fields] == ["name"]
    with refused("check-column-compared", column="Registered"):
        la.resolve(left, method="points", check="Registered", fields=["Registered:date"])


def test_the_threshold_of_points_follows_the_number_of_fields() -> None:
    """The saved threshold, 200 of 300 points, was out of reach of two fields with an error."""
    rows = [{"name": f"name{i // 2}", "city": f"city{i // 2}x", "seen": f"2001-01-{1 + i % 2:02}"} for i in range(60)]
    settings = la.resolve(rows, method="points").settings
    found = la.resolve(rows, settings=settings, check="seen")
    assert found.settings.threshold == pytest.approx(400 / 3) and len(found) >= 30


@pytest.mark.parametrize(("dates", "known"), [(["31/12/99", "1-" + "9" * 5000 + "-3"], 0), (["1999-12-31"], 1)])
def test_ambiguous_and_invalid_dates_are_missing(dates: list[str], known: int) -> None:
    assert int((~np.isnan(days_of(pa.array(dates)))).sum()) == known


def test_an_entity_of_more_than_300_parts_stays_whole() -> None:
    """Only 300 of its parts were joined, and the rest stayed alone; all its pairs would be half a million."""
    draw = np.random.default_rng(0)
    rows = [
        {"name": f"{('ann', 'bob', 'carl', 'dora')[i % 4]} smith", "code": f"{draw.integers(10**9):09d}x"}
        for i in range(1200)
    ]
    found = la.resolve(rows, method="points", threshold=50)
    assert max(map(len, found.clusters.members())) > 1190
    assert len(found) < 1300


def test_the_name_of_an_id_column_is_a_text() -> None:
    """A list raised a TypeError."""
    records: Any = [{"name": "anna", "town": "bonn"}, {"name": "ana", "town": "bonn"}]
    wrong: Any
    for wrong in (["name"], {"name": 1}, 7, ""):
        with refused("not-a-column-name", option="id"):
            la.resolve(records, id=wrong)
        with refused("not-a-column-name", option="right_id"):
            la.link(records, list(records), right_id=wrong)
