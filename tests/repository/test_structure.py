"""The house rules that a tool can check: short folders and modules, names that occur once, no import circles."""

import ast
import os
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import numpy as np
import pytest
from cases import for_each
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[2]

# Of a folder, as git tracks it: what fits on one screen with the sizes and dates.
MOST_ENTRIES = 15

# One room or public module, the tests of one, one file an algorithm, a command, a figure: these folders are lists.
FOLDERS_OF_MANY = {"benchmarks", "maxmargin", "tests", "solvers/online", "maxmargin/cli/commands"}

# Of code in a module, without docstrings, comments and blank lines.
MOST_LINES = 400

# Strangers read the checker alone, so it is one file.
MOST_LINES_OF_ONE_FILE = {"solvers/proof/checker.py": 560}

# Most lines of code in maxmargin, solvers and reports together, and in tests.
BUDGETS = {"source": 41_850, "tests": 28_000}

FILES_OF_THE_ROOT = {
    *(".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE"),
    *("Makefile", "README.md", "SECURITY.md", "pyproject.toml", "setup.py"),
}

# In the glossary of docs/architecture.md: a private word needs a line there.
MOST_TERMS = 30

# Calls of other packages are advice, which `maxmargin/explaining/` gives; the solvers state facts.
OF_OTHER_PACKAGES = re.compile(r"\b(statsmodels|brglm2|Stata|SAS|pip)\b")

# Sets of modules that import each other, without the leading `maxmargin.`: none may be added, and one that is gone has
# to leave this list.
KNOWN_CIRCLES: set[frozenset[str]] = set()


@cache
def tracked() -> tuple[str, ...]:
    """The files that git tracks, those that are not committed yet included."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return tuple(name for name in listed if os.path.lexists(ROOT / name))


def modules() -> list[str]:
    """The modules of the package; the links are files of their own for git."""
    return [
        name for name in tracked() if name.startswith(("maxmargin/", "solvers/", "reports/")) and name.endswith(".py")
    ]


def lines_of_code(path: Path) -> int:
    """Count the lines that are neither blank nor a comment, and those of texts that are no docstrings."""
    text = path.read_text(encoding="utf-8")
    lines = {n for n, line in enumerate(text.split("\n"), 1) if line.strip() and not line.lstrip().startswith("#")}
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant | ast.JoinedStr):
            lines.update(range(node.lineno, (node.end_lineno or 0) + 1))
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and type(first.value.value) is str:
                docstrings.update(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(lines - docstrings)


def circles(arrows: set[tuple[str, str]]) -> set[frozenset[str]]:
    """The sets of modules each of which reaches every other one."""
    names = sorted({name for arrow in arrows for name in arrow})
    rows, columns = ([names.index(name) for name in side] for side in zip(*arrows, strict=True))
    matrix = coo_array((np.ones(len(arrows)), (rows, columns)), shape=(len(names), len(names)))
    _, numbers = connected_components(matrix, connection="strong")
    members = defaultdict(set)
    for name, number in zip(names, numbers.tolist(), strict=True):
        members[number].add(name)
    return {frozenset(found) for found in members.values() if len(found) > 1}


def imports() -> set[tuple[str, str]]:
    """Which module imports which, in functions and under TYPE_CHECKING too."""
    graph, prefix = grimp.build_graph("maxmargin", cache_dir=None), "maxmargin."
    return {
        (module.removeprefix(prefix), imported.removeprefix(prefix))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    }


def entries() -> Iterator[tuple[str, str]]:
    """Each folder with each of its entries."""
    for name in tracked():
        parts = name.split("/")
        for depth in range(1, len(parts)):
            yield "/".join(parts[:depth]), parts[depth]


def test_no_folder_has_more_entries_than_one_can_overlook() -> None:
    inside: defaultdict[str, set[str]] = defaultdict(set)
    for folder, entry in entries():
        inside[folder].add(entry)
    assert set(inside) >= FOLDERS_OF_MANY
    numbers = {folder: len(found) for folder, found in inside.items() if len(found) > MOST_ENTRIES}
    assert {folder: number for folder, number in numbers.items() if folder not in FOLDERS_OF_MANY} == {}


def test_the_name_of_a_module_occurs_once() -> None:
    times = Counter(Path(name).name for name in modules())
    assert times.pop("__init__.py") > 1
    assert [name for name, number in times.items() if number > 1] == []


@pytest.mark.parametrize("part", BUDGETS)
def test_modules_are_short_and_all_code_stays_within_its_budgets(part: str) -> None:
    is_tests = re.compile(r"tests/.*\.py")
    names = modules() if part == "source" else filter(is_tests.fullmatch, tracked())
    lengths = {name: lines_of_code(ROOT / name) for name in names}
    assert sum(lengths.values()) <= BUDGETS[part]
    if part == "source":
        most = {**dict.fromkeys(lengths, MOST_LINES), **MOST_LINES_OF_ONE_FILE}
        assert {name: length for name, length in lengths.items() if length > most[name]} == {}


@for_each("name", ["solvers", "reports"])
def test_the_folders_at_the_top_are_linked_into_the_package(name: str) -> None:
    link = ROOT / "maxmargin" / name
    assert link.is_symlink() and os.readlink(link) == f"../{name}"


def test_no_module_imports_itself_in_a_circle() -> None:
    assert circles(imports()) == KNOWN_CIRCLES


def test_a_circle_is_seen() -> None:
    assert circles({("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")}) == {frozenset("abc")}


def test_the_name_of_a_class_occurs_once() -> None:
    places = defaultdict(list)
    for name in modules():
        for found in re.findall(r"^class (\w+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE):
            places[found].append(name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_the_root_holds_named_files_only() -> None:
    assert {name for name in tracked() if "/" not in name} == FILES_OF_THE_ROOT


def test_the_glossary_is_short() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    glossary = text.partition("\n## Glossary\n")[2].partition("\n## ")[0]
    terms = [line for line in glossary.splitlines() if line.startswith("| ")][1:]
    assert 0 < len(terms) <= MOST_TERMS


def test_the_solvers_give_no_advice_about_other_packages() -> None:
    found = {
        f"{name}:{number}": line.strip()
        for name in modules()
        if name.startswith("solvers/")
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1)
        if OF_OTHER_PACKAGES.search(line)
    }
    assert found == {}
