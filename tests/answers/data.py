"""The data of all runs, generated from fixed seeds, in memory and as files in the current folder."""

from __future__ import annotations

import random
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tests.answers.graded import STOPWORDS, graded
from tests.apps.resolve.people import people
from tests.corpora import boilerplate, packages, without_spaces


class Data:
    """Collections by name. Each is created when it is first used."""

    @cached_property
    def texts(self) -> list[str]:
        return graded(400, seed=1)

    @cached_property
    def few(self) -> list[str]:
        """A small collection for the reference engine, which is slow."""
        return graded(55, seed=5)

    @cached_property
    def fewer(self) -> list[str]:
        """Half of the texts, each with an addition."""
        return [f"{text} as seen before" for text in self.few[::2]]

    @cached_property
    def many(self) -> list[str]:
        return graded(1500, seed=6)

    @cached_property
    def pages(self) -> list[str]:
        return boilerplate(160)

    @cached_property
    def descriptions(self) -> list[str]:
        return packages(150)

    @cached_property
    def chinese(self) -> list[str]:
        return without_spaces(150)

    @cached_property
    def later(self) -> list[str]:
        """A second collection: part of the first one, some of it edited, and new texts."""
        return [f"{text} and more" for text in self.texts[40:120]] + graded(100, seed=7)

    @cached_property
    def names(self) -> list[str]:
        """Short strings with typing errors."""
        return [f"{row['given']} {row['surname']}" for row in self.people]

    @cached_property
    def towns(self) -> list[str]:
        return [name.replace("a", "e", 1).title() for name in self.names[::4]] + self.names[:20]

    @cached_property
    def chain(self) -> list[list[str]]:
        """Each set is similar to the next, but not to later ones, so that linkage matters."""
        rng = random.Random(8)
        rows = [[str(i) for i in range(start, start + 9)] for start in range(60)]
        rows += [[f"x{i}" for i in range(start, start + 9)] for start in range(0, 60, 3)]
        return rng.sample(rows, len(rows))

    @cached_property
    def tokens(self) -> list[list[str]]:
        """Sets of tokens, some of them edited copies, one empty, some with repetitions."""
        rng = random.Random(9)
        rows: list[list[str]] = [[]]
        for i in range(300):
            if i % 3 == 2:
                row = list(rng.choice(rows))
                rows.append([*row[1:], f"t{rng.randrange(200)}"])
            else:
                rows.append([f"t{rng.randrange(200)}" for _ in range(rng.randint(2, 25))])
        return rows

    @cached_property
    def more_tokens(self) -> list[list[str]]:
        """Sets that contain part of the tokens' sets."""
        return [[*row[:-2], "new"] for row in self.tokens[::3]] + [["new"], []]

    @cached_property
    def baskets(self) -> list[list[str]]:
        """Few common items, many rare ones."""
        rng = random.Random(10)
        items = [f"item{i}" for i in range(120)]
        weights = [1 / (i + 1) for i in range(120)]
        return [sorted(set(rng.choices(items, weights, k=rng.randint(1, 12)))) for _ in range(500)]

    @cached_property
    def purchases(self) -> pa.Table:
        """The baskets as one item per row, with a number for each basket."""
        rows = [(f"c{number}", item) for number, basket in enumerate(self.baskets[:200]) for item in basket]
        return pa.table({"customer": [row[0] for row in rows], "product": [row[1] for row in rows]})

    @cached_property
    def table(self) -> pa.Table:
        """The texts with ids, a score with missing values, and other columns, which are kept."""
        rng = random.Random(11)
        count = len(self.texts)
        return pa.table(
            {
                "id": [f"doc-{i}" for i in range(count)],
                "score": [None if i % 17 == 3 else rng.randrange(50) for i in range(count)],
                "text": self.texts,
                "weight": [rng.random() for _ in range(count)],
                "tags": [[f"tag{rng.randrange(5)}" for _ in range(i % 3)] for i in range(count)],
            }
        )

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of `table` as dictionaries."""
        rows: list[dict[str, Any]] = self.table.to_pylist()
        return rows

    @cached_property
    def columns(self) -> dict[str, Any]:
        """The columns of `table` as a dictionary."""
        columns: dict[str, Any] = self.table.to_pydict()
        return columns

    @cached_property
    def large_strings(self) -> pa.Table:
        """`table` in chunks, with Arrow's large types."""
        texts = pa.chunked_array([self.texts[:150], self.texts[150:]], pa.large_string())
        return pa.table({"text": texts, "number": pa.chunked_array([range(150), range(150, len(self.texts))])})

    @cached_property
    def pandas(self) -> Any:
        return self.table.select(["id", "text", "weight"]).to_pandas()

    @cached_property
    def polars(self) -> Any:
        import polars

        return polars.DataFrame(self.rows)

    @cached_property
    def vectors(self) -> npt.NDArray[np.float32]:
        """Vectors in groups of similar directions, so that there are near pairs at all distances."""
        rng = np.random.default_rng(12)
        centres = rng.normal(size=(40, 24))
        near = centres[rng.integers(0, 40, 500)] + rng.normal(size=(500, 24)) * rng.choice([0.05, 0.2, 0.6], (500, 1))
        return np.asarray(near.round(4), dtype=np.float32)

    @cached_property
    def doubles(self) -> npt.NDArray[np.float64]:
        return self.vectors[:200].astype(np.float64) * 3

    @cached_property
    def queries(self) -> npt.NDArray[np.float32]:
        rng = np.random.default_rng(13)
        return np.asarray((self.vectors[:60] + rng.normal(size=(60, 24)) * 0.1).round(4), dtype=np.float32)

    @cached_property
    def lists(self) -> list[list[float]]:
        """Vectors as plain lists."""
        lists: list[list[float]] = self.vectors[:120].astype(np.float64).tolist()
        return lists

    @cached_property
    def weights(self) -> npt.NDArray[np.float32]:
        """Vectors without negative numbers, many of them zero."""
        return np.maximum(self.vectors, 0)

    @cached_property
    def weight_queries(self) -> npt.NDArray[np.float32]:
        return np.maximum(self.queries, 0)

    @cached_property
    def bits(self) -> npt.NDArray[np.uint8]:
        """Packed bits, 128 per row. Some rows are copies in which a few bits are flipped."""
        rng = np.random.default_rng(14)
        rows = rng.integers(0, 256, (60, 16), dtype=np.uint8)[rng.integers(0, 60, 400)]
        flipped = np.packbits(rng.random((400, 128)) < rng.choice([0.01, 0.05, 0.2], (400, 1)), axis=1)
        return np.asarray(rows ^ flipped, dtype=np.uint8)

    @cached_property
    def bit_queries(self) -> npt.NDArray[np.uint8]:
        return self.bits[::9] ^ np.uint8(1)

    @cached_property
    def vector_table(self) -> pa.Table:
        """Vectors with ids, as a column of lists."""
        kind = pa.list_(pa.float32(), 24)
        flat = pa.array(self.vectors[:200].ravel())
        return pa.table(
            {"name": [f"v{i}" for i in range(200)], "vector": pa.FixedSizeListArray.from_arrays(flat, type=kind)}
        )

    @cached_property
    def people(self) -> list[dict[str, Any]]:
        """Records of people, some of them twice with errors."""
        return people(200, 70)[0]

    @cached_property
    def shop(self) -> list[dict[str, Any]]:
        return [{"number": f"s{i}"} | row for i, row in enumerate(self.people[::2])]

    @cached_property
    def supplier(self) -> list[dict[str, Any]]:
        return [{"number": f"w{i}"} | row for i, row in enumerate(self.people[1::2])]

    @cached_property
    def web_pages(self) -> list[dict[str, Any]]:
        """Articles on several hosts, each with its own boilerplate."""
        rng = random.Random(15)
        menus = [" ".join(f"menu{host}x{rng.randrange(99)}" for _ in range(80)) for host in range(4)]
        menus = [f"the news of today is on {menu} and in the paper" for menu in menus]
        rows = []
        for number in range(24):
            words = [rng.choice(STOPWORDS) if i % 2 else f"word{rng.randrange(900)}" for i in range(100)]
            for host in rng.sample(range(4), rng.randint(1, 4)):
                edited = [f"word{rng.randrange(900)}" if rng.random() < 0.05 else word for word in words]
                rows.append(
                    {
                        "url": f"https://www.h{host}.org/{number}",
                        "text": f"{menus[host]} {' '.join(edited)} {menus[host][::-1]}",
                        "date": f"2026-10-{1 + (3 * host + number) % 28:02}T12:00:00",
                    }
                )
        return rows

    @cached_property
    def essays(self) -> list[str]:
        """Submissions, some with passages from one another and from the library."""
        rng = random.Random(16)
        essays = [" ".join(f"word{rng.randrange(3000)}" for _ in range(150)) for _ in range(30)]
        for i in range(0, 30, 3):
            taken = rng.choice(essays[:i] + self.library).split()
            start = rng.randrange(60)
            essays[i] = " ".join([*essays[i].split()[:70], *taken[start : start + 50], *essays[i].split()[70:]])
        return essays

    @cached_property
    def library(self) -> list[str]:
        rng = random.Random(17)
        return [" ".join(f"word{rng.randrange(3000)}" for _ in range(200)) for _ in range(20)]

    @cached_property
    def template(self) -> list[str]:
        """The text that all authors of the essays received."""
        return [" ".join(self.library[0].split()[:100]), self.essays[1]]

    @cached_property
    def minutiae(self) -> list[tuple[str, float, float, float]]:
        """Fingerprints, two of each finger, as (print, x, y, angle): some minutiae are missing, all are moved a bit."""
        rng = np.random.default_rng(18)
        rows = []
        for finger in range(40):
            places = rng.random((50, 3)) * (20, 20, 360) + (1, 1, 0)
            for number in range(2):
                seen = places[rng.random(50) < 0.85] + rng.normal(size=(1, 3)) * 0.05
                rows += [(f"finger{finger}-{number}", x, y, angle % 360) for x, y, angle in seen.round(3).tolist()]
        return rows
