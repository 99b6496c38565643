"""Shows a question of a release in the terminal: question, answers, rule, proof, and how hard it is.

Entities have their names in the naming of the release, followed by the text label if it differs.
"""

import difflib
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rulemine.errors import ReleaseError, counted
from rulemine.kg.priors import CORE_PRIOR
from rulemine.phrasing.templates import Templates
from rulemine.query.atom import Atom, Term
from rulemine.release.drawing import display_width, draw_proof, printable
from rulemine.release.proofs_left import ProofsLeft, why_best
from rulemine.release.reader import Release
from rulemine.release.records import Certificate, Question, Removal, RuleQuestion
from rulemine.rules.formats import format_readable
from rulemine.rules.rule import Rule
from rulemine.rules.taxonomy import SUBTYPE_NAMES

__all__ = ["remaining", "show"]

MOST_ANSWERS = 12
"""Number of answers that are listed; the others are counted."""

NARROWEST = 40

_INDENT = "  "
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(subject|object)\}")


def show(
    release: str | Path | Release,
    question_id: str,
    width: int = 100,
    proofs: ProofsLeft | None = None,
) -> str:
    """Shows one question.

    Args:
        release: The release, or its folder.
        question_id: Its id.
        width: Columns of the terminal; at least `NARROWEST` are used.
        proofs: What `remaining` made of the release, for more than one question.

    Returns:
        Lines separated by LF.

    Raises:
        ReleaseError: There is no such release or question; the message suggests a similar id, and says
            why a rejected question was rejected.
    """
    opened = release if isinstance(release, Release) else Release.open(release)
    question = _find(opened, question_id)
    if not isinstance(question, RuleQuestion):
        raise NotImplementedError
    asked = question.rules
    removal = next((r for r in opened.removals() if r.triple == asked.removed), None)
    names = _names(opened)
    rule = next((rule for rule in opened.rules() if rule.id == asked.rule), None)
    if rule is None or removal is None:
        lacks, file = (
            (f"names rule {asked.rule}", "rules.jsonl")
            if rule is None
            else (f"is about {asked.removed}", "removed.jsonl")
        )
        raise ReleaseError(
            f"{opened.path}: question {question.id} {lacks}, which {file} lacks. rulemine verify lists all "
            "faults."
        )
    width = max(width, NARROWEST)
    inner = width - len(_INDENT)
    statements = {r: row.get("statement", "") for r, row in opened.relations().items()}
    proof = next(
        (p for p in (removal.certificate, *removal.further_certificates) if p.rule == asked.rule),
        removal.certificate,
    )
    why = _why(opened, removal, proof, proofs or remaining(opened))
    blocks = [
        _headline(opened, question),
        _indented(_wrapped(printable(question.question), inner)),
        *_otherwise(opened, question, inner),
        _asked(question, names, inner),
        _titled("Rule", _rule(question, rule, statements, inner)),
        _titled("Proof", draw_proof(proof.body, asked.removed, names, inner)),
        _titled("Why this proof", _sentences(why, inner)),
        _titled("How hard", _sentences(_difficulty(opened, question, removal, rule), inner)),
    ]
    return "\n\n".join("\n".join(block) for block in blocks)


def remaining(release: Release) -> ProofsLeft:
    """Prepares the search for the remaining proofs of a release's removed triples.

    Raises:
        ReleaseError: A file is missing or was edited.
    """
    removed = [removal.triple for removal in release.removals()]
    declared = Templates.from_plain(release.relations().values()).declarations
    return ProofsLeft(release.kg("complete"), removed, release.rules(), declared)


def _find(release: Release, wanted: str) -> Question:
    questions = release.questions()
    for question in questions:
        if question.id == wanted:
            return question
    for rejection in release.rejections():
        if rejection.question == wanted:
            detail = f" ({rejection.detail})" if rejection.detail else ""
            detail += f": {rejection.text!r}" if rejection.text else ""
            raise ReleaseError(
                f"{release.path}: question {wanted} was rejected by the stage "
                f"{rejection.stage}: {rejection.reason}{detail}. Choose another one."
            )
    known = [question.id for question in questions]
    hint = f"its ids run from {known[0]} to {known[-1]}." if known else "it has no questions."
    number = wanted.lower().lstrip("q").lstrip("0")
    same = [id_ for id_ in known if number.isdigit() and id_.lstrip("q0") == number]
    if close := same or difflib.get_close_matches(wanted, known, n=1):
        hint = f"did you mean {close[0]!r}? {hint[0].upper()}{hint[1:]}"
    raise ReleaseError(f"{release.path}: no question {wanted!r}; {hint}")


