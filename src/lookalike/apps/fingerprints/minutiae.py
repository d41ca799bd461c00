"""A print: the places where ridges end or part (minutiae), as a scanner or an examiner has marked them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Print:
    """One impression of a finger. x and y are in one unit for all prints (millimetres, where a template is read)."""

    name: str
    x: Numbers
    y: Numbers
    angle: Numbers | None = None
    """Direction of the ridge in degrees, anticlockwise, in [0, 360)."""

    def __len__(self) -> int:
        return len(self.x)
