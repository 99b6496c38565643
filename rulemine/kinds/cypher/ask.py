"""Makes the questions of the kind ``cypher``: tasks over the complete graph, graded at every level.

They are drawn one MATCH template after the other, first around removed triples, until the removal changes as
many as are wanted in all, then any, so that every split can have its share; which of them are asked, and in
which split, `rulemine.kinds.asking` decides. CypherBench (arXiv 2412.18702) splits by graph: a test graph has
types and relations that no training question has. Within one graph its like is a split by signature, where
test asks for combinations of types and relations that training does not have, or by domain, the type of what
is asked for. Questions of the same matches are in one split in any case.
"""

import json
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace

from rulemine.cypher.questions.grades import LostRow, RowGrades, grade
from rulemine.cypher.questions.pattern import MatchPattern, PatternQuery
from rulemine.cypher.questions.pattern_text import query_of, query_text
from rulemine.cypher.questions.render import to_cypher
from rulemine.cypher.questions.templates import MATCHES, RETURNS
from rulemine.errors import ConfigError, UserError, counted, did_you_mean
from rulemine.kg.graph import Triple
from rulemine.kinds.asking import Asking, Tried
from rulemine.kinds.cypher.block import CypherBlock, RowChange
from rulemine.kinds.cypher.graph import node_names
from rulemine.kinds.cypher.instantiate import CypherTask, TaskMaker
from rulemine.kinds.cypher.options import SPLIT_WAYS
from rulemine.kinds.cypher.realism import Realism, draft_characteristics
from rulemine.kinds.cypher.words.texts import QuestionTexts
from rulemine.kinds.dealing import DRAWN, Dealable, by_ratios, deal, fill_empty
from rulemine.kinds.graded import new_question
from rulemine.kinds.texts import SAME
from rulemine.recipe.earlier import AGAIN
from rulemine.recipe.recipe import QuestionSection
from rulemine.release.naming import name_entities
from rulemine.release.proof_triples import Fact
from rulemine.release.records import SPLITS, HardAnswer, Question, Rejection
from rulemine.text.naming_rules import ANCHOR_TELLS, telling_anchor

__all__ = ["asked_last", "constants_of", "drafts", "signature_of"]

_WEAK = 0.5
"""Proofs by a rule that is right less often are asked for last, unless most are such."""

_MOST = 1.6
"""So many times as many are drawn as are wanted."""

_KEPT = 0.05
"""Of the removed facts at most this share is kept for training.

A question about all that a relation joins gives all of its facts away, so training can only have it where
validation and test ask for none of these."""

_HOPS = {
    "(n)-(m0)": 1, "(n)-(m0*)": 1, "(n)-(m0)-(m1*)": 2, "(n)-(m0*),(n)-(m1*)": 1, "(n)=(m0)": 1,
    "optional": 1, "group-by": 2, "time": 1, "union": 1,
}  # fmt: skip
"""Category of a MATCH template → the greatest distance of a node from n; others have n alone."""


def drafts(asking: Asking) -> Iterator[Tried]:
    """The questions about a property graph without words; those that are wanted least last.

    Raises:
        ConfigError: A name in `cypher.uncounted` is not in the schema.
    """
    graph, options = asking.inputs["property_graph"], asking.options
    known_as = sorted(row.label for row in (*graph.schema.entities, *graph.schema.relations))
    for unknown in sorted(set(options.uncounted).difference(known_as)):
        raise ConfigError(
            f"cypher.uncounted: no type or relation is {unknown!r}; {did_you_mean(unknown, known_as)}"
        )
    grading = _Grading(asking)
    known = draft_characteristics(graph)
    realism = Realism(known, asking.declarations, options.uncounted, asking.templates.places)
    maker = TaskMaker(
        graph, realism, asking.seed, grading.core or grading.removed,
        options.least_counted, options.max_rows,
    )  # fmt: skip
    asking.names, asking.reference = grading.names, ()
    asking.texts = _Texts(asking, QuestionTexts(graph, Realism(known), asking.templates))  # type: ignore[assignment]
    tried = (one for template in MATCHES for one in _tried(asking, template, maker, grading))
    if options.split_by == "question" or asking.recipe.questions.split != "group":
        yield from tried
    else:
        yield from _together([*tried], options.split_by, asking.recipe.questions)


