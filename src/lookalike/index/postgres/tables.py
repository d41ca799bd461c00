"""The tables of an index in PostgreSQL. All of them are in one schema, which has the name of the index.

Texts, records and ids have one row per document. Postings do not: those of recent documents are an array per row with
a GIN index, and those of many documents are sorted pages. What changes with every add is only ever appended to
`change`, from which each client updates what it has in memory.
"""

from __future__ import annotations

FORMAT = 1
"""The version of docs/reference/index-postgres.md that this code follows."""

TABLES = """
CREATE TABLE state (
    format int NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    layout bigint NOT NULL DEFAULT 0,
    settled bigint NOT NULL DEFAULT 0,
    plan text NOT NULL,
    resolved text,
    ids text
);
CREATE SEQUENCE next_row AS bigint MINVALUE 0 START 0;
CREATE SEQUENCE next_id AS bigint MINVALUE 0 START 0;
CREATE TABLE document (
    row bigint PRIMARY KEY,
    id bigint UNIQUE DEFERRABLE INITIALLY DEFERRED,
    name bytea,
    digest bytea GENERATED ALWAYS AS (sha256(name)) STORED UNIQUE DEFERRABLE INITIALLY DEFERRED,
    record bytea NOT NULL,
    text bytea {compression} NOT NULL
) WITH (toast_tuple_target = 256);
CREATE TABLE recent (row bigint PRIMARY KEY, keys bigint[] NOT NULL);
CREATE INDEX ON recent USING gin (keys) WITH (fastupdate = off);
CREATE TABLE segment (
    segment serial PRIMARY KEY,
    first bigint NOT NULL,
    rows bigint NOT NULL,
    bands int NOT NULL,
    pages int NOT NULL
);
CREATE TABLE posting (
    segment int,
    band smallint,
    last bigint,
    page int,
    crc bigint NOT NULL,
    keys bytea NOT NULL,
    rows bytea NOT NULL,
    PRIMARY KEY (segment, band, last, page)
);
CREATE TABLE change (
    step bigserial PRIMARY KEY,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    added bigint NOT NULL DEFAULT 0,
    recent bigint NOT NULL DEFAULT 0,
    gone bytea,
    edges bytea
);
CREATE INDEX ON change (xid);
ALTER TABLE document ALTER record SET STORAGE PLAIN, ALTER text SET STORAGE MAIN;
ALTER TABLE recent ALTER keys SET STORAGE PLAIN;
ALTER TABLE posting ALTER keys SET STORAGE PLAIN, ALTER rows SET STORAGE PLAIN;
"""
