"""A question of the kind ``rules`` in the terminal: the rule, the proof, and how hard it is."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from rulemine.errors import ReleaseError, counted
from rulemine.kg.priors import CORE_PRIOR
from rulemine.release.reader import Release
from rulemine.release.records import Certificate, Question, Removal
from rulemine.release.showing.drawing import display_width, draw_proof
from rulemine.release.showing.layout import (
    answer_rows,
    columns,
    in_words,
    indented,
    sentences,
    titled,
    wrapped,
)
from rulemine.release.showing.proofs_left import ProofsLeft, why_best
from rulemine.rules.formats import format_readable
from rulemine.rules.rule import Rule
from rulemine.rules.taxonomy import SUBTYPE_NAMES
from rulemine.text.printing import printable

__all__ = ["rule_blocks"]


def rule_blocks(
    release: Release,
    question: Question,
    names: Mapping[str, str],
    width: int,
    remaining: Callable[[], ProofsLeft],
) -> list[list[str]]:
    """What is shown of a question below its text, in blocks of lines.

    Args:
        release: The release.
        question: The question.
        names: Entity → its printed name.
        width: Columns within a block.
        remaining: Called for the remaining proofs of the release.

    Raises:
        ReleaseError: The release lacks the rule or the removed triple.
    """
    asked, of = question.removed[0], question.rules[0]
    removal = next((r for r in release.removals() if r.triple == asked), None)
    rule = next((rule for rule in release.rules() if rule.id == of), None)
    if rule is None or removal is None:
        lacks, file = (
            (f"names rule {of}", "rules.jsonl")
            if rule is None
            else (f"is about {asked}", "removed.jsonl")
        )
        raise ReleaseError(
            f"{release.path}: question {question.id} {lacks}, which {file} lacks. rulemine verify lists all "
            "faults."
        )
    statements = {r: row.get("statement", "") for r, row in release.relations().items()}
    proof = next(
        (p for p in (removal.certificate, *removal.further_certificates) if p.rule == of),
        removal.certificate,
    )
    why = _why(release, removal, proof, remaining())
    return [
        _asked(question, names, width),
        titled("Rule", _rule(question, rule, statements, width)),
        titled("Proof", draw_proof(proof.body, asked, names, width)),
        titled("Why this proof", sentences(why, width)),
        titled("How hard", sentences(_difficulty(release, question, removal, rule), width)),
    ]


def _asked(question: Question, names: Mapping[str, str], width: int) -> list[str]:
    direction, relation = question.block.direction, printable(question.relations[0])
    end = "subject" if direction == "object" else "object"
    triple = f"? ──{relation}──▶ topic" if end == "object" else f"topic ──{relation}──▶ ?"
    if display_width(triple) + len("asked for  subjects:  ") > width:
        triple = relation
    subject, _, obj = (names.get(part, part) for part in question.removed[0])
    rows = [
        ("topic", f"{names.get(question.topic, question.topic)} · the {end}"),
        ("asked for", f"{direction}s:  {triple}"),
        ("query", printable(question.query)),
        ("removed", f"{subject} ──{relation}──▶ {obj}"),
    ]
    rows += answer_rows(
        question, names, dict.fromkeys(question.hard_answers, "hard: it is not stated either")
    )
    return indented(columns(rows, width))


def _rule(question: Question, rule: Rule, statements: Mapping[str, str], width: int) -> list[str]:
    kind, subtype = question.block.rule_type, question.block.rule_subtype
    if subtype != kind:
        kind += f" ({SUBTYPE_NAMES.get(subtype, subtype)})"
    symbols = wrapped(printable(format_readable(rule)), width)
    if len(symbols) > 1:  # an atom a line
        atoms = [printable(format_readable(replace(rule, body=(atom,)))) for atom in rule.body]
        before = [atom.split(" ⇒ ")[0] for atom in atoms]
        after = atoms[0].split(" ⇒ ")[-1]
        symbols = ["  " + before[0], *(f"∧ {text}" for text in before[1:]), f"⇒ {after}"]
    d = rule.known
    measures = (
        f"{kind}; head coverage {d.head_coverage:.3f}, standard confidence {d.std_confidence:.3f}, "
        f"PCA confidence {d.pca_confidence:.3f}; id {rule.id}"
    )
    return [
        *symbols,
        *wrapped(in_words(rule, statements), width),
        *wrapped(measures, width),
    ]


def _why(release: Release, removal: Removal, proof: Certificate, proofs: ProofsLeft) -> list[str]:
    """Why this proof is the published one."""
    if release.manifest["config"].get("selection", {}).get("mode") == "brink":
        return [
            "It is among the first groundings of its rule, as the published procedure takes them."
        ]
    found = proofs.of(removal.triple)
    said = [why_best(proof, found)]
    if 0 < len(found) < removal.difficulty.proofs:
        said.insert(
            0,
            f"Compared: {len(found):,} of {counted(removal.difficulty.proofs, 'remaining proof')}, without "
            "those that have a triple twice, a self-loop, or a triple that is not needed.",
        )
    if removal.selected_by is not None:
        by = next((rule for rule in release.rules() if rule.id == removal.selected_by), None)
        name = f"{removal.selected_by}" if by is None else printable(format_readable(by))
        said.append(f"Another rule selected the triple: {name}.")
    return said


def _difficulty(release: Release, question: Question, removal: Removal, rule: Rule) -> list[str]:
    d = removal.difficulty
    remain = "remains" if d.proofs == 1 else "remain"
    length = counted(d.shortest_proof, "triple")
    what = "it takes" if d.proofs == 1 else "the shortest takes"
    prior = d.prior.subject if question.block.direction == "subject" else d.prior.object
    ratio = rule.known.std_confidence / prior
    lift = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
    found = [
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
            found.append(
                f"{edge} edge is still stated, {where}: {edges}. One hop finds the answer."
            )
    if not (d.inverse_edge or d.parallel_edge):
        found.append("No edge remains between its two ends.")
    verb = "is" if len(question.stated) == 1 else "are"
    stated = f"{len(question.stated)} of {counted(len(question.answers), 'answer')} {verb} still"
    found.append(f"{stated if question.stated else 'No answer is'} stated directly.")
    if release.levels != (100,):
        higher = " and higher" if question.level < release.levels[-1] else " only"
        found.append(f"The triple was removed at level {question.level} %{higher}.")
    found.append(_core(question, removal))
    return found


def _core(question: Question, removal: Removal) -> str:
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
    elif question.block.direction not in removal.directions:
        why = f"its prior is too high when the {question.block.direction} is asked for"
    else:
        why = (
            "its proof is below the thresholds of the core, or an edge between the two ends goes at a "
            "later level"
        )
    return f"Not in the core: {why}."
