"""Prints the requirements in pyproject.toml, separated by spaces: `requirements.py build run dev`.

`build` is the requirements of the build, `run` those of the library; any other name is an extra. With this list,
`make` can install packages while the native code is compiled; `pip install '.[dev]'` would do one after the other.
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
            # like scikit-build-core: install wheels of the tools that the machine does not have
            found += [tool for tool in ("cmake", "ninja") if not shutil.which(tool)]
        else:
            found += project["dependencies"] if group == "run" else extras[group]
    # an extra may contain another one of ours: lookalike[docs]
    ours = {f"{project['name']}[{name}]": name for name in extras}
    return [
        one for requirement in found for one in (extras[ours[requirement]] if requirement in ours else [requirement])
    ]


if __name__ == "__main__":
    # a requirement without spaces is one shell word; none of ours has a marker
    print(" ".join(requirement.replace(" ", "") for requirement in requirements(sys.argv[1:])))