def _names(release: Release) -> dict[str, str]:
    """Maps each entity, in the naming of the release, to its printed name."""
    shown: dict[str, str] = {}
    for row in release.entities:
        own = {"entity": row.entity, "text": row.text}.get(release.naming, row.private)
        if release.naming == "numeric":
            own = str(int(row.private[1:]))
        label = "" if row.text == own else f" ({printable(row.text)})"
        shown[own] = printable(own) + label
    return shown


def _headline(release: Release, question: Question) -> list[str]:
    facts = [question.id, release.name, question.split, *(["core"] if question.core else [])]
    if release.levels != (100,):
        facts.append(f"level {question.level}")
    return [" · ".join(facts)]


def _otherwise(release: Release, question: Question, width: int) -> list[list[str]]:
    """Why a question fell back to its template, and the paraphrases."""
    if question.wording == "fallback":
        why = [r for r in release.rejections() if r.question == question.id]
        said = "".join(f" ({rejection.detail})" for rejection in why if rejection.detail)
        lines = _wrapped(f"No text of the model passed the checks{said}.", width, "  ")
        for rejection in why:
            if rejection.text:
                lines += _wrapped(f"Refused: {printable(rejection.text)}", width, "  ")
        return [_indented(lines)]
    lines = [line for text in question.paraphrases for line in _wrapped(printable(text), width)]
    return [_titled("Paraphrases", lines)] if lines else []


def _asked(question: RuleQuestion, names: Mapping[str, str], width: int) -> list[str]:
    asked = question.rules
    end = "subject" if asked.direction == "object" else "object"
    relation = printable(asked.relation)
    triple = f"? ──{relation}──▶ topic" if end == "object" else f"topic ──{relation}──▶ ?"
    if display_width(triple) + len("asked for  subjects:  ") > width:
        triple = relation
    subject, _, obj = (names.get(part, part) for part in asked.removed)
    rows = [
        ("topic", f"{names.get(question.topic, question.topic)} · the {end}"),
        ("asked for", f"{asked.direction}s:  {triple}"),
        ("query", printable(question.query)),
        ("removed", f"{subject} ──{relation}──▶ {obj}"),
    ]
    kinds = dict.fromkeys(question.stated, "stated")
    kinds |= dict.fromkeys(question.further, "right by the reference graph alone, never asked for")
    kinds |= {row.answer: "hard: it is not stated either" for row in question.hard}
    first = [a for a in (question.hard_answer,) if a is not None]
    order = [*first, *(a for a in (*question.hard_answers, *question.stated) if a not in first)]
    order += question.further
    for place, answer in enumerate(order[:MOST_ANSWERS]):
        name = names.get(answer, answer)
        if answer == question.hard_answer:
            name = f"★ {name}  the hard answer that is asked for"
        else:
            name = f"{'☆' if answer in question.hard_answers else ' '} {name}  {kinds[answer]}"
        rows.append((counted(len(order), "answer") if place == 0 else "", name))
    if len(order) > MOST_ANSWERS:
        rows.append(("", f"  … and {len(order) - MOST_ANSWERS:,} more"))
    column = max(len(key) for key, _ in rows) + 2
    lines = []
    for key, text in rows:
        line, *rest = _wrapped(text, width - column, "  ")
        lines += [key.ljust(column) + line, *(" " * column + more for more in rest)]
    return _indented(lines)


def _rule(
    question: RuleQuestion, rule: Rule, statements: Mapping[str, str], width: int
) -> list[str]:
    kind, subtype = question.rules.rule_type, question.rules.rule_subtype
    if subtype != kind:
        kind += f" ({SUBTYPE_NAMES.get(subtype, subtype)})"
    symbols = _wrapped(printable(format_readable(rule)), width)
    if len(symbols) > 1:  # an atom a line
        atoms = [printable(format_readable(replace(rule, body=(atom,)))) for atom in rule.body]
        before = [atom.split(" ⇒ ")[0] for atom in atoms]
        after = atoms[0].split(" ⇒ ")[-1]
        symbols = ["  " + before[0], *(f"∧ {text}" for text in before[1:]), f"⇒ {after}"]
    said = [_say(atom, rule, statements) for atom in (*rule.body, rule.head)]
    condition = said[0] if len(said) == 2 else ", ".join(said[:-2]) + " and " + said[-2]
    words = f"If {condition}, then {said[-1]}."
    d = rule.known
    measures = (
        f"{kind}; head coverage {d.head_coverage:.3f}, standard confidence {d.std_confidence:.3f}, "
        f"PCA confidence {d.pca_confidence:.3f}; id {rule.id}"
    )
    return [
        *symbols,
        *_wrapped(words, width),
        *_wrapped(measures, width),
    ]


