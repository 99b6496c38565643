"""What is shown of a question of the kind ``rules``: the rule, the proof, and how hard it is."""

from dataclasses import replace

from rulemine.errors import counted
from rulemine.kg.priors import CORE_PRIOR
from rulemine.release.records import Certificate, Question, Removal
from rulemine.release.showing.layout import (
    REMOVED,
    answer_rows,
    columns,
    display_width,
    hanging,
    wrapped,
)
from rulemine.release.showing.proofs_left import why_best
from rulemine.release.showing.view import ShownRelease, Titled, fate
from rulemine.rules.formats import format_readable
from rulemine.rules.rule import Rule
from rulemine.rules.taxonomy import SUBTYPE_NAMES
from rulemine.text.printing import printable

__all__ = ["rule_view"]


def rule_view(question: Question, shown: ShownRelease) -> list[Titled]:
    """What is shown of a question below its text.

    Args:
        question: The question.
        shown: Its release.

    Raises:
        ReleaseError: The release lacks the rule or the removed triple.
    """
    ((triple, removal),) = shown.removed(question).items()
    rule = shown.rules[question.rules[0]]
    proofs = (removal.certificate, *removal.further_certificates)
    proof = next((p for p in proofs if p.rule == rule.id), removal.certificate)
    facts = [*map(shown.triple, proof.body), f"⇒ {shown.triple(triple)}   {REMOVED}"]
    return [
        Titled("", [lambda width: _asked(question, shown, width)]),
        Titled("Rule", [lambda width: _symbols(rule, width), *_said(question, rule, shown)]),
        Titled("Proof", [hanging(facts)]),
        Titled("Why this proof", [hanging(_why(shown, removal, proof))]),
        Titled("How hard", [hanging(_difficulty(question, shown, removal, rule))]),
    ]


def _asked(question: Question, shown: ShownRelease, width: int) -> list[str]:
    direction, relation = question.block.direction, printable(question.relations[0])
    end = "subject" if direction == "object" else "object"
    triple = f"? ──{relation}──▶ topic" if end == "object" else f"topic ──{relation}──▶ ?"
    if display_width(triple) + len("asked for  subjects:  ") > width:
        triple = relation
    rows = [
        ("topic", f"{shown.name(question.topic)} · the {end}"),
        ("asked for", f"{direction}s:  {triple}"),
        ("query", printable(question.query)),
        ("removed", shown.triple(question.removed[0])),
    ]
    hard = dict.fromkeys(question.hard_answers, "hard: it is not stated either")
    return columns([*rows, *answer_rows(question, shown.names, hard)], width)


def _symbols(rule: Rule, width: int) -> list[str]:
    """A rule in one line, or where that is too wide an atom a line."""
    symbols = wrapped(printable(format_readable(rule)), width)
    if len(symbols) == 1:
        return symbols
    atoms = [printable(format_readable(replace(rule, body=(atom,)))) for atom in rule.body]
    before = [atom.split(" ⇒ ")[0] for atom in atoms]
    after = atoms[0].split(" ⇒ ")[-1]
    return ["  " + before[0], *(f"∧ {text}" for text in before[1:]), f"⇒ {after}"]


def _said(question: Question, rule: Rule, shown: ShownRelease) -> list[str]:
    """A rule in words, and what is measured of it."""
    kind, subtype = question.block.rule_type, question.block.rule_subtype
    if subtype != kind:
        kind += f" ({SUBTYPE_NAMES.get(subtype, subtype)})"
    d = rule.known
    measures = (
        f"{kind}; head coverage {d.head_coverage:.3f}, standard confidence {d.std_confidence:.3f}, "
        f"PCA confidence {d.pca_confidence:.3f}; id {rule.id}"
    )
    return [shown.in_words(rule), measures]


def _why(shown: ShownRelease, removal: Removal, proof: Certificate) -> list[str]:
    """Why this proof is the published one."""
    if shown.release.manifest["config"].get("selection", {}).get("mode") == "brink":
        return [
            "It is among the first groundings of its rule, as the published procedure takes them."
        ]
    found = shown.proofs.of(removal.triple)
    said = [why_best(proof, found)]
    if 0 < len(found) < removal.difficulty.proofs:
        said.insert(
            0,
            f"Compared: {len(found):,} of {counted(removal.difficulty.proofs, 'remaining proof')}, without "
            "those that have a triple twice, a self-loop, or a triple that is not needed.",
        )
    if removal.selected_by is not None:
        by = shown.rules.get(removal.selected_by)
        name = removal.selected_by if by is None else printable(format_readable(by))
        said.append(f"Another rule selected the triple: {name}.")
    return said


def _difficulty(question: Question, shown: ShownRelease, removal: Removal, rule: Rule) -> list[str]:
    d = removal.difficulty
    remain = "remains" if d.proofs == 1 else "remain"
    what = "it takes" if d.proofs == 1 else "the shortest takes"
    prior = d.prior.subject if question.block.direction == "subject" else d.prior.object
    ratio = rule.known.std_confidence / prior
    lift = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
    found = [
        f"{counted(d.proofs, 'proof')} of the removed triple {remain}; {what} "
        f"{counted(d.shortest_proof, 'triple')}.",
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
    found += fate(question, shown, "stated directly", "The triple was removed")
    return [*found, _core(question, removal)]


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
