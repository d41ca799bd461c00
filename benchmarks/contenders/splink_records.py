"""Splink on DuckDB: blocking rules, comparisons and training configured by hand, as in its documentation.

People are configured as in its febrl3 and febrl4 examples, other tables in the same way. No labels are used: u is
estimated by random sampling, m by expectation maximisation, and the prior from rules that are almost certain.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa
import splink.comparison_level_library as cll
import splink.comparison_library as cl
from contenders import record_contender
from splink import DuckDBAPI, Linker, SettingsCreator, block_on

MEMORY = "6GB"
RARE = block_on("rare", arrays_to_explode=["rare"])
TITLE = cl.JaroWinklerAtThresholds("title", [0.95, 0.9, 0.8])


@dataclass(frozen=True)
class Setup:
    blocking: list[Any]
    comparisons: list[Any]
    certain: list[Any]
    """Rules whose pairs are nearly all matches."""
    recall: float
    """The share of all matches that these rules find, approximately."""
    training: list[Any]
    """Rules that select pairs for training. Each field is trained with a rule that does not contain it."""


def febrl() -> Setup:
    return Setup(
        blocking=[
            block_on("soc_sec_id"),
            block_on("given_name", "surname"),
            "l.given_name = r.surname and l.surname = r.given_name",
            block_on("date_of_birth"),
            block_on("state", "address_1"),
            block_on("street_number", "address_1"),
            block_on("postcode"),
            block_on("surname"),
        ],
        comparisons=[
            cl.NameComparison("given_name").configure(term_frequency_adjustments=True),
            cl.NameComparison("surname").configure(term_frequency_adjustments=True),
            cl.DateOfBirthComparison(
                "date_of_birth", input_is_string=True, datetime_format="%Y%m%d", invalid_dates_as_null=True
            ),
            cl.DamerauLevenshteinAtThresholds("soc_sec_id", [1, 2]),
            cl.ExactMatch("street_number").configure(term_frequency_adjustments=True),
            cl.DamerauLevenshteinAtThresholds("postcode", [1, 2]).configure(term_frequency_adjustments=True),
        ],
        certain=[block_on("soc_sec_id"), block_on("given_name", "surname", "date_of_birth")],
        recall=0.8,
        training=[block_on("date_of_birth"), block_on("postcode")],
    )


def generated() -> Setup:
    return Setup(
        blocking=[
            block_on("phone"),
            block_on("given", "surname", "city"),
            block_on("surname", "born"),
            block_on("given", "born"),
            block_on("born", "postcode"),
            block_on("born", "city"),
            block_on("street"),
            block_on("surname", "postcode"),
            block_on("given", "surname", "substr(born, 1, 4)"),
            "l.given = r.surname and l.surname = r.given",
        ],
        comparisons=[
            cl.ForenameSurnameComparison("given", "surname", forename_surname_concat_col_name="name"),
            cl.DateOfBirthComparison("born", input_is_string=True, invalid_dates_as_null=False),
            cl.LevenshteinAtThresholds("street", [1, 2]).configure(term_frequency_adjustments=True),
            cl.LevenshteinAtThresholds("postcode", 1).configure(term_frequency_adjustments=True),
            cl.DamerauLevenshteinAtThresholds("phone", [1, 2]),
        ],
        certain=[block_on("phone"), block_on("given", "surname", "born"), block_on("born", "street")],
        recall=0.9,
        training=[block_on("born"), block_on("phone")],
    )


def dblp_acm() -> Setup:
    return Setup(
        blocking=[block_on("title"), block_on("start"), block_on("first", "year"), RARE],
        comparisons=[TITLE, cl.ArrayIntersectAtSizes("names", [4, 3, 2, 1]), cl.ExactMatch("year")],
        certain=[block_on("title", "first")],
        recall=0.7,
        training=[block_on("first", "year"), block_on("title")],
    )


def cora() -> Setup:
    return Setup(
        blocking=[block_on("title"), block_on("start"), block_on("names", arrays_to_explode=["names"]), RARE],
        comparisons=[
            TITLE,
            cl.ArrayIntersectAtSizes("names", [3, 2, 1]),
            cl.ExactMatch("year"),
            cl.ExactMatch("pages").configure(term_frequency_adjustments=True),
            cl.JaroWinklerAtThresholds("journal", [0.9, 0.75]),
        ],
        certain=[block_on("title", "first")],
        recall=0.6,
        training=[block_on("first", "year"), block_on("title")],
    )


def citations() -> Setup:
    return Setup(
        blocking=[
            block_on("title"),
            block_on("start", "year"),
            block_on("first", "year"),
            block_on("pages", "volume"),
            block_on("pages", "year"),
            RARE,
        ],
        comparisons=[
            TITLE,
            cl.JaroWinklerAtThresholds("author", [0.95, 0.85, 0.7]),
            cl.ExactMatch("year"),
            cl.ExactMatch("volume").configure(term_frequency_adjustments=True),
            cl.ExactMatch("number").configure(term_frequency_adjustments=True),
            cl.ExactMatch("pages").configure(term_frequency_adjustments=True),
            cl.JaroWinklerAtThresholds("journal", [0.95, 0.8]),
        ],
        certain=[block_on("title", "year"), block_on("pages", "volume", "first")],
        recall=0.8,
        training=[block_on("title"), block_on("pages", "year"), block_on("first", "year")],
    )


def abt_buy() -> Setup:
    one, two = "try_cast(price_l AS double)", "try_cast(price_r AS double)"
    return Setup(
        blocking=[block_on("codes", arrays_to_explode=["codes"]), RARE],
        comparisons=[
            cl.ArrayIntersectAtSizes("codes", [2, 1]),
            cl.JaroWinklerAtThresholds("title", [0.9, 0.8, 0.7]),
            cl.ExactMatch("brand").configure(term_frequency_adjustments=True),
            cl.CustomComparison(
                output_column_name="price",
                comparison_levels=[
                    cll.NullLevel("price"),
                    cll.CustomLevel(f"abs({one} - {two}) <= 0.1 * greatest({one}, {two})"),
                    cll.CustomLevel(f"abs({one} - {two}) <= 0.3 * greatest({one}, {two})"),
                    cll.ElseLevel(),
                ],
            ),
        ],
        certain=[block_on("code", "brand")],
        recall=0.4,
        training=[block_on("brand"), block_on("code")],
    )


def restaurants() -> Setup:
    return Setup(
        blocking=[block_on("phone"), block_on("title"), block_on("substr(title, 1, 5)"), RARE],
        comparisons=[
            cl.JaroWinklerAtThresholds("title", [0.95, 0.88, 0.75]).configure(term_frequency_adjustments=True),
            cl.LevenshteinAtThresholds("phone", [1, 2]),
        ],
        certain=[block_on("phone")],
        recall=0.9,
        training=[block_on("title"), block_on("phone")],
    )


SETUPS: dict[str, Callable[[], Setup]] = {
    **{f"febrl{n}": febrl for n in (1, 2, 3, 4)},
    **dict.fromkeys(("stroke", "cytology_screening", "haematology"), citations),
    "dblp_acm": dblp_acm,
    "cora": cora,
    "abt_buy": abt_buy,
    "restaurants": restaurants,
    "people": generated,
}


def find(job: record_contender.Job) -> record_contender.Answer:
    logging.getLogger("splink").setLevel(logging.ERROR)
    setup = SETUPS[job.table]()
    connection = duckdb.connect()
    connection.execute(f"SET memory_limit = '{MEMORY}'; SET threads = 2")
    db = DuckDBAPI(connection)
    if job.table == "people":
        path = job.files[0]
        named = connection.sql(f"SELECT *, given || ' ' || surname AS name FROM read_parquet('{path}')")
        tables = [named.arrow().read_all()]
    else:
        tables = [pa.Table.from_pandas(frame, preserve_index=False) for frame in record_contender.ready(job)]
    settings = SettingsCreator(
        link_type="dedupe_only" if len(tables) == 1 else "link_only",
        unique_id_column_name="id",
        blocking_rules_to_generate_predictions=setup.blocking,
        comparisons=setup.comparisons,
        retain_matching_columns=False,
    )
    linker = Linker([db.register(table, table_name=f"t{n}") for n, table in enumerate(tables)], settings)
    linker.training.estimate_probability_two_random_records_match(setup.certain, recall=setup.recall)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    for rule in setup.training:
        linker.training.estimate_parameters_using_expectation_maximisation(rule, estimate_without_term_frequencies=True)
    found = linker.inference.predict()
    pairs = found.as_duckdbpyrelation().select("id_l AS left, id_r AS right, match_weight AS score").arrow().read_all()
    return record_contender.Answer(pairs, 0.0)


if __name__ == "__main__":
    record_contender.main(find)
