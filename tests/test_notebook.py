"""The notebook in the examples runs from its first cell to its last, and is kept without what it printed."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests import ROOT

NOTEBOOK = ROOT / "examples" / "from_graph_to_report.ipynb"


def test_it_is_kept_without_outputs_and_without_paths_of_a_machine() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(cells) > 5
    assert not any(cell.outputs or cell.execution_count for cell in cells)
    assert notebook.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    text = NOTEBOOK.read_text("utf-8")
    assert not [path for path in (str(ROOT), "/home/", "/root", "/tmp", "/Users") if path in text]


def test_it_runs(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(here / "jupyter"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    where = {"metadata": {"path": str(here)}}
    NotebookClient(notebook, timeout=None, kernel_name="python3", resources=where).execute()
    outputs = [each for cell in notebook.cells for each in cell.get("outputs", ())]
    printed = "".join(each.text for each in outputs if each.output_type == "stream")
    assert printed.count("✗ removed") >= 3  # a proof of each of three questions
    assert [each for each in outputs if "image/svg+xml" in each.get("data", ())]
    assert "symmetry: r(x,y) ⇒ r(y,x)" in printed  # of the first table of the paper
    out = here / "out" / "notebook"
    assert (out / "study" / "report.html").exists()
    assert (out / "tables" / "report.html").exists()
