"""Text-to-Cypher questions that others publish, read as a release from which nothing is removed.

`rulemine.cypher.questions.task_rows` says which files are read. They stay where they are; ``rulemine import
cypherbench`` makes a release of them.
"""

import json
from functools import cached_property
from pathlib import Path

from rulemine.cypher.questions.task_rows import TaskRow, graph_files, read_tasks, task_files
from rulemine.cypher.questions.templates import return_group
from rulemine.cypher.rows import row_of, row_text
from rulemine.datasets.property_graphs import NAMED_GRAPHS, load_property_graph
from rulemine.files import digest_of
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.cypher.block import CypherBlock, PublishedBlock
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Question, Unseen

__all__ = ["PublishedQuestions", "published_questions", "templates_of"]


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
        files = {name: str(file) for name, file in graph_files(self.folder).items()}
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
    if not task_files(path):
        return None
    questions = list(map(_question, read_tasks(path)))
    manifest = {
        "name": path.name,
        "naming": "text",
        "config": {"kind": "cypher", "selection": {"mode": "none"}},
        "kg": {"digest": digest_of(repr(questions).encode("utf-8", "replace"))},
        "counts": {},
        "files": {},
    }
    made = PublishedQuestions(path, path, manifest)
    made._read["removed.jsonl"] = ()
    for split in SPLITS:
        some = tuple(question for question in questions if question.split == split)
        made._read[f"questions/{split}.jsonl"] = some
    return made


def templates_of(question: Question) -> tuple[str, str, str]:
    """The category of its MATCH, its MATCH and its RETURN template; "" for each that is not known.

    A question that was imported has what its source says.
    """
    block = question.block
    if isinstance(block, CypherBlock):
        return question.structure, block.match, block.returns
    return str(json.loads(block.fields).get("match_category", "")), "", str(block.type)


def _question(task: TaskRow) -> Question:
    block = _block(task)
    answers = tuple(sorted(set(block.rows)))
    return Question(
        id=task.id, kind="cypher", question=task.question, anchors=(), query=task.cypher, sparql="",
        structure=task.category, shape=task.match, hops=0, answers=answers, stated=answers, hard=(),
        further=(), hard_answer=None, core=False, evidence=(), full_evidence=(), spurious=(), value=None,
        stated_value=None, relations=(), intermediates=(), removed=(), rules=(), split=task.split,
        unseen=Unseen(False, False, False), wording="template", paraphrases=(), patterns=(), block=block,
    )  # fmt: skip


def _block(task: TaskRow) -> PublishedBlock:
    rows, keys, tied = task.rows or (), task.fields.get("keys"), task.fields.get("tied")
    known = task.rows is not None
    ordered = (
        task.fields.get("ordered") is True and isinstance(keys, list) and len(keys) == len(rows)
    )
    width = max(1, len(row_of(rows[0])) if rows else 1)
    return PublishedBlock(
        match=task.match, returns=task.returns, family=return_group(task.returns), cypher=task.cypher,
        columns=tuple(str(number) for number in range(1, width + 1)) if known else (),
        rows=rows, ordered=known and ordered,
        keys=tuple(row_text([key]) for key in keys or ()) if known and ordered else (),
        tied=tuple(map(row_text, tied)) if known and isinstance(tied, list) else (),
        levels=(), properties=(), graph=task.graph,
    )  # fmt: skip