def _tried(asking: Asking, template: str, maker: TaskMaker, grading: "_Grading") -> Iterator[Tried]:
    """What may be asked of a MATCH template; weak proofs last.

    Questions of matches that more than a third of them have are for training, as they stay together; so are
    those that give away facts which are kept for it.
    """
    earlier, enough = asking.inputs.earlier.queries, asking.options.per_template
    found: dict[bool, list[Question]] = {True: [], False: []}
    weak, of_match = list[Question](), defaultdict[MatchPattern, list[Question]](list)
    for around in (True, False):
        for task in maker.tasks(template, around):
            if query_text(task.query) in earlier:
                yield Tried(template, "", AGAIN)
                continue
            question = grading.question(task)
            of_match[task.query.match].append(question)
            own = weak if grading.is_weak(question) else found[question.block.changed]
            own.append(question)
            changed, others = map(len, found.values())
            if changed + others >= _MOST * enough or (around and changed >= enough):
                break
    drawn, given_by = found[True] + found[False] + weak, asking.facts.given_by
    if MATCHES[template].category == "(n)-(m0)":
        given = (set[Fact]().union(*map(given_by, own)) for own in of_match.values())
        least = min(given, key=len, default=set[Fact]())
        if len(grading.kept | least) <= _KEPT * len(grading.removed):
            grading.kept |= least
    for n, question in enumerate(drawn):
        together = len(of_match[query_of(question.query).match]) > max(1, len(drawn) / 3)
        kept = not grading.kept.isdisjoint(given_by(question))
        # Strata are asked in turn: two of three are changed, as far as there are such.
        stratum = n % 2 if question.block.changed else 2
        yield Tried(template, stratum, question, ("train",) if together or kept else DRAWN)
    if not of_match:
        yield Tried(template, "", maker.reason(template))


def asked_last(confidence: Mapping[Triple, float]) -> frozenset[Triple]:
    """The removed triples that are asked for where there are no others, by the confidence of their rules."""
    found = frozenset(triple for triple, right in confidence.items() if right < _WEAK)
    return found if 2 * len(found) <= len(confidence) else frozenset()


def signature_of(query: PatternQuery) -> str:
    """The type signature of what is matched, whichever node is asked for: its relations with their types.

    Example:
        >>> from rulemine.cypher import MatchPattern, PatternNode, ReturnClause
        >>> town, person = PatternNode("Town"), PatternNode("Person", "Bo")
        >>> match = MatchPattern("(n)<-(m0*)", (town, person), ("livesIn",))
        >>> signature_of(PatternQuery(match, ReturnClause("n_name")))
        'Person livesIn Town'
    """
    match = query.match
    edges = [
        f"{match.named[edge.subject].type} {edge.relation} {match.named[edge.object].type}"
        for edge in match.edges
    ]
    return ", ".join(sorted(edges)) or match.nodes[0].type


def _together(tried: list[Tried], by: str, chosen: QuestionSection) -> list[Tried]:
    """Deals signatures, or domains, each with all its questions; one that is too large is in train.

    Raises:
        UserError: There are fewer than splits.
    """
    groups: dict[str, list[int]] = {}
    for i, one in enumerate(tried):
        if isinstance(one.found, Question):
            query = query_of(one.found.query)
            key = signature_of(query) if by == "signature" else query.match.nodes[0].type
            groups.setdefault(key, []).append(i)
    if len(groups) < len(SPLITS):
        raise UserError(
            f"{counted(len(tried), 'question')} have {counted(len(groups), by)}; {len(SPLITS)} splits need "
            f"at least {len(SPLITS)}. Set cypher.split_by to another of {', '.join(SPLIT_WAYS)}, or "
            "questions.split to none."
        )
    none = frozenset[Hashable]()
    some = [
        Dealable("", "", none, none, sum(tried[i].found.core for i in own), size=len(own))  # type: ignore[union-attr]
        for own in groups.values()
    ]
    plan = by_ratios({"": sum(one.size for one in some)}, some, chosen)
    split_of, _ = deal(some, plan)
    fill_empty(some, split_of)
    for place, own in enumerate(groups.values()):
        for i in own:
            tried[i] = tried[i]._replace(splits=(split_of[place],))
    return tried


def constants_of(question: Question) -> list[str]:
    """The named nodes and the values of a query, sorted."""
    query = query_of(question.query)
    nodes = {f"{node.type} {node.id or node.name}" for node in query.match.nodes if node.fixed}
    others = (query.match.time, query.result.bound)
    return sorted(nodes | {f"= {value}" for value in others if value is not None})


