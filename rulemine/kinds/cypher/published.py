"""Text-to-Cypher questions that others publish, read as a release from which nothing is removed.

A file is what ``rulemine graph tasks`` writes, or what CypherBench publishes (a JSON array of objects with
``qid``, ``graph``, ``gold_cypher``, ``from_template``), or any objects with ``id`` and ``cypher``; an array,
or a line each. A folder has such files by split (``train.json``, ``test.json``), and the graphs, as
CypherBench has them, as ``graphs/simplekg/NAME_simplekg.json``.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from rulemine.codec import parse_object, why_unreadable
from rulemine.cypher.questions.templates import RETURNS, return_group
from rulemine.cypher.rows import row_text
from rulemine.datasets.property_graphs import NAMED_GRAPHS, load_property_graph
from rulemine.errors import InputError, list_problems
from rulemine.files import digest_of, read_text
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.cypher.block import PublishedBlock
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Question, Unseen

__all__ = ["PublishedQuestions", "published_questions"]

_PUBLISHED = {"n_m0_": "", "n_union_": "union_"}
"""How CypherBench's names of RETURN templates begin where ours begin otherwise."""

_EXPECTED = (
    'Expected objects with "id" and "cypher", such as rulemine graph tasks writes, or CypherBench\'s with '
    '"qid" and "gold_cypher".'
)


class PublishedQuestions(Release):
    """Questions of files; there is one graph, or one by name, and nothing is removed."""

    def graph_of(self, question: Question) -> tuple[str, str | None]:
        """See `Release`; files are those of the folder, and those that can be asked for by name."""
        name = question.block.graph
        return name, self._files.get(name)

    def level_of(self, which: str) -> int:
        """Nothing, whatever the graph is called."""
        super().level_of(which)
        return 0

    @cached_property
    def _files(self) -> dict[str, str]:
        found = sorted(self.folder.glob("graphs/simplekg/*_simplekg.json*"))
        files = {path.name.partition("_simplekg.")[0]: str(path) for path in found}
        return dict(zip(NAMED_GRAPHS, NAMED_GRAPHS, strict=True)) | files

    def property_graph(self, which: str = "") -> PropertyGraph:
        """A graph.

        Args:
            which: Its file, or a name of `rulemine.datasets.property_graphs.NAMED_GRAPHS`.
        """
        return load_property_graph(which)

    @cached_property
    def entities(self) -> tuple[EntityNames, ...]:
        """None: rows are compared as they are."""
        return ()


def published_questions(path: Path) -> PublishedQuestions | None:
    """The questions of a file or a folder; None if it is something else, such as a release.

    Raises:
        InputError: A file is missing or has no question, or some are malformed or have equal ids; one message
            lists them.
    """
    if path.is_dir():
        places = [(s, path / f"{s}{end}") for s in SPLITS for end in (".json", ".jsonl")]
        files = {split: file for split, file in places if file.is_file()}
    else:
        # A release is a folder or an archive; all else that is there is a file of questions, or a pipe.
        is_file = path.suffix in (".json", ".jsonl") or (path.exists() and path.suffix != ".tar")
        files = {"test": path} if is_file else {}
    if not files:
        return None
    found: dict[str, Question] = {}
    problems: list[str] = []
    for split, file in files.items():
        for where, row in _objects(file):
            question = _question(row, split) if isinstance(row, dict) else "is no object"
            if isinstance(question, str):
                problems.append(f"{where}: {question}")
            elif question.id in found:
                problems.append(f"{where}: a second question {question.id!r}; ids must differ")
            else:
                found[question.id] = question
    if problems or not found:
        raise InputError(list_problems(str(path), problems or ["it has no question"], _EXPECTED))
    manifest = {
        "name": path.name,
        "naming": "text",
        "config": {"kind": "cypher", "selection": {"mode": "none"}},
        "kg": {"digest": digest_of(repr(list(found.values())).encode("utf-8", "replace"))},
        "counts": {},
        "files": {},
    }
    made = PublishedQuestions(path, path, manifest)
    made._read["removed.jsonl"] = ()
    for split in SPLITS:
        some = tuple(question for question in found.values() if question.split == split)
        made._read[f"questions/{split}.jsonl"] = some
    return made


def _objects(path: Path) -> Iterator[tuple[str, Any]]:
    text = read_text(path)
    if not text.lstrip().startswith("["):
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield f"line {number}", parse_object(line, f"{path}: line {number}")
        return
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InputError(
            f"{path}: is not valid JSON ({why_unreadable(problem)}). {_EXPECTED}"
        ) from None
    yield from ((f"item {number}", row) for number, row in enumerate(items, start=1))


def _question(row: Mapping[str, Any], split: str) -> Question | str:
    """A question, or what is wrong with it."""
    key = row.get("id", row.get("qid"))
    cypher = row.get("gold_cypher", row.get("cypher"))
    if not isinstance(key, str):
        return "has no 'id' or 'qid' that is a text"
    if not isinstance(cypher, str) or not cypher.strip():
        return f"{key!r} has no 'cypher' or 'gold_cypher' that is a text"
    template = row.get("from_template")
    if not isinstance(template, dict):
        template = {"match_category": row.get("category"), "return_pattern_id": row.get("return")}
    texts = {
        "graph": row.get("graph"),
        "question": row.get("nl_question", row.get("question")),
        "category": template.get("match_category"),
        "match": row.get("match"),
        "returns": template.get("return_pattern_id"),
    }
    told = {name: text if isinstance(text, str) else "" for name, text in texts.items()}
    block = _block(row, cypher, told)
    answers = tuple(sorted(set(block.rows)))
    return Question(
        id=key, kind="cypher", question=told["question"], anchors=(), query=cypher, sparql="",
        structure=told["category"], shape=told["match"], hops=0, answers=answers, stated=answers, hard=(),
        further=(), hard_answer=None, core=False, evidence=(), full_evidence=(), spurious=(), value=None,
        stated_value=None, relations=(), intermediates=(), removed=(), rules=(), split=split,
        unseen=Unseen(False, False, False), wording="template", paraphrases=(), patterns=(), block=block,
    )  # fmt: skip


def _block(row: Mapping[str, Any], cypher: str, told: Mapping[str, str]) -> PublishedBlock:
    returns = told["returns"]
    for published, ours in _PUBLISHED.items():
        if returns not in RETURNS and returns.startswith(published):
            returns = ours + returns.removeprefix(published)
    rows, keys, tied = (row.get(name) for name in ("answers", "keys", "tied"))
    known = isinstance(rows, list) and all(isinstance(line, list) for line in rows)
    lines: list[Any] = rows if known and isinstance(rows, list) else []
    ordered = row.get("ordered") is True and isinstance(keys, list) and len(keys) == len(lines)
    width = max(1, len(lines[0]) if lines else 1)
    return PublishedBlock(
        match=told["match"], returns=returns, family=return_group(returns), cypher=cypher,
        columns=tuple(str(number) for number in range(1, width + 1)) if known else (),
        rows=tuple(map(row_text, lines)), ordered=known and ordered,
        keys=tuple(row_text([key]) for key in keys or ()) if known and ordered else (),
        tied=tuple(map(row_text, tied)) if known and isinstance(tied, list) else (),
        levels=(), properties=(), removed_values=(), graph=told["graph"],
    )  # fmt: skip
