"""Suggests a known option for an unknown name, which may be misspelt or come from another library."""

from __future__ import annotations

from collections.abc import Collection

FOREIGN = {
    "against": "reference exclude_from existing",
    "bands": "b num_bands n_bands params",
    "basket": "transaction transaction_id group_by",
    "case": "lower lowercase casefold ignore_case case_sensitive",
    "column": "text_column text_field text_col text_key text content columns item_column on subset",
    "distance": "max_distance radius eps epsilon max_edits",
    "encoding": "charset codec file_encoding",
    "engine": "backend executor",
    "count": "triples functions",
    "fields": "field kinds",
    "force": "overwrite",
    "format": "file_format input_format filetype",
    "hashes": "num_perm num_perms num_hashes n_hashes n_perm num_permutations permutations signature_size sketch_size",
    "id": "id_column id_field id_col key index doc_id",
    "ignore_common": "max_df stop_shingles",
    "keep": "survivor keep_rule",
    "master": "spark_master cluster",
    "measure": "metric distance_metric similarity_metric similarity_function",
    "memory": "max_memory memory_limit memory_limit_mb ram",
    "method": "algorithm strategy",
    "normalize": "normalization normalisation unicode",
    "on_error": "errors error_handling on_bad_lines",
    "out": "output output_path output_file output_dir save_path save_to destination",
    "progress": "callback progress_bar show_progress verbose",
    "quiet": "silent verbose",
    "quote": "quotechar quote_char quoting",
    "recall": "target_recall min_recall",
    "rows": "r num_rows rows_per_band band_size n_rows",
    "seed": "random_state random_seed rng",
    "separator": "sep delimiter",
    "side": "square cell",
    "shingles": "k n ngram ngrams n_gram n_grams ngram_size ngram_range shingle shingle_size shingling kgram",
    "support": "min_support minsup min_count",
    "threads": "num_proc n_jobs num_workers n_workers workers num_threads n_threads nthreads processes cores cpus",
    "threshold": "jaccard_threshold similarity_threshold min_similarity min_score cutoff score_cutoff similarity",
    "tokenizer": "tokenize tokeniser analyzer tokenizer_fn",
    "top": "k top_k topk n_neighbors neighbors neighbours limit max_results",
    "weights": "weighting idf tfidf tf_idf",
    "work": "work_dir workdir checkpoint checkpoint_dir temp_dir tmp_dir cache_dir",
}
"""Maps our options to their names in other libraries. A name may appear under several options."""

CUTOFF = 0.6
"""The minimum similarity (`difflib` ratio) at which a name is considered a misspelling of an option."""


def meant(name: str, known: Collection[str]) -> str | None:
    """Returns the known option that `name` was probably meant to be, or None.

    >>> meant("num-perm", ["hashes", "rows"]), meant("thresold", ["threshold"]), meant("x", ["threshold"])
    ('hashes', 'threshold', None)
    """
    from difflib import get_close_matches

    name = name.lower().replace("-", "_")
    # With a plan, k is the length of shingles; elsewhere, it is the number of neighbours, if `top` is an option.
    for option in ("shingles" if "bands" in known else "top", *FOREIGN):
        if option in known and name in FOREIGN[option].split():
            return option
    return next(iter(get_close_matches(name, sorted(known), 1, CUTOFF)), None)