class _Grading:
    """Makes questions of tasks: what each level takes from their rows, and what that rests on.

    Attributes:
        removed: Removed triple → the level at which it is removed.
        core: Those of the core.
        names: The names of all nodes.
        kept: Facts that only training may ask for.
    """

    def __init__(self, asking: Asking) -> None:
        inputs, selection, recipe = asking.inputs, asking.selection, asking.recipe
        self._graph, self._kind = inputs["property_graph"], asking.kind.name
        self._max_evidence = asking.options.max_evidence
        triples = inputs.kg.labeled(selection.head)
        self.removed = dict(zip(triples, selection.level.tolist(), strict=True))
        self.core = {triple for triple, core in zip(triples, selection.core, strict=True) if core}
        rules = [selection.rules[number] for number in selection.rule.tolist()]
        self._rules = {triple: rule.id for triple, rule in zip(triples, rules, strict=True)}
        confidences = (rule.known.std_confidence for rule in rules)
        self._weak = asked_last(dict(zip(triples, confidences, strict=True)))
        self._levels = [
            (level, self._graph.without(t for t, gone in self.removed.items() if gone <= level))
            for level in tuple(recipe.selection.levels) or (100,)
        ]
        self.kept = set[Fact]()
        self.names = name_entities(
            [node.id for node in self._graph.nodes],
            seed=recipe.seed,
            labels=node_names(inputs, inputs.kg.without(selection.removed)),
        )

    def question(self, task: CypherTask) -> Question:
        """A task as a question without words, graded."""
        query = task.query
        grades = grade(query, self._graph, self._levels, self.removed, task.rows)
        hard = tuple(self.hard(row) for row in grades.lost)
        asked_for = min(hard, key=lambda row: (not row.core, row.missing, row.answer), default=None)
        answers = sorted(set(grades.rows))
        lost = {row.answer for row in hard}
        match, evidence = query.match, asked_for.witness if asked_for else ()
        category = MATCHES[match.template].category
        few = len(grades.triples) <= self._max_evidence
        return new_question(
            self._kind,
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
            full_evidence=grades.triples if few else evidence,
            spurious=tuple(sorted(set(grades.changes[-1].spurious))),
            relations=tuple(sorted(set(match.relations))),
            removed=grades.removed,
            rules=tuple(sorted({self._rules[triple] for triple in grades.removed})),
            block=_block(query, grades),
        )

    def hard(self, row: LostRow) -> HardAnswer:
        """A row that is lost; of the core, where all that it lacks is."""
        gone = [triple for triple in row.witness if triple in self.removed]
        core = bool(gone) and self.core.issuperset(gone)
        return HardAnswer(row.row, row.missing, row.level, row.witness, core)

    def is_weak(self, question: Question) -> bool:
        """Whether the answer asked for rests on a rule that is right less often than not."""
        hard = next((row for row in question.hard if row.answer == question.hard_answer), None)
        return hard is not None and not self._weak.isdisjoint(hard.witness)


def _block(query: PatternQuery, grades: RowGrades) -> CypherBlock:
    match, result = query.match, query.result
    read = {f"{match.nodes[0].type}.{name}" for name in (result.property, result.key) if name}
    return CypherBlock(
        match=match.template,
        returns=result.template,
        family=RETURNS[result.template].family,
        cypher=to_cypher(query),
        columns=grades.columns,
        rows=grades.rows,
        ordered=grades.ordered,
        keys=grades.keys,
        tied=grades.tied,
        levels=tuple(RowChange(*change) for change in grades.changes),
        properties=tuple(sorted(read)),
    )


class _Texts:
    """Words questions, as `rulemine.kinds.texts.Texts` does: no two alike, and no name tells an answer."""

    def __init__(self, asking: Asking, texts: QuestionTexts) -> None:
        self._texts, self._places = texts, asking.templates.places
        self._named = {row.entity: row for row in asking.names}
        self._private = {row.entity: row.private for row in asking.names}
        self._taken: set[str] = set()

    def from_template(self, question: Question) -> Question | Rejection:
        """A question in words, or why it cannot be asked in these."""
        query = query_of(question.query)
        text = self._texts.question(query)
        why = SAME if text in self._taken else ANCHOR_TELLS
        if why == SAME or self._tells(query, question):
            where = "in the naming entity"
            return Rejection("ask", why, "", None, "", "", where, text, query=question.query)
        self._taken.add(text)
        pattern = self._texts.pattern(query, self._private)
        return replace(question, question=text, wording="template", patterns=(pattern,))

    def _tells(self, query: PatternQuery, question: Question) -> bool:
        """Whether a node that the query names tells an answer, unless it is a place."""
        if not question.block.columns[0].endswith(".name"):
            return False
        anchors = [
            self._named[node.name]
            for variable, node in query.match.named.items()
            if node.name is not None
            and not self._places.issuperset(
                {e.relation for e in query.match.edges if variable in (e.subject, e.object)} or {""}
            )
        ]
        answers = [self._named[json.loads(row)[0]] for row in question.answers]
        return telling_anchor(anchors, answers) is not None
