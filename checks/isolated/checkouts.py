"""The authors' own code: where it comes from, the lines that are changed, and what stands in for packages.

Nobody packages it and none of it is here: ``$CLIENTS_HOME`` has a folder for each name of `CHECKOUTS`, a
checkout of that repository. What a client needs of it is copied, and lines are changed in the copy alone.
"""

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple


class Changed(NamedTuple):
    """A line that stands in the way, whatever the data; `docs/exports.md` lists it.

    Attributes:
        file: Its file.
        old: The line, which is in the file once.
        new: What takes its place.
    """

    file: str
    old: str
    new: str


class Checkout(NamedTuple):
    """A repository.

    Attributes:
        repository: Where it is.
        commit: What was tried.
        folders: What is copied.
        changed: The lines that are changed.
    """

    repository: str
    commit: str
    folders: tuple[str, ...]
    changed: tuple[Changed, ...] = ()


CHECKOUTS = {
    "RoG": Checkout("RManLuo/reasoning-on-graphs", "ccf8ec8", ("src", "prompts")),
    "GNN-RAG": Checkout(
        "cmavro/GNN-RAG",
        "28d31bc",
        ("gnn",),
        (
            Changed("gnn/parsing.py", "    create_parser_nutrea(parser_nutrea)", "    pass"),
            Changed(
                "gnn/modules/question_encoding/lstm_encoder.py",
                "        super(LSTMInstruction, self).__init__(args)",
                "        super(LSTMInstruction, self).__init__(args, False)",
            ),
        ),
    ),
    "BRINK": Checkout("boschresearch/brink", "b95506d", ("evaluation",)),
    "ToG": Checkout(
        "IDEA-FinAI/ToG",
        "7ccbb92",
        ("eval",),
        (
            Changed(
                "eval/eval.py",
                "    save_result2json(args.dataset, num_right, num_error, len(output_datas))",
                "    save_result2json(args.dataset, num_right, num_error, len(output_datas), 'ToG')",
            ),
        ),
    ),
    "PoG": Checkout(
        "liyichen-cly/PoG",
        "755b56a",
        ("eval",),
        (Changed("eval/eval.py", "import argparse", "import argparse, re"),),
    ),
    "CypherBench": Checkout("megagonlabs/cypherbench", "9460518", ("cypherbench",)),
}

STAND_IN = '''"""Stands in for a package that is imported and not used."""


class Kind(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Kind(name, (StandIn,), {})


class StandIn(metaclass=Kind):
    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, decorated):
        return decorated


def __getattr__(name):
    return getattr(StandIn, name)
'''


def copied(name: str, home: str, folder: Path) -> str:
    """Copies what a client needs of a checkout into a folder, with its lines changed.

    Args:
        name: A name of `CHECKOUTS`.
        home: The value of ``$CLIENTS_HOME``, or "".
        folder: Where to, anew.

    Returns:
        Why it cannot be had, or "".

    Raises:
        SystemExit: A line that is to be changed is not there once.
    """
    wanted = CHECKOUTS[name]
    if not home:
        return f"CLIENTS_HOME is not set; it names a folder with a checkout of {wanted.repository} in {name}"
    source = Path(home).absolute() / name
    missing = [part for part in wanted.folders if not (source / part).is_dir()]
    if missing:
        return f"no {source / missing[0]}; expected a checkout of {wanted.repository} at {wanted.commit}"
    shutil.rmtree(folder, ignore_errors=True)
    for part in wanted.folders:
        shutil.copytree(source / part, folder / part)
    for file, old, new in wanted.changed:
        lines = (folder / file).read_text("utf-8").split("\n")
        if lines.count(old) != 1:
            raise SystemExit(
                f"{source / file}: has {lines.count(old)} lines {old!r}, expected one. "
                f"Check {wanted.commit} out."
            )
        lines[lines.index(old)] = new
        (folder / file).write_text("\n".join(lines), "utf-8")
    return ""


def commit_of(name: str, home: str) -> str:
    """Which commit a checkout is at, as far as it tells."""
    command = ["git", "-C", str(Path(home) / name), "rev-parse", "--short=7", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def stand_in(packages: list[str], folder: Path) -> None:
    """Writes modules that can be imported in place of packages, e.g. ``torch`` or ``sklearn.metrics``."""
    shutil.rmtree(folder, ignore_errors=True)
    for package in packages:
        place = folder
        for part in package.split("."):
            place /= part
            place.mkdir(parents=True, exist_ok=True)
            (place / "__init__.py").write_text(STAND_IN, "utf-8")
