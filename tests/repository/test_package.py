"""What is installed is what is in the tree, and what is imported is what is needed."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import maxmargin

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGE_OF_FOLDER = {"maxmargin": "maxmargin", "reports": "maxmargin.reports", "solvers": "maxmargin.solvers"}
COMMAND_LINE = {"rich", "typer"}
DATA_FRAMES = {"narwhals", "pandas", "polars", "pyarrow"}
HEAVY = {"cvxpy", "matplotlib", "numba", "scipy", "sklearn"}


def run(*arguments: str | Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run this Python with the arguments, from the folder."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def imported_by(*arguments: str | Path, folder: Path) -> tuple[set[str], subprocess.CompletedProcess[str]]:
    """Top-level names that this Python imports when it runs with the arguments, and how the run ended."""
    process = run("-X", "importtime", *arguments, folder=folder)
    lines = process.stderr.splitlines()
    names = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines if line.startswith("import time:")}
    process.stderr = "\n".join(line for line in lines if not line.startswith("import time:"))
    return names, process


def files_in_tree() -> dict[str, Path]:
    """The files of the package folders, under the names they have when installed."""
    files = {}
    for folder, package in PACKAGE_OF_FOLDER.items():
        for path in (ROOT / folder).rglob("*"):
            relative = path.relative_to(ROOT / folder)
            if path.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in relative.parts):
                files["/".join([*package.split("."), *relative.parts])] = path
    return files


def copied_tree(target: Path) -> Path:
    """Copy what a wheel is built from into a folder, the links without what they point to."""
    for path in files_in_tree().values():
        copy = target / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    for name in ("LICENSE", "README.md", "pyproject.toml", "setup.py", "maxmargin/reports", "maxmargin/solvers"):
        shutil.copy(ROOT / name, target / name, follow_symlinks=False)
    return target


def built(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Build a wheel offline."""
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
    return run("-m", "pip", "wheel", *options, "--wheel-dir", target, source, folder=target)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the tree."""
    target = tmp_path_factory.mktemp("wheel")
    process = built(copied_tree(tmp_path_factory.mktemp("source")), target)
    assert process.returncode == 0, process.stdout + process.stderr
    (path,) = target.glob("*.whl")
    return path


def test_every_folder_with_code_is_a_package() -> None:
    with_code = {name.rpartition("/")[0] for name in files_in_tree() if name.endswith(".py")}
    packages = {name.rpartition("/")[0] for name in files_in_tree() if name.endswith("/__init__.py")}
    assert with_code == packages


@pytest.mark.slow
def test_nothing_is_built_where_git_made_files_of_the_links(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "wheel"
    source.mkdir()
    target.mkdir()
    link = copied_tree(source) / "maxmargin" / "solvers"
    link.unlink()
    link.write_text("../solvers", encoding="utf-8")
    process = built(source, target)
    assert process.returncode != 0
    assert "maxmargin/solvers must be a symbolic link" in process.stdout + process.stderr
    assert list(target.iterdir()) == []


@pytest.mark.parametrize("name", ["solvers", "reports"])
def test_the_folders_at_the_top_are_not_packages_of_their_own(name: str) -> None:
    process = run("-c", f"import {name}", folder=ROOT)
    assert f"This package is imported as maxmargin.{name}." in process.stderr


@pytest.mark.slow
def test_the_wheel_holds_the_files_of_the_tree(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name: archive.read(name) for name in archive.namelist() if name.startswith("maxmargin/")}
    in_tree = files_in_tree()
    assert sorted(packed) == sorted(in_tree)
    assert [name for name, path in in_tree.items() if packed[name] != path.read_bytes()] == []
    assert "maxmargin/py.typed" in packed


@pytest.mark.slow
def test_the_wheel_puts_only_maxmargin_into_site_packages(wheel: Path) -> None:
    version = PYPROJECT["project"]["version"]
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {"maxmargin", f"maxmargin-{version}.dist-info"}
    assert f"maxmargin-{version}.dist-info/licenses/LICENSE" in names


def test_all_names_that_are_listed_are_there() -> None:
    names = [name for name in dir(maxmargin) if not name.startswith("__")]
    assert {*maxmargin.__all__, "displays", "features", "boolean"} <= set(names)
    assert not [name for name in names if name.startswith("_")] and "import_module" not in names
    assert all(hasattr(maxmargin, name) for name in names)


def test_no_module_hides_a_public_name() -> None:
    # Importing maxmargin.x sets the attribute x of the package, whatever was to be loaded under that name.
    modules = {path.stem for path in (ROOT / "maxmargin").iterdir()} | {"solvers", "reports"}
    assert not modules & set(maxmargin.__all__)


def test_import_maxmargin_imports_no_other_library(tmp_path: Path) -> None:
    names, process = imported_by("-c", "import maxmargin", folder=tmp_path)
    assert process.returncode == 0, process.stderr
    assert "maxmargin" in names
    assert names & (HEAVY | COMMAND_LINE | DATA_FRAMES | {"flint", "highspy", "jinja2"}) == set()


@pytest.mark.parametrize("source", ["iris", "iris --positive setosa", "data.csv"])
def test_check_of_small_data_imports_no_heavy_library(tmp_path: Path, source: str) -> None:
    rows = [f"{i},{i * i % 7},{'high' if i > 49 else 'low'}" for i in range(100)]
    (tmp_path / "data.csv").write_text("\n".join(["size,rest,class", *rows]) + "\n", encoding="utf-8")
    names, process = imported_by("-m", "maxmargin", "check", "-q", *source.split(), folder=tmp_path)
    assert process.returncode == (3 if source == "iris" else 0) and process.stderr == ""
    assert source.split()[-1] in process.stdout
    assert "maxmargin" in names and names & HEAVY == set()


def test_citation_and_changelog_state_the_version() -> None:
    version = PYPROJECT["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
