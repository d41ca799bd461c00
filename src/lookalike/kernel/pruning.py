"""The parts of the kernel protocol that keep state while an exact join decides which sets it has to compare."""

from __future__ import annotations

from typing import BinaryIO, Protocol

import numpy as np
import numpy.typing as npt

from lookalike.flow import Documents, Shingles, Shingling
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.sketches import Sketches


class Census(Protocol):
    """Counts whether shingles occur once or more often, to find documents that can have no similar one.

    A document that reaches a threshold t with another one shares at least ⌈t·n⌉ of its n shingles with it. So if more
    than n − ⌈t·n⌉ of them occur nowhere else, the document has no partner, and need not be compared.
    """

    @property
    def nbytes(self) -> int:
        """The memory that it takes, in bytes."""
        ...

    def spill(self, file: BinaryIO, most: int) -> None:
        """Keeps at most about `most` bytes in memory from now on, and the rest in a file, which it closes at its end.

        The other methods may then raise OSError.
        """
        ...

    def add(self, documents: Documents, shingling: Shingling, batch: int | None = None) -> Sketches:
        """Cuts documents, counts their shingles, and returns their sketches, with one key per document, which is 0.

        Several threads may add documents at the same time, each with a number for its batch, if it is not yet known
        which rows they are. Each call then uses one thread. `place` must follow.
        """
        ...

    def place(self, batch: int, start: int) -> None:
        """Notes which row is the first of a batch."""
        ...

    def can_match(self, windows: npt.NDArray[np.uint32], left_out: Mask, numerator: int, denominator: int) -> Mask:
        """Whether each row can have a partner at the threshold. `windows` must be that of the sketches of all rows.

        No row with a partner is missed. Rows that are left out are not counted; leave out copies of another row, which
        would make all its shingles look shared. The census is empty afterwards.
        """
        ...


class Groups(Protocol):
    """Puts sets into groups, such that similar sets are in the same group. The sets need not be in memory together.

    The rarest elements of a set are its prefix, and similar sets share an element of their prefixes. Most groups have
    few sets.
    """

    @property
    def nbytes(self) -> int:
        """The memory that they take, in bytes."""
        ...

    def count(self, sets: Shingles) -> None:
        """Counts the elements of some sets. Call it for all sets, in any order, before `add`."""
        ...

    def spill(self, file: BinaryIO, most: int) -> None:
        """Keeps at most about `most` bytes of prefixes in memory from now on, and the rest in a file.

        The file is closed at the end of this object. The other methods may then raise OSError.
        """
        ...

    def add(self, sets: Shingles) -> None:
        """Notes the prefixes of some sets, which follow those that were added before."""
        ...

    def labels(self) -> Rows:
        """Returns, for each set, the first set of its group. Call it once, after all sets were added."""
        ...
