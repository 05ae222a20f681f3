"""Refuse to build where git did not make the symbolic links; everything else is in pyproject.toml."""

import sys
import warnings
from pathlib import Path

from setuptools import setup

for name in ("reports", "solvers"):
    if not Path("maxmargin", name, "__init__.py").is_file():
        sys.exit(
            f"maxmargin/{name} must be a symbolic link to {name}/, or what is built would lack it. "
            "Clone again with `git clone -c core.symlinks=true` (on Windows in Developer Mode)."
        )

# The folder of which setuptools warns here, named like the package, is the package itself.
warnings.filterwarnings("ignore", message=r"\s*Editable installation")
setup()
