"""The native function that finds the lines of JSON. `lookalike.kernel` provides it: it may import `io`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Lines = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]
"""Where each line that is not empty starts and ends, and the most lists and objects that a line opens, with those in
strings."""

json_lines: Callable[[bytes], Lines | None] | None = None
"""Returns the lines of a block of valid UTF-8; None if Arrow might misread one. None without the native module."""
