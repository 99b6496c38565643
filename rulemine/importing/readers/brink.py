"""The reader ``brink``: question sets of the BRINK benchmark (arXiv 2508.08344).

A folder has, at any depth, files of questions whose names have a split, and the graphs. Questions are tables
with the columns ``id, rule_index, question, q_entity, answer, a_entity, rule, grounding``, as its scripts
write them, rows of these fields in JSON or Parquet, gold files of its evaluator (``id, question, answers,
hard_answer``), or several of these, of which those of one id make one question. A graph is a TSV file whose
name or folder says ``facts``, ``complete`` or ``incomplete``.
"""

import ast
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulemine.codec import shown
from rulemine.config import Section
from rulemine.errors import InputError
from rulemine.files import read_blocks
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.rows import SourceRow, read_graph, read_rows, split_of, title_of
from rulemine.kg.graph import Triple
from rulemine.query.tree import Anchor, Projection

__all__ = ["BrinkReader"]

_LISTS = ("q_entity", "answer", "a_entity", "answers", "rule", "grounding")
_READ = {"id", "question", "q_entity", "answer", "answers", "hard_answer"}

_DEFINITIONS = {
    "answers": "All objects of the removed triple's subject and relation in the complete graph, also where "
    "the subject is asked for: complete_answer_search.py never looks at the direction.",
    "hard_answer": "The end of the triple removed for this question that is asked for; one each.",
    "hits_any": "The share of questions with a predicted answer among the answers.",
    "hits_hard": "The share of questions with the hard answer among the predicted ones.",
    "hhr": "Hits@Hard / Hits@Any; 0 where both are 0.",
    "f1": "2 |P ∩ A| / (|P| + |A|) of the sets of predicted and stated answers, a mean over questions.",
}


@dataclass(frozen=True)
class BrinkReader(Section):
    """Questions about single links that the incomplete graph lacks."""

    def __call__(self, path: Path, kg: Path | None, incomplete: Path | None) -> ImportedSet:
        """Reads a folder, or one file of questions."""
        files, graphs = _found(path)
        complete = _triples(kg or graphs.get("complete"))
        relations = {relation for _, relation, _ in complete or ()}
        rows: dict[tuple[str, str], SourceRow] = {}
        seen: dict[tuple[str, str, str], SourceRow] = {}
        for row in read_rows(*files):
            key = row.split or "test", row.key()
            file = row.where.rpartition(": ")[0]
            same = seen.setdefault((*key, file), row)
            if same.fields != row.fields:
                raise InputError(
                    f"{row.where}: has the id {key[1]} of another question, {same.where}. Rows of several "
                    "files make one question, not those of one. Give each question an id of its own."
                )
            before = rows.get(key)
            fields = _parsed(row) if before is None else before.fields | _parsed(row)
            rows[key] = SourceRow(row.where if before is None else before.where, row.split, fields)
        splits = ("train", "validation", "test")
        questions = [
            _question(row, *key, relations)
            for key, row in sorted(rows.items(), key=lambda item: splits.index(item[0][0]))
        ]
        grounded = [q for q in questions if q.fields.get("grounding")]
        notes = {
            "questions whose grounding cannot be read": sum(not q.evidence for q in grounded),
            "questions whose hard answer is none of their answers, so that they have none": sum(
                q.hard_answer not in q.answers for q in questions if q.hard_answer
            ),
        }
        return ImportedSet(
            title=title_of(path),
            source="files in the form of https://github.com/boschresearch/brink",
            citation="Zhou, Zhu, Wang, Zhou, He, Chen, Staab, Kharlamov: What Breaks Knowledge Graph based "
            "RAG? EACL 2026. https://arxiv.org/abs/2508.08344",
            questions=questions,
            complete=complete,
            incomplete=_triples(incomplete or graphs.get("incomplete")),
            definitions=_DEFINITIONS,
            notes=tuple(f"{what}: {number:,}" for what, number in notes.items() if number),
        )


