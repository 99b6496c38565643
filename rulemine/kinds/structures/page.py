"""The card of a release of the kind ``structures``: what only such a card says."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rulemine.errors import counted
from rulemine.kg.priors import CORE_PRIOR
from rulemine.kinds.structures.figures import ALL, MISSING
from rulemine.query.structures import STRUCTURES
from rulemine.release.card.kind_page import NOTHING_REMOVED, KindPage, Manifest
from rulemine.release.card.markdown import FEW_CORE, LITTLE_CORE, percent, table
from rulemine.release.records import SPLITS, Question
from rulemine.rules.taxonomy import RULE_TYPES
from rulemine.text.markdown import plain

__all__ = [
    "QUERY_SHARED", "QUERY_STRATA", "STRUCTURE_PAGE", "describe_missing", "describe_structures",
    "examples_of_structures", "lead",
]  # fmt: skip

MOST_REASONS = 3
"""Reasons for a shortfall that are listed."""

_TYPES = {
    "schema": "those of the schema",
    "stated": "the graph states them by a relation such as `rdf:type`",
    "names": "Freebase's names of relations, `/domain/type/property`, tell those of their subjects",
    "induced": "induced from the relations: the subjects of a relation are a type and so are its objects, "
    "and two of these with mostly the same members are one",
}


def lead(name: str, manifest: Manifest, title: str, written: str) -> list[str]:
    """The title of the card and what follows it.

    Args:
        name: The name of the release.
        manifest: Its manifest.
        title: What it is about.
        written: What its questions are, after their number and before the graph.
    """
    counts = manifest["counts"]
    if manifest["config"]["selection"]["mode"] == "none":
        return [
            f"# {name}: {title} a knowledge graph",
            "",
            f"{counted(counts['questions'], 'question')} {written} a knowledge graph of "
            f"{counts['triples_complete']:,} triples. {NOTHING_REMOVED}",
        ]
    hard, core = sum(counts["hard_by_split"].values()), counts["core"]
    return [
        f"# {name}: {title} a knowledge graph that lacks part of what they need",
        "",
        f"{counted(counts['questions'], 'question')} {written} a "
        f"knowledge graph of {counts['triples_complete']:,} triples, of which "
        f"{counts['triples_removed']:,} were removed. {hard:,} have a hard answer: one that needs removed "
        "triples. Each removed triple still follows from the remaining ones by a rule; the proof is "
        "published with it.",
        "",
        _core(hard, core),
    ]


def _lead(name: str, manifest: Manifest) -> list[str]:
    written = f"of {len(_asked(manifest['counts']))} logical structures on"
    return lead(name, manifest, "logical questions on", written)


def _core(hard: int, core: int) -> str:
    if not hard:
        return "No question has a hard answer."
    said = f"**{core:,} of {counted(hard, 'question')} with a hard answer are in the core.** "
    if not core:
        return f"{said}There is nothing to report a headline score on."
    if core < max(LITTLE_CORE * hard, FEW_CORE):
        return f"{said}That is little; scores on it have wide intervals."
    return said + (
        "There nothing else in the complete graph joins the two ends of any removed triple that the answer "
        "needs, and what the triple leads to is rare among what its relation leads to (prior ≤ "
        f"{CORE_PRIOR:g}). Report scores on the core first, then on all questions."
    )


def _asked(counts: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The rows of the statistics of structures with questions."""
    rows = counts["statistics"]
    return {name: row for name, row in rows.items() if name != ALL and row["questions"]}


def describe_structures(manifest: Manifest) -> list[str]:
    """Questions by structure, split and missing links, and the paper's statistics."""
    counts = manifest["counts"]
    rows = {**_asked(counts), ALL: counts["statistics"][ALL]}
    links = [
        ("structure", "questions", " / ".join(SPLITS), *MISSING, "full inference", "core"),
        *(
            (
                name,
                row["questions"],
                " / ".join(f"{n:,}" for n in row["by_split"].values()),
                *row["by_missing"].values(),
                row["by_inference"]["full"],
                row["core"],
            )
            for name, row in rows.items()
        ),
    ]
    sizes = [
        ("structure", "tokens", "answers", "hard answers", "triples", "entities", "relations", "same type"),
        *(
            (
                name,
                *(f"{row[key]:.2f}" for key in ("tokens", "answers", "hard", "triples")),
                row["entities"],
                row["relations"],
                percent(row["same_type"], row["questions"]),
            )
            for name, row in rows.items()
        ),
    ]  # fmt: skip
    return [
        f"Columns 0 to {MISSING[-1]} (or more): how many links the hard answer misses, i.e. the least number "
        "of removed triples in a derivation of it; 0 where every answer is stated. Full inference: all links "
        "of the derivation are missing.",
        "",
        *table(links),
        "",
        "Means of a question: words and numbers of its text, answers, triples in the derivations of all its "
        "answers. Entities and relations are counted once each. Same type: the questions whose answers all "
        "share a type.",
        "",
        *table(sizes),
    ]


def describe_missing(manifest: Manifest) -> list[str]:
    """The rules behind what the hard answers miss."""
    counts = manifest["counts"]
    rows: list[Sequence[object]] = [("rule type", "rules", "missing links")]
    rows += [
        (kind, counts["rules_by_type"][kind], counts["missing_by_type"][kind])
        for kind in RULE_TYPES
    ]
    return [
        "Missing links are the removed triples in the derivations of the hard answers, of all questions "
        "together; the type is that of the rule that proves the triple.",
        "",
        *table(rows),
    ]


