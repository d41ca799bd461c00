"""Descriptors of rendered pictures: shapes, letters made of strokes, and gradients, each in many variants.

Pictures are made and described in batches, so that 60,000 of them take seconds and no picture is stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIDE, CELLS, DIRECTIONS = 32, 4, 8
BATCH = 2000


def descriptors(count: int, seed: int = 0) -> Any:
    """`count` unit vectors of 128 coordinates: the directions of the edges in 4 × 4 cells of a picture.

    About ten pictures are variants of one motif: moved, scaled, brighter or darker, and noisy.
    """
    rng = np.random.default_rng(seed)
    motifs = rng.uniform(size=(max(1, count // 10), 12))
    out = np.empty((count, CELLS * CELLS * DIRECTIONS), np.float32)
    for start in range(0, count, BATCH):
        size = min(BATCH, count - start)
        varied = motifs[rng.integers(0, len(motifs), size)] + rng.normal(0, 0.02, (size, 12))
        pictures = rendered(varied) * rng.uniform(0.6, 1.4, (size, 1, 1)) + rng.normal(0, 0.02, (size, SIDE, SIDE))
        out[start : start + size] = described(pictures)
    return out


def rendered(motifs: Any) -> Any:
    """Pictures of 32 × 32 pixels: a gradient, an ellipse or a ring, a rectangle, and a stroke."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / (SIDE - 1)
    p = motifs[:, :, None, None]
    pictures = 0.3 * (p[:, 0] * x + p[:, 1] * y)
    radius = np.hypot((x - p[:, 2]) / (0.15 + 0.3 * p[:, 3]), (y - p[:, 4]) / (0.15 + 0.3 * p[:, 5]))
    ring = np.where(p[:, 6] < 0.5, 1 / (1 + np.exp(30 * (radius - 1))), np.exp(-((radius - 1) ** 2) * 40))
    box = 1 / (1 + np.exp(40 * (np.maximum(np.abs(x - p[:, 7]), np.abs(y - p[:, 8])) - 0.05 - 0.2 * p[:, 9])))
    angle = np.pi * p[:, 10]
    stroke = np.exp(-(((x - 0.5) * np.sin(angle) - (y - p[:, 11]) * np.cos(angle)) ** 2) * 600)
    return pictures + 0.6 * ring + 0.5 * box + 0.4 * stroke


def described(pictures: Any) -> Any:
    down, right = np.gradient(pictures, axis=(1, 2))
    direction = ((np.arctan2(down, right) / np.pi % 1) * DIRECTIONS).astype(np.int64) % DIRECTIONS
    strength = np.hypot(down, right)
    step = SIDE // CELLS
    out = np.empty((len(pictures), CELLS, CELLS, DIRECTIONS))
    for k in range(DIRECTIONS):
        here = np.where(direction == k, strength, 0).reshape(-1, CELLS, step, CELLS, step)
        out[..., k] = here.sum(axis=(2, 4))
    flat = np.sqrt(out.reshape(len(pictures), -1))
    return flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-9)
