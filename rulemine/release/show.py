"""One view of a question of any kind: answers, the rule and the proof of the hard one, why it is hard.

The terminal, the page of questions and the card of a release show it. Guarantees: entities have their text
labels, whatever the naming of the release; triples and rules are sentences, made of the templates of their
relations; showing a question reads the lines about it, and no graph.
"""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rulemine.codec import dump_line, from_json, parse_object
from rulemine.cypher.rows import row_of
from rulemine.errors import ReleaseError, counted, did_you_mean
from rulemine.files import read_lines
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import DIRECTIONS, Triple
from rulemine.kinds.registry import is_built, kind_named
from rulemine.phrasing.templates import Templates
from rulemine.release.naming import Namer
from rulemine.release.reader import Release
from rulemine.release.records import Certificate, Difficulty, Question, Removal
from rulemine.rules.formats import rule_from_json
from rulemine.rules.rule import VARIABLES, Rule
from rulemine.text.articles import in_sentence
from rulemine.text.escaping import printable
from rulemine.text.template import fill

__all__ = ["TITLES", "View", "Views", "read_views", "show"]

TITLES = ("", "Answers", "Rule", "Proof", "Why it is hard", "Query")
"""The titles of the fields of `View`."""

NARROWEST = 40

MOST = 12
"""Answers, and triples of a proof, that are listed; the others are counted."""

ALL_STATED = (
    "It is not: the incomplete graph states every answer. Scores on hard answers leave it out."
)

NOT_KNOWN = "It is not known which answers the incomplete graph states."

MOST_STATED = 3
"""How many of the triples that still join the ends of removed ones are named."""


def needed(question: Question) -> tuple[Triple, ...]:
    """The removed triples that the hard answer asked for rests on; all of them if none is asked for."""
    triples = {*question.evidence} or {*question.removed}
    return tuple(triple for triple in question.removed if triple in triples)


class View(NamedTuple):
    """What is shown of a question. A text is a paragraph of one line, indented by what it belongs to.

    Attributes:
        question: Its text, and its paraphrases.
        answers: How many there are, then one a text: ★ before those that the incomplete graph does not state.
        rules: The rules of the proof in words.
        proof: The triples that lead to the hard answer; below a removed one, indented, what proves it.
        why: Why the question is hard, in sentences.
        query: What it asks, as lines: its Cypher, the query of its source, or else its own.
    """

    question: tuple[str, ...]
    answers: tuple[str, ...]
    rules: tuple[str, ...]
    proof: tuple[str, ...]
    why: tuple[str, ...]
    query: tuple[str, ...]