def _sampling(manifest: Manifest) -> list[str]:
    """How questions were drawn, and which structures fell short and why."""
    counts, options = manifest["counts"], manifest["config"]["structures"]
    questions = manifest["config"]["questions"]
    rows = {**_asked(counts), ALL: counts["statistics"][ALL]}
    share = f"{100 * options['max_share']:g} %"
    degrees = [
        ("structure", "least", "25 %", "median", "75 %", "most", "top anchor", "top relation", "top answer"),
        *(
            (
                name,
                *row["degrees"].values(),
                *(percent(row[f"top_{of}"], row["questions"]) for of in ("anchor", "relation", "answer")),
            )
            for name, row in rows.items()
        ),
    ]  # fmt: skip
    return [
        f"- {_wanted(options)} In each structure, relations are drawn evenly rather than triples, so that "
        "hubs do not prevail.",
        f"- At most {options['max_answers']} answers and {options['max_evidence']} triples of full "
        f"evidence. No anchor, relation or answer is in more than {share} of the questions of a structure.",
        "- No branch can be dropped without changing the answers, none is contained in another, no step of "
        "a chain leads to all there is, no answer and no intermediate entity is an anchor. All answers "
        "share a type; of a union so do the anchors, and so do the members of all branches.",
        f"- Anchors: {_anchors(options)}.{_split(questions, options)}",
        f"- Types: {_types(str(manifest['kg'].get('types', '')))}.",
        *_shortfalls(counts),
        "",
        "Degrees of the anchors in the complete graph, and the largest fraction of the questions with one "
        "anchor, relation or answer:",
        "",
        *table(degrees),
    ]


def _wanted(options: Mapping[str, Any]) -> str:
    wanted = f"{options['per_structure']:,} questions of each structure are wanted"
    return {
        "balanced": f"{wanted}, as many for each number of missing links from 0 as the graph has.",
        "full": f"{wanted}, all links of the hard answer missing.",
        "any": f"{wanted}, with as many missing links as sampling finds.",
    }[options["missing"]]


def _anchors(options: Mapping[str, Any]) -> str:
    where = f"entities of `{options['anchors']}`" if options["anchors"] else "all entities"
    least, most = options["min_degree"], options["max_degree"]
    if not least and not most:
        return where
    upper = f" to {most:,}" if most else " or more"
    return f"{where} with {max(1, least):,}{upper} triples"


def _split(questions: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    if questions["split"] != "group":
        return ""
    answers = " No answer is in two splits." if options["disjoint_answers"] else ""
    ratios = " : ".join(map(str, questions["ratios"]))
    return (
        f" Each is given to a split first ({ratios}), and a question draws all of its own from one split."
        f"{answers} Test is drawn first, then validation; training gives away no removed fact that they need."
    )


def _types(sources: str) -> str:
    """How types were found; the first source is that of most entities."""
    first, *others = sources.split(", ")
    said = _TYPES.get(first, first or "given")
    return said + (
        "; entities that this leaves out have types induced from the relations" if others else ""
    )


def _shortfalls(counts: Mapping[str, Any]) -> list[str]:
    """The structures with fewer questions than wanted, each with the commonest reasons."""
    lines = []
    for name, row in counts["sampling"].items():
        have, wanted = counts["statistics"][name]["questions"], row["wanted"]
        if have >= wanted:
            continue
        reasons = Counter(row["rejected"]).most_common(MOST_REASONS)
        why = "; ".join(f"{reason} ({n:,})" for reason, n in reasons)
        line = f"- {name}: {have:,} of {wanted:,} wanted."
        if row["questions"] < wanted:
            line += f" Of {counted(row['drawn'], 'draw')}, most were refused because {why}."
        if dropped := row["questions"] - have:
            line += f" {dropped:,} got no text that passed the checks."
        lines.append(line)
    if counts["sampling"] and not lines:
        lines.append("- Every structure has as many questions as wanted.")
    return lines


def examples_of_structures(questions: Sequence[Question]) -> list[str]:
    """A question of each structure: of the core if there is one, else with a hard answer."""
    lines = []
    for structure in dict.fromkeys([*STRUCTURES, *sorted({q.structure for q in questions})]):
        some = sorted((q for q in questions if q.structure == structure), key=lambda q: q.id)
        some = [q for q in some if q.core] or [q for q in some if q.hard] or some
        if not some:
            continue
        q = some[len(some) // 2]
        named = plain(str(q.hard_answer) if q.hard else q.answers[0])
        answer = f"hard answer: {named}" if q.hard else f"answer: {named}"
        several = f"one of {len(q.answers)} answers, " if len(q.answers) > 1 else ""
        missing = f"{counted(q.missing, 'link')} missing" if q.hard else "all stated"
        lines.append(f"- {structure} `{q.id}` {plain(q.question)} — {answer} ({several}{missing})")
    return lines or ["None."]


QUERY_SHARED = {
    "topic": "a topic entity is one of train",
    "answer": "hard answer is one of train",
    "relation": "a relation is one of train",
    "rule": "a rule is one of train",
}
QUERY_STRATA = {
    "structure": "structure",
    "missing": "missing links",
    "relation": "relation",
    "core": "core",
}
"""Of questions of every kind but ``rules``."""

STRUCTURE_PAGE = KindPage(
    lead=_lead,
    sizes={"Structures": describe_structures},
    origins={"Proofs": describe_missing, "How questions were drawn": _sampling},
    examples=examples_of_structures,
    shared=QUERY_SHARED,
    strata=QUERY_STRATA,
    block="`structures` (relations, intermediate entities, types of the answers, removed triples of "
    "`evidence` and rules of their proofs)",
)
"""What the cards of the kind ``structures`` say."""
