"""The namings of a release: converts records from any naming to any other.

Inside the builder entities have their source labels; names change only when a release is written or
renamed. Guarantees: each naming is one-to-one; private ids have a fixed width and depend only on the
seed and the set of entities; the naming affects no draw, no check, and no question: the text of a question
is its pattern (a model's), or its relation's template, with the name of the topic entity filled in.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulemine.cypher.questions.grades import NAMING, in_order
from rulemine.cypher.questions.pattern_text import query_of, query_text, renamed_query
from rulemine.cypher.questions.render import to_cypher
from rulemine.cypher.rows import row_of, row_text
from rulemine.errors import ConfigError, ReleaseError, did_you_mean
from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.kg.graph import Triple
from rulemine.phrasing.compose import compose
from rulemine.phrasing.templates import Templates
from rulemine.query.atom import Atom, Term
from rulemine.query.links import renamed, renamed_derivation
from rulemine.query.parser import parse
from rulemine.query.sparql import to_sparql
from rulemine.release.reader import Release
from rulemine.release.records import (
    Certificate,
    CypherQuestion,
    MinimalQuery,
    QueryBlock,
    QueryQuestion,
    Question,
    Rejection,
    Removal,
    RuleQuestion,
    StructureBlock,
    SubgraphBlock,
    VariantBlock,
    topic_values,
)
from rulemine.release.values import RemovedValue
from rulemine.rules.rule import Rule
from rulemine.seeds import stream
from rulemine.text.articles import in_sentence
from rulemine.text.template import fill

__all__ = ["Namer", "name_entities", "query_in", "questions_in"]

PRIVATE_DIGITS = 5
"""Minimum number of digits of a private id; more than 100,000 entities take more."""


def name_entities(
    entities: Sequence[str],
    *,
    seed: int,
    labels: Mapping[str, str] | None = None,
    further: Sequence[str] = (),
) -> tuple[EntityNames, ...]:
    """The names of all entities of a release.

    Args:
        entities: The entities of the complete KG, sorted, each once.
        seed: The seed of the build.
        labels: Entity → text label; an entity without one is its own label.
        further: Entities that only the reference KG adds as answers, sorted; their private ids come
            after those of the KG, which therefore do not depend on them.

    Returns:
        Names sorted by private id. A text label shared by several entities gets `` (entity)`` appended
        until it is unique.
    """
    everyone = (*entities, *further)
    first = stream(seed, "names").permutation(len(entities)).tolist()
    then = stream(seed, "names", "reference").permutation(len(further)).tolist()
    numbers = [*first, *(len(entities) + n for n in then)]
    width = max(PRIVATE_DIGITS, len(str(max(0, len(everyone) - 1))))
    texts = _unique_texts(sorted(everyone), labels or {})
    rows = [
        EntityNames(f"e{number:0{width}d}", entity, texts[entity])
        for number, entity in zip(numbers, everyone, strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: row.private))


def _unique_texts(entities: Sequence[str], labels: Mapping[str, str]) -> dict[str, str]:
    wanted = {entity: labels.get(entity, entity) for entity in entities}
    owners: dict[str, int] = {}
    for text in wanted.values():
        owners[text] = owners.get(text, 0) + 1
    taken = set(owners)
    for entity in entities:
        if owners[wanted[entity]] == 1:
            continue
        text = wanted[entity]
        while text in taken:
            text = f"{text} ({entity})"
        taken.add(text)
        wanted[entity] = text
    return wanted


class Namer:
    """Converts records from one naming to another.

    Args:
        names: The names of all entities that occur.
        templates: The templates of all relations; the texts of questions are made again from them.
        to: The target naming, see `rulemine.release.records.NAMINGS`.
        source: The naming of the records; inside the builder, source labels.
        rules: The rules of the build, needed only if rules name entities: the id of such a rule differs
            between namings, and records refer to rules by id.
    """

    def __init__(
        self,
        names: Iterable[EntityNames],
        templates: Templates,
        to: str,
        *,
        source: str = "entity",
        rules: Iterable[Rule] = (),
    ) -> None:
        if to not in NAMINGS or source not in NAMINGS:
            raise ValueError(f"naming {to!r} from {source!r}; expected two of {NAMINGS}")
        rows = tuple(names)
        self.names = {row.name_in(source): row.name_in(to) for row in rows}
        self.private = {row.name_in(source): row.private for row in rows}
        self.templates = templates
        self.articles = to == "text"
        self.rule_ids = {rule.id: self.rule(rule).id for rule in rules if rule.entities}

    def entity(self, name: str) -> str:
        """The entity's name in the target naming."""
        return self.names[name]

    def entities(self, names: Iterable[str]) -> tuple[str, ...]:
        """The entities' names in the target naming, sorted."""
        return tuple(sorted(self.names[name] for name in names))

    def triple(self, triple: Triple) -> Triple:
        """The triple with its entities renamed."""
        return (self.names[triple[0]], triple[1], self.names[triple[2]])

    def triples(self, triples: Iterable[Triple]) -> tuple[Triple, ...]:
        """The triples with their entities renamed, in the order given."""
        return tuple(self.triple(triple) for triple in triples)

    def rule(self, rule: Rule) -> Rule:
        """The rule with its entities renamed; body atoms keep their order."""
        if not rule.entities:
            return rule

        def atom(old: Atom) -> Atom:
            return Atom(term(old.subject), old.relation, term(old.object))

        def term(old: Term) -> Term:
            return self.names[old] if isinstance(old, str) else old

        return Rule(atom(rule.head), tuple(map(atom, rule.body)), rule.measures)

    def rule_id(self, rule: str) -> str:
        """The rule's id in the target naming."""
        return self.rule_ids.get(rule, rule)

    def question(self, question: Question) -> Question:
        """The question renamed, with its text and query made again; lists are sorted by the new names.

        Raises:
            ReleaseError: A witness is no derivation by its query.
        """
        if isinstance(question, CypherQuestion):
            return self._cypher(question)
        text, *paraphrases = self._patterns(question) or [self._by_template(question)]
        old = parse(question.query)
        query = renamed(old, self.names)

        def witness(triples: tuple[Triple, ...], answers: Collection[str]) -> tuple[Triple, ...]:
            if len(triples) == 1:
                return self.triples(triples)
            try:
                return renamed_derivation(old, self.names, triples, answers)
            except ValueError:
                raise ReleaseError(
                    f"question {question.id}: {', '.join(map(' '.join, triples))} is no derivation of "
                    f"{' or '.join(answers)} by its query, a triple for each step in the order of its text. "
                    "rulemine verify names all faults of the release; build it again."
                ) from None

        hard = (
            replace(row, answer=self.names[row.answer], witness=witness(row.witness, [row.answer]))
            for row in question.hard
        )
        asked_for = question.hard_answer
        derived = question.answers if asked_for is None else [asked_for]
        evidence = witness(question.evidence, derived)
        own: dict[str, Any] = {}
        if isinstance(question, RuleQuestion):
            block = question.rules
            own["rules"] = replace(
                block, removed=self.triple(block.removed), rule=self.rule_id(block.rule)
            )
        elif isinstance(question, QueryQuestion):
            own[question.kind] = self._block(question.block, evidence)
        return replace(
            question,
            question=text,
            paraphrases=tuple(paraphrases),
            anchors=self.entities(question.anchors),
            query=query.text,
            sparql=to_sparql(query),
            answers=self.entities(question.answers),
            stated=self.entities(question.stated),
            hard=tuple(sorted(hard, key=lambda row: row.answer)),
            further=self.entities(question.further),
            hard_answer=None if asked_for is None else self.names[asked_for],
            evidence=evidence,
            full_evidence=tuple(sorted(self.triples(question.full_evidence))),
            spurious=self.entities(question.spurious),
            **own,
        )

    def _block(self, block: QueryBlock, evidence: tuple[Triple, ...]) -> QueryBlock:
        """A block renamed; the removed triples are in the order of the evidence."""
        more: dict[str, Any] = {}
        if not isinstance(block, StructureBlock):
            more = {
                "answer": self.names[block.answer],
                "triples": tuple(sorted(self.triples(block.triples))),
                "subgraph": tuple(sorted(self.triples(block.subgraph))),
            }
        if isinstance(block, SubgraphBlock):
            minimal = (
                MinimalQuery(self.entities(row.anchors), renamed(parse(row.query), self.names).text)
                for row in block.minimal
            )
            more["minimal"] = tuple(sorted(minimal, key=lambda row: (row.anchors, row.query)))
        elif isinstance(block, VariantBlock):
            more["seeds"] = self.entities(block.seeds)
        return replace(
            block,
            intermediates=self.entities(block.intermediates),
            removed=tuple(sorted(self.triples(block.removed), key=evidence.index)),
            rules=tuple(sorted(map(self.rule_id, block.rules))),
            **more,
        )

    def _cypher(self, question: CypherQuestion) -> CypherQuestion:
        """A question with rows renamed; names of nodes are in the first column, if at all."""
        block = question.cypher
        text, *paraphrases = self._patterns(question)
        query = renamed_query(query_of(question.query), self.names)

        def row(old: str) -> str:
            if block.returns not in NAMING:
                return old
            first, *rest = row_of(old)
            return row_text([self.names[first], *rest])

        def rows(some: Iterable[str]) -> tuple[str, ...]:
            return tuple(sorted(map(row, some)))

        hard = (
            replace(one, answer=row(one.answer), witness=tuple(sorted(self.triples(one.witness))))
            for one in question.hard
        )
        asked_for = question.hard_answer
        return replace(
            question,
            question=text,
            paraphrases=tuple(paraphrases),
            anchors=self.entities(question.anchors),
            query=query_text(query),
            answers=rows(question.answers),
            stated=rows(question.stated),
            hard=tuple(sorted(hard, key=lambda one: one.answer)),
            hard_answer=None if asked_for is None else row(asked_for),
            evidence=tuple(sorted(self.triples(question.evidence))),
            full_evidence=tuple(sorted(self.triples(question.full_evidence))),
            spurious=rows(question.spurious),
            cypher=replace(
                block,
                cypher=to_cypher(query),
                rows=tuple(in_order(map(row, block.rows), block.keys)),
                tied=rows(block.tied),
                levels=tuple(
                    replace(one, lost=rows(one.lost), spurious=rows(one.spurious))
                    for one in block.levels
                ),
                removed=tuple(sorted(self.triples(block.removed))),
                removed_values=tuple(
                    sorted((self.names[node], name) for node, name in block.removed_values)
                ),
                rules=tuple(sorted(map(self.rule_id, block.rules))),
            ),
        )

    def _patterns(self, question: Question) -> list[str]:
        """The texts of a question from its patterns: a model's, and all of the kind ``cypher``."""
        values = topic_values(question.anchors, self.private) if question.anchors else {}
        named = {key: self.names[entity] for key, entity in values.items()}
        if self.articles and question.wording != "model":
            return [fill(pattern, named, in_sentence) for pattern in question.patterns]
        return [fill(pattern, named) for pattern in question.patterns]

    def _by_template(self, question: Question) -> str:
        several = len(question.answers) > 1
        if isinstance(question, RuleQuestion):
            block, topic = question.rules, self.names[question.topic]
            template = self.templates[block.relation]
            return template.ask(block.direction, topic, several=several, articles=self.articles)
        query = renamed(parse(question.query), self.names)
        return compose(query, self.templates, several=several, articles=self.articles)

    def certificate(self, certificate: Certificate) -> Certificate:
        """The certificate renamed; its triples keep their order."""
        proves, *body = self.triples((certificate.proves, *certificate.body))
        return Certificate(self.rule_id(certificate.rule), proves, tuple(body))

    def removal(self, removal: Removal) -> Removal:
        """The removal renamed; certificates keep their order."""
        by = removal.selected_by
        return replace(
            removal,
            triple=self.triple(removal.triple),
            certificate=self.certificate(removal.certificate),
            selected_by=None if by is None else self.rule_id(by),
            further_certificates=tuple(map(self.certificate, removal.further_certificates)),
        )

    def removed_value(self, removed: RemovedValue) -> RemovedValue:
        """The removed value with its node and its certificate renamed."""
        proof = removed.certificate
        return replace(
            removed,
            node=self.names[removed.node],
            certificate=replace(proof, path=self.triples(proof.path), node=self.names[proof.node]),
        )

    def rejection(self, rejection: Rejection) -> Rejection:
        """The rejection renamed; its detail never names an entity."""
        query = rejection.query and query_in(rejection.query, self.names)
        removed = None if rejection.removed is None else self.triple(rejection.removed)
        return replace(rejection, removed=removed, rule=self.rule_id(rejection.rule), query=query)


def query_in(query: str, names: Mapping[str, str]) -> str:
    """A query of any kind with other names of its entities.

    Raises:
        QueryError: It is no query.
    """
    if query.startswith("{"):  # of the kind cypher
        return query_text(renamed_query(query_of(query), names))
    return renamed(parse(query), names).text


def questions_in(
    release: Release, questions: Iterable[Question], naming: str
) -> tuple[Question, ...]:
    """Questions of a release in another naming.

    Raises:
        ConfigError: There is no such naming.
        ReleaseError: A file of the release is missing or was edited.
    """
    if naming not in NAMINGS:
        raise ConfigError(f"no naming {naming!r}; {did_you_mean(naming, NAMINGS)}")
    templates = Templates.from_plain(release.relations().values())
    namer = Namer(release.entities, templates, naming, source=release.naming, rules=release.rules())
    return tuple(map(namer.question, questions))
