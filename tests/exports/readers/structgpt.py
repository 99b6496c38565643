"""Reads exports as StructGPT keeps its graph and walks it.

``KnowledgeGraph`` in ``KnowledgeBase/KG_api.py``, ``KnowledgeGraphSparse._fetch_forward_triple`` in
``KnowledgeBase/KG_sparse_api.py``, ``Solver.is_cvt`` and ``convert_fact_to_text`` in
``structgpt_for_webqsp.py``, ``evaluate`` in ``evaluate_for_webqsp.py``.
"""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np


class StructGpt:
    """A graph and questions."""

    def __init__(self, folder: Path) -> None:
        self.triples = np.load(folder / "subgraph_2hop_triples.npy")
        self.types = np.load(folder / "ent_type_ary.npy")
        self.ids = self._pickled(folder / "ent2id.pickle")
        self.relations = {v: k for k, v in self._pickled(folder / "rel2id.pickle").items()}
        self.mediators, self.names = self._pickled(folder / "entity_name.pickle")
        self.entities = {v: k for k, v in self.ids.items()}
        text = (folder / "webqsp_simple_test.jsonl").read_text()
        self.questions: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]

    @staticmethod
    def _pickled(file: Path) -> Any:
        with file.open("rb") as stream:
            return pickle.load(stream)

    def forward(self, entity: str) -> set[tuple[str, str, str]]:
        """The triples of an entity as the model sees them."""
        number = min(self.ids[entity], max(self.triples[:, 0]))
        rows = self.triples[self.triples[:, 0] == number].tolist()
        assert not any(self.types[t] == 3 or self.mediators[self.entities[t]] for *_, t in rows)
        return {
            (self.names[self.entities[h]], self.relations[r], self.names[self.entities[t]])
            for h, r, t in rows
        }
