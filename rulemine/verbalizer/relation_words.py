"""Words for relations by a model: descriptions for prompts (a gloss file), or templates (a book).

Either file is for people to review: it says which end of each relation is which, and every question rests on
it. Guarantees: what the file has is kept; for a book, a model is asked only about relations that no packaged
book knows, and for glosses only about those that nothing but templates describes; a reply is checked as the
file is, asked for again with the reason, and left out if no attempt passes; the file is written once, at the
end; the same replies give the same bytes.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from rulemine.codec import dump_line
from rulemine.config import read_toml
from rulemine.errors import MOST_PROBLEMS_SHOWN
from rulemine.files import write_text
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.llm.call import Ask, Failure
from rulemine.llm.session import Session
from rulemine.phrasing.glosses import PLACEHOLDERS as OF_GLOSS
from rulemine.phrasing.glosses import Gloss, Glosses, gloss_of, read_glosses
from rulemine.phrasing.template_file import (
    PLACEHOLDERS,
    RelationTable,
    read_template_file,
    table_problems,
    template_problems,
)
from rulemine.phrasing.templates import Templates
from rulemine.seeds import stream
from rulemine.verbalizer.checks import Checker
from rulemine.verbalizer.prompts import Calls, load_prompts
from rulemine.verbalizer.replies import SCHEMAS, TextProblem, explain, read_texts
from rulemine.verbalizer.verbalize import ATTEMPTS, Progress

__all__ = ["GlossReport", "write_book", "write_glosses"]

T = TypeVar("T")

SAMPLES = 10
"""Most triples of a relation that a model is shown."""

MAX_LENGTH = 300
"""Most characters of a template."""

_GLOSSES = """\
# What the relations mean: read by prompts, so check every line, above all which end is which. A triple is
# (subject, relation, object). Set source = "written" where you have reviewed or changed a gloss; what is in
# this file is kept when it is written again, except comments and glosses that are still the templates'.
"""

_BOOK = """\
# Words by a model for relations that no phrase book knows: check every line, above all which end is which. A
# build reads them with --set questions.templates=FILE. What is here is kept when the file is written again.
"""


@dataclass(frozen=True, slots=True)
class GlossReport:
    """The outcome of writing a file.

    Attributes:
        path: The file.
        model: Relations described by the model.
        kept: Relations whose description the file had, or the recipe names.
        templates: Relations described by their template because there is no model.
        failed: Relations whose descriptions by the model all failed, with the last reason, sorted; they
            are described by their template.
    """

    path: Path
    model: int
    kept: int
    templates: int
    failed: tuple[tuple[str, str], ...]

    def to_text(self) -> str:
        """The report as text."""
        parts = [
            (self.model, "by the model"),
            (self.kept, "reused"),
            (self.templates, "from the templates"),
            (len(self.failed), "from the templates because the model's failed the checks"),
        ]
        rows = [", ".join(f"{n:,} {what}" for n, what in parts if n) + f": {self.path}"]
        rows += [
            f"  {relation}: {reason}" for relation, reason in self.failed[:MOST_PROBLEMS_SHOWN]
        ]
        more = len(self.failed) - MOST_PROBLEMS_SHOWN
        return "\n".join([*rows, *[f"  … and {more:,} more"] * (more > 0)])


def write_glosses(
    kg: KnowledgeGraph,
    templates: Templates,
    given: Glosses,
    path: Path,
    session: Session | None,
    calls: Calls,
    *,
    labels: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> GlossReport:
    """Writes or completes a file with the descriptions of all relations of a graph.

    Args:
        kg: The complete KG, from which sample triples are drawn.
        templates: The templates of its relations.
        given: Their descriptions so far; those in the file come first.
        path: The gloss file; its descriptions are reused.
        session: Answers the calls; None: descriptions are made from the templates.
        calls: Makes the calls; has the number of attempts and the seed of the samples.
        labels: Entity → text label, for the samples.
        progress: Called with (relations done, relations asked about).

    Raises:
        InputError: The file exists and is malformed.
        OutputError: It cannot be written.
        UserError: As raised by the session; the file is unchanged, and the next run resumes.
    """
    before = read_glosses(path) if path.is_file() else {}
    glosses = {row.relation: row for row in given.rows} | before
    asked = [
        row.relation
        for row in templates.rows
        if session and glosses[row.relation] in (gloss_of(row), gloss_of(row, symmetric=True))
    ]
    failed: list[tuple[str, str]] = []
    if session is not None:
        works = [*_works("gloss", kg, asked, calls, labels or {}, _gloss)]
        for relation, made in zip(asked, session.run(works, progress), strict=True):
            if isinstance(made, Gloss):
                glosses[relation] = made
            else:
                failed.append((relation, explain(made)))
    had = before.keys() | {row.relation for row in given.rows if row.source != "template"}
    kept = len({row.relation for row in templates.rows} & had - set(asked))
    if glosses != before or not path.is_file():
        rows = Glosses(tuple(glosses[relation] for relation in sorted(glosses)))
        write_text(path, f"{_GLOSSES}\n{rows.to_toml()}")
    rest = len(templates.rows) - kept - len(asked)
    return GlossReport(path, len(asked) - len(failed), kept, rest, tuple(failed))


def write_book(
    kg: KnowledgeGraph,
    templates: Templates,
    path: Path,
    session: Session,
    calls: Calls,
    *,
    labels: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> GlossReport:
    """Writes or completes a template file with a model's words.

    Args:
        kg: The complete KG, from which sample triples are drawn.
        templates: The templates of its relations; only derived ones are asked about.
        path: The file; what it has is kept.
        session: Answers the calls.
        calls: Has the model and the seed.
        labels: Entity → text label, for the samples.
        progress: Called with (relations done, relations asked about).

    Raises:
        InputError: The file exists and is no template file.
        OutputError: It cannot be written.
        UserError: As raised by the session; the file is unchanged, and the next run resumes.
    """
    there = path.is_file()
    tables = read_template_file(path, kg.relations, Declarations())[0] if there else {}
    rows = read_toml(path) if there else {}
    asked = [r.relation for r in templates.rows if r.source == "derived" and r.relation not in rows]
    own = replace(calls, prompts=load_prompts("", "verbalizer/book.toml"))
    works = [*_works("book", kg, asked, own, labels or {}, _table)]
    failed: list[tuple[str, str]] = []
    for relation, made in zip(asked, session.run(works, progress), strict=True):
        if isinstance(made, TextProblem):
            failed.append((relation, explain(made)))
        elif problems := table_problems({**tables, relation: made}, Declarations()):
            failed.append((relation, problems[0]))
        else:
            tables[relation] = made
            rows[relation] = {key: getattr(made, key) for key in SCHEMAS["book"]["properties"]}
    text = _BOOK + "".join(
        f"\n[{dump_line(relation)}]\n"
        + "".join(f"{key} = {dump_line(value)}\n" for key, value in row.items())
        for relation, row in sorted(rows.items())
    )
    write_text(path, text)
    kept = len(rows) - len(asked) + len(failed)
    rest = len(templates.rows) - len(asked) - kept
    return GlossReport(path, len(asked) - len(failed), kept, max(0, rest), tuple(failed))


def _works(
    purpose: str,
    kg: KnowledgeGraph,
    relations: Iterable[str],
    calls: Calls,
    labels: Mapping[str, str],
    make: Callable[[str, dict[str, str]], tuple[T, list[str]]],
) -> Iterator[Callable[[Ask], Awaitable[T | TextProblem]]]:
    """Conversations about relations; the model is shown triples of each, in the order of the graph."""
    for relation in relations:
        rows = np.flatnonzero(kg.triples[:, 1] == kg.relation_ids[relation])
        drawn = stream(calls.seed, "gloss", relation).permutation(len(rows))[:SAMPLES]
        triples = kg.labeled(rows[np.sort(drawn)])
        samples = [(labels.get(s, s), r, labels.get(o, o)) for s, r, o in triples]
        yield partial(_asked, purpose, relation, samples, calls, make)


async def _asked(
    purpose: str,
    relation: str,
    samples: Sequence[Triple],
    calls: Calls,
    make: Callable[[str, dict[str, str]], tuple[T, list[str]]],
    ask: Ask,
) -> T | TextProblem:
    """What is made of the model's words for a relation; if no attempt passes, the problem of the last one."""
    earlier: list[tuple[str, TextProblem]] = []
    while len(earlier) < ATTEMPTS:
        answer = await ask(calls.words(purpose, relation, samples, earlier))
        if isinstance(answer, Failure):
            return TextProblem.of(answer)
        texts = read_texts(answer, purpose)
        if isinstance(texts, TextProblem):
            earlier.append((answer.text, texts))
            continue
        made, problems = make(relation, texts)
        problems += _problems(relation, texts, samples)
        if not problems:
            return made
        earlier.append((answer.text, TextProblem("malformed", "; ".join(problems))))
    return earlier[-1][1]


