"""Writing a gloss file: relation descriptions by a model, from names and sample triples, or from templates.

The file is for people to review: it says which end of each relation is which, and every question rests on
it. Guarantees: descriptions in the file are reused, then those that the recipe names, unless a model is given
and they are only the templates'; the file is written once, at the end; the same replies give the same bytes.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from rulemine.errors import MOST_PROBLEMS_SHOWN
from rulemine.files import write_text
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.llm.call import Ask, Failure
from rulemine.llm.session import Session
from rulemine.phrasing.glosses import PLACEHOLDERS, Gloss, Glosses, gloss_of, read_glosses
from rulemine.phrasing.tables import template_problems
from rulemine.phrasing.templates import Templates
from rulemine.seeds import stream
from rulemine.verbalizer.checks import Checker, TextProblem, explain
from rulemine.verbalizer.dialogue import ATTEMPTS
from rulemine.verbalizer.replies import read_gloss
from rulemine.verbalizer.requests import Calls

__all__ = ["GlossReport", "problem_of_texts", "samples_of", "write_glosses"]

Progress = Callable[[int, int], object]

SAMPLES = 10
"""Most triples of a relation that a model is shown."""

MAX_LENGTH = 300
"""Most characters of a template."""

_HEADER = """\
# What the relations mean: read by prompts, so check every line, above all which end is which. A triple is
# (subject, relation, object). Set source = "written" where you have reviewed or changed a gloss; what is in
# this file is kept when it is written again, except comments and glosses that are still the templates'.
"""


@dataclass(frozen=True, slots=True)
class GlossReport:
    """The outcome of writing a gloss file.

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
        rows += _some([f"  {relation}: {reason}" for relation, reason in self.failed])
        return "\n".join(rows)


def _some(rows: list[str]) -> list[str]:
    more = len(rows) - MOST_PROBLEMS_SHOWN
    return [*rows[:MOST_PROBLEMS_SHOWN], *([f"  … and {more:,} more"] if more > 0 else [])]


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
    asked: list[str] = []
    failed: list[tuple[str, str]] = []
    if session is not None:
        asked = [
            row.relation
            for row in templates.rows
            if glosses[row.relation] in (gloss_of(row), gloss_of(row, symmetric=True))
        ]
        samples = samples_of(kg, asked, calls.seed, labels or {})
        works = [partial(_gloss, relation, samples[relation], calls) for relation in asked]
        for relation, made in zip(asked, session.run(works, progress), strict=True):
            if isinstance(made, Gloss):
                glosses[relation] = made
            else:
                failed.append((relation, explain(made)))
    had = before.keys() | {row.relation for row in given.rows if row.source != "template"}
    kept = {row.relation for row in templates.rows} & had - set(asked)
    made_now = Glosses(tuple(glosses[relation] for relation in sorted(glosses)))
    if glosses != before or not path.is_file():
        write_text(path, f"{_HEADER}\n{made_now.to_toml()}")
    return GlossReport(
        path=path,
        model=len(asked) - len(failed),
        kept=len(kept),
        templates=len(templates.rows) - len(kept) - len(asked),
        failed=tuple(failed),
    )


def samples_of(
    kg: KnowledgeGraph, relations: Sequence[str], seed: int, labels: Mapping[str, str]
) -> dict[str, list[Triple]]:
    """Draws triples of each relation, as labels, in the order of the graph."""
    samples: dict[str, list[Triple]] = {}
    for relation in relations:
        rows = np.flatnonzero(kg.triples[:, 1] == kg.relation_ids[relation])
        drawn = stream(seed, "gloss", relation).permutation(len(rows))[:SAMPLES]
        samples[relation] = [
            (labels.get(s, s), r, labels.get(o, o)) for s, r, o in kg.labeled(rows[np.sort(drawn)])
        ]
    return samples


async def _gloss(
    relation: str, samples: Sequence[Triple], calls: Calls, ask: Ask
) -> Gloss | TextProblem:
    """The model's description of a relation, or the problem of its last one."""
    earlier: list[tuple[str, str]] = []
    problem = TextProblem("")
    for _ in range(ATTEMPTS):
        answer = await ask(calls.gloss(relation, samples, earlier))
        if isinstance(answer, Failure):
            return TextProblem.of(answer)
        read = read_gloss(answer)
        if not isinstance(read, TextProblem):
            statement, subjects, objects = (" ".join(text.split()) for text in read)
            gloss = Gloss(relation, statement, subjects, objects, "model")
            if (found := _problem(gloss, samples)) is None:
                return gloss
            read = TextProblem("malformed", found)
        problem = read
        earlier.append((answer.text, explain(problem)))
    return problem


def _problem(gloss: Gloss, samples: Sequence[Triple]) -> str | None:
    """The problem of a model's description; None if there is none."""
    if problems := template_problems(gloss, PLACEHOLDERS):
        return "; ".join(problems)
    texts = {key: getattr(gloss, key) for key in ("statement", "subjects", "objects")}
    return problem_of_texts(gloss.relation, texts, samples)


def problem_of_texts(
    relation: str, texts: Mapping[str, str], samples: Sequence[Triple]
) -> str | None:
    """The problem of a model's words for a relation; None if there is none.

    Args:
        relation: The relation.
        texts: Key → text; that of a key ``ask_…`` has to be a question, and no other.
        samples: Triples of the relation, none of which it may name.
    """
    names = {name for s, _, o in samples for name in (s, o) if not name.islower()}
    identifiers = Checker([relation]).identifiers  # none if the name is plain words
    for key, text in texts.items():
        if len(text) > MAX_LENGTH:
            return f"key {key}: has {len(text)} characters; at most {MAX_LENGTH} were expected"
        if key.startswith("ask_"):
            if not text.endswith("?"):
                return f"key {key}: is no question; one that ends in a question mark was expected"
        elif "?" in text:
            return f"key {key}: is a question; a description was expected"
        if any(name in text for name in identifiers):
            return f"key {key}: has the relation's identifier; words were expected"
        for name in sorted(names):
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                return f"key {key}: names {name!r}; it must fit every triple"
    return None
