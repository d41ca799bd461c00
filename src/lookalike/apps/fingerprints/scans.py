"""Generates random fingers, and prints of them in random positions and rotations, for tests, tutorials and benchmarks.

Minutiae of a finger are independent and uniformly distributed, with random directions. Those of real fingers are not:
neighbours are a few ridges apart, and follow the flow of the ridges. Generated prints are thus easier to tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.apps.fingerprints.minutiae import Print


@dataclass(frozen=True)
class Scans:
    """A random model of fingers and of a scanner that does not align them. Lengths are in millimetres."""

    width: float = 14.0
    height: float = 18.0
    density: float = 0.2
    """The expected number of minutiae per square millimetre."""
    missing: float = 0.2
    """The probability that a print misses a minutia."""
    spurious: float = 0.1
    """The expected number of false minutiae, per minutia of the finger."""
    jitter: float = 0.15
    """The standard deviation of x and y."""
    turn: float = 7.0
    """The standard deviation of angles, in degrees."""
    rotation: float = 180.0
    """The largest rotation of a print in either direction, in degrees."""
    shift: float = 10.0
    """The largest shift of a print in x and y."""

    def fingers(self, count: int, prints: int, seed: int) -> list[list[Print]]:
        """Generates random fingers. `count` is the number of fingers, and `prints` the number of prints per finger."""
        rng = np.random.default_rng(seed)
        return [self._prints(f"finger{i}", prints, rng) for i in range(count)]

    def _prints(self, name: str, count: int, rng: np.random.Generator) -> list[Print]:
        expected = self.width * self.height * self.density
        finger = self._minutiae(name, rng.poisson(expected), rng)
        assert finger.angle is not None
        found = []
        for number in range(count):
            seen = rng.random(len(finger)) >= self.missing
            false = self._minutiae(name, rng.poisson(expected * self.spurious), rng)
            assert false.angle is not None
            x, y = np.stack([finger.x, finger.y])[:, seen] + rng.normal(0, self.jitter, (2, np.count_nonzero(seen)))
            angle = finger.angle[seen] + rng.normal(0, self.turn, np.count_nonzero(seen))
            scanned = Print(
                f"{name}-{number}",
                np.concatenate([x, false.x]),
                np.concatenate([y, false.y]),
                np.concatenate([angle, false.angle]) % 360,
            )
            turned = scanned.moved(rng.uniform(-self.rotation, self.rotation))
            across, down = rng.uniform(0, self.shift, 2)
            left, top = (float(axis.min(initial=0)) for axis in (turned.x, turned.y))
            found.append(turned.moved(0, across - left, down - top))  # an image has no negative places
        return found

    def _minutiae(self, name: str, count: int, rng: np.random.Generator) -> Print:
        x, y = rng.uniform(0, self.width, count), rng.uniform(0, self.height, count)
        return Print(name, x, y, rng.uniform(0, 360, count))
