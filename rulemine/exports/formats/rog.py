"""``rog``: a graph with each question, as RoG (Luo et al., ICLR 2024) and those who use its data read it.

Those are GCR, G-Retriever, SubgraphRAG and the class ``KGQABaseDataset`` of PyTorch Geometric; all of them
load the folder with ``datasets.load_dataset``, which reads the Parquet files: the head of ``README.md`` says
which file is which split, since the folder has others beside them.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rulemine.codec import dump_line
from rulemine.config import option
from rulemine.errors import ConfigError
from rulemine.exports.graph_per_question import GraphPerQuestion, WithGraph
from rulemine.exports.protocol import ExportFolder, ExportInput
from rulemine.exports.tables import arrow
from rulemine.kg.graph import Triple
from rulemine.release.proof_triples import proof_rows
from rulemine.release.records import Question

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Rog", "plans"]

TRIPLES_AT_ONCE = 1 << 18
"""A row group of Parquet ends when it has so many triples or `ROWS_AT_ONCE` rows: memory stays small."""

ROWS_AT_ONCE = 1000


@dataclass(frozen=True)
class Rog(GraphPerQuestion):
    """Rows of a question, its topics, answers and graph.

    Attributes:
        oracle_plans: Whether to write the relation paths of the proofs, for RoG in place of its planner.
    """

    oracle_plans: bool = option(False)

    def check(self, given: ExportInput) -> None:
        """Refuses plans, which give the answers away, where there are to be none.

        Raises:
            ConfigError: There are.
        """
        if self.oracle_plans and given.without_answers:
            raise ConfigError(
                "export format rog: oracle_plans gives the answers away. Leave out --without-answers or "
                "oracle_plans."
            )

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the rows of each split, and what goes beside them."""
        rows = _Rows(given, folder)
        for split, some in self.by_split(given, folder):
            rows.write(split, some)
        folder.text("README.md", _readme(given, rows.digest.hexdigest()))
        unnamed = [] if given.naming == "text" else [e.label for e in given.client.entities]
        folder.lines("entity_identifiers.txt", unnamed)
        if self.oracle_plans:
            folder.jsonl(
                "rule_paths_test.jsonl", _oracle_plans(given, [*self.asked(given, folder, "test")])
            )


class _Rows:
    """Writes rows as Parquet.

    Attributes:
        digest: Of all rows that were written.
    """

    def __init__(self, given: ExportInput, folder: ExportFolder) -> None:
        self._given, self._folder, pa = given, folder, arrow()
        client, kg = given.client, given.kg
        names = [client.label[name] for name in kg.entities]
        relations = np.array([0, len(names), 0], np.int32)  # their numbers follow those of entities
        names += [client.relation[name] for name in kg.relations]
        self._names, self._numbers = pa.array(names, pa.string()), kg.triples + relations
        self.digest = hashlib.sha256("\n".join(map(dump_line, names)).encode())
        self.digest.update(self._numbers.astype("<i4").tobytes())

    def write(self, split: str, rows: Iterable[WithGraph]) -> None:
        """Writes the file of a split."""
        pa = arrow()
        texts = pa.list_(pa.string())
        numbered = pa.list_(pa.list_(pa.dictionary(pa.int32(), pa.string())))  # strings in the file
        schema = pa.schema(
            {
                "id": pa.string(), "question": pa.string(), "answer": texts, "q_entity": texts,
                "a_entity": texts, "graph": numbered, "choices": texts,
            }
        )  # fmt: skip
        some: list[dict[str, Any]] = []
        graphs: list[np.ndarray] = []
        # Without the schema of Arrow in it, the file is read the same by every version of every library.
        file = self._folder.file(f"{split}.parquet")
        with pa.parquet.ParquetWriter(file, schema, store_schema=False) as out:
            for question, graph in rows:
                some.append(self._fields(question))
                graphs.append(graph)
                row = dump_line(some[-1] | {"graph": [], "choices": []})
                self.digest.update(f"{split}\n{row}\n".encode() + graph.astype("<i4").tobytes())
                if len(some) == ROWS_AT_ONCE or sum(map(len, graphs)) > TRIPLES_AT_ONCE:
                    out.write_table(self._table(some, graphs, schema))
                    some, graphs = [], []
            if some:
                out.write_table(self._table(some, graphs, schema))

    def _fields(self, question: Question) -> dict[str, Any]:
        """A row but for its graph and its choices, of which there are none."""
        label = self._given.client.label
        answers = [] if self._given.without_answers else [label[a] for a in question.answers]
        return {
            "id": question.id,
            "question": question.question,
            "answer": answers,
            "q_entity": [label[name] for name in question.anchors],
            "a_entity": answers,  # SubgraphRAG wants them to be the same
        }

    def _table(
        self, rows: list[dict[str, Any]], graphs: list[np.ndarray], schema: "pa.Schema"
    ) -> "pa.Table":
        import pyarrow as pa

        numbers = self._numbers[np.concatenate(graphs)].ravel()
        each = pa.array(np.arange(0, len(numbers) + 1, 3, dtype=np.int32))
        bounds = np.cumsum([0, *map(len, graphs)]).astype(np.int32)
        names = pa.DictionaryArray.from_arrays(pa.array(numbers), self._names)
        triples = pa.ListArray.from_arrays(each, names)
        columns = {
            name: pa.array([row[name] for row in rows], schema.field(name).type) for name in rows[0]
        }
        columns["graph"] = pa.ListArray.from_arrays(pa.array(bounds), triples)
        columns["choices"] = pa.array([[]] * len(rows), schema.field("choices").type)
        return pa.table([columns[name] for name in schema.names], schema=schema)


