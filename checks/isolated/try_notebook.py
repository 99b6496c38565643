"""Runs the notebook of the examples from its first cell to its last, and looks at what came of it."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient

from tests.test_notebook import NOTEBOOK


def main() -> None:
    """Runs it in a folder of its own.

    Raises:
        CellExecutionError: A cell fails.
        SystemExit: Something is missing in what was printed or written.
    """
    with TemporaryDirectory() as folder:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            os.environ[name] = str(Path(folder, "jupyter"))
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        where = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=None, kernel_name="python3", resources=where).execute()
        outputs = [each for cell in notebook.cells for each in cell.get("outputs", ())]
        printed = "".join(each.text for each in outputs if each.output_type == "stream")
        out = Path(folder, "out", "notebook")
        wanted = {
            "a proof of each of three questions": printed.splitlines().count("Proof") >= 3,
            "a figure": any("image/svg+xml" in each.get("data", ()) for each in outputs),
            "the first table of the paper": "symmetry: r(x,y) ⇒ r(y,x)" in printed,
            "the page of the study": (out / "study" / "report.html").exists(),
            "the page of the tables": (out / "tables" / "report.html").exists(),
        }
    if missing := [what for what, there in wanted.items() if not there]:
        raise SystemExit(f"{NOTEBOOK}: it runs, without {', '.join(missing)}")
    print(f"{len(notebook.cells)} cells run; {', '.join(wanted)}")


if __name__ == "__main__":
    main()
