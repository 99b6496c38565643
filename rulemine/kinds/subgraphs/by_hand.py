"""Checks candidates, a line each, as those of a build are checked; see ``docs/candidates.md``.

Guarantee: every line gets a verdict, in the order of the lines; what cannot be read is rejected with its
reason.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rulemine.arrays import distinct
from rulemine.codec import parse_object
from rulemine.errors import InputError, counted
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.subgraphs.validation import Valid, Validator
from rulemine.kinds.written.candidate import Candidate, Refusal, Subgraph
from rulemine.kinds.written.execution import Executor
from rulemine.kinds.written.replies import Unread, read_candidate
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.query.evidence import full_evidence
from rulemine.query.grading import Grades, evaluate
from rulemine.query.minimality import minimal
from rulemine.query.query_graph import QueryGraph
from rulemine.query.structures import structure_of
from rulemine.text.naming_rules import broken_rule
from rulemine.text.printing import printable

__all__ = ["Verdict", "check_candidates", "check_lines", "shown", "summary_of"]

Verdict = dict[str, Any]
"""What was found of a line, as it is written to a file: ``line``, ``accepted``, and more."""


def check_lines(
    lines: Sequence[str],
    kg: KnowledgeGraph,
    declarations: Declarations,
    reference: "frozenset[Triple] | None",
    progress: Callable[[int, int], None],
    *,
    max_answers: int,
    timeout: float,
    max_rows: int,
) -> list[Verdict]:
    """What `check_candidates` finds, with queries run here.

    Args:
        lines: The candidates.
        kg: The complete graph.
        declarations: Which relations state the same facts.
        reference: Triples of a graph that must have the used ones too; None: none.
        progress: Called with the number of lines done and of all.
        max_answers: Most answers of a question.
        timeout: Seconds that a query may take.
        max_rows: Rows that a query may give.
    """
    options = replace(SubgraphSection(), max_answers=max_answers)
    with Executor(WriterNames.plain(kg), timeout, max_rows) as executor:
        return [*check_candidates(lines, kg, declarations, options, executor, reference, progress)]


def check_candidates(
    lines: Sequence[str],
    kg: KnowledgeGraph,
    declarations: Declarations,
    options: SubgraphSection,
    executor: Executor,
    reference: "frozenset[Triple] | None" = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[Verdict]:
    """Checks candidates.

    Args:
        lines: A candidate each, as a writer replies, in the names of the graph; besides perhaps ``atoms``,
            the number of triples it should use, and ``subgraph``, the triples that the writer saw.
        kg: The complete graph.
        declarations: Which relations state the same facts.
        options: The limits.
        executor: What runs queries, with its context entered.
        reference: Triples of a graph that must have the used ones too; None: none.
        progress: Called with the number of lines done and of all.

    Yields:
        What was found of each line that is not blank.
    """
    graph, names = QueryGraph(kg), WriterNames.plain(kg)
    validator = Validator(names, graph, declarations, options, executor, reference)
    for number, line in enumerate(lines, start=1):
        progress(number - 1, len(lines))
        if not line.strip():
            continue
        found = _checked(line, kg, validator)
        if isinstance(found, Valid):
            grades = evaluate(graph, found.query)
            reason = _text_problem(found, grades, json.loads(line)["question"])
            if reason is None:
                yield {"line": number, "accepted": True, **_described(found, grades, declarations)}
                continue
            found = Refusal(reason)
        reason = found.reason.replace("the reply ", "the line ")
        yield {"line": number, "accepted": False, "reason": reason, "detail": found.detail}


def summary_of(verdicts: Sequence[Verdict]) -> str:
    """How many candidates were accepted, and how many rejected for each reason, most first."""
    reasons = Counter(verdict.get("reason", "") for verdict in verdicts)
    accepted = reasons.pop("", 0)
    first = f"{counted(len(verdicts), 'candidate')}, {accepted:,} accepted"
    lines = [f"{number:8,}  {reason}" for reason, number in reasons.most_common()]
    return "\n".join([first, *lines])


def _checked(line: str, kg: KnowledgeGraph, validator: Validator) -> Valid | Refusal:
    try:
        row = parse_object(line, "it")
    except InputError as problem:
        return Refusal(Unread.NO_JSON, str(problem))
    candidate = read_candidate(line)
    if not isinstance(candidate, Candidate):
        return candidate
    atoms, shown = row.get("atoms"), row.get("subgraph")
    if atoms is not None and type(atoms) is not int:
        return Refusal(Unread.FIELDS, "atoms")
    subgraph = None if shown is None else _subgraph(shown, kg)
    return (
        subgraph
        if isinstance(subgraph, Refusal)
        else validator.validate(candidate, subgraph, atoms)
    )


def _subgraph(shown: Any, kg: KnowledgeGraph) -> Subgraph | Refusal:
    """The triples that a line says the writer saw."""
    try:
        triples = [(kg.entity_ids[s], kg.relation_ids[r], kg.entity_ids[o]) for s, r, o in shown]
    except (TypeError, ValueError, KeyError):
        return Refusal(Unread.FIELDS, "subgraph: expected triples of the graph")
    ids = np.array(triples, np.int32).reshape(-1, 3)
    rows = kg.rows_of(ids)
    if (rows < 0).any():
        return Refusal(Unread.FIELDS, "subgraph: expected triples of the graph")
    return Subgraph(tuple(distinct(ids[:, [0, 2]]).tolist()), tuple(rows.tolist()))


def _text_problem(valid: Valid, grades: Grades, text: str) -> str | None:
    """Which rule for texts a question breaks."""
    kg = grades.graph.kg
    anchors = {*valid.seeds}
    answers = grades.entities.tolist()
    between = [i for i in full_evidence(grades).between.tolist() if i not in {*answers, *anchors}]
    named, own, hidden = (
        [EntityNames("", kg.entities[i], kg.entities[i]) for i in some]
        for some in (valid.seeds, answers, between)
    )
    return broken_rule(text, "entity", named, own, hidden)


def _described(valid: Valid, grades: Grades, declarations: Declarations) -> Verdict:
    """What is said of a candidate that passed."""
    structure = structure_of(valid.query, declarations)
    found = minimal(grades.graph, valid.query, declarations)
    counts = {} if grades.value is None else {"value": grades.value}
    return {
        "query": valid.query.text,
        "structure": structure.name,
        "shape": structure.shape,
        "hops": structure.hops,
        "atoms": structure.atoms,
        "anchors": structure.anchors,
        "answers": grades.answers,
        **counts,
        **({"dropped": valid.dropped} if valid.dropped else {}),
        "evidence": len(full_evidence(grades).rows),
        "redundant": found.redundant,
        "minimal_shape": found.shape,
        "minimal": [{"anchors": seeds, "query": query.text} for seeds, query in found.queries],
    }


def shown(verdict: Verdict) -> str:
    """A verdict for people."""
    start = f"line {verdict['line']}: "
    if not verdict["accepted"]:
        detail = f" ({printable(verdict['detail'])})" if verdict["detail"] else ""
        return f"{start}rejected: {verdict['reason']}{detail}"
    named = f"{verdict['structure']}, " * (verdict["structure"] != verdict["shape"])
    answers = counted(verdict.get("value", len(verdict["answers"])), "answer")
    lines = [
        f"{start}accepted: {printable(verdict['query'])}",
        f"    {named}shape {verdict['shape']}, {counted(verdict['hops'], 'hop')}, {answers}, "
        f"{counted(verdict['evidence'], 'triple')} of full evidence",
    ]
    if dropped := verdict.get("dropped"):
        lines.append(f"    without {' and '.join(dropped)}, which changes no answer")
    if verdict["redundant"]:
        lines.append(f"    not minimal: shape {verdict['minimal_shape']} gives the same answers:")
        lines += [f"        {printable(one['query'])}" for one in verdict["minimal"]]
    return "\n".join(lines)
