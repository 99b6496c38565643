"""The card of a release: its README.md.

The card says what the release contains, how hard it is, how it was made, and its known limits in figures.
Every number is one of the counts of its manifest.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rulemine.errors import counted
from rulemine.kg.priors import CORE_PRIOR
from rulemine.release.card.bins import bin_label
from rulemine.release.card.limits import describe_limits
from rulemine.release.card.plots import FIGURES
from rulemine.release.card.provenance import describe_build
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import SPLITS, Question
from rulemine.rules.taxonomy import RULE_SUBTYPES, RULE_TYPES, SUBTYPE_NAMES

__all__ = ["write_card"]

EXAMPLES = 5

LITTLE_CORE, FEW_CORE = 0.1, 100
"""Below this fraction or number of questions in the core, the card warns."""

_SHARED = {
    "topic": "topic entity is one of train",
    "answer": "hard answer is one of train",
    "relation": "relation is one of train",
    "rule": "rule is one of train",
}

_STRATA = {
    "relation": "relation",
    "direction": "relation and direction",
    "rule_type": "rule type",
    "core": "core",
}


def write_card(parts: ReleaseParts, manifest: dict[str, Any]) -> str:
    """The card as Markdown.

    Args:
        parts: The parts, in the naming of the release.
        manifest: Its manifest, without the digests of files.
    """
    counts, source, config = manifest["counts"], manifest["kg"], manifest["config"]
    name, brink = manifest["name"], config["selection"]["mode"] == "brink"
    sections = {
        "": [
            f"# {name}: questions whose answers a knowledge graph no longer states",
            "",
            f"{counted(counts['questions'], 'question')} about {counts['triples_removed']:,} triples that "
            f"were removed from a knowledge graph of {counts['triples_complete']:,}. Each removed triple "
            "still follows from the remaining ones by a rule; the proof is published with it.",
            "",
            _core(counts, brink),
        ],
        "Size": _size(counts),
        "How hard it is": [*_hardness(counts), "", f"![Figures of this release]({FIGURES})"],
        "Splits": _splits(counts["splits"]),
        "Proofs": _proofs(counts),
        "Known limits": describe_limits(manifest),
        "How it was made": describe_build(manifest),
        "Examples": _examples(parts.questions),
        "Files": _files(manifest["naming"], parts),
        "Use": _use(),
        "License and citation": [
            f"License of the graph: {source['license']}. Cite the graph ({source['citation']}) and rulemine, "
            "which made the questions from it.",
        ],
    }
    lines = [
        line
        for title, body in sections.items()
        for line in (*([f"## {title}", ""] if title else []), *body, "")
    ]
    return "\n".join(lines)


def _core(counts: Mapping[str, Any], brink: bool) -> str:
    total, core = counts["questions"], counts["core"]
    if not total:
        return "No question was left."
    said = f"**{core:,} of {counted(total, 'question')} need more than one edge: the core.** "
    if brink:
        why = "The published procedure (`brink`) does not select for the core."
    elif 3 * counts["triples_askable"] < counts["triples_complete"]:
        why = "Most facts of this graph can be guessed."
    else:
        why = "The others are restated by an edge between the same two ends, or can be guessed."
    if not core:
        return f"{said}There is nothing to report a headline score on. {why}"
    if core < max(LITTLE_CORE * total, FEW_CORE):
        return f"{said}That is little; scores on it have wide intervals. {why}"
    return said + (
        "There nothing else joins the two ends of the removed triple, and its answer is rare among those of "
        f"its relation (prior ≤ {CORE_PRIOR:g}). Report scores on the core first, then on all questions."
    )


def _size(counts: Mapping[str, Any]) -> list[str]:
    def splits(prefix: str) -> str:
        return " / ".join(f"{n:,}" for n in counts[f"{prefix}_by_split"].values())

    selection = counts["selection"]
    rows = [
        ("", "all", "core"),
        ("questions", counts["questions"], counts["core"]),
        (" / ".join(SPLITS), splits("questions"), splits("core")),
        ("hard answers", counts["answers_hard"], counts["answers_core"]),
        ("removed triples", counts["triples_removed"], counts["removed_core"]),
        *(
            [
                (
                    "no selection can exceed",
                    selection["upper_bound"],
                    selection["core_upper_bound"] or "–",
                )
            ]
            if selection.get("upper_bound")
            else []
        ),
        ("relations asked about", counts["relations_asked"], counts["core_relations_asked"]),
    ]
    levels = counts["removed_by_level"]
    graph = [
        ("", "number"),
        ("triples before the removal", counts["triples_complete"]),
        ("triples after it", counts["triples_incomplete"]),
        *((f"removed at level {level} %", n) for level, n in levels.items() if len(levels) > 1),
        ("entities", counts["entities"]),
        ("relations", counts["relations"]),
        ("rules mined", selection["rules_mined"]),
        ("rules that proofs may use", counts["rules"]),
        ("rules with a question", counts["rules_with_question"]),
        ("answers per question", _ratio(counts["answers"], counts["questions"])),
        ("of them stated", _percent(counts["answers_stated"], counts["answers"])),
    ]
    return [*_table(rows), "", *_table(graph)]


def _hardness(counts: Mapping[str, Any]) -> list[str]:
    total, core = counts["questions"], counts["core"]
    test = [counts[f"{prefix}_by_split"]["test"] for prefix in ("questions", "core")]
    trained = counts["questions_by_split"]["train"] > 0
    rows: list[Sequence[object]] = [("", "all", "core")]
    for guesses, hits in counts["guessed"].items():
        of_core = counts["core_guessed"][guesses]
        guessed = (_percent(hits, test[0]), _percent(of_core, test[1])) if trained else ("–", "–")
        label = (
            f"Hits@Hard of the {guesses} commonest training answers"
            if guesses != "1"
            else ("Hits@Hard of the commonest training answer")
        )
        rows.append((label, *guessed))
    rows += [
        (
            "most frequent hard answer",
            _percent(counts["top_answer"], total),
            _percent(counts["core_top_answer"], core),
        ),
        (
            "most frequent relation",
            _percent(counts["top_relation"], total),
            _percent(counts["core_top_relation"], core),
        ),
        (
            "effective number of relations, 1/Σp²",
            f"{counts['effective_relations']:.1f}",
            f"{counts['core_effective_relations']:.1f}",
        ),
    ]
    said = [
        "Guessing reads no graph: it names the commonest answers of the training questions about the same "
        "relation and direction, and is scored on the test questions."
    ]
    return [*said, "", *_table(rows)]


def _proofs(counts: Mapping[str, Any]) -> list[str]:
    types: list[Sequence[object]] = [("rule type", "rules", "questions", "core")]
    for kind in RULE_TYPES:
        of = [counts[f"{prefix}_by_type"][kind] for prefix in ("rules", "questions", "core")]
        types.append((kind, *of))
    for kind in RULE_SUBTYPES:
        some, core = (counts[f"{prefix}_by_subtype"][kind] for prefix in ("questions", "core"))
        if some:
            types.append((f"other: {SUBTYPE_NAMES.get(kind, kind)}", "", some, core))
    rows: list[Sequence[object]] = [("", "all", "core")]
    for key, title in (
        ("body_atoms", "body atoms of the proof"),
        ("shortest_proof", "body atoms of the shortest remaining proof"),
        ("proofs", "remaining proofs"),
        ("confidence", "standard confidence of the proof"),
        ("prior", "prior of the answer"),
        ("lift", "lift: confidence / prior"),
    ):
        cells = (counts[f"{prefix}_by_{key}"] for prefix in ("questions", "core"))
        rows.append((title, *(_bins(key, cell) for cell in cells)))
    said = [
        "The proof of a question is the best that remains of its removed triple: the shortest within 0.1 of "
        "the best confidence. Below, each value or range with its number of questions."
    ]
    return [*_table(types), "", *said, "", *_table(rows)]


def _bins(key: str, cell: Mapping[str, int]) -> str:
    return " · ".join(f"{bin_label(key, name)}: {n:,}" for name, n in cell.items() if n) or "–"


def _splits(splits: Mapping[str, Any]) -> list[str]:
    known = {name: row for name, row in splits.items() if row is not None}
    if len(known) < 2:
        return ["There is one split only."]
    shared: list[Sequence[object]] = [("of the questions", *(n for n in known if n != "train"))]
    for key, title in _SHARED.items():
        cells = [
            _percent(row["overlap"][key]) if row["overlap"] else "–"
            for name, row in known.items()
            if name != "train"
        ]
        shared.append((title, *cells))
    apart: list[Sequence[object]] = [("total variation from the whole, by", *known)]
    for key, title in _STRATA.items():
        cells = [f"{r['distances'][key]:.2f} ({r['at_random'][key]:.2f})" for r in known.values()]
        apart.append((title, *cells))
    return [
        *_table(shared),
        "",
        "In brackets, the distance that as many questions drawn at random have on average:",
        "",
        *_table(apart),
    ]


def _examples(questions: Sequence[Question]) -> list[str]:
    ordered = sorted((q for q in questions if q.core), key=lambda q: q.id) or sorted(
        questions, key=lambda q: q.id
    )
    step = max(1, len(ordered) // EXAMPLES)
    return [
        f"- `{q.id}` {q.question} — hard answer: {q.hard_answer}"
        + (f" (one of {len(q.answers)} answers)" if len(q.answers) > 1 else "")
        for q in ordered[::step][:EXAMPLES]
    ] or ["None."]


def _files(naming: str, parts: ReleaseParts) -> list[str]:
    rows = [
        ("file", "what is in it"),
        (
            "`questions/*.jsonl`",
            "`id`, `kind`, `question`, `anchors` (topic entities); `query`, `sparql` (what it asks), "
            "`structure`, `shape`, `hops`; `answers` = `stated` + `hard` (rows of "
            "`answer`, `missing`, `level`, `witness`, `core`) + `further`; `hard_answer` (the one asked "
            "for), `core`, `evidence`, `full_evidence`, `split`, `unseen`; `wording`, `paraphrases`, "
            "`patterns`; `rules` (the removed triple, relation, direction, rule and its type)",
        ),
        (
            "`removed.jsonl`",
            "`triple`, `level`, `directions` (ends that may be asked for), `certificate` (`rule`, `body`), "
            "`selected_by`, `difficulty` (with `prior` and `lift`), `core`",
        ),
        ("`kg/incomplete.tsv.gz`, `kg/complete.tsv.gz`", "the graph after and before the removal"),
        *(
            [("`kg/reference.tsv.gz`", "triples that give further answers")]
            if parts.reference
            else []
        ),
        ("`rules.jsonl`", "the rules that proofs may use, with their measures"),
        (
            "`entities.tsv`, `relations.tsv`",
            f"names of entities (`private`, `entity`, `text`; this release uses `{naming}`); templates and "
            "declarations of relations",
        ),
        ("`rejected.jsonl`", "rejected questions, each with the reason"),
        *(
            [("`llm/`", "every reply of the model, the prompts, the relation descriptions")]
            if parts.trace
            else []
        ),
        ("`manifest.json`", "options, counts (every figure of this card), SHA-256 of every file"),
    ]
    return _table(rows, text=True)


def _use() -> list[str]:
    return [
        "Give a system `kg/incomplete.tsv.gz` and, of each question, `id`, `question` and `anchors` only. "
        "Score its answers with `rulemine evaluate`; check the release with `rulemine verify`.",
        "",
        "```python",
        "from rulemine import Release",
        "",
        'release = Release.open(".")',
        'test = release.questions("test")',
        'graph = release.kg("incomplete")',
        "```",
    ]


def _table(rows: Iterable[Sequence[object]], *, text: bool = False) -> list[str]:
    """A Markdown table; the first row is its header.

    Args:
        rows: The rows.
        text: Whether the columns after the first are text; otherwise numbers.
    """
    lines = []
    for row in rows:
        cells = (f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
        if len(lines) == 1:
            lines.append("|---" + ("|---" if text else "|---:") * (len(row) - 1) + "|")
    return lines


def _ratio(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "–"


def _percent(part: float, whole: float = 1) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
