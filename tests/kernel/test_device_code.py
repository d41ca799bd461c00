"""native/core compiles as device code. This needs no GPU, only the Python package nvidia-cuda-nvrtc."""

from __future__ import annotations

import ctypes
import importlib.metadata
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "native/core"


def nvrtc() -> ctypes.CDLL:
    """NVIDIA's run-time compiler, from its Python package."""
    try:
        files = importlib.metadata.files("nvidia-cuda-nvrtc") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("missing: nvidia-cuda-nvrtc (pip install nvidia-cuda-nvrtc)")
    (library,) = (file for file in files if file.name.startswith("libnvrtc.so"))
    return ctypes.CDLL(str(library.locate()))


def test_every_core_header_is_checked() -> None:
    source = (CORE / "device_check.cu").read_text(encoding="utf-8")
    headers = {path.name for path in CORE.glob("*.h")} - {"unicode_tables.h"}  # included by text.h
    assert all(f'#include "{name}"' in source for name in headers)


def test_core_includes_no_system_header() -> None:
    for path in CORE.glob("*.h"):
        assert "#include <" not in path.read_text(encoding="utf-8"), f"{path.name} cannot be compiled for a device"


def compiled(*options: str) -> str:
    """The PTX of device_check.cu, compiled with these additional options."""
    library = nvrtc()
    program = ctypes.c_void_p()
    source = (CORE / "device_check.cu").read_bytes()
    created = library.nvrtcCreateProgram(ctypes.byref(program), source, b"device_check.cu", 0, None, None)
    assert created == 0
    given = [o.encode() for o in ("--std=c++20", "--gpu-architecture=compute_80", f"--include-path={CORE}", *options)]
    result = library.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given))
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    assert result == 0, log.value.decode()
    library.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    library.nvrtcGetPTX(program, ptx)
    return ptx.value.decode()


def test_core_compiles_as_device_code_that_rounds_like_the_host() -> None:
    """Ranks of darts must not use fused multiply-add, which rounds once where the CPU rounds twice."""
    ptx = compiled("--fmad=false")
    for entry in ("check_texts", "check_sets", "check_weighted"):
        assert f".entry {entry}" in ptx
    assert "mul.rn.f64" in ptx or "mul.f64" in ptx
    assert "fma." not in ptx
