"""Pictures: how many planted copies are found, how many pairs are wrong, and how does the time grow?

    python benchmarks/images.py FOLDER [--pictures 10000] [--edited 2000] [--first 100000]
    python benchmarks/images.py FOLDER --twins 20

The pictures are rendered to FOLDER unless they are there already: photographs made of noise, gradients, icons, letters,
drawings, screenshots, pages of text, charts and patterns (`common/pictures.py`). Of the first ones, edited copies are
added: scaled to 0.5–2 times the size, saved as JPEG of quality 30–95, cropped by up to 5 % at each side, darkened
or brightened by up to 40 %, and turned by quarter turns. Precision: the share of reported pairs that are of the same
picture. Recall: the share of edited copies that are paired with their original.

With other pictures: name the files KIND-NUMBER-base.png and KIND-NUMBER-EDIT.png.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from common.pictures import EDITS, KINDS, edited, picture
from common.twins import TWINS, twin

from lookalike.apps import images
from lookalike.apps.images import PicturePairs
from lookalike.storage.budget import peak


def render(folder: Path, with_copies: int, first: int, number: int) -> None:
    """Renders one picture and, if it is among the first ones, its copies."""
    original = picture(first + number)
    name = f"{list(KINDS)[(first + number) % len(KINDS)]}-{first + number}"
    original.save(folder / f"{name}-base.png", compress_level=1)
    if number < with_copies:
        for edit in EDITS:
            copy = edited(original, edit, first + number)
            if edit == "jpeg":
                (folder / f"{name}-{edit}.jpg").write_bytes(copy.fp.getvalue())  # type: ignore[attr-defined]
            else:
                copy.save(folder / f"{name}-{edit}.png", compress_level=1)


def render_twins(folder: Path, count: int, first: int) -> None:
    """Renders pictures with their copies, and a twin of each that differs in one small thing (`common/twins.py`)."""
    for kind in TWINS:
        for number in range(first, first + count):
            original, name = twin(number, kind, changed=False), f"{kind}-{number}"
            original.save(folder / f"{name}-base.png", compress_level=1)
            twin(number, kind, changed=True).save(folder / f"{name}x-base.png", compress_level=1)
            for edit in EDITS:
                edited(original, edit, number).save(folder / f"{name}-{edit}.png", compress_level=1)


def assess(found: PicturePairs) -> None:
    """Prints precision and the recall per edit."""
    paths = found.pictures["path"].to_pylist()
    groups = [Path(path).stem.rpartition("-")[0] for path in paths]
    edits = [Path(path).stem.rpartition("-")[2] for path in paths]
    same = [groups[left] == groups[right] for left, right in zip(found.left_rows, found.right_rows, strict=True)]
    print(f"pairs {len(same):,}, precision {np.mean(same):.4f}")
    wrong = zip(found.left_rows[~np.array(same)], found.right_rows[~np.array(same)], strict=True)
    kinds = Counter(" and ".join(sorted({groups[i].split("-")[0] for i in pair})) for pair in wrong)
    print("wrong pairs by kind:", dict(kinds))
    pairs = set(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True))
    base = {group: row for row, (group, edit) in enumerate(zip(groups, edits, strict=True)) if edit == "base"}
    recall: dict[str, list[bool]] = defaultdict(list)
    missed: Counter[str] = Counter()
    for row, (group, edit) in enumerate(zip(groups, edits, strict=True)):
        if edit != "base" and group in base:
            one = min(row, base[group]), max(row, base[group])
            recall[edit].append(one in pairs)
            missed[f"{edit} {group.split('-')[0]}"] += one not in pairs
    for edit, hits in sorted(recall.items()):
        print(f"recall of {edit:<12}{np.mean(hits):.4f} of {len(hits):,}")
    print("missed:", {name: count for name, count in missed.most_common(12) if count})


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=10_000)
    parser.add_argument("--edited", type=int, default=2_000)
    parser.add_argument("--first", type=int, default=100_000)
    parser.add_argument("--twins", type=int, default=0, help="render so many twins of each kind instead")
    parser.add_argument("--threads", type=int, default=None)
    options = parser.parse_args()
    if not options.folder.exists():
        options.folder.mkdir(parents=True)
        with ProcessPoolExecutor(options.threads) as pool:
            if options.twins:
                render_twins(options.folder, options.twins, options.first)
                options.pictures = 0
            one = partial(render, options.folder, options.edited, options.first)
            list(pool.map(one, range(options.pictures), chunksize=20))
    began, cpu = time.perf_counter(), time.process_time()
    found = images.find_pairs(options.folder, threads=options.threads, progress=False)
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    print(f"{found.pictures.num_rows:,} pictures, {found.summary.candidates:,} candidates")
    print(f"wall {wall:.1f} s, CPU {cpu:.1f} s, peak {peak() / 2**20:,.0f} MiB;", found.summary.seconds)
    assess(found)


if __name__ == "__main__":
    main()
