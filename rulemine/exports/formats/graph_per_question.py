"""A graph with each question: ``rog`` and ``gnnrag``, and what other formats with such graphs share.

A graph never tells the answer, but for the option ``evidence``: then the graphs of training and validation
questions hold their whole evidence and confounders, as SynthKGQA has them (appendix C.1).
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, tee
from typing import Any, ClassVar

import numpy as np

from rulemine.arrays import distinct
from rulemine.codec import dump_line
from rulemine.config import option
from rulemine.errors import ConfigError
from rulemine.evaluation.metrics_of_others.protocol import asks_for_entities
from rulemine.exports.protocol import ExportFolder, ExportInput, RowExport
from rulemine.exports.reachability import reachability
from rulemine.exports.tables import arrow
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.question_graphs import Ints, by_private_id, question_graphs
from rulemine.kinds.registry import kind_named
from rulemine.query import evaluate, parse
from rulemine.query.evidence import full_evidence
from rulemine.query.query_graph import QueryGraph
from rulemine.query.tree import Anchor, Count, Difference, Projection, Query
from rulemine.release.proof_triples import proof_rows
from rulemine.release.records import Question
from rulemine.seeds import stream

__all__ = [
    "GnnRag",
    "GraphPerQuestion",
    "Rog",
    "WithGraph",
    "confounders",
    "plans",
    "tokens",
    "words",
]


WithGraph = tuple[Question, Ints]
"""A question with the rows of its graph's triples in `ExportInput.kg`, in the order to be written."""


@dataclass(frozen=True)
class GraphPerQuestion(RowExport):
    """Base class of such formats.

    Attributes:
        hops: A question's graph is the one that it was published with, if any; else it has all triples within
            this many hops of its topic entities, if it can; 0: one more than the longest question of the
            release has, since the proof of a link is a detour.
        max_triples: The most triples of a question's graph; of more, personalized PageRank takes the best.
        evidence: Whether the graphs of training and validation questions hold all triples of the evidence
            (in place of one that the graph lacks, those of its certificate), and of every walk from a topic
            entity along the relations of a path of the query. These come on top of `max_triples`.
    """

    names_of_clients: ClassVar[bool] = True

    hops: int = option(0, least=0, most=100)
    max_triples: int = option(2000, least=1, most=1_000_000)
    evidence: bool = option(False)

    def refusal(self, given: ExportInput, question: Question) -> str:
        """Numbers are refused."""
        number = not asks_for_entities(question)
        return "it asks for a number; answers here are entities" if number else ""

    def by_split(
        self, given: ExportInput, folder: ExportFolder
    ) -> Iterator[tuple[str, Iterator[WithGraph]]]:
        """Every split with its questions and their graphs.

        When the last one has been taken, the folder knows what can be reached and how large graphs are.
        """
        asked = {split: list(self.asked(given, folder, split)) for split in given.splits}
        found = self._with_graphs(given, folder, [q for some in asked.values() for q in some])
        for split, some in asked.items():
            yield split, islice(found, len(some))
        next(found, None)  # so that it counts what it gave

    def _with_graphs(
        self, given: ExportInput, folder: ExportFolder, questions: Sequence[Question]
    ) -> Iterator[WithGraph]:
        # Of triples that are as good the first ones by private id are taken, so in every naming the same.
        by_id, row = by_private_id(given.kg, given.client.id)
        own = _as_published(given, questions, by_id)
        graphs = question_graphs(
            by_id,
            {q.id: [given.client.id[n] for n in q.anchors] for q in questions if q.id not in own},
            hops=self.hops or 1 + max((q.hops for q in given.release.questions()), default=1),
            max_triples=self.max_triples,
            seed=given.seed,
        )
        near: Iterator[Ints]
        near = (own[q.id] if q.id in own else next(graphs).rows for q in questions)
        if self.evidence:
            near = _with_evidence(given, questions, by_id, row, near)
        rows, again = tee(row[some] for some in near)
        flags = reachability(given.kg, questions, given.removed, graphs=again)
        proofs = proof_rows(given.kg, questions, given.removed)
        size, inside, hard = 0, 0, 0
        for done, question in enumerate(questions, start=1):
            given.progress(done, len(questions))
            graph = next(rows)
            folder.reached[question.id] = next(flags)
            size += len(graph)
            if question.hard_answer is not None:
                hard += 1
                inside += set(graph.tolist()).issuperset(proofs[done - 1].tolist())
            yield question, graph
        if questions:
            folder.count("triples_a_question", round(size / len(questions), 1))
        if hard and not given.without_answers:
            folder.count("proofs_inside", round(inside / hard, 4))


