"""The notebook in the examples is kept without what it printed; `checks.isolated.try_notebook` runs it."""

import nbformat

from tests import ROOT

NOTEBOOK = ROOT / "examples" / "from_graph_to_report.ipynb"


def test_it_is_kept_without_outputs_and_without_paths_of_a_machine():
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
