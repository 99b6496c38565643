"""Files in the form of other benchmarks: ``brink``, ``gtsqa`` and ``dynamic-kgqa``."""

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import ClassVar

from rulemine.codec import to_json
from rulemine.config import option
from rulemine.evaluation.matching.brink import normalize
from rulemine.evaluation.metrics_of_others.protocol import asks_for_entities, has_hard_answer
from rulemine.exports.formats.graph_per_question import GraphPerQuestion
from rulemine.exports.iris import SourceNames
from rulemine.exports.protocol import ExportFolder, ExportInput, Field, Fields, RowExport
from rulemine.kg.graph import Triple
from rulemine.phrasing.relation_names import words_of
from rulemine.query.atom import Atom, Term, variable_name
from rulemine.query.parser import parse
from rulemine.query.sparql import to_sparql
from rulemine.release.records import Certificate, Question
from rulemine.rules.rule import Rule

__all__ = ["BrinkExport", "DynamicKgqaExport", "GtsqaExport"]

COLUMNS = ("id", "rule_index", "question", "q_entity", "answer", "a_entity", "rule", "grounding")


@dataclass(frozen=True)
class BrinkExport(RowExport):
    """Files of the BRINK benchmark (arXiv 2508.08344), for its evaluator and readers, and both graphs.

    ``SPLIT_gold.json`` is what ``evaluation/evaluate_brink.py`` takes as ``--gold``; its ``--pred`` is a list
    of ``{"id", "raw_output"}``, which ``rulemine evaluate --matching brink`` reads too. ``SPLIT.tsv`` has the
    columns of the benchmark's questions, ``GRAPH/facts.tsv`` the graphs.

    That evaluator cuts an output at every comma and a name of the gold nowhere, so a name with a comma is
    never found; a missing hard answer would become the text ``none``, which a system that gives up would hit.
    The first are counted, questions of the second kind are left out. Its scripts read groundings by their
    blanks, so those with a name of several words are counted as well.
    """

    def check(self, given: ExportInput) -> None:
        """Refuses releases without the proofs that its tables have."""
        given.release.expect_certificates("export format brink")

    def refusal(self, given: ExportInput, question: Question) -> str:
        """What the evaluator cannot score; without answers it is asked anyway, to give none away."""
        if not asks_for_entities(question):
            return "its answer is a number, not entities"
        if has_hard_answer(question) or given.without_answers:
            return ""
        return "no hard answer: the graph states every answer"

    def fields(self, given: ExportInput) -> Fields:
        """Those of the gold."""
        return {name: name for name in ("id", "question", "answers", "hard_answer")}

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        proofs = None if given.without_answers else _Proofs(given)  # they give the answers away
        unmatchable = unhittable = unreadable = 0
        for split in given.splits:
            asked = list(self.asked(given, folder, split))
            for q in asked:
                unmatchable += any(map(_is_missed, q.answers))
                unhittable += _is_missed(str(q.hard_answer))
            rows = [_row(q, proofs) for q in asked]
            unreadable += sum(map(_is_unreadable, rows))
            folder.csv(f"{split}.tsv", [COLUMNS, *rows], "\t")
            if not given.without_answers:
                folder.json(f"{split}_gold.json", list(self.rows(given, folder, split)))
        graphs = [given.kg_name]
        if not given.without_answers:
            graphs = sorted({"complete", "incomplete", given.kg_name})
            folder.count("questions_with_an_answer_never_matched", unmatchable)
            folder.count("questions_with_a_hard_answer_never_matched", unhittable)
            folder.count("questions_with_blanks_in_names_of_groundings", unreadable)
        for name in graphs:
            kg = given.kg if name == given.kg_name else given.graph(name)
            folder.tsv(f"{name}/facts.tsv", kg.labeled())


def _is_missed(name: str) -> bool:
    """Whether no output can match a name."""
    return "," in name or not normalize(name)


class _Proofs:
    """The proofs of removed triples as the benchmark writes them."""

    def __init__(self, given: ExportInput) -> None:
        self.certificates = {row.triple: row.certificate for row in given.removed}
        self.rules = {rule.id: (number, rule) for number, rule in enumerate(given.release.rules())}

    def of(self, triples: Iterable[Triple]) -> tuple[str, list[str], list[str]]:
        """The name of the first proof's rule, all rules, and their groundings."""
        found = [self.certificates[triple] for triple in triples]
        used = [self.rules[certificate.rule] for certificate in found]
        texts = [f"{_atoms(rule.body)} => {_atoms([rule.head])}" for _, rule in used]
        groundings = [_grounding(rule, one) for (_, rule), one in zip(used, found, strict=True)]
        return f"Rule_{used[0][0]}", texts, groundings