def _as_published(
    given: ExportInput, questions: Sequence[Question], by_id: KnowledgeGraph
) -> dict[str, Ints]:
    """Id → the graph that a question was published with, as rows of the graph by id that are there."""
    published = {q.id: kind_named(given.release.kind).published(q).rows for q in questions}
    if not any(published.values()):
        return {}
    whole, _ = by_private_id(given.complete, given.client.id)
    there = {triple: row for row, triple in enumerate(by_id.labeled())}
    place = np.array([there.get(triple, -1) for triple in whole.labeled()])
    own = {id_: place[[*rows]] for id_, rows in published.items() if rows}
    left = {id_: rows[rows >= 0] for id_, rows in own.items()}
    return {
        id_: rows[stream(given.seed, "question graph", id_).permutation(len(rows))]
        for id_, rows in left.items()
    }


def _with_evidence(
    given: ExportInput,
    questions: Sequence[Question],
    by_id: KnowledgeGraph,
    row: Ints,
    near: Iterable[Ints],
) -> Iterator[Ints]:
    """The graphs of questions with what `GraphPerQuestion.evidence` says, as rows of the graph by id.

    The order is drawn anew: programs that keep one edge for each pair of entities keep the last.
    """
    place, queries = np.argsort(row), QueryGraph(by_id)
    proofs = proof_rows(
        given.kg, [replace(q, evidence=q.full_evidence) for q in questions], given.removed
    )
    for question, proof, some in zip(questions, proofs, near, strict=True):
        if question.split == "test":
            yield some
            continue
        topics = [given.client.id[name] for name in question.anchors]
        walks = confounders(queries, topics, parse(question.query)) if question.query else proof[:0]
        added = np.setdiff1d(np.concatenate((place[proof[proof >= 0]], walks)), some)
        drawn = stream(given.seed, "evidence", question.id).permutation(len(some) + len(added))
        yield np.concatenate((some, added))[drawn]


def confounders(graph: QueryGraph, topics: Iterable[str], query: Query) -> Ints:
    """The rows of all walks from topics along the relations of a path of the query, ascending.

    They end where the answer might be, but for the other conditions of the query.
    """
    found = [np.empty(0, np.int64)]
    known = [topic for topic in topics if topic in graph.kg.entity_ids]
    for links in _paths(query):
        if not {relation for relation, _ in links} <= graph.kg.relation_ids.keys():
            continue
        for topic in known:
            chain: Query = Anchor(topic)
            for relation, inverse in links:
                chain = Projection(relation, inverse, chain)
            found.append(full_evidence(evaluate(graph, chain)).rows)
    return distinct(np.concatenate(found))


def _paths(query: Query) -> set[tuple[tuple[str, bool], ...]]:
    """The links from an anchor to the answer, one after another; what is subtracted has none."""
    if isinstance(query, Anchor):
        return {()}
    if isinstance(query, Projection):
        return {(*path, (query.relation, query.inverse)) for path in _paths(query.of)}
    if isinstance(query, Difference | Count):
        return _paths(query.of)
    return set().union(*map(_paths, query.parts))


TRIPLES_AT_ONCE = 1 << 18
"""A row group of Parquet ends when it has so many triples or `ROWS_AT_ONCE` rows: memory stays small."""

ROWS_AT_ONCE = 1000