def _gloss(relation: str, texts: dict[str, str]) -> tuple[Gloss, list[str]]:
    gloss = Gloss(relation, **texts, source="model")
    return gloss, template_problems(gloss, OF_GLOSS)


def _table(relation: str, texts: dict[str, str]) -> tuple[RelationTable, list[str]]:
    ends = texts["statement"], texts["ask_subject"], texts["ask_object"]
    table = RelationTable(*ends, texts["ask_subjects"], texts["ask_objects"])
    problems = table_problems({relation: table}, Declarations())
    return table, [*template_problems(table, PLACEHOLDERS), *problems]


def _problems(relation: str, texts: Mapping[str, str], samples: Sequence[Triple]) -> Iterator[str]:
    """Yields a line for each text that is no question or no description, is too long, or names a sample."""
    names = {name for s, _, o in samples for name in (s, o) if not name.islower()}
    identifiers = Checker([relation]).identifiers  # none if the name is plain words
    for key, text in texts.items():
        asks = key.startswith("ask_")
        if len(text) > MAX_LENGTH:
            yield f"key {key}: has {len(text)} characters; at most {MAX_LENGTH} were expected"
        if asks and not text.endswith("?"):
            yield f"key {key}: is no question; one that ends in a question mark was expected"
        if not asks and "?" in text:
            yield f"key {key}: is a question; a description was expected"
        if any(name in text for name in identifiers):
            yield f"key {key}: has the relation's identifier; words were expected"
        for name in sorted(names):
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                yield f"key {key}: names {name!r}; it must fit every triple"
