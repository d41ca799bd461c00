"""pyproject.toml → the packages it names, one quoted word each: `requirements.py build run dev`.

`build` is what the build needs, `run` what the library needs, anything else an extra. `make` installs these
beside the native build, where `pip install '.[dev]'` would do one after the other.
"""

from __future__ import annotations

import shutil
import sys
import tomllib
from pathlib import Path


def requirements(groups: list[str]) -> list[str]:
    pyproject = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    project = pyproject["project"]
    extras: dict[str, list[str]] = project.get("optional-dependencies", {})
    found: list[str] = []
    for group in groups:
        if group == "build":
            found += pyproject["build-system"]["requires"]
            # as scikit-build-core does: wheels of the tools, where the machine has none
            found += [tool for tool in ("cmake", "ninja") if not shutil.which(tool)]
        else:
            found += project["dependencies"] if group == "run" else extras[group]
    return found


if __name__ == "__main__":
    # a requirement without blanks is one word for the shell; none of ours has a marker
    print(" ".join(requirement.replace(" ", "") for requirement in requirements(sys.argv[1:])))
