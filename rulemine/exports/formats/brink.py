"""The export ``brink``: the files of the BRINK benchmark (arXiv 2508.08344), for its evaluator and readers.

``SPLIT_gold.json`` is what ``evaluation/evaluate_brink.py`` takes as ``--gold``; its ``--pred`` is a list of
``{"id", "raw_output"}``, which ``rulemine evaluate --matching brink`` reads too. ``SPLIT.tsv`` has the
columns of the benchmark's questions, ``GRAPH/facts.tsv`` the graphs.

That evaluator cuts an output at every comma and a name of the gold nowhere, so a name with a comma is never
found; a missing hard answer would become the text ``none``, which a system that gives up would hit. The first
are counted, questions of the second kind are left out. Its scripts read groundings by their blanks, so those
with a name of several words are counted as well.
"""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rulemine.evaluation.matching.brink import normalize
from rulemine.evaluation.metrics_of_others.protocol import asks_for_entities, has_hard_answer
from rulemine.exports.protocol import ExportFolder, ExportInput, Fields
from rulemine.exports.row_export import RowExport
from rulemine.kg.graph import Triple
from rulemine.query.atom import Atom, Term, variable_name
from rulemine.release.records import Certificate, Question
from rulemine.rules.rule import Rule

__all__ = ["BrinkExport"]

COLUMNS = ("id", "rule_index", "question", "q_entity", "answer", "a_entity", "rule", "grounding")


@dataclass(frozen=True)
class BrinkExport(RowExport):
    """Gold for the evaluator of BRINK, its question tables, and both graphs."""

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
        proofs = _Proofs(given)
        unmatchable = unhittable = unreadable = 0
        for split in given.splits:
            asked = list(self.asked(given, folder, split))
            for q in asked:
                unmatchable += any(map(_is_missed, q.answers))
                unhittable += _is_missed(str(q.hard_answer))
            rows = [_row(q, proofs, given.without_answers) for q in asked]
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
        if given.without_answers:  # proofs give the answers away
            return
        self.certificates = {row.triple: row.certificate for row in given.removed}
        self.rules = {rule.id: (number, rule) for number, rule in enumerate(given.rules)}

    def of(self, triples: Iterable[Triple]) -> tuple[str, list[str], list[str]]:
        """The name of the first proof's rule, all rules, and their groundings."""
        found = [self.certificates[triple] for triple in triples]
        used = [self.rules[certificate.rule] for certificate in found]
        texts = [f"{_atoms(rule.body)} => {_atoms([rule.head])}" for _, rule in used]
        groundings = [_grounding(rule, one) for (_, rule), one in zip(used, found, strict=True)]
        return f"Rule_{used[0][0]}", texts, groundings


def _row(question: Question, proofs: _Proofs, without_answers: bool) -> tuple[str, ...]:
    """A row; as its scripts write them, `answer` and `a_entity` are the same."""
    answers, number = list[str](), ""
    rules: list[str] = []
    groundings: list[str] = []
    if not without_answers:
        answers = list(question.answers)
        number, rules, groundings = proofs.of(question.removed)
    lists = (list(question.anchors), answers, answers, rules, groundings)
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
