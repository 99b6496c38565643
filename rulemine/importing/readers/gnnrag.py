"""The reader ``gnnrag``: the files of GNN-RAG and of NSM, in which entities and relations are numbers.

A folder has ``entities.txt`` and ``relations.txt``, whose lines the numbers count from 0, a file of JSON
Lines for each split, such as ``train.json`` or ``test_simple.json``, and maybe ``entities_names.json``.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rulemine.codec import parse_object, shown
from rulemine.config import Section
from rulemine.errors import InputError, counted
from rulemine.files import read_jsonl, read_lines, read_text
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.rows import RowTriples, SourceRow, split_of
from rulemine.kg.graph import KnowledgeGraph, Triple

__all__ = ["GnnRagReader"]

_READ = {"id", "question", "entities", "answers", "subgraph"}


@dataclass(frozen=True)
class GnnRagReader(Section):
    """Questions about the union of their graphs."""

    def __call__(self, path: Path, kg: Path | None, incomplete: Path | None) -> ImportedSet:
        """Reads a folder."""
        named = path / "entities_names.json"
        files = [file for file in sorted(path.glob("*.json*")) if split_of(Path(file.name))]
        entities = read_lines(path / "entities.txt")
        relations = read_lines(path / "relations.txt")
        if not files:
            raise InputError(
                f"{path}: holds no file such as test.json or train_simple.json, whose name has a split. Name "
                "the folder that has them beside entities.txt."
            )
        union = RowTriples(partial(_rows, files), partial(_triples, entities, relations))
        known = set(entities)
        labels = parse_object(read_text(named), str(named)) if named.is_file() else {}
        return ImportedSet(
            title=path.absolute().name,
            source="files in the form of https://github.com/cmavro/GNN-RAG",
            citation="The form: Mavromatis, Karypis: GNN-RAG: Graph Neural Retrieval for Large Language "
            "Model Reasoning. https://arxiv.org/abs/2405.20139",
            questions=[
                ImportedQuestion(
                    id=row.key(),
                    text=row.need("question", str),
                    answers=tuple(
                        _answer(row, answer, known) for answer in row.need("answers", list)
                    ),
                    split=row.split,
                    topics=tuple(
                        _named(row, number, entities, "entities.txt")
                        for number in row.need("entities", list)
                    ),
                    fields={name: v for name, v in row.fields.items() if name not in _READ},
                )
                for row in _rows(files)
            ],
            complete=union if kg is None else KnowledgeGraph.read(kg).labeled(),
            incomplete=None if incomplete is None else KnowledgeGraph.read(incomplete).labeled(),
            labels={key: label for key, label in labels.items() if isinstance(label, str)},
            definitions={
                "hit": "The share of questions whose most probable candidate is an answer."
            },
        )


def _rows(files: Iterable[Path]) -> Iterator[SourceRow]:
    for file in files:
        for line, fields in read_jsonl(file):
            yield SourceRow(f"{file}: line {line}", split_of(Path(file.name)), fields)


def _triples(entities: Sequence[str], relations: Sequence[str], row: SourceRow) -> Iterator[Triple]:
    for triple in row.need("subgraph", dict).get("tuples", ()):
        if not isinstance(triple, list) or len(triple) != 3:
            raise InputError(
                f"{row.where}: the graph has {shown(triple)}; a list of the numbers of head, relation and "
                "tail was expected. Is the set of another form?"
            )
        head, relation, tail = triple
        yield (
            _named(row, head, entities, "entities.txt"),
            _named(row, relation, relations, "relations.txt"),
            _named(row, tail, entities, "entities.txt"),
        )


def _named(row: SourceRow, number: Any, names: Sequence[str], file: str) -> str:
    if not isinstance(number, int) or not 0 <= number < len(names):
        raise InputError(
            f"{row.where}: has {shown(number)}; the number of one of the {counted(len(names), 'line')} of "
            f"{file} was expected, from 0. Are the files of the same version?"
        )
    return names[number].strip()


def _answer(row: SourceRow, answer: Any, known: set[str]) -> str:
    """The entity of an answer, or its text where the list of entities lacks it."""
    ends = [answer.get(name) for name in ("kb_id", "text")] if isinstance(answer, dict) else []
    found = [end for end in ends if isinstance(end, str) and end]
    if not found:
        raise InputError(
            f"{row.where}: an answer is {json.dumps(answer)[:80]}; an object with kb_id and text was "
            "expected. Is the set of another form?"
        )
    return next((end for end in found if end in known), found[-1])
