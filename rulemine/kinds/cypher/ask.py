"""Makes the questions of the kind ``cypher``: tasks over the complete graph, graded at every level.

Where splits are held apart, they are drawn together with the questions. CypherBench (arXiv 2412.18702) splits
by graph: a test graph has types and relations that no training question has. Within one graph its like is a
split by signature, where test asks for combinations of types and relations that training does not have, or
by domain, the type of what is asked for. Groups of candidates are dealt to the splits; then test is drawn,
then validation, then training, each from its own groups and, where these do not suffice, from others of which
nothing was drawn.

Guarantees: no two questions have the same query or text, or the same answers and two constants in common; as
many of each MATCH template as wanted have other rows once everything is removed, as far as there are;
questions are in the order in which tasks are made, template by template. Of splits: no signature (or domain)
is in two, nor are two questions of the same matches; no fact that a test question needs is given away by
training or validation, none that validation needs by training (`rulemine.release.proof_triples`); test and
validation questions need at most `max_facts`; of no template are there more than wanted; what is drawn
depends on the candidates, options and seed, not on their order. Sizes are near the ratios and templates,
changed and core questions are distributed as in the whole, as far as groups and locks allow; a group that is
larger than its split should be is in train.
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
from rulemine.kinds.cypher.pool import DEALS, CandidatePool, Wanted
from rulemine.kinds.cypher.realism import Realism, draft_characteristics
from rulemine.kinds.cypher.words.texts import QuestionTexts
from rulemine.kinds.graded import new_question
from rulemine.kinds.locks import DRAWN, LockReason
from rulemine.kinds.near_duplicates import NEAR_DUPLICATE, NearDuplicates
from rulemine.recipe.earlier import AGAIN
from rulemine.release.naming import name_entities
from rulemine.release.proof_triples import Fact, RemovedFacts
from rulemine.release.records import SPLITS, HardAnswer, Question
from rulemine.text.naming_rules import ANCHOR_TELLS, telling_anchor

__all__ = ["ENOUGH", "asked_last", "drafts", "draw"]

ENOUGH = "there are enough of its template"
"""Why a candidate is not drawn."""

_COMPARED = 12
"""So many candidates are compared by what they would lock before one is drawn."""

_ROUNDS = 10
"""So often what a split cannot have of one template is asked of another."""


def draw(
    candidates: Sequence[tuple[Question, PatternQuery]],
    facts: RemovedFacts,
    wanted: Wanted,
    seed: int,
) -> tuple[dict[str, str], dict[str, str]]:
    """Draws questions for each split.

    Args:
        candidates: The candidates, with distinct queries.
        facts: What is removed.
        wanted: How many of which.
        seed: Seed of the random choices.

    Returns:
        Query of each question that is drawn → its split; query of each other candidate → why it is not.

    Raises:
        UserError: There are fewer groups than splits.
    """
    order = sorted(candidates, key=lambda pair: pair[0].query)
    best: _Draw | None = None
    for attempt in range(DEALS):
        pool = CandidatePool.of(order, facts, wanted, seed, attempt)
        want = pool.shares()
        made = _Draw(pool, want)
        for _ in range(_ROUNDS):
            if best is None or made.short < best.short:
                best = made
            if not pool.reserve(made.lacking("train")) and not made.exchange(want):
                break
            made = _Draw(pool, want)
        if best is not None and not best.short:
            break
    if best is None:
        raise AssertionError("nothing was drawn")
    names = [question.query for question, _ in order]
    return (
        {names[i]: split for i, split in sorted(best.split.items())},
        {names[i]: best.reason(i) for i in range(len(names)) if i not in best.split},
    )


class _Draw:
    """One draw.

    Args:
        pool: The candidates.
        want: Split → template → how many.
    """

    def __init__(self, pool: CandidatePool, want: dict[str, Counter[str]]) -> None:
        self.pool, self.want = pool, {split: Counter(row) for split, row in want.items()}
        self.split: dict[int, str] = {}
        self.owner = dict(pool.owner)
        self.needed: set[Fact] = set()
        self.before: dict[str, frozenset[Fact]] = {}  # split → what those drawn before it need
        self.locked: set[int] = set()
        self.number = {split: Counter[str]() for split in SPLITS}
        for split in DRAWN:
            self._draw(split)

    @property
    def short(self) -> int:
        """How many questions splits have too few, in all, of those that change, and of the core in test."""
        pool = self.pool
        found = 0
        for split, shares in pool.shares().items():
            own = [i for i, other in self.split.items() if other == split]
            size = shares.total()
            found += max(0, size - len(own))
            found += max(0, round(size * pool.wanted.changed) - sum(pool.changed[i] for i in own))
            found += max(0, pool.core_wanted[split] - sum(pool.core[i] for i in own))
        return found

    def reason(self, i: int) -> str:
        """Why a candidate is in no split."""
        return LockReason.GIVES if i in self.locked else ENOUGH

    def lacking(self, split: str) -> Counter[str]:
        """Template → how many questions a split lacks of it."""
        return self.want[split] - self.number[split]

    def exchange(self, want: dict[str, Counter[str]]) -> bool:
        """Hands what splits lack of a template to others that have more of it, for as many of another one.

        Returns:
            Whether anything was handed over.
        """
        pool, done = self.pool, False
        free = {
            split: Counter(pool.template[i] for i in pool.order if self._may(i, split))
            for split in SPLITS
        }
        for split in SPLITS:
            for template in sorted(self.lacking(split).elements()):
                takers = [one for one in SPLITS if one != split and free[one][template] > 0]
                if not takers and free[split][template] > 0:  # it lacks room
                    some = [
                        t for t, n in sorted(free["train"].items()) if min(n, want[split][t]) > 0
                    ]
                    if some and split != "train":
                        other = max(some, key=lambda t: (want[split][t], free["train"][t]))
                        want[split][other] -= 1
                        want["train"][other] += 1
                        free["train"][other] -= 1
                        done = True
                if not takers:
                    continue
                taker = max(takers, key=lambda one: free[one][template])
                others = [t for t, n in sorted(free[split].items()) if n > 0 and want[taker][t] > 0]
                back = max(others, key=lambda t: (want[taker][t], free[split][t]), default=None)
                want[split][template] -= 1
                want[taker][template] += 1
                free[taker][template] -= 1
                if back is not None:
                    want[taker][back] -= 1
                    want[split][back] += 1
                    free[split][back] -= 1
                done = True
        return done

    def _draw(self, split: str) -> None:
        """Draws a split: what is wanted of the core, then of changed ones, then the rest.

        Of a template it has at most twice what it should, and training what the other splits leave.
        """
        pool, want, number = self.pool, self.want[split], self.number[split]
        self.before[split] = frozenset(self.needed)
        left = sum(self.want.values(), Counter[str]()) - sum(self.number.values(), Counter[str]())
        if split == "train":
            want = left
        order = [i for i in pool.order if self._may(i, split)]
        order.sort(key=lambda i: pool.dealt[pool.group[i]] != split)
        templates = sorted(left)
        changed = {
            t: [i for i in order if pool.template[i] == t and pool.changed[i]] for t in templates
        }
        core = {t: [i for i in some if pool.core[i]] for t, some in changed.items()}
        rest = {
            t: [i for i in order if pool.template[i] == t and not pool.changed[i]]
            for t in templates
        }
        whole = self.pool.shares()[split].total()
        total = round(whole * pool.wanted.changed)
        half, want, twice = (
            Counter({t: min(left[t], round(n * factor + 0.49)) for t, n in want.items()})
            for factor in (pool.wanted.changed, 1, 1 if split == "train" else 2)
        )
        first = min(pool.core_wanted[split], whole)
        for most in (half, want, twice):
            self._take(split, core, most, first - number.total())
        for most in (half, want):
            self._take(split, changed, most, total - number.total())
        for some in rest.values():
            some.sort(key=lambda i: i not in self.locked)
        for most in (want, twice):
            self._take(split, rest, most, whole - number.total(), compared=1)
            self._take(split, changed, most, whole - number.total())

    def _take(
        self,
        split: str,
        some: dict[str, list[int]],
        most: dict[str, int] | Counter[str],
        number: int,
        compared: int = _COMPARED,
    ) -> int:
        """Draws up to so many candidates, templates in turn, until each has the most it may have."""
        left = {template: list(own) for template, own in some.items()}
        taken = 0
        while taken < number:
            before = taken
            for template, own in left.items():
                if taken < number and self.number[split][template] < most[template]:
                    taken += self._take_one(split, own, compared)
            if taken == before:
                break
        return taken

    def _take_one(self, split: str, own: list[int], compared: int) -> bool:
        """Draws one of some candidates: of the first ones that can be drawn, the one that locks least."""
        fit: list[int] = []
        for i in own:
            if self._may(i, split):
                fit.append(i)
                if len(fit) == compared:
                    break
        if not fit:
            own.clear()
            return False
        best = min(fit, key=lambda i: (self._moves(i, split), self._locks(i, split)))
        own.remove(best)
        if split != "train":
            self.locked |= self._locked_by(best)
            self.needed |= self.pool.needs[best]
        self.split[best] = split
        self.owner[self.pool.group[best]] = split
        self.number[split][self.pool.template[best]] += 1
        return True

    def _moves(self, i: int, split: str) -> bool:
        """Whether a candidate's group was dealt to another split."""
        group = self.pool.group[i]
        return self.owner.get(group, self.pool.dealt[group]) != split

    def _locks(self, i: int, split: str) -> int:
        return len(self._locked_by(i)) if split != "train" else 0

    def _locked_by(self, i: int) -> set[int]:
        """The candidates that could not be drawn for later splits any more."""
        new = self.pool.needs[i] - self.needed
        return {j for fact in new for j in self.pool.givers.get(fact, ())} - self.locked

    def _may(self, i: int, split: str) -> bool:
        pool = self.pool
        if i in self.split or not self._open(i, split):
            return False
        if split != "train":
            needs = pool.needs[i]
            if len(needs) > pool.wanted.max_facts or not needs.isdisjoint(pool.kept):
                return False
        return pool.gives[i].isdisjoint(self.before[split])

    def _open(self, i: int, split: str) -> bool:
        """Whether a candidate's group is the split's, or can become it."""
        pool, group = self.pool, self.pool.group[i]
        if (owner := self.owner.get(group)) is not None:
            return owner == split
        dealt = DRAWN.index(pool.dealt[group])  # what was dealt to earlier splits, they have left
        return dealt <= DRAWN.index(split) or pool.wanted.by == "question"


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

    def enough(self) -> bool:
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