def _found(path: Path) -> tuple[list[Path], dict[str, Path]]:
    """The files of questions, tables first, and those of the graphs."""
    if not path.is_dir():
        return [path], {}
    tables: list[Path] = []
    others: list[Path] = []
    graphs: dict[str, Path] = {}
    for file in sorted(file for file in path.rglob("*") if file.is_file()):
        suffix = re.search(r"\.(tsv|csv|txt|jsonl?|parquet)(\.gz|\.zst)?$", file.name)
        words = re.split(r"[\W_\d]+", str(file.relative_to(path)).lower())
        if suffix is None:
            continue
        if suffix[1] in ("tsv", "csv", "txt"):
            if _has_questions(file):
                tables.append(file)
            elif {"facts", "kg", "triples", "complete", "incomplete"} & set(words):
                which = "incomplete" if "incomplete" in words else "complete"
                if which in graphs:
                    raise InputError(
                        f"{file}: is a second {which} graph beside {graphs[which]}; one was expected. Name "
                        "the folder of one set, or the graphs by --kg and --incomplete."
                    )
                graphs[which] = file
        elif split_of(file):
            others.append(file)
    if not tables and not others:
        raise InputError(
            f"{path}: holds no questions; test.tsv with the columns id, question, q_entity, answer and "
            "grounding, or test_gold.json, was expected. Name the folder that has the splits, or a file."
        )
    return [*tables, *others], graphs


def _has_questions(table: Path) -> bool:
    first = next(read_blocks(table), b"").partition(b"\n")[0]
    return b"question" in re.split(rb"[\t,]", first.strip().lower().removeprefix(b"\xef\xbb\xbf"))


def _triples(path: Path | None) -> list[Triple] | None:
    """The triples of a file; where all names are in quotes, as in the published Family, without these."""
    found = read_graph(path)
    if found and all(_is_quoted(head) and _is_quoted(tail) for head, _, tail in found):
        return [(head[1:-1], relation, tail[1:-1]) for head, relation, tail in found]
    return found


def _is_quoted(name: str) -> bool:
    return len(name) > 2 and name[0] == name[-1] == '"'


def _parsed(row: SourceRow) -> dict[str, Any]:
    """The fields of a row that have a value; lists are read from the texts that tables have for them."""
    return {
        name: _list(value, row.where, name) if name in _LISTS else value
        for name, value in row.fields.items()
        if value not in (None, "")
    }


def _list(value: Any, where: str, name: str) -> list[str]:
    if isinstance(value, str):
        if not value.lstrip().startswith("["):
            return [value.strip()]
        try:
            value = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise InputError(
                f"{where}: {name!r} is {shown(value)}; a list such as ['a', 'b'] was expected. Fix the row."
            ) from None
    return [str(one) for one in (value if isinstance(value, list | tuple) else [value])]


def _question(row: SourceRow, split: str, key: str, relations: Collection[str]) -> ImportedQuestion:
    topics = tuple(dict.fromkeys(row.get("q_entity", tuple[str, ...], ())))
    answers = next(
        (row.fields[n] for n in ("answers", "answer", "a_entity") if n in row.fields), None
    )
    if answers is None:
        row.need("answer", tuple[str, ...])
    heads: list[Triple] = []
    body: list[Triple] = []
    for grounding in row.get("grounding", tuple[str, ...], ()):
        before, _, head = grounding.rpartition("=>")
        read = [_triple(text, relations) for text in (*before.split(" | "), head)]
        if all(read):
            *evidence, asked = (triple for triple in read if triple)
            body += evidence
            heads.append(asked)
    hard = row.fields.get("hard_answer")
    if hard is None and len(heads) == 1 and len(topics) == 1:
        hard = next((end for end in heads[0][::2] if end != topics[0]), topics[0])
    return ImportedQuestion(
        id=key,
        text=str(row.need("question", str)).strip(),
        answers=tuple(answers or ()),
        split=split,
        topics=topics,
        hard_answer="" if hard is None else str(hard),
        query=_query(topics, heads, {*(answers or ()), str(hard)}),
        evidence=tuple(dict.fromkeys(body)),
        fields={name: value for name, value in row.fields.items() if name not in _READ},
    )


def _triple(text: str, relations: Collection[str]) -> Triple | None:
    """A triple with blanks between its parts, and in names too where one relation of the graph fits."""
    words = text.split()
    if len(words) == 3:
        return words[0], words[1], words[2]
    found = [
        (" ".join(words[:at]), " ".join(words[at:end]), " ".join(words[end:]))
        for at in range(1, len(words))
        for end in range(at + 1, len(words))
        if " ".join(words[at:end]) in relations
    ]
    return found[0] if len(found) == 1 else None


def _query(topics: tuple[str, ...], heads: list[Triple], known: Collection[str]) -> str:
    """The single link asked for, if the removed triples are all of one and lead from the topic to answers."""
    asked = set()
    for head, relation, tail in heads:
        forward = (head,) == topics and tail in known
        if not forward and not ((tail,) == topics and head in known):
            return ""
        asked.add((relation, not forward))
    if len(asked) != 1:
        return ""
    ((relation, inverse),) = asked
    return Projection(relation, inverse, Anchor(topics[0])).text
