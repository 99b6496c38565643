"""Writing a gloss file: by a model, from the names of the relations and sample triples, or from templates.

The file is for people to review: it says which end of each relation is which, and every question rests on
it. Guarantees: what the file says already is kept, else what the glosses say that the recipe names, unless
it is just what the templates say and a model is there to do better; the file is written once, whole, at the
end; the same replies give the same bytes.
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
from rulemine.phrasing.glosses import Gloss, Glosses, gloss_of, gloss_problems, read_glosses
from rulemine.phrasing.templates import Templates
from rulemine.seeds import stream
from rulemine.verbalizer.briefs import TextProblem
from rulemine.verbalizer.checks import Checker, explain
from rulemine.verbalizer.replies import read_gloss
from rulemine.verbalizer.requests import Calls

__all__ = ["GlossReport", "write_glosses"]

Progress = Callable[[int, int], object]

SAMPLES = 10
"""Triples that a model is shown of a relation."""

MOST_LETTERS = 300
"""Characters of a template at most."""

_HEADER = """\
# What the relations mean: read by prompts, so check every line, above all which end is which. A triple is
# (subject, relation, object). Set source = "written" where you have reviewed or changed a gloss; what is in
# this file is kept when it is written again, except comments and glosses that are still the templates'.
"""


@dataclass(frozen=True, slots=True)
class GlossReport:
    """What came of writing a gloss file.

    Attributes:
        path: The file.
        model: Relations glossed by the model.
        kept: Relations whose gloss the file had, or the recipe names.
        templates: Relations glossed by their template without asking, for want of a model.
        failed: Relations that the model was asked about in vain, and the last reason; they have the gloss
            of their template. Sorted.
    """

    path: Path
    model: int
    kept: int
    templates: int
    failed: tuple[tuple[str, str], ...]

    def to_text(self) -> str:
        """The report for people."""
        parts = [
            (self.model, "by the model"),
            (self.kept, "kept"),
            (self.templates, "from the templates"),
            (len(self.failed), "from the templates because the model's were no good"),
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
    """Writes the glosses of all relations of a graph to a file, or completes the file.

    Args:
        kg: The complete KG, from which sample triples are drawn.
        templates: The templates of its relations.
        given: Their glosses so far; the file's own come first.
        path: The gloss file; what it says already is kept.
        session: Where the model is asked; None: the glosses are made from the templates.
        calls: Makes the calls; says how many attempts there are, and draws the samples.
        labels: Entity → text label, for the samples.
        progress: Told (relations done, of those asked about).

    Raises:
        InputError: The file is there and malformed.
        OutputError: It cannot be written.
        UserError: What the session raises; then the file is as it was, and the next run goes on.
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
        samples = _samples(kg, asked, calls.seed, labels or {})
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


def _samples(
    kg: KnowledgeGraph, relations: Sequence[str], seed: int, labels: Mapping[str, str]
) -> dict[str, list[Triple]]:
    """Some triples of each relation, in labels, in the order of the graph."""
    samples: dict[str, list[Triple]] = {}
    for relation in relations:
        rows = np.flatnonzero(kg.triples[:, 1] == kg.relation_ids[relation])
        drawn = stream(seed, "gloss", relation).permutation(len(rows))[:SAMPLES]
        samples[relation] = [
            (labels.get(s, s), r, labels.get(o, o)) for s, r, o in kg.labelled(rows[np.sort(drawn)])
        ]
    return samples


async def _gloss(
    relation: str, samples: Sequence[Triple], calls: Calls, ask: Ask
) -> Gloss | TextProblem:
    """The model's gloss of a relation, or what was wrong with its last one."""
    earlier: list[tuple[str, str]] = []
    problem = TextProblem("")
    for _ in range(calls.chosen.attempts):
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
    """What is wrong with a model's gloss."""
    if problems := gloss_problems(gloss):
        return "; ".join(problems)
    names = {name for s, _, o in samples for name in (s, o) if not name.islower()}
    identifiers = Checker([gloss.relation]).identifiers  # none where the name is plain words
    for key in ("statement", "subjects", "objects"):
        text: str = getattr(gloss, key)
        if len(text) > MOST_LETTERS:
            return f"key {key}: has {len(text)} characters; at most {MOST_LETTERS} were expected"
        if "?" in text:
            return f"key {key}: asks a question; a description was expected"
        if any(name in text for name in identifiers):
            return f"key {key}: holds the relation's identifier; words were expected"
        for name in sorted(names):
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                return f"key {key}: names {name!r}; it has to fit every triple"
    return None
