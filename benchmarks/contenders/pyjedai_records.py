"""pyJedAI: its own presets for two tables and for one table, with columns chosen by hand.

Two tables: token blocking, block filtering, weighted edge pruning, and tf-idf cosine of 3-grams of at least 0.17.
One table: token blocking, purging, filtering, cardinality node pruning, and cosine of words of at least 0.55.
"""

from __future__ import annotations

import pandas as pd
import ray
from contenders import record_contender
from pyjedai.block_building import StandardBlocking
from pyjedai.block_cleaning import BlockFiltering, BlockPurging
from pyjedai.comparison_cleaning import CardinalityNodePruning, WeightedEdgePruning
from pyjedai.datamodel import Data
from pyjedai.matching import EntityMatching

CITED = ["title", "author", "year", "pages", "journal"]
PEOPLE = ["given_name", "surname", "address_1", "suburb", "postcode", "date_of_birth", "soc_sec_id"]
COLUMNS = {
    "dblp_acm": ["title", "authors", "venue", "year"],
    "abt_buy": ["name", "description"],
    "restaurants": ["name", "phone"],
    "cora": ["author", "title", "venue", "year"],
    **dict.fromkeys(("stroke", "cytology_screening", "haematology"), CITED),
    **{f"febrl{n}": PEOPLE for n in (1, 2, 3, 4)},
}
TWO_TABLES, ONE_TABLE = 0.17, 0.55
"""Thresholds of the presets."""


def find(job: record_contender.Job) -> record_contender.Answer:
    columns = COLUMNS[job.table]
    frames = record_contender.ready(job) if job.table == "restaurants" else record_contender.raw(job)
    one, *rest = [
        pd.DataFrame({"id": frame["id"], "text": frame[columns].fillna("").agg(" ".join, axis=1)}) for frame in frames
    ]
    second = {"dataset_2": rest[0], "id_column_name_2": "id", "attributes_2": ["text"]} if rest else {}
    data = Data(dataset_1=one, id_column_name_1="id", attributes_1=["text"], **second)
    quiet = {"tqdm_disable": True}
    ray.is_initialized = lambda: True  # otherwise it starts a cluster, even with disable_ray
    blocks = StandardBlocking(disable_ray=True).build_blocks(data, **quiet)
    if rest:
        blocks = BlockFiltering(ratio=0.9).process(blocks, data, **quiet)
        chosen = WeightedEdgePruning(weighting_scheme="EJS").process(blocks, data, **quiet)
        how = {"metric": "cosine", "tokenizer": "char_tokenizer", "vectorizer": "tfidf", "qgram": 3}
    else:
        blocks = BlockPurging(smoothing_factor=1.0).process(blocks, data, **quiet)
        blocks = BlockFiltering().process(blocks, data, **quiet)
        chosen = CardinalityNodePruning(weighting_scheme="JS").process(blocks, data, **quiet)
        how = {"metric": "cosine"}
    graph = EntityMatching(similarity_threshold=-1, attributes=["text"], **how).predict(chosen, data, **quiet)
    edges = [(min(a, b), max(a, b), weight) for a, b, weight in graph.edges(data="weight")]
    ids = [id for frame in (one, *rest) for id in frame["id"]]
    found = pd.DataFrame([(ids[a], ids[b], weight) for a, b, weight in edges], columns=["left", "right", "score"])
    return record_contender.Answer(found, TWO_TABLES if rest else ONE_TABLE)


if __name__ == "__main__":
    record_contender.main(find)