def _oracle_plans(given: ExportInput, questions: Sequence[Question]) -> Iterator[dict[str, Any]]:
    """For each question the plans of the proof of its hard answer, and those of all answers."""
    kg = given.kg
    proofs = proof_rows(kg, questions, given.removed)
    whole = [replace(q, evidence=q.full_evidence) for q in questions]
    for question, proof, every in zip(
        questions, proofs, proof_rows(kg, whole, given.removed), strict=True
    ):
        goals = question.answers if question.hard_answer is None else [question.hard_answer]
        yield {
            "id": question.id,
            "prediction": _named(given, plans(kg.labeled(proof), question.anchors, goals)),
            "ground_paths": _named(
                given, plans(kg.labeled(every), question.anchors, question.answers)
            ),
        }


def _named(given: ExportInput, found: Iterable[Sequence[str]]) -> list[list[str]]:
    return [[given.client.relation[relation] for relation in plan] for plan in found]


def plans(
    triples: Iterable[Triple], topics: Iterable[str], goals: Collection[str]
) -> list[tuple[str, ...]]:
    """The relations along all shortest paths from a topic to a goal, in either direction of the triples.

    Args:
        triples: The triples to walk along.
        topics: Where a path starts.
        goals: Where it ends.

    Returns:
        Each sequence of relations once, the short ones first.

    Example:
        >>> plans([("a", "r", "b"), ("c", "s", "b"), ("c", "t", "b")], ["a"], ["c"])
        [('r', 's'), ('r', 't')]
    """
    beside: dict[str, set[tuple[str, str]]] = {}
    for head, relation, tail in triples:
        beside.setdefault(head, set()).add((relation, tail))
        beside.setdefault(tail, set()).add((relation, head))
    found: set[tuple[str, ...]] = set()
    for topic in topics:
        seen, edge = {topic}, {topic: {()}}
        while edge:
            further: dict[str, set[Any]] = {}
            for entity, so_far in edge.items():
                for relation, other in beside.get(entity, set()):
                    if other not in seen:
                        longer = {(*plan, relation) for plan in so_far}
                        further.setdefault(other, set()).update(longer)
            found.update(*(further[goal] for goal in goals if goal in further))
            seen |= further.keys()
            edge = further
    return sorted(found, key=lambda plan: (len(plan), plan))


def _readme(given: ExportInput, digest: str) -> str:
    """What the folder is; its head says which file is which split.

    ``datasets`` keeps what it has read by the names of the folder and of the configuration, whatever the
    files hold, so the latter has a digest of the rows.
    """
    files = "".join(f"  - split: {split}\n    path: {split}.parquet\n" for split in given.splits)
    return f"""---
configs:
- config_name: {given.kg_name}-{digest[:12]}
  data_files:
{files}---

# {given.release.name}, with a graph for each question

The graphs are parts of the graph `{given.kg_name}` of the benchmark. `datasets.load_dataset` reads the
Parquet files. `export.json` says how this folder was made. License and sources: see the benchmark.
"""
