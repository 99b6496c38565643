"""The reader ``rog``: questions with a graph each, in the form of RoG-webqsp and RoG-cwq.

Rows have ``id``, ``question``, ``answer``, ``q_entity``, ``a_entity`` and ``graph``, as JSON Lines, JSON or
Parquet. RoG, GCR, G-Retriever and SubgraphRAG read them, and score by ``answer``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from rulemine.codec import shown
from rulemine.config import Section
from rulemine.errors import InputError
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.rows import (
    SUFFIXES,
    SourceRow,
    read_graph,
    read_rows,
    split_files,
    split_of,
    suffix_of,
    title_of,
)
from rulemine.kg.graph import Triple

__all__ = ["RogReader"]

_READ = {"id", "question", "answer", "q_entity", "graph", "choices"}


@dataclass(frozen=True)
class RogReader(Section):
    """Questions with their graphs, and the union of these."""

    def __call__(self, path: Path, kg: Path | None, incomplete: Path | None) -> ImportedSet:
        """Reads a file, or a folder with one or more for each split."""
        files = _files(path) or [path]
        questions: list[ImportedQuestion] = []
        with_graph = unequal = 0
        for row in read_rows(*files):
            with_graph += bool(_graph(row))
            answers = _names(row, "answer")
            unequal += {*answers} != {*_names(row, "a_entity", answers)}
            questions.append(
                ImportedQuestion(
                    id=row.key(),
                    text=row.need("question", str).strip(),
                    answers=answers,
                    split=row.split or "test",
                    topics=tuple(dict.fromkeys(_names(row, "q_entity", ()))),
                    fields={name: v for name, v in row.fields.items() if name not in _READ},
                )
            )
        notes = {
            "questions whose answers are not the entities of a_entity": unequal,
            "questions without a graph": len(questions) - with_graph if with_graph else 0,
        }
        graphs = _Graphs(files) if with_graph and kg is None else None
        return ImportedSet(
            title=title_of(path),
            source="files in the form of https://github.com/RManLuo/reasoning-on-graphs",
            citation="The form: Luo, Li, Haffari, Pan: Reasoning on Graphs: Faithful and Interpretable Large "
            "Language Model Reasoning. ICLR 2024. https://arxiv.org/abs/2310.01061",
            questions=questions,
            complete=chain.from_iterable(graphs) if graphs else read_graph(kg),
            incomplete=read_graph(incomplete),
            graphs=graphs,
            definitions={
                "hit": "The share of questions with an answer that is part of the output, both without case, "
                "punctuation and articles; papers call it Hits@1.",
                "f1": "Precision counts answers found for each line of the output, recall for each answer.",
            },
            notes=tuple(f"{what}: {number:,}" for what, number in notes.items() if number),
        )


@dataclass(frozen=True)
class _Graphs:
    """The graphs of all rows, read anew each time, since together they can be larger than memory."""

    files: Sequence[Path]

    def __iter__(self) -> Iterator[list[Triple]]:
        return map(_graph, read_rows(*self.files))


def _files(path: Path) -> list[Path]:
    """The files of questions; where a folder has a split in several forms, those of the first in SUFFIXES."""
    if not path.is_dir():
        return split_files(path)
    files = [file for file in split_files(path) if not file.name.startswith("rule_paths")]
    form: dict[str, str] = {}
    for file in sorted(files, key=lambda file: SUFFIXES.index(suffix_of(file))):
        form.setdefault(split_of(file), suffix_of(file))
    return [file for file in files if suffix_of(file) == form[split_of(file)]]


def _names(row: SourceRow, field: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """Names in a row; one name may stand without a list.

    Raises:
        InputError: They are missing, without a default, or are no texts.
    """
    if default is not None and row.fields.get(field) is None:
        return default
    if isinstance(row.fields.get(field), str):
        return (row.fields[field],)
    return tuple(row.need(field, tuple[str, ...]))


def _graph(row: SourceRow) -> list[Triple]:
    """The triples of a row's graph.

    Raises:
        InputError: It is no list of triples.
    """
    graph: Any = row.fields.get("graph")
    if graph is None:
        return []
    found: list[Triple] = []
    for number, triple in enumerate(graph if isinstance(graph, list) else [graph], start=1):
        whole = isinstance(triple, list) and len(triple) == 3
        if not whole or not all(isinstance(part, str) for part in triple):
            raise InputError(
                f"{row.where}: triple {number} of 'graph' is {shown(triple)}; a list of head, relation and "
                "tail was expected. Is the set of another form?"
            )
        found.append((triple[0], triple[1], triple[2]))
    return found
