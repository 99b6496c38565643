"""The form ``plain``: JSON, JSON Lines or a table with a column for each thing, called as anybody likes."""

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from rulemine.codec import shown
from rulemine.config import Section, option
from rulemine.errors import InputError
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.rows import SPLIT_NAMES, SourceRow, read_graph, read_rows, title_of

__all__ = ["Plain"]

_USUAL: Mapping[str, Sequence[str]] = {
    "text": ("question", "text", "query_text", "utterance", "nl_question"),
    "answers": ("answers", "answer", "a_entity", "answer_entities", "target"),
    "id": ("id", "qid", "question_id", "_id"),
    "topics": ("topics", "topic", "q_entity", "topic_entity", "topic_entities", "anchors"),
    "split": ("split",),
    "hard": ("hard", "hard_answers", "hard_answer"),
    "query": ("query",),
    "sparql": ("sparql", "sparql_query"),
    "type": ("type", "category"),
    "paraphrases": ("paraphrases",),
}
"""Option → the columns that are taken where it is not given: the first that is there."""


_ARRAY = re.compile(r"""\[('[^']*'|"[^"]*")(\s+('[^']*'|"[^"]*"))+\]""")
"""Texts as NumPy shows them."""


@dataclass(frozen=True, slots=True)
class Plain(Section):
    """Questions of a table or of JSON, whose columns are named or guessed.

    Attributes:
        text: The column of the text.
        answers: That of the answers.
        id: That of the id; without one, questions are numbered.
        topics: That of the topic entities.
        split: That of the split; without one, the name of the file says it, else all is ``test``.
        hard: That of the answers that the incomplete graph does not state; ``[]``: it states all; where it is
            empty, the graphs say which.
        query: That of a query of rulemine.
        sparql: That of a query in SPARQL.
        type: That of the type of the question.
        paraphrases: That of further texts.
        separator: What stands between the items of a list in a table; lists in JSON need none.
        title: The name of the set; that of the file if not given.
        source: Where it is from; the name of the file if not given.
        license: Its license.
    """

    text: str = ""
    answers: str = ""
    id: str = ""
    topics: str = ""
    split: str = ""
    hard: str = ""
    query: str = ""
    sparql: str = ""
    type: str = ""
    paraphrases: str = ""
    separator: str = option("|", metavar="TEXT")
    title: str = ""
    source: str = ""
    license: str = ""

    def __call__(self, path: Path, kg: Path | None, incomplete: Path | None) -> ImportedSet:
        """Reads a file, or a folder with a file for each split; see `Reader`."""
        rows = list(read_rows(path))
        columns = self._columns(dict.fromkeys(chain(*(row.fields for row in rows))), str(path))
        questions = [
            self._question(row, columns, f"q{number:05d}")
            for number, row in enumerate(rows, start=1)
        ]
        return ImportedSet(
            self.title or title_of(path),
            self.source or path.name,
            questions,
            license=self.license,
            complete=read_graph(kg),
            incomplete=read_graph(incomplete),
        )

    def _columns(self, row: Collection[str], where: str) -> dict[str, str]:
        """Option → column, of those that any row has."""
        there = {name.lower(): name for name in row}
        found: dict[str, str] = {}
        for key, usual in _USUAL.items():
            named = getattr(self, key)
            if named and named not in row:
                raise InputError(
                    f"{where}: there is no {named!r} (option {key}); found {', '.join(row)}."
                )
            guessed = next((there[name] for name in usual if name in there), "")
            if column := named or guessed:
                found[key] = column
        for key in ("text", "answers"):
            if key not in found:
                raise InputError(
                    f"{where}: which column has the {key}? Found {', '.join(row)}; expected "
                    f"{' or '.join(_USUAL[key])}. Name it: plain:{key}=COLUMN."
                )
        return found

    def _question(
        self, source: SourceRow, columns: Mapping[str, str], number: str
    ) -> ImportedQuestion:
        row, where = source.fields, source.where

        def text(key: str) -> str:
            value = row.get(columns[key]) if key in columns else None
            if value is None:
                return ""
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                raise InputError(f"{where}: {columns[key]} is {shown(value)}; expected text.")
            return str(value).strip()

        def several(key: str) -> tuple[str, ...]:
            if key not in columns:
                return ()
            separator = self.separator if source.in_table else ""
            items = _items(row.get(columns[key]), separator, f"{where}: {columns[key]}")
            found = tuple(item.strip() for item in items if item.strip())
            return found if key == "answers" else tuple(dict.fromkeys(found))

        if not text("text"):
            raise InputError(f"{where}: {columns['text']} is empty; expected the question.")
        own = text("split").lower()
        if own and own not in SPLIT_NAMES:
            raise InputError(
                f"{where}: {columns['split']} is {own!r}; expected {', '.join(SPLIT_NAMES)}."
            )
        taken = set(columns.values())
        rest = {name: value for name, value in row.items() if name not in taken}
        return ImportedQuestion(
            text("id") or number,
            text("text"),
            several("answers"),
            SPLIT_NAMES.get(own, source.split or "test"),
            topics=several("topics"),
            hard=several("hard")
            if "hard" in columns and row.get(columns["hard"]) not in (None, "")
            else None,
            query=text("query"),
            sparql=text("sparql"),
            paraphrases=several("paraphrases"),
            fields=rest | ({"type": text("type")} if "type" in columns else {}),
        )


def _items(value: Any, separator: str, where: str) -> Iterator[str]:
    """The items of a list: of JSON, of a text that is one in JSON or Python, or of a text with separators."""
    if value is None:
        return
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        if _ARRAY.fullmatch(value.strip()):  # Python would make one text of its items
            raise InputError(
                f"{where} is {shown(value)}; expected commas between the items of a list."
            )
        for read in (json.loads, ast.literal_eval):
            # A name may begin so too.
            with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                value = read(value.strip())
                break
    if isinstance(value, list):
        for item in value:
            if isinstance(item, bool) or not isinstance(item, str | int | float):
                raise InputError(f"{where} has {shown(item)}; expected a list of texts.")
            yield str(item)
    elif isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"{where} is {shown(value)}; expected a text, or a list of texts.")
    else:
        yield from str(value).split(separator) if separator else [str(value)]
