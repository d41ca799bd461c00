"""A Hugging Face dataset in, and a dataset back: training data without near-duplicates and without test data.

    python examples/hf_dataset.py examples/news.jsonl clean

The kept rows have all columns and features of the input, such as class labels and images. For a dataset of the hub,
replace `load_dataset("json", …)` by its name.
"""

from __future__ import annotations

import sys

from datasets import Dataset, DatasetDict, load_dataset

import lookalike as la


def cleaned(splits: DatasetDict) -> DatasetDict:
    """The splits, without training rows that are similar to another training row or to a test row."""
    result = la.dedupe(splits["train"], against=splits["test"], column="text", threshold=0.8)
    where = result.removed["kept_in"].to_pylist()
    print(f"removed {where.count('input')} copies and {where.count('against')} that are like test data")
    return DatasetDict({**splits, "train": result.to_dataset()})


def main(path: str, out: str) -> None:
    rows: Dataset = load_dataset("json", data_files=path, split="train")
    splits = cleaned(rows.train_test_split(test_size=3, seed=0))
    splits.save_to_disk(out)
    print({name: split.num_rows for name, split in splits.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