class Views:
    """Makes the views of questions.

    Args:
        names: The names of all entities of the release.
        templates: The templates of its relations.
        naming: The naming of the questions and of `removals`.
        removals: Removed triple → its removal; those that the questions need are enough.
        rules: Id → rule; those of their proofs are enough.
    """

    def __init__(
        self,
        names: Iterable[EntityNames],
        templates: Templates,
        naming: str,
        removals: Mapping[Triple, Removal],
        rules: Mapping[str, Rule],
    ) -> None:
        self._namer = Namer(names, templates, "text", source=naming)
        self._named = naming == "text"
        self._templates = {row.relation: row for row in templates.rows}
        self._removals, self._rules = removals, rules

    def name(self, entity: str) -> str:
        """The text label of an entity; of what is none, the text as it is."""
        return self._namer.names.get(entity, entity)

    def sentence(self, triple: Triple) -> str:
        """A triple in words, with a capital letter and without a full stop."""
        text = self._clause(triple[1], subject := self.name(triple[0]), self.name(triple[2]))
        return text if text.startswith(subject) else text[:1].upper() + text[1:]

    def proofs(self, question: Question) -> dict[Triple, Certificate]:
        """The removed triples that a question needs, each with its proof; those of other sources have none.

        Raises:
            ReleaseError: The question has proofs, and a removed triple or a rule of them is not known.
        """
        found = {}
        for row in (self._removals[t] for t in needed(question) if t in self._removals):
            every = (row.certificate, *row.further_certificates)
            found[row.triple] = next((c for c in every if c.rule in question.rules), every[0])
        used = {proof.rule for proof in found.values()}
        if not used <= self._rules.keys() or (question.hard and question.rules and not used):
            raise ReleaseError(
                f"question {question.id}: the release lacks a triple or a rule of its proof. rulemine verify "
                "lists all faults."
            )
        return found

    def of(self, question: Question) -> View:
        """The view of a question, which is in the naming of the release.

        Raises:
            ReleaseError: As `proofs` and `Namer.question`.
        """
        proofs = self.proofs(question)
        known = question.block is not None  # and not hidden
        named = self._namer.question(question) if known and not self._named else question
        rules = {proof.rule: self._removals[t].difficulty for t, proof in proofs.items()}
        own = kind_named(named.kind)
        source = (
            named.block.cypher
            if known and own.answers.form == "rows"
            else own.published(named).query
        )
        return View(
            (named.question, *named.paraphrases),
            tuple(_answers(named)),
            tuple(self._rule(rule, rules[rule]) for rule in list(rules)[:MOST]),
            tuple(self._proof(question, proofs)),
            tuple(self._why(question, [self._removals[t] for t in proofs])),
            tuple((source or named.query).expandtabs(4).splitlines()),
        )

    def _clause(self, relation: str, subject: str, target: str) -> str:
        if relation not in self._templates:
            return f"{subject} {relation} {target}"
        ends = {"subject": subject, "object": target}
        return fill(self._templates[relation].statement, ends, in_sentence)

    def _rule(self, rule: str, hard: Difficulty) -> str:
        atoms = (*self._rules[rule].body, self._rules[rule].head)
        *body, head = (
            self._clause(relation, *(t if isinstance(t, str) else VARIABLES[t] for t in ends))
            for *ends, relation in ((atom.subject, atom.object, atom.relation) for atom in atoms)
        )
        right = f"This is right in {100 * hard.std_confidence:.0f} % of the cases."
        return f"If {' and '.join(body)}, then {head}. {right}"

    def _proof(self, question: Question, proofs: Mapping[Triple, Certificate]) -> Iterator[str]:
        triples = list(dict.fromkeys(question.evidence or question.removed))
        for triple in triples[:MOST]:
            follows = ": removed, but it follows from" if triple in proofs else ": removed."
            yield self.sentence(triple) + (follows if triple in question.removed else ".")
            if triple in proofs:
                yield from (f"  {self.sentence(fact)}." for fact in proofs[triple].body)
        yield from _more(len(triples))

    def _why(self, question: Question, removed: Sequence[Removal]) -> Iterator[str]:
        if question.hard_answer is None:
            yield ALL_STATED if question.graded else NOT_KNOWN
            return
        if (links := len({*question.evidence})) > 1:
            yield f"Of {links} links to the answer, {question.missing} must be inferred."
        if removed:
            proofs = counted(min(row.difficulty.proofs for row in removed), "proof")
            size = counted(min(row.difficulty.shortest_proof for row in removed), "triple")
            of = "of the" if len(removed) == 1 else "or more of each"
            yield f"The incomplete graph has {proofs} {of} removed triple, the shortest of {size}."
        still = dict.fromkeys(self.sentence(t) for row in removed for t in _joining(row))
        yield from (f"{sentence}: that is still stated." for sentence in list(still)[:MOST_STATED])
        if len(removed) == 1 and question.evidence == (removed[0].triple,):
            ends = dict(zip(removed[0].triple[::2], DIRECTIONS, strict=True))
            if end := ends.get(question.hard_answer):
                share = 100 * getattr(removed[0].difficulty.prior, end)
                yield f"Guessing this answer is right in {share:.2g} % of such questions."
        yield _core(question, removed)


def _joining(row: Removal) -> Iterator[Triple]:
    """The triples that still join the ends of a removed one."""
    subject, _, target = row.triple
    yield from ((target, relation, subject) for relation in row.difficulty.inverse_edge)
    yield from ((subject, relation, target) for relation in row.difficulty.parallel_edge)


def _more(number: int) -> Iterator[str]:
    if number > MOST:
        yield f"… and {number - MOST:,} more"


def _answers(question: Question) -> Iterator[str]:
    """How many answers there are, and the first of them: that asked for, other hard ones, stated ones."""
    number, stated, hard = len(question.answers), len(question.stated), question.hard_answers
    if question.value is not None:
        yield f"The number is {question.value:,}; the incomplete graph gives {question.stated_value:,}."
    elif question.block is None:
        yield "Hidden: only who has the full release knows them."
    elif not number:
        yield "Not listed: they are what the query gives."
    else:
        one = ", which the incomplete graph " + ("states" if stated else "does not state")
        some = "none" if not stated else "all" if stated == number else f"{stated:,}"
        many = f"; the incomplete graph states {some} of them"
        yield f"{counted(number, 'answer')}{(one if number == 1 else many) * question.graded}."
    rows = kind_named(question.kind).answers.form == "rows"

    def text(answer: str) -> str:
        return " | ".join(map(_cell, row_of(answer))) if rows else answer

    asked = [question.hard_answer] if question.hard_answer is not None else []
    for answer in list(dict.fromkeys((*asked, *hard, *question.stated, *question.answers)))[:MOST]:
        note = " (the one that is asked for)" if answer in asked and len(hard) > 1 else ""
        note = " (known from a larger graph alone)" if answer in question.further else note
        yield f"{'★' if answer in hard else ' '} {text(answer)}{note}"
    yield from _more(number)
    for answer in question.spurious[:MOST]:
        yield f"✗ {text(answer)} (wrong, but what the incomplete graph gives)"


