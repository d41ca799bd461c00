"""Shared by the contenders of resolve_peers.py: cleaned tables, the form of an answer, and the entry point.

Splink, recordlinkage and pyJedAI need clean columns: lower case, phone numbers as digits, the names of authors as
lists, and model numbers in their own column. The cleaning was configured by hand for each table.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

SEPARATORS = {"dblp_acm": "%", "abt_buy": "|", "restaurants": "|", "cora": "|"}
RARE = 10
"""A word is rare if at most this many records contain it."""


@dataclass(frozen=True)
class Job:
    """The task: find records of the same entity in one or two files."""

    table: str
    files: list[str]


@dataclass(frozen=True, eq=False)
class Answer:
    """Every compared pair with its score, and the tool's default threshold for matches."""

    pairs: Any
    """A data frame or table with columns left and right (ids) and score."""
    threshold: float


def main(contender: Callable[[Job], Answer]) -> None:
    table, out, *files = sys.argv[1:]
    answer = contender(Job(table, files))
    pairs = answer.pairs if isinstance(answer.pairs, pa.Table) else pa.Table.from_pandas(answer.pairs)
    pq.write_table(pairs.select(["left", "right", "score"]), out)
    print(json.dumps({"threshold": answer.threshold, "compared": pairs.num_rows}))


def raw(job: Job) -> list[pd.DataFrame]:
    """The tables as lower-case strings ("" for missing values), with a column `id`."""
    frames = []
    for file in job.files:
        if file.endswith(".parquet"):
            frame = pd.read_parquet(file).astype(object).where(lambda values: values.notna(), "").astype(str)
        else:
            separator = SEPARATORS.get(job.table, ",")
            frame = pd.read_csv(file, sep=separator, dtype=str, keep_default_na=False, skipinitialspace=True)
        frame.columns = [name.strip().split("#")[-1].lower().replace(" ", "_") for name in frame.columns]
        frame = frame.rename(columns={"rec_id": "id", "entity_id": "id"})
        texts = [name for name in frame.columns if name != "id" and not name.startswith("unnamed")]
        frames.append(frame[["id"]].join(frame[texts].apply(lambda values: values.str.strip().str.lower())))
    return frames


def ready(job: Job) -> list[pd.DataFrame]:
    """The cleaned tables with additional columns; None for missing values."""
    frames = raw(job)
    if job.table in ("dblp_acm", "cora", "stroke", "cytology_screening", "haematology"):
        frames = [_papers(frame, job.table) for frame in frames]
    elif job.table == "abt_buy":
        frames = [_products(frame) for frame in frames]
    elif job.table == "restaurants":
        frames = [_restaurants(frame) for frame in frames]
    return [_with_nulls(frame) for frame in _with_rare_words(frames)]


def _papers(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    frame = frame.rename(columns={"authors": "author", "venue": "journal"})
    frame["title"] = _plain(frame["title"])
    names = frame["author"].str.findall(r"[^\W\d_]{3,}").map(lambda words: [word for word in words if word != "and"])
    frame["names"] = names.map(lambda words: sorted(set(words)))
    if table == "dblp_acm":  # given names come before surnames
        frame["first"] = frame["author"].str.split(",").str[0].str.split().str[-1].fillna("")
    else:
        frame["first"] = names.str[0].fillna("")
    frame["author"] = _plain(frame["author"])
    frame["year"] = frame["year"].str.extract(r"(\d{4})", expand=False).fillna("")
    frame["start"] = frame["title"].str[:12]
    frame["journal"] = _plain(frame["journal"])
    for name in ("volume", "number", "pages"):
        if name in frame:
            frame[name] = frame[name].str.extract(r"(\d+)", expand=False).fillna("")
    return frame


def _products(frame: pd.DataFrame) -> pd.DataFrame:
    frame["brand"] = frame["name"].str.split().str[0].fillna("")
    words = (frame["name"] + " " + frame["description"]).str.replace("-", "").str.findall(r"\w*\d\w*")
    frame["codes"] = words.map(lambda found: sorted({word for word in found if len(word) > 3}))
    frame["code"] = frame["codes"].map(lambda codes: max(codes, key=len, default=""))
    frame["title"] = _plain(frame["name"])
    frame["price"] = frame["price"].str.replace(r"[^\d.]", "", regex=True)
    return frame


def _restaurants(frame: pd.DataFrame) -> pd.DataFrame:
    """Drops rows without a phone number: they describe streets and kinds of food."""
    frame["phone"] = frame.pop("phone_number").str.replace(r"\D", "", regex=True)
    frame["title"] = _plain(frame["name"])
    return frame[frame["phone"] != ""].reset_index(drop=True)


def _plain(texts: pd.Series) -> pd.Series:
    return texts.str.replace(r"[\W_]+", " ", regex=True).str.strip()


def _with_rare_words(frames: list[pd.DataFrame]) -> list[pd.DataFrame]:
    """Adds a column `rare` with the rare words of the title, if there is a title."""
    if "title" not in frames[0]:
        return frames
    words = [frame["title"].str.split().map(set) for frame in frames]
    counts = Counter(word for column in words for row in column for word in row)
    rare = [column.map(lambda row: sorted(word for word in row if counts[word] <= RARE)) for column in words]
    return [frame.assign(rare=column) for frame, column in zip(frames, rare, strict=True)]


def _with_nulls(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype(object).where(frame.map(lambda value: len(value) > 0), None)
