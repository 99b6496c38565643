"""Data and scores of the task; see README.md."""

import importlib
import importlib.util
import json
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import datasets

FOLDER = Path(__file__).parent


def _neighbor(name: str, file: str) -> ModuleType:
    """A module beside this one, which the harness loads by its path: an import would not find it."""
    spec = importlib.util.spec_from_file_location(f"{__name__}.{name}", FOLDER / file)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


scores = _neighbor("scores", "scores.py")
reading = _neighbor("reading", "reading/__init__.py")
vocabulary = importlib.import_module(f"{reading.__name__}.vocabulary")
choices = importlib.import_module(f"{reading.__name__}.choices")
hard_hits_rate = scores.hard_hits_rate
NAMES = (FOLDER / "entities.txt").read_bytes().decode("utf-8").removesuffix("\n").split("\n")
MATCHER = vocabulary.VocabularyMatcher(set(NAMES))


def dataset(**metadata: object) -> dict[str, datasets.Dataset]:
    """The questions of each split."""
    found = {}
    for file in sorted((FOLDER / "questions").glob("*.jsonl")):
        rows = map(json.loads, file.read_bytes().splitlines())  # of bytes: at line ends alone
        found[file.stem] = datasets.Dataset.from_list(list(rows))
    return found


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Any]:
    """The scores of an output; those that the question does not have are left out of all means."""
    said = choices.spelled_out(results[0], doc.get("choices", {}))
    found: dict[str, Any] = scores.score(MATCHER, doc, said)
    if "hits_hard" in found:
        found["hhr"] = (found["hits_hard"], found["hits_any"])
    return {k: v for k, v in found.items() if k == "hhr" or not math.isnan(v)}
