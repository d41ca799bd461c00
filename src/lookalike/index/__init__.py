"""The index that stays: add, query and delete documents, and keep their clusters, over a store of signed rows."""
