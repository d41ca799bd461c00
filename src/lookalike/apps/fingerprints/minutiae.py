"""The data of a print: its minutiae, the points where ridges end or split, as marked by a scanner or an examiner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Print:
    """One impression of a finger. All prints must use the same unit for x and y; templates use millimetres.

    As in images, x grows to the right, and y grows downwards.
    """

    name: str
    x: Numbers
    y: Numbers
    angle: Numbers | None = None
    """The direction of the ridge at each minutia, in degrees from the x axis (0 ≤ angle < 360), anticlockwise as seen
    in the image; None if unknown."""

    def __len__(self) -> int:
        return len(self.x)

    def moved(self, degrees: float, x: float = 0.0, y: float = 0.0) -> Print:
        """Returns the print turned anticlockwise about the origin, and then shifted."""
        cosine, sine = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
        angle = None if self.angle is None else (self.angle + degrees) % 360
        across, down = cosine * self.x + sine * self.y + x, cosine * self.y - sine * self.x + y
        return Print(self.name, across, down, angle)


def stored_prints(prints: Sequence[Print]) -> pa.Table:
    """Converts prints to a table for saving: one row per print, with its name and lists of x, y and angle."""
    columns = {"name": pa.array([one.name for one in prints], pa.string())}
    for name in ("x", "y", "angle"):
        values = [getattr(one, name) for one in prints]
        columns[name] = pa.array([None if one is None else one.tolist() for one in values], pa.list_(pa.float64()))
    return pa.table(columns)


def restored_prints(table: pa.Table) -> list[Print]:
    """The inverse of `stored_prints`."""
    prints = []
    for row in table.to_pylist():
        angle = None if row["angle"] is None else np.array(row["angle"], np.float64)
        prints.append(Print(row["name"], np.array(row["x"], np.float64), np.array(row["y"], np.float64), angle))
    return prints
