"""Signed rows that stay: segments of rows in input order, with postings by band key and compressed texts."""