def _cell(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_cell, value))
    return value if isinstance(value, str) else dump_line(value)


def _core(question: Question, removed: Sequence[Removal]) -> str:
    if question.core:
        return (
            "In the core: nothing else joins the ends of a missing link, and none can be guessed."
        )
    if any(any(_joining(row)) for row in removed):
        return "Not in the core: the ends of a missing link are still joined."
    if any(row.difficulty.shortest_proof == 1 for row in removed):
        return "Not in the core: a single triple still proves a missing link."
    return "Not in the core: a missing link can be guessed, or its rule is not right often enough."


def read_views(release: Release, questions: Iterable[Question]) -> Views:
    """What is needed to show some questions of a release, and no more.

    Args:
        release: The release.
        questions: Questions of it, in its naming.

    Raises:
        ReleaseError: A file is missing or was edited.
    """
    triples = {triple for question in questions for triple in needed(question)}
    removals, rules = dict[Triple, Removal](), dict[str, Rule]()
    if is_built(release.kind) and triples:
        found = _lines(release, "removed.jsonl", "triple", triples)
        removals = {row.triple: row for row in (from_json(Removal, *line) for line in found)}
        proofs = [p for r in removals.values() for p in (r.certificate, *r.further_certificates)]
        found = _lines(release, "rules.jsonl", "id", {proof.rule for proof in proofs})
        rules = {row["id"]: rule_from_json(row) for row, _ in found}
    return Views(release.entities, release.templates(), release.naming, removals, rules)


def _lines(
    release: Release, name: str, key: str, wanted: Iterable[object]
) -> Iterator[tuple[dict[str, Any], str]]:
    """The lines of a file that begin with one of some keys, decoded: thousands of others need not be."""
    path, end = release.file(name), ',"level":' if key == "triple" else ',"rule":'
    known = {dump_line({key: value})[:-1] for value in wanted}
    for number, line in enumerate(read_lines(path), start=1):
        if line.partition(end)[0] in known:
            where = f"{path}: line {number}"
            yield parse_object(line, where), where


def show(release: str | Path | Release, *ids: str, width: int = 100) -> str:
    """Shows questions.

    Args:
        release: The release, or its folder.
        ids: The ids of the questions.
        width: Columns of the terminal; at least `NARROWEST` are used.

    Returns:
        Lines separated by LF, with a rule between two questions.

    Raises:
        ReleaseError: There is no such release or question; the message suggests a similar id, and says
            why a rejected question was rejected.
    """
    release = release if isinstance(release, Release) else Release.open(release)
    questions, width = [_find(release, wanted) for wanted in ids], max(width, NARROWEST)
    views = read_views(release, questions)
    return f"\n\n{'─' * width}\n\n".join(_drawn(release, q, views.of(q), width) for q in questions)


def _find(release: Release, wanted: str) -> Question:
    if (question := release.question(wanted)) is not None:
        return question
    known = [question.id for question in release.questions()]
    for row in release.rejections():
        if row.question == wanted:
            more = "".join(f" ({text})" for text in (row.detail, row.text) if text)
            raise ReleaseError(
                f"{release.path}: question {wanted} was rejected by the stage {row.stage}: {row.reason}"
                f"{more}. Choose another one."
            )
    close = did_you_mean(wanted, known[:1])  # there are thousands
    hint = f"{close}. Ids run from {known[0]} to {known[-1]}." if known else ""
    raise ReleaseError(f"{release.path}: no question {wanted!r}; {hint or 'it has none.'}")


def _drawn(release: Release, question: Question, view: View, width: int) -> str:
    facts = [question.id, release.name, question.split, *["core"] * question.core]
    if release.levels != (100,) and question.hard_answer is not None:
        facts.append(f"missing from {question.level} % of the removal on")
    lines = _wrapped(" · ".join(facts), width)
    for title, texts in zip(TITLES, view, strict=True):
        if any(texts):
            lines += ["", *[title][: bool(title)]]
            # A query that is copied must not have line breaks.
            columns = max(map(len, texts)) + 9 if title == "Query" else width
            lines += [line for text in texts for line in _wrapped(f"  {text}", columns)]
    return "\n".join(lines)


def _wrapped(text: str, width: int) -> list[str]:
    """A text in lines; those after the first are indented a step further."""
    indent = " " * (len(text) - len(text.lstrip(" ")))
    lines = textwrap.wrap(
        text.strip(" "), width - len(indent) - 2, break_long_words=False, break_on_hyphens=False
    )
    return [f"{indent}{'  ' * (n > 0)}{printable(line)}" for n, line in enumerate(lines)]