@dataclass(frozen=True)
class Rog(GraphPerQuestion):
    """Rows as RoG (Luo et al., ICLR 2024) and those who use its data read them.

    Those are GCR, G-Retriever, SubgraphRAG and the class ``KGQABaseDataset`` of PyTorch Geometric; all of
    them load the folder with ``datasets.load_dataset``, which reads the Parquet files: the head of
    ``README.md`` says which file is which split, since the folder has others beside them.

    Attributes:
        oracle_plans: Whether to write the relation paths of the proofs, for RoG in place of its planner.
    """

    oracle_plans: bool = option(False)

    def check(self, given: ExportInput) -> None:
        """Refuses plans, which give the answers away, in an export without answers.

        Raises:
            ConfigError: Both are asked for.
        """
        if self.oracle_plans and given.without_answers:
            raise ConfigError(
                "export format rog: oracle_plans gives the answers away. Leave out --without-answers or "
                "oracle_plans."
            )

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the rows of each split, and what goes beside them."""
        rows = _Parquet(given, folder)
        for split, some in self.by_split(given, folder):
            rows.write(split, some)
        folder.text("README.md", _readme(given, rows.digest.hexdigest()))
        unnamed = [] if given.naming == "text" else [e.label for e in given.client.entities]
        folder.lines("entity_identifiers.txt", unnamed)
        if self.oracle_plans:
            folder.jsonl(
                "rule_paths_test.jsonl", _oracle_plans(given, [*self.asked(given, folder, "test")])
            )


class _Parquet:
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

    def _table(self, rows: list[dict[str, Any]], graphs: list[np.ndarray], schema: Any) -> Any:
        pa = arrow()
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


FILES = {"train": "train.json", "validation": "dev.json", "test": "test.json"}


@dataclass(frozen=True)
class GnnRag(GraphPerQuestion):
    """Questions with graphs of numbers: GNN-RAG (Mavromatis and Karypis, 2025), NSM (He et al., WSDM 2021).

    Entities and relations are numbers, their lines in ``entities.txt`` and ``relations.txt``. Guarantees: the
    questions and their graphs are those of ``rog`` with the same options, in the same order, because the
    second half of GNN-RAG joins the two; no entity is in a graph only because it is an answer.

    Attributes:
        word_vectors: Length of the random vectors of words in ``word_emb.npy``, which ``--lm lstm`` needs;
            0: no such file.
    """

    word_vectors: int = option(100, least=0, most=10_000)

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the questions of each split, then the lists."""
        client, kg = given.client, given.kg
        relations = sorted(client.relation.values())
        line = {name: n for n, name in enumerate(relations)}
        kinds = [line[client.relation[name]] for name in kg.relations]
        number = {e.name: n for n, e in enumerate(client.entities)}
        ends = np.array([number[name] for name in kg.entities], np.int64)[kg.triples[:, [0, 2]]]
        triples = zip(ends.tolist(), kg.triples[:, 1].tolist(), strict=True)
        dumped = [f"[{h}, {kinds[r]}, {t}]" for (h, t), r in triples]
        # The words of a relation are the pieces of its two parts.
        known = {word for name in relations for word in re.split(r"[._]", name) if word}

        def lines(rows: Iterable[WithGraph]) -> Iterator[str]:
            for question, graph in rows:
                text = tokens(question.question)
                known.update(words(text))
                topics = [number[name] for name in question.anchors]
                answers = () if given.without_answers else question.answers
                row = {
                    "id": question.id,
                    "question": text,
                    "entities": topics,
                    "answers": [{"kb_id": client.id[a], "text": client.label[a]} for a in answers],
                }
                inside = np.union1d(ends[graph], topics).tolist()
                tuples = ", ".join(map(dumped.__getitem__, graph.tolist()))
                subgraph = f'{{"entities": {inside}, "tuples": [{tuples}]}}'
                yield f'{dump_line(row)[:-1]}, "subgraph": {subgraph}}}'

        for split, some in self.by_split(given, folder):
            folder.lines(FILES[split], lines(some))
        folder.lines("entities.txt", (e.id for e in client.entities))
        folder.lines("relations.txt", relations)
        folder.lines("vocab.txt", sorted(known))
        folder.json("entities_names.json", {e.id: e.label for e in client.entities})
        if self.word_vectors:
            drawn = stream(given.seed, "word vectors").uniform(len(known) * self.word_vectors)
            vectors = (drawn - 0.5).astype(np.float32).reshape(len(known), self.word_vectors)
            np.save(folder.file("word_emb.npy"), vectors)


def tokens(question: str) -> str:
    """A question in lower case, its tokens apart: ``'s``, and punctuation at either end of a word.

    Example:
        >>> tokens("Who is Ann's aunt, in 1990?")
        "who is ann 's aunt , in 1990 ?"
    """
    text = re.sub(r"'s(?!\w)", " 's", question.lower())
    text = re.sub(r"(?<!\S)([(\[\"]+)", r"\1 ", text)
    text = re.sub(r"([?.!,;:)\]\"]+)(?!\S)", r" \1", text)
    return " ".join(text.split())


def words(text: str) -> list[str]:
    """The words that the clients look up: tokens without a character at either end that is not a-z or 0-9.

    Example:
        >>> words("who is ann 's aunt , in 1990 ?")
        ['who', 'is', 'ann', 's', 'aunt', 'in', '1990']
    """
    found = (
        re.sub(r"^[^a-z0-9]|[^a-z0-9]$", "", token) for token in text.replace("'s", " s").split()
    )
    return [word for word in found if word]
