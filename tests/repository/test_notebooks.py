"""The notebooks run, and print what is stored in them."""

import warnings
from pathlib import Path
from typing import Any

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))

pytestmark = pytest.mark.slow


def texts(notebook: Any) -> list[str]:
    """Return for every cell of code what it printed and returned, but for those that run other programs.

    Answers of other programs depend on their versions. Of pictures only that they are there.
    """
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "code" and "other-programs" not in cell.metadata.get("tags", []):
            parts = [output.get("text") or output.data["text/plain"] for output in cell.outputs]
            found.append("\n".join("".join(part).strip() for part in parts))
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_is_stored_in_it(path: Path, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of what talks to the kernel
        from nbclient import NotebookClient

        stored = nbformat.read(path, as_version=4)
        run = nbformat.from_dict(stored)
        resources = {"metadata": {"path": str(tmp_path)}}
        NotebookClient(run, timeout=300, kernel_name="python3", resources=resources).execute()
    assert len(texts(run)) >= 4
    assert texts(run) == texts(nbformat.read(path, as_version=4))


def test_there_is_one_for_each_reader() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["lecturer", "researcher", "statistician"]
    assert all(path.stat().st_size < 200_000 for path in NOTEBOOKS)
