"""The published test vectors hold on arm64 too: the native code is built for it and run under emulation."""

from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import require_program
from tests.parity.test_vectors import ROOT, VECTORS

WHITESPACE = ("fold", "drop", "keep")
FORMS = {("none", "keep"): 0, ("none", "fold"): 1, ("nfkc", "keep"): 2, ("nfkc", "fold"): 3}


def request(vector: dict[str, Any]) -> str:
    if "weights" in vector:
        weights = [f"{element} {struct.pack('>d', float.fromhex(w)).hex()}" for element, w in vector["weights"]]
        return " ".join(["weighted", str(vector["hashes"]), vector["seed"], *weights])
    if "text" not in vector:
        v = vector
        words = ("set", int(v["sketch"] == "classic"), v["hashes"], v["seed"], v["bands"], v["rows"], *v["set"])
        return " ".join(map(str, words))
    s = vector["shingles"]
    form = FORMS[s["normalize"], s["case"]] if s["kind"] != "tokens" else 0  # given tokens are not normalised
    whitespace = WHITESPACE.index(s.get("whitespace", "fold"))
    rules = (s["kind"], form, whitespace, s["k"], int(s["bag"]), s["bits"])
    return " ".join(map(str, ["text", *rules, "x" + vector["text"].encode().hex()]))


def expected(vector: dict[str, Any]) -> list[list[str]]:
    if "weights" in vector:
        return [vector["signature"]]
    fields = ("tokens", "set", "words", "bytes") if "text" in vector else ("signature", "keys")
    return [vector[field] for field in fields]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The native code, built for arm64 with the project's own options."""
    compiler = require_program("aarch64-linux-gnu-g++", package="g++-aarch64-linux-gnu")
    cmake = require_program("cmake", package="cmake")
    folder = tmp_path_factory.mktemp("arm64")
    target = ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", f"-DCMAKE_CXX_COMPILER={compiler}"]
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DLOOKALIKE_MODULE=OFF", "-DCMAKE_EXE_LINKER_FLAGS=-static"]
    subprocess.run([cmake, "-S", ROOT, "-B", folder, *target, *options], check=True)
    subprocess.run([cmake, "--build", folder, "--target", "native_vectors", "--parallel", "2"], check=True)
    return folder


@pytest.mark.slow
def test_arm64_gives_the_published_vectors(build: Path) -> None:
    emulator = require_program("qemu-aarch64", package="qemu-user")
    texts = [v for v in VECTORS["texts"] if v["shingles"]["kind"] != "stopwords" and isinstance(v["text"], str)]
    vectors = texts + VECTORS["sets"] + VECTORS["weighted"]
    assert len(vectors) > 20
    requests = "".join(request(vector) + "\n" for vector in vectors)
    run = subprocess.run(
        [emulator, build / "native_vectors"], input=requests, capture_output=True, text=True, check=True
    )
    answers = [[part.split() for part in line.split("/")] for line in run.stdout.splitlines()]
    assert answers == [expected(vector) for vector in vectors]


@pytest.mark.slow
def test_arm64_code_fuses_no_product_with_a_sum(build: Path) -> None:
    """By default, gcc does so for arm64 but not for x86-64, which once changed the keys of vectors."""
    objdump = require_program("aarch64-linux-gnu-objdump", package="g++-aarch64-linux-gnu")
    code = subprocess.run([objdump, "-d", build / "liblookalike_host.a"], capture_output=True, text=True, check=True)
    instructions = set(re.findall(r"\t(f\w+)\s", code.stdout))
    assert "fmul" in instructions
    assert not {name for name in instructions if re.match(r"fn?m(add|sub|la|ls)", name)}
