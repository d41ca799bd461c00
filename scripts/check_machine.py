"""Exits with a one-line error if this machine lacks something that the build needs. Must run on old Pythons too."""

import os
import shutil
import sys
import sysconfig
from pathlib import Path


def missing() -> str:
    name = Path(sys.executable).name
    if sys.version_info < (3, 11):  # noqa: UP036
        return f"lookalike needs Python 3.11 or newer; {name} is {sys.version.split()[0]}. Try: make PYTHON=python3.12"
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        return f"{name} cannot create virtual environments. On Debian: apt-get install python3-venv"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return f"the headers of {name} are missing. On Debian: apt-get install python3-dev"
    if not (os.environ.get("CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))):
        return "no C++ compiler was found. On Debian: apt-get install g++"
    return ""


sys.exit(missing() or 0)
