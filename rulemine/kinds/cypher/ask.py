"""Makes the questions of the kind ``cypher``: tasks over the complete graph, graded at every level.

Guarantees: no two questions have the same query or text, or the same answers and two constants in common; as
many of each MATCH template as wanted have other rows once everything is removed, as far as there are;
questions are in the order in which tasks are made, template by template. Where splits are held apart, they
are drawn together with the questions (`rulemine.kinds.cypher.splits`).
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from rulemine.cypher.questions.grades import LostRow, RowGrades, grade
from rulemine.cypher.questions.pattern import PatternQuery
from rulemine.cypher.questions.pattern_text import query_of, query_text
from rulemine.cypher.questions.templates import MATCHES, RETURNS
from rulemine.errors import UserError
from rulemine.kg.graph import Triple
from rulemine.kinds.asking import Asking
from rulemine.kinds.cypher.block import CypherBlock, RowChange
from rulemine.kinds.cypher.graph import node_names
from rulemine.kinds.cypher.instantiate import CypherTask, Tally, make_tasks
from rulemine.kinds.cypher.options import CypherSection
from rulemine.kinds.cypher.pool import Wanted
from rulemine.kinds.cypher.realism.characteristics import draft_characteristics
from rulemine.kinds.cypher.realism.checks import Realism
from rulemine.kinds.cypher.splits import ENOUGH, draw
from rulemine.kinds.cypher.words.texts import QuestionTexts
from rulemine.kinds.graded import new_question
from rulemine.kinds.near_duplicates import NEAR_DUPLICATE, NearDuplicates
from rulemine.recipe.earlier import AGAIN
from rulemine.release.leakage import RemovedFacts
from rulemine.release.naming import name_entities
from rulemine.release.records import HardAnswer, Question
from rulemine.text.naming_rules import ANCHOR_TELLS, telling_anchor

__all__ = ["asked_last", "drafts"]

_LOOKED_AT = 3
"""So many times as many tasks are made as are wanted, so that there are enough for every split."""

_WEAK = 0.5
"""Proofs by a rule that is right less often are asked for last, unless most are such."""

_NEAR, _LOOKED_AT_NEAR = ("(n)-(m0*)", "(n)-(m0)-(m1*)"), 6
"""Most questions of the core are of these categories; more tasks are looked at while few of them change."""

_SAME_TEXT = "its text is that of another question"

_HOPS = {
    "(n)-(m0)": 1, "(n)-(m0*)": 1, "(n)-(m0)-(m1*)": 2, "(n)-(m0*),(n)-(m1*)": 1, "(n)=(m0)": 1,
    "optional": 1, "group-by": 2, "time": 1, "union": 1,
}  # fmt: skip
"""Category of a MATCH template → the greatest distance of a node from n; others have n alone."""


def drafts(asking: Asking) -> Iterator[Question | str]:
    """The questions about a property graph; with splits where these are held apart.

    Raises:
        UserError: The schema has nothing to ask about.
    """
    options, maker, tally = asking.options, _Maker(asking), Tally()
    tasks = make_tasks(
        maker.graph,
        maker.characteristics,
        asking.declarations,
        per_template=options.per_template * _LOOKED_AT,
        more=maker.more(),
        wanted=maker.core if maker.section.test_core else (),
        tally=tally,
        seed=asking.seed,
        progress=asking.progress,
        enough=maker.enough,
        texts=maker.texts,
        uncounted=options.uncounted,
        least_counted=options.least_counted,
    )
    candidates: list[tuple[Question, PatternQuery]] = []
    sampled: dict[str, _Sampled] = {}
    for template, some in groupby(tasks, key=lambda task: task.query.match.template):
        row = sampled.setdefault(MATCHES[template].category, _Sampled())
        candidates += maker.candidates(some, row.refused)
        row.wanted += options.per_template
    if not sampled:
        raise UserError(
            f"{asking.recipe.kg}: no question could be asked: its schema has no type or relation that the "
            "templates can use. rulemine graph tasks says what was dropped and why."
        )
    chosen, refused = maker.chosen(candidates)
    made = [
        replace(question, split=chosen[question.query])
        for question, _ in candidates
        if question.query in chosen
    ]
    for question in made:
        sampled[question.structure].questions += 1
    for question, _ in candidates:
        if question.query not in chosen:
            sampled[question.structure].refused[refused[question.query]] += 1
    asked = {question.shape for question in made}
    for template, match in MATCHES.items():
        if template not in asked:
            sampled.setdefault(match.category, _Sampled()).off[template] = tally.reason(template)
    asking.names, asking.reference = maker.names, ()
    asking.sampling = {category: row.to_plain() for category, row in sampled.items()}
    yield from made
    for row in sampled.values():
        yield from row.refused.elements()


@dataclass
class _Sampled:
    """What became of the tasks of a category; ``off``: its templates without a question, and why."""

    wanted: int = 0
    questions: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    off: dict[str, str] = field(default_factory=dict)

    def to_plain(self) -> dict[str, Any]:
        """For the manifest."""
        return {
            "wanted": self.wanted,
            "questions": self.questions,
            "drawn": self.questions + self.refused.total(),
            "rejected": dict(sorted(self.refused.items())),
            "off": self.off,
        }


class _Maker:
    """Makes questions of tasks.

    Args:
        asking: What all kinds ask with.
    """

    def __init__(self, asking: Asking) -> None:
        inputs, selection, recipe = asking.inputs, asking.selection, asking.recipe
        graph = inputs["property_graph"]
        self.graph, self.kind = graph, asking.kind.name
        self.options: CypherSection = asking.options
        self.section, self.seed = recipe.questions, asking.seed
        self.declarations = asking.declarations
        self.earlier = inputs.earlier
        self.characteristics = draft_characteristics(graph)
        labeled = dict(zip(selection.head.tolist(), inputs.kg.labeled(selection.head), strict=True))
        rows = list(enumerate(labeled[head] for head in selection.head.tolist()))
        self.removed = {triple: int(selection.level[row]) for row, triple in rows}
        self.core = {triple for row, triple in rows if selection.core[row]}
        rule_of = {triple: selection.rules[int(selection.rule[row])] for row, triple in rows}
        self.rules = {triple: rule.id for triple, rule in rule_of.items()}
        self.weak = asked_last({t: rule.known.std_confidence for t, rule in rule_of.items()})
        self.levels = [
            (level, graph.without(t for t, gone in self.removed.items() if gone <= level))
            for level in tuple(recipe.selection.levels) or (100,)
        ]
        self.names = name_entities(
            [node.id for node in graph.nodes],
            seed=recipe.seed,
            labels=node_names(inputs, inputs.kg.without(selection.removed)),
        )
        self.named = {row.entity: row for row in self.names}
        self.private = {row.entity: row.private for row in self.names}
        self.places = asking.templates.places
        self.realism = Realism(self.characteristics, asking.declarations)
        self.texts = QuestionTexts(graph, Realism(self.characteristics), asking.templates)
        self.found: list[tuple[Question, PatternQuery]] = []
        self.late: set[str] = set()

    def candidates(
        self, tasks: Iterable[CypherTask], refused: Counter[str]
    ) -> list[tuple[Question, PatternQuery]]:
        """The questions of one template that could be asked, in order."""
        self.found = found = []
        seen: set[str] = set()
        for task in tasks:
            if len(task.rows.rows) > self.options.max_rows:
                refused["its result has too many rows"] += 1
            elif (question := self.question(task)).question in seen:
                refused[_SAME_TEXT] += 1
            elif question.query in self.earlier.queries:
                refused[AGAIN] += 1
            elif self._tells(task.query, question):
                refused[ANCHOR_TELLS] += 1
            else:
                seen.add(question.question)
                odd = question.structure not in _NEAR and self.realism.odd(task.query.match)
                if odd or self._weak(question):
                    self.late.add(question.query)
                found.append((question, task.query))
        return found

    def chosen(
        self, candidates: Sequence[tuple[Question, PatternQuery]]
    ) -> tuple[dict[str, str], dict[str, str]]:
        """Chooses among candidates: query → split ("": none yet), and query → why it is not asked."""
        refused = _same_texts([question for question, _ in candidates])
        candidates = [pair for pair in candidates if pair[0].query not in refused]
        duplicates = _NearDuplicates(self.declarations)
        for question, _ in candidates:
            duplicates.add(question)
        staying = [pair for pair in candidates if duplicates.stays(pair[0])]
        refused |= {question.query: NEAR_DUPLICATE for question, _ in candidates}
        section, options = self.section, self.options
        if section.split == "group":
            facts = RemovedFacts(self.removed)
            wanted = Wanted(
                section.ratios, options.per_template, options.changed, options.split_by,
                section.test_core, section.max_facts, frozenset(self.late),
            )  # fmt: skip
            splits, left = draw(staying, facts, wanted, self.seed)
            return splits, refused | left
        refused |= {question.query: ENOUGH for question, _ in staying}
        found: list[Question] = []
        for _, some in groupby((question for question, _ in staying), key=lambda q: q.shape):
            own = sorted(some, key=lambda q: not q.block.changed)  # stable
            changed = sum(question.block.changed for question in own)
            first = min(changed, round(options.changed * options.per_template))
            found += (own[:first] + own[changed:] + own[first:changed])[: options.per_template]
        return {question.query: "" for question in found}, refused

    def more(self) -> dict[str, int]:
        """Of which templates more tasks are looked at, and how many."""
        n, changed = self.options.per_template, self.options.changed
        near = [one for one, row in MATCHES.items() if row.category in _NEAR]
        return dict.fromkeys(near if changed else (), n * _LOOKED_AT_NEAR)

    def enough(self, _template: str) -> bool:
        """Whether there are twice as many candidates of the present template as wanted, of either sort."""
        most, share = 2 * self.options.per_template, self.options.changed
        changed: int = sum(question.block.changed for question, _ in self.found)
        return changed >= share * most and len(self.found) - changed >= (1 - share) * most

    def _weak(self, question: Question) -> bool:
        """Whether the answer asked for rests on a rule that is right less often than not."""
        hard = next((row for row in question.hard if row.answer == question.hard_answer), None)
        return hard is not None and not self.weak.isdisjoint(hard.witness)

    def _tells(self, query: PatternQuery, question: Question) -> bool:
        """Whether a node that the query names tells an answer, see `rulemine.kinds.texts`."""
        if not question.block.columns[0].endswith(".name"):
            return False
        anchors = [
            self.named[node.name]
            for variable, node in query.match.named.items()
            if node.name is not None
            and not self.places.issuperset(
                {e.relation for e in query.match.edges if variable in (e.subject, e.object)} or {""}
            )
        ]
        answers = [self.named[json.loads(row)[0]] for row in question.answers]
        return telling_anchor(anchors, answers) is not None

    def question(self, task: CypherTask) -> Question:
        """A task as a question, graded."""
        query = task.query
        grades = grade(query, self.graph, self.levels, self.removed, task.rows)
        hard = tuple(self._hard(row) for row in grades.lost)
        asked_for = min(hard, key=lambda row: (not row.core, row.missing, row.answer), default=None)
        answers = sorted(set(grades.rows))
        lost = {row.answer for row in hard}
        match, evidence = query.match, asked_for.witness if asked_for else ()
        category = MATCHES[match.template].category
        return new_question(
            self.kind,
            question=task.question,
            anchors=tuple(sorted({node.name for node in match.nodes if node.name is not None})),
            query=query_text(query),
            sparql="",
            structure=category,
            shape=match.template,
            hops=_HOPS.get(category, 0),
            answers=tuple(answers),
            stated=tuple(row for row in answers if row not in lost),
            hard=hard,
            hard_answer=asked_for.answer if asked_for else None,
            core=bool(asked_for and asked_for.core),
            evidence=evidence,
            full_evidence=grades.triples
            if len(grades.triples) <= self.options.max_evidence
            else evidence,
            spurious=tuple(sorted(set(grades.changes[-1].spurious))),
            relations=tuple(sorted(set(match.relations))),
            removed=grades.removed,
            rules=tuple(sorted({self.rules[triple] for triple in grades.removed})),
            patterns=(self.texts.pattern(query, self.private),),
            block=self._block(task, grades),
        )

    def _hard(self, row: LostRow) -> HardAnswer:
        gone = [triple for triple in row.witness if triple in self.removed]
        core = bool(gone) and self.core.issuperset(gone)
        return HardAnswer(row.row, row.missing, row.level, row.witness, core)

    def _block(self, task: CypherTask, grades: RowGrades) -> CypherBlock:
        match, result = task.query.match, task.query.result
        return CypherBlock(
            match=match.template,
            returns=result.template,
            family=RETURNS[result.template].family,
            cypher=task.cypher,
            columns=grades.columns,
            rows=grades.rows,
            ordered=grades.ordered,
            keys=grades.keys,
            tied=grades.tied,
            levels=tuple(RowChange(*change) for change in grades.changes),
            properties=_read(task.query),
        )


def _same_texts(questions: Sequence[Question]) -> dict[str, str]:
    """Why queries are not asked whose text is that of another one, of a template that has fewer."""
    refused: dict[str, str] = {}
    number = Counter(question.shape for question in questions)
    by_text: dict[str, list[Question]] = {}
    for question in questions:
        by_text.setdefault(question.question, []).append(question)
    for same in by_text.values():
        stays = min(same, key=lambda question: number[question.shape])
        for question in same:
            if question is not stays:
                number[question.shape] -= 1
                refused[question.query] = _SAME_TEXT
    return refused


def asked_last(confidence: Mapping[Triple, float]) -> frozenset[Triple]:
    """The removed triples that are asked for where there are no others, by the confidence of their rules."""
    found = frozenset(triple for triple, right in confidence.items() if right < _WEAK)
    return found if 2 * len(found) <= len(confidence) else frozenset()


def _read(query: PatternQuery) -> tuple[str, ...]:
    """The properties that a question reads, as ``Type.property``."""
    of = query.match.nodes[0].type
    return tuple(
        sorted({f"{of}.{name}" for name in (query.result.property, query.result.key) if name})
    )


class _NearDuplicates(NearDuplicates):
    def constants(self, question: Question) -> Sequence[str]:
        query = query_of(question.query)
        nodes = {f"{node.type} {node.id or node.name}" for node in query.match.nodes if node.fixed}
        others = (query.match.time, query.result.bound)
        return sorted(nodes | {f"= {value}" for value in others if value is not None})

    def atoms(self, question: Question) -> int:
        return len(question.relations)