def _row(question: Question, proofs: _Proofs | None) -> tuple[str, ...]:
    """A row; as its scripts write them, `answer` and `a_entity` are the same."""
    answers = list(question.answers) if proofs else []
    number, *found = proofs.of(question.removed) if proofs else ("", [], [])
    lists = (list(question.anchors), answers, answers, *found)
    return question.id, number, question.question, *map(repr, lists)


def _is_unreadable(row: Sequence[str]) -> bool:
    """Whether a triple of a grounding has a name of several words."""
    triples = re.split(r" \| | => ", " | ".join(ast.literal_eval(row[-1])))
    return any(len(triple.split()) != 3 for triple in triples if triple)


def _grounding(rule: Rule, certificate: Certificate) -> str:
    """A proof: the rule with entities in place of its variables."""
    values: dict[Term, str] = {}
    for atom, triple in zip(rule.body, certificate.body, strict=True):
        values |= {atom.subject: triple[0], atom.object: triple[2]}
    body = " | ".join(_atoms([atom], values) for atom in rule.body)
    return f"{body} => {_atoms([rule.head], values)}"


def _atoms(atoms: Iterable[Atom], values: Mapping[Term, str] | None = None) -> str:
    """Atoms as they are written there: terms and relations with a blank between any two."""
    known = values or {}

    def term(of: Term) -> str:
        return known.get(of) or (variable_name(of) if isinstance(of, int) else of)

    return " ".join(f"{term(a.subject)} {a.relation} {term(a.object)}" for a in atoms)


TEST_TYPES = {
    "id": "in_distribution",
    "ugt": "unseen_graph_type",
    "urt": "unseen_relation_type",
}
"""What a test question has that training lacks, as GTSQA calls it."""


