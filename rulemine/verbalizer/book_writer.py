"""Writing a template file with a model's words for the relations that no book knows.

A build reads the file as ``questions.templates``. Guarantees: a reply is checked as a template file is, asked
for again with the reason, and left out if no attempt passes; relations in the file are kept as they are; the
file is written once, at the end; the same replies give the same bytes.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from rulemine.codec import dump_line
from rulemine.config import decode, read_toml
from rulemine.files import write_text
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.llm.call import Ask, Call, Failure, Reply
from rulemine.llm.session import Session
from rulemine.phrasing.tables import template_problems
from rulemine.phrasing.template_file import (
    PLACEHOLDERS,
    RelationTable,
    read_template_file,
    table_problems,
)
from rulemine.phrasing.templates import Templates
from rulemine.text.json_reply import TEXT, object_schema
from rulemine.text.template import fill
from rulemine.verbalizer.checks import TextProblem, explain
from rulemine.verbalizer.dialogue import ATTEMPTS
from rulemine.verbalizer.gloss_writer import GlossReport, problem_of_texts, samples_of
from rulemine.verbalizer.replies import read_object
from rulemine.verbalizer.requests import Calls

__all__ = ["write_book"]

KEYS = ("statement", "ask_subject", "ask_subjects", "ask_object", "ask_objects")
SCHEMA = object_schema(**dict.fromkeys(KEYS, TEXT))

SYSTEM = (
    "You word questions about the relations of a knowledge graph. Which end is which matters most."
)
USER = """\
Relation: {relation}
Some of its triples, as subject | object:
{samples}

Word it in short, natural English, true of every triple alike, also of those that are not shown.
- "statement": a clause with {{subject}} and {{object}} once each, e.g. \
"{{subject}} was written by {{object}}".
- "ask_subject": a question for the subject of a given object, with {{topic}} once for that object, e.g. \
"What did {{topic}} write?"; "ask_subjects": the same where there are several.
- "ask_object": a question for the object of a given subject, with {{topic}} once for that subject, e.g. \
"Who is the author of {{topic}}?"; "ask_objects": the same where there are several, e.g. \
"Who are the authors of {{topic}}?".
Ask for people with "who", for a kind of thing by its name if every triple is of it ("Which river …"), and \
for anything else with "what". Name no entity.
{earlier}
Reply with one JSON object with these five keys, and with nothing else."""

HEADER = """\
# Words by a model for relations that no phrase book knows: check every line, above all which end is which. A
# build reads them with --set questions.templates=FILE. What is here is kept when the file is written again.
"""


def write_book(
    kg: KnowledgeGraph,
    templates: Templates,
    path: Path,
    session: Session,
    calls: Calls,
    *,
    labels: Mapping[str, str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> GlossReport:
    """Writes or completes a template file with a model's words.

    Args:
        kg: The complete KG, from which sample triples are drawn.
        templates: The templates of its relations; only derived ones are asked about.
        path: The file; what it has is kept.
        session: Answers the calls.
        calls: Has the model, the number of attempts and the seed.
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
    samples = samples_of(kg, asked, calls.seed, labels or {})
    works = [partial(_words, relation, samples[relation], calls) for relation in asked]
    failed: list[tuple[str, str]] = []
    for relation, made in zip(asked, session.run(works, progress), strict=True):
        if isinstance(made, TextProblem):
            failed.append((relation, explain(made)))
        elif problems := table_problems({**tables, relation: made}, Declarations()):
            failed.append((relation, problems[0]))
        else:
            tables[relation] = made
            rows[relation] = {key: getattr(made, key) for key in KEYS}
    text = HEADER + "".join(
        f"\n[{dump_line(relation)}]\n"
        + "".join(f"{key} = {dump_line(value)}\n" for key, value in row.items())
        for relation, row in sorted(rows.items())
    )
    write_text(path, text)
    kept = len(rows) - len(asked) + len(failed)
    rest = len(templates.rows) - len(asked) - kept
    return GlossReport(path, len(asked) - len(failed), kept, max(0, rest), tuple(failed))


async def _words(
    relation: str, samples: Sequence[Triple], calls: Calls, ask: Ask
) -> RelationTable | TextProblem:
    """The model's words for a relation, or the problem of its last ones."""
    problem, earlier = TextProblem(""), ""
    for attempt in range(ATTEMPTS):
        answer = await ask(_call(relation, samples, calls, earlier, attempt))
        if isinstance(answer, Failure):
            return TextProblem.of(answer)
        found = read_words(relation, samples, answer)
        if isinstance(found, RelationTable):
            return found
        problem = found
        earlier += f"- Rejected before, so mend it: {' '.join(answer.text.split())[:300]} "
        earlier += f"Reason: {explain(problem)}\n"
    return problem


def _call(
    relation: str, samples: Sequence[Triple], calls: Calls, earlier: str, attempt: int
) -> Call:
    chosen = calls.chosen
    shown = "\n".join(f"{s} | {o}" for s, _, o in samples)
    user = fill(USER, {"relation": relation, "samples": shown, "earlier": earlier})
    return Call(
        purpose="book",
        subject=relation,
        model=chosen.model,
        messages=({"role": "system", "content": SYSTEM}, {"role": "user", "content": user}),
        max_tokens=chosen.max_tokens,
        temperature=chosen.temperature if chosen.temperature >= 0 else None,
        seed=calls.seed % 2**31,
        sample=attempt,
        schema=SCHEMA,
    )


def read_words(
    relation: str, samples: Sequence[Triple], reply: Reply
) -> RelationTable | TextProblem:
    """The templates in a reply, checked, or what is wrong with it."""
    found = read_object(reply, SCHEMA)
    if isinstance(found, TextProblem):
        return found
    if isinstance(found, str):
        return TextProblem("malformed", "no JSON object")
    texts = {key: " ".join(str(found[key]).split()) for key in KEYS}
    problems: list[str] = []
    table = decode(RelationTable, texts, problems)
    if table is not None:
        problems += template_problems(table, PLACEHOLDERS)
        problems += table_problems({relation: table}, Declarations())
        if problem := problem_of_texts(relation, texts, samples):
            problems.append(problem)
    if table is None or problems:
        return TextProblem("malformed", "; ".join(problems))
    return table
