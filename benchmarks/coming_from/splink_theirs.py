"""Splink on DuckDB: a model for records of people, trained as in its tutorial."""

from __future__ import annotations

import duckdb
import splink.comparison_library as cl
from splink import DuckDBAPI, Linker, SettingsCreator, block_on


def entities(path: str) -> list[tuple[int, int]]:
    db = DuckDBAPI()
    people = db.register(duckdb.read_parquet(path).arrow().read_all(), table_name="people")
    settings = SettingsCreator(
        link_type="dedupe_only",
        unique_id_column_name="id",
        blocking_rules_to_generate_predictions=[
            block_on("phone"),
            block_on("given", "surname"),
            block_on("surname", "born"),
            block_on("given", "born"),
            block_on("born", "postcode"),
            block_on("street"),
            "l.given = r.surname and l.surname = r.given",
        ],
        comparisons=[
            cl.ForenameSurnameComparison("given", "surname"),
            cl.DateOfBirthComparison("born", input_is_string=True, invalid_dates_as_null=False),
            cl.LevenshteinAtThresholds("street", [1, 2]).configure(term_frequency_adjustments=True),
            cl.LevenshteinAtThresholds("postcode", 1).configure(term_frequency_adjustments=True),
            cl.DamerauLevenshteinAtThresholds("phone", [1, 2]),
        ],
    )
    linker = Linker(people, settings)
    certain = [block_on("phone"), block_on("given", "surname", "born")]
    linker.training.estimate_probability_two_random_records_match(certain, recall=0.8)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    linker.training.estimate_parameters_using_expectation_maximisation(block_on("born"))
    linker.training.estimate_parameters_using_expectation_maximisation(block_on("phone"))
    pairs = linker.inference.predict(threshold_match_probability=0.5)
    clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(pairs, threshold_match_probability=0.5)
    found = clusters.as_duckdbpyrelation().select("id, cluster_id").fetchall()
    return [(int(id), int(cluster)) for id, cluster in found]