@dataclass(frozen=True)
class GtsqaExport(GraphPerQuestion):
    """The fields of GTSQA, the data set of SynthKGQA (arXiv 2511.04473), for the kind ``subgraphs``.

    Entities and relations are ``LABEL (ID)`` where that data set has them so, ids elsewhere; ids and the IRIs
    of queries are those of `rulemine.exports.iris`. What it calls ``wikikg2`` is the complete graph here;
    ``wikidata``, the larger graph, that and the reference graph.

    Attributes:
        graphs: Whether every question has a graph of its own, as in the configuration ``gtsqa-with-graphs``.
    """

    file: ClassVar[str] = "{split}.jsonl"
    empty_splits: ClassVar[bool] = False
    needs: ClassVar = ("minimal",)

    graphs: bool = option(False)

    def refusal(self, given: ExportInput, question: Question) -> str:
        """Nothing is refused."""
        return ""

    def fields(self, given: ExportInput) -> Fields:
        """Of a count, the answer is its number."""
        named = _Named(given)
        node, ids, in_sparql = named.entity, named.source.ids, named.source.sparql
        key = named.source.entity_id

        def gold(question: Question, further: bool) -> list[str]:
            found = given.gold(question, further)
            return [a.id if question.value is not None else key[a.name] for a in found]

        asked: Fields = {
            "id": "id",
            "question": "question",
            "paraphrased_question": lambda q: next(iter(q.paraphrases), None),
            "seed_entities": lambda q: [node[name] for name in q.anchors],
        }
        return asked | given.unless_secret(
            {
                "answer_node": lambda q: node[q.block.answer] if q.value is None else str(q.value),
                "answer_subgraph": lambda q: [named.triple(t) for t in q.block.triples],
                "sparql_query": lambda q: in_sparql(q.sparql),
                "all_answers_wikidata": lambda q: gold(q, True),
                "full_answer_subgraph_wikidata": lambda q: ids(q.full_evidence),
                "all_answers_wikikg2": lambda q: gold(q, False),
                "full_answer_subgraph_wikikg2": lambda q: ids(q.full_evidence),
                "n_hops": "hops",
                "graph_isomorphism": "shape",
                "redundant": "block.redundant",
                "minimal_graph_isomorphism": "block.minimal_shape",
                # The data set has the text of a Python dictionary here, since every question has other keys.
                "minimal_seeds_and_queries": lambda q: str(
                    {
                        "-".join(key[name] for name in least.anchors): in_sparql(
                            to_sparql(parse(least.query))
                        )
                        for least in q.block.minimal
                    }
                ),
                "test_type": lambda q: (
                    [TEST_TYPES.get(one, one) for one in q.block.test_type]
                    if q.split == "test"
                    else ["training"]
                ),
            }
        )

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        if not self.graphs:
            return super().__call__(given, folder)
        named, known = _Named(given), given.kg.labeled()
        for split, some in self.by_split(given, folder):
            if given.questions(split):
                rows = zip(self.rows(given, folder, split), some, strict=True)
                graphs = (
                    row | {"graph": [named.triple(known[at]) for at in graph.tolist()]}
                    for row, (_, graph) in rows
                )
                folder.jsonl(self.file.format(split=split), graphs)
        self.beside(given, folder)

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph, and the names of its entities."""
        key = SourceNames.of(given)
        folder.tsv("graph.tsv", key.ids(given.kg.labeled()))
        folder.tsv("entities.tsv", [(key.entity_id[e.name], e.label) for e in given.entities()])


class _Named:
    """``LABEL (ID)`` of everything; a relation's label is its name in words.

    Attributes:
        source: The names of the source.
        entity: Name in the naming of the export → that.
    """

    def __init__(self, given: ExportInput) -> None:
        self.source = SourceNames.of(given)
        self.entity = {
            e.name: f"{e.label} ({self.source.entity_id[e.name]})" for e in given.client.entities
        }

    @cached_property
    def relation(self) -> dict[str, str]:
        """Relation → that."""
        return {
            r: f"{' '.join(words_of(r)) or r} ({i})" for r, i in self.source.relation_id.items()
        }

    def triple(self, triple: Triple) -> list[str]:
        """A triple."""
        s, r, o = triple
        return [self.entity[s], self.relation[r], self.entity[o]]


JUDGES = 3

_ASPECTS = (("logical_structure", "redundancy"), ("answer_support", "answer_adequacy"))
"""What judges say of a question, and of its answer: in this order, each for all judges."""


@dataclass(frozen=True)
class DynamicKgqaExport(RowExport):
    """The fields of Dynamic-KGQA (arXiv 2503.05049, Table 2), as its published rows have them.

    For questions written for a subgraph. Lists are texts in JSON, and names the IRIs of
    `rulemine.exports.iris`. Of three judges' flags and reasons those are there that the release has; the
    others are null.
    """

    file: ClassVar[str] = "{split}.jsonl"
    empty_splits: ClassVar[bool] = False
    names_of_clients: ClassVar[bool] = True
    needs: ClassVar = ("subgraph",)

    def fields(self, given: ExportInput) -> Fields:
        """Of a count, the answer is its number and has no address."""
        found: Fields = {"id": "id", "question": "question"}
        if given.without_answers:
            return found
        label, source = given.client.label, SourceNames.of(given)

        def answer(question: Question, names: Mapping[str, str]) -> str:
            number = question.value
            return names[question.block.answer] if number is None else str(number)

        def facts(question: Question) -> list[dict[str, str]]:
            return [
                {"subject": label[s], "predicate": source.relation_id[r], "object": label[o]}
                for s, r, o in question.block.triples
            ]

        def judged(number: int, key: str) -> Field:
            return lambda q: dict(*judgements[q.id][number : number + 1]).get(key)

        judgements = {q.id: to_json(q.block).get("judgements", ()) for q in given.questions()}
        return found | {
            "answer": lambda q: answer(q, source.entity_id),
            "answer_readable": lambda q: answer(q, label),
            "answer_uri": lambda q: "" if q.value is not None else answer(q, source.entity),
            "supporting_facts": lambda q: json.dumps(facts(q)),
            "supporting_facts_uri": lambda q: json.dumps(source.iris(q.block.triples)),
            "subgraph": lambda q: json.dumps(source.iris(q.block.subgraph)),
            "subgraph_size": lambda q: len(q.block.subgraph),
            **{
                f"{aspect}_{part}_llm_judge{number + 1}": judged(number, f"{aspect}_{part}")
                for aspects in _ASPECTS
                for number, aspect, part in product(range(JUDGES), aspects, ("flag", "reasoning"))
            },
            # Not theirs: questions here may have further answers.
            "all_answers_uri": lambda q: json.dumps(
                [source.entity[a] for a in q.answers] if q.value is None else [str(q.value)]
            ),
        }

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph, and the labels of its entities, which rows have of a few alone."""
        source = SourceNames.of(given)
        folder.tsv("graph.tsv", source.iris(given.kg.labeled()))
        folder.tsv("entities.tsv", [(source.entity[e.name], e.label) for e in given.entities()])