def _say(atom: Atom, rule: Rule, statements: Mapping[str, str]) -> str:
    letters = "xyzwvutsrqponm"

    def term(value: Term) -> str:
        return letters[value] if isinstance(value, int) else printable(value)

    template = statements.get(atom.relation) or ""
    ends = {"subject": term(atom.subject), "object": term(atom.object)}
    if not template:
        return f"{ends['subject']} {printable(atom.relation)} {ends['object']}"
    return _PLACEHOLDER.sub(lambda m: ends[m[1]] if m[1] else m[0][0], printable(template))


def _why(release: Release, removal: Removal, proof: Certificate, proofs: ProofsLeft) -> list[str]:
    """Why this proof is the published one."""
    if release.manifest["config"]["selection"]["mode"] == "brink":
        return [
            "It is among the first groundings of its rule, as the published procedure takes them."
        ]
    found = proofs.of(removal.triple)
    sentences = [why_best(proof, found)]
    if 0 < len(found) < removal.difficulty.proofs:
        sentences.insert(
            0,
            f"Compared: {len(found):,} of {counted(removal.difficulty.proofs, 'remaining proof')}, without "
            "those that have a triple twice, a self-loop, or a triple that is not needed.",
        )
    if removal.selected_by is not None:
        by = next((rule for rule in release.rules() if rule.id == removal.selected_by), None)
        said = f"{removal.selected_by}" if by is None else printable(format_readable(by))
        sentences.append(f"Another rule selected the triple: {said}.")
    return sentences


def _difficulty(
    release: Release, question: RuleQuestion, removal: Removal, rule: Rule
) -> list[str]:
    d, asked = removal.difficulty, question.rules
    remain = "remains" if d.proofs == 1 else "remain"
    length = counted(d.shortest_proof, "triple")
    what = "it takes" if d.proofs == 1 else "the shortest takes"
    prior = d.prior.subject if asked.direction == "subject" else d.prior.object
    ratio = rule.known.std_confidence / prior
    lift = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
    sentences = [
        f"{counted(d.proofs, 'proof')} of the removed triple {remain}; {what} {length}.",
        f"Prior {prior:.3g}: {100 * prior:.3g} % of the relation's topic entities have this answer. "
        f"Lift {lift}: the rule is right {lift} times as often.",
    ]
    for relations, where, edge in (
        (d.inverse_edge, "from its object to its subject", "An inverse"),
        (d.parallel_edge, "from its subject to its object", "A parallel"),
    ):
        if relations:
            edges = ", ".join(map(printable, relations))
            sentences.append(
                f"{edge} edge is still stated, {where}: {edges}. One hop finds the answer."
            )
    if not (d.inverse_edge or d.parallel_edge):
        sentences.append("No edge remains between its two ends.")
    verb = "is" if len(question.stated) == 1 else "are"
    stated = f"{len(question.stated)} of {counted(len(question.answers), 'answer')} {verb} still"
    sentences.append(f"{stated if question.stated else 'No answer is'} stated directly.")
    if release.levels != (100,):
        higher = " and higher" if question.level < release.levels[-1] else " only"
        sentences.append(f"The triple was removed at level {question.level} %{higher}.")
    sentences.append(_core(question, removal))
    return sentences


def _core(question: RuleQuestion, removal: Removal) -> str:
    if question.core:
        return "In the core: nothing else joins the two ends, and the answer cannot be guessed."
    d = removal.difficulty
    if d.inverse_edge or d.parallel_edge:
        why = "an edge still joins the two ends"
    elif d.shortest_proof == 1:
        why = "a proof of one triple remains"
    elif any(
        (d.prior.subject if end == "subject" else d.prior.object) > CORE_PRIOR
        for end in removal.directions
    ):
        why = f"its prior is above {CORE_PRIOR:g} in a direction that may be asked for"
    elif question.rules.direction not in removal.directions:
        why = f"its prior is too high when the {question.rules.direction} is asked for"
    else:
        why = (
            "its proof is below the thresholds of the core, or an edge between the two ends goes at a "
            "later level"
        )
    return f"Not in the core: {why}."


def _sentences(sentences: Sequence[str], width: int) -> list[str]:
    return [line for sentence in sentences for line in _wrapped(sentence, width, "  ")]


def _wrapped(text: str, width: int, hanging: str = "") -> list[str]:
    if display_width(text) <= width:
        return [text]
    # Wide characters count once here, so a line may exceed the width; terminals wrap it.
    return textwrap.wrap(
        text, max(width, 20), subsequent_indent=hanging, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _titled(title: str, lines: Sequence[str]) -> list[str]:
    return [title, *_indented(lines)]


def _indented(lines: Sequence[str]) -> list[str]:
    return [_INDENT + line for line in lines]
