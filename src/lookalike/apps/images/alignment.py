"""Aligns thumbnails: finds which part of one picture shows what the other shows, by Gauss-Newton steps.

A crop changes the scale and the position along each axis, so there are four unknowns per pair. Light may differ by a
factor and a constant, which are fitted in the same step. Positions are shares of a side, from −0.5 to 0.5. The position
`x` in the target is at `scale · x + shift` in the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.apps.images.descriptors import CROPS, CUTS
from lookalike.flow.arrays import Rows

Stack = npt.NDArray[np.float32]
"""Pictures of one channel: count × side × side; or matrices of that form."""

STEPS = ((16, 6), (32, 4), (64, 3))
"""The sides of the pictures that are aligned, coarse ones first, and the number of steps with each."""

ROUGH = ((16, 4), (32, 1))
"""The same for a first look."""

SMALLEST, LARGEST, FARTHEST = 0.87, 1.15, 0.075
"""Limits of scales and shifts. If five percent are cut off each side, the scale is 0.9 or 1 / 0.9."""

LONGEST = 0.04
"""The maximum change of an unknown in one step."""


class Warped(NamedTuple):
    """Sources as they are seen at the positions of the targets' pixels."""

    stacks: list[Stack]
    inside: Stack
    """1 where the source has a pixel for the target's, and 0 outside the source."""


def first_guess(crop: Rows) -> Stack:
    """Returns the scales and shifts (across, down) of crops, given as places in `CROPS`."""
    axis = np.array([(1 - start - end, (start - end) / 2) for start, end in CUTS])
    cuts = np.array(CROPS)[crop].reshape(-1, 2)
    return np.concatenate([axis[cuts[:, 0]], axis[cuts[:, 1]]], axis=1).astype(np.float32)


def warp(stacks: list[Stack], fit: Stack) -> Warped:
    """Reads sources at the positions of the targets, by linear interpolation."""
    side = stacks[0].shape[1]
    across, inside_across = _reading(fit[:, 0:2], side)
    down, inside_down = _reading(fit[:, 2:4], side)
    turned = across.transpose(0, 2, 1)
    seen = [np.asarray(down @ one @ turned, np.float32) for one in stacks]
    return Warped(seen, inside_down[:, :, None] * inside_across[:, None, :])


def _reading(fit: Stack, side: int) -> tuple[Stack, Stack]:
    """Returns the matrices that read one axis of the sources, and which positions are inside."""
    at = ((fit[:, 0, None] * _places(side) + fit[:, 1, None]) + 0.5) * side - 0.5
    held = np.clip(at, 0, side - 1)
    below = np.minimum(held.astype(np.int64), side - 2)
    share = (held - below).astype(np.float32)
    matrix = np.zeros((len(fit), side, side), np.float32)
    pair, row = np.indices(below.shape)
    matrix[pair, row, below] = 1 - share
    matrix[pair, row, below + 1] += share
    return matrix, ((at >= -0.5) & (at <= side - 0.5)).astype(np.float32)


def _places(side: int) -> npt.NDArray[np.float32]:
    return ((np.arange(side) + 0.5) / side - 0.5).astype(np.float32)


def pooled(stack: Stack, side: int) -> Stack:
    """Returns the pictures in a smaller size: each pixel is the mean of a square."""
    n = stack.shape[1] // side
    return stack if n == 1 else stack.reshape(len(stack), side, n, side, n).mean(axis=(2, 4), dtype=np.float32)


def softened(stack: Stack) -> Stack:
    """Returns the pictures a little out of focus, so that differences of neighbouring pixels are slopes."""
    for axis in (1, 2):
        around = np.concatenate([stack.take([0], axis), stack, stack.take([-1], axis)], axis)
        n = around.shape[axis]
        low, mid, high = (around.take(np.arange(i, n - 2 + i), axis) for i in range(3))
        stack = (low + 2 * mid + high) / np.float32(4)
    return stack


def align(source: Stack, target: Stack, crop: Rows, plan: Sequence[tuple[int, int]]) -> Stack:
    """Returns, for each pair, the scale and shift across, and the scale and shift down."""
    fit = first_guess(crop)
    for side, steps in plan:
        one, two = pooled(source, side), pooled(target, side)
        for _ in range(steps):
            fit = _step(one, two, fit)
    return fit


def _step(source: Stack, target: Stack, fit: Stack) -> Stack:
    side = source.shape[1]
    (seen,), inside = warp([source], fit)
    slope_across, slope_down = np.zeros_like(seen), np.zeros_like(seen)
    slope_across[:, :, 1:-1] = (seen[:, :, 2:] - seen[:, :, :-2]) * (side / 2)
    slope_down[:, 1:-1] = (seen[:, 2:] - seen[:, :-2]) * (side / 2)
    place = _places(side)
    columns = [slope_across * place, slope_across, slope_down * place[:, None], slope_down, seen, np.ones_like(seen)]
    table = (np.stack(columns, 1) * inside[:, None]).reshape(len(seen), len(columns), -1)
    squares = (table @ table.transpose(0, 2, 1)).astype(np.float64)
    product = (table @ (target * inside).reshape(len(seen), -1, 1)).astype(np.float64)
    # damped, so that pictures without slopes in some direction stay where they are
    largest = np.einsum("pii->pi", squares)[:, :4].max(axis=1, initial=0)
    squares += np.diag([1.0, 1, 1, 1, 0, 0]) * (1e-4 * largest + 1e-3)[:, None, None]
    squares += np.eye(6) * 1e-6
    solved = np.linalg.solve(squares, product)[:, :, 0]
    factor = np.maximum(np.abs(solved[:, 4]), 0.2)
    fit = fit + np.clip(solved[:, :4] / factor[:, None], -LONGEST, LONGEST).astype(np.float32)
    fit[:, 0::2] = np.clip(fit[:, 0::2], SMALLEST, LARGEST)
    fit[:, 1::2] = np.clip(fit[:, 1::2], -FARTHEST, FARTHEST)
    return fit
