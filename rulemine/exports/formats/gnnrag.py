"""``gnnrag``: GNN-RAG (Mavromatis and Karypis, 2025), NSM (He et al., WSDM 2021) and users of its data.

Entities and relations are numbers, their lines in ``entities.txt`` and ``relations.txt``. Guarantees: the
questions and their graphs are those of ``rog`` with the same options, in the same order, because the second
half of GNN-RAG joins the two; no entity is in a graph only because it is an answer.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from rulemine.codec import dump_line
from rulemine.config import option
from rulemine.exports.graph_per_question import GraphPerQuestion, WithGraph
from rulemine.exports.protocol import ExportFolder, ExportInput
from rulemine.seeds import stream

__all__ = ["GnnRag", "tokens", "words"]

FILES = {"train": "train.json", "validation": "dev.json", "test": "test.json"}


@dataclass(frozen=True)
class GnnRag(GraphPerQuestion):
    """Questions with graphs of numbers, and the lists that say what these are.

    Attributes:
        word_vectors: Length of the random vectors of words in ``word_emb.npy``, which ``--lm lstm`` needs;
            0: no such file.
    """

    word_vectors: int = option(100, least=0, most=10_000)

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the questions of each split, then the lists."""
        client = given.client
        relations = sorted(client.relation.values())
        known: set[str] = set()
        rows = _Rows(given, relations, known)
        for split, some in self.by_split(given, folder):
            folder.lines(FILES[split], rows.lines(some))
        # The words of a relation are the pieces of its two parts.
        known.update(word for name in relations for word in re.split(r"[._]", name) if word)
        folder.lines("entities.txt", (e.id for e in client.entities))
        folder.lines("relations.txt", relations)
        folder.lines("vocab.txt", sorted(known))
        folder.json("entities_names.json", {e.id: e.label for e in client.entities})
        if self.word_vectors:
            drawn = stream(given.seed, "word vectors").uniform(len(known) * self.word_vectors)
            vectors = (drawn - 0.5).astype(np.float32).reshape(len(known), self.word_vectors)
            np.save(folder.file("word_emb.npy"), vectors)


class _Rows:
    """Makes the lines of questions, and collects their words."""

    def __init__(self, given: ExportInput, relations: list[str], known: set[str]) -> None:
        self._client, self._secret, self._words = given.client, given.without_answers, known
        self._number = {e.name: n for n, e in enumerate(self._client.entities)}
        kg, line = given.kg, {name: n for n, name in enumerate(relations)}
        entity = np.array([self._number[name] for name in kg.entities], np.int64)
        relation = np.array([line[self._client.relation[name]] for name in kg.relations], np.int64)
        self._ends = entity[kg.triples[:, [0, 2]]]
        kinds = relation[kg.triples[:, 1]].tolist()
        self._dumped = [
            f"[{h}, {r}, {t}]" for (h, t), r in zip(self._ends.tolist(), kinds, strict=True)
        ]

    def lines(self, rows: Iterable[WithGraph]) -> Iterator[str]:
        """The lines of a split, a JSON object each."""
        label, key = self._client.label, self._client.id
        for question, graph in rows:
            text = tokens(question.question)
            self._words.update(words(text))
            topics = [self._number[name] for name in question.anchors]
            answers = () if self._secret else question.answers
            inside = np.union1d(self._ends[graph], topics).tolist()
            triples = ", ".join(map(self._dumped.__getitem__, graph.tolist()))
            row = {
                "id": question.id,
                "question": text,
                "entities": topics,
                "answers": [{"kb_id": key[name], "text": label[name]} for name in answers],
            }
            yield f'{dump_line(row)[:-1]}, "subgraph": {{"entities": {inside}, "tuples": [{triples}]}}}}'


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
