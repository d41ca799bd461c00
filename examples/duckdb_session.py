"""A DuckDB session: documents come from SQL, and similar pairs go back to SQL.

    python examples/duckdb_session.py examples/news.jsonl

Both directions use Arrow, so no Python object is made per row. The database is in memory; for one on disk, pass its
path to `duckdb.connect`.
"""

from __future__ import annotations

import sys

import duckdb

import lookalike as la


def main(path: str) -> None:
    connection = duckdb.connect()
    connection.execute("create table articles as select * from read_json(?)", [path])

    # SQL in: any query with a column of texts.
    articles = connection.sql("select id, text from articles where length(text) > 0")
    pairs = la.find_pairs(articles, id="id", threshold=0.8)

    # SQL out: the result is a table that queries can join.
    connection.register("found", pairs.to_arrow())
    connection.execute("create table similar_pairs as select * from found")
    connection.sql("""
        select a.paper as paper, b.paper as reprinted_by, round(similarity, 3) as similarity
        from similar_pairs
        join articles a on a.id = similar_pairs.left
        join articles b on b.id = similar_pairs.right
        order by similarity desc, paper, reprinted_by
    """).show()

    # Keep one article of each cluster: delete the rows that dedupe removes.
    removed = la.dedupe(articles, id="id", threshold=0.8, keep="longest").removed
    connection.register("removed", removed)
    connection.execute("delete from articles where id in (select id from removed)")
    (left,) = connection.execute("select count(*) from articles").fetchone() or (0,)
    print(f"removed {removed.num_rows} articles, {left} are left")


if __name__ == "__main__":
    main(sys.argv[1])
