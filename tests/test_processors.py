"""Which implementations of the kernel are offered on processors that this machine is not: QEMU emulates them."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from lookalike.kernel import _native
from tests.conftest import require_program

PRINT_PATHS = """
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("_native", {file!r})
native = module_from_spec(spec)
spec.loader.exec_module(native)
print(*native.paths())
"""


def paths_on(processor: str) -> list[str]:
    """The paths that the native module offers on an emulated processor."""
    emulator = require_program("qemu-x86_64", package="qemu-user")
    program = PRINT_PATHS.format(file=_native.__file__)
    command = [emulator, "-cpu", processor, sys.executable, "-I", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the paths of x86-64")
@pytest.mark.parametrize("lacking", ["avx2", "fma", "bmi2", "abm", "popcnt"])  # abm: lzcnt; without bmi1 libc fails
def test_avx2_is_not_offered_without_all_it_is_compiled_with(lacking: str) -> None:
    """The AVX2 path contains lzcnt and popcnt, but was offered to processors that lack them."""
    assert paths_on("max") == ["portable", "avx2"]
    assert paths_on(f"max,-{lacking}") == ["portable"]
