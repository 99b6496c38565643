"""The card of a release: its README.md.

The card says what the release contains, how hard it is, how it was made, and its known limits in figures.
Every number is one of the counts of its manifest.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rulemine.kinds.cypher.page import CYPHER_PAGE
from rulemine.kinds.rules.page import RULE_PAGE
from rulemine.kinds.structures.page import STRUCTURE_PAGE
from rulemine.kinds.subgraphs.page import SUBGRAPH_PAGE
from rulemine.kinds.variants.page import VARIANT_PAGE
from rulemine.release.card.kind_page import KindPage
from rulemine.release.card.limits import describe_limits
from rulemine.release.card.markdown import percent, ratio, table
from rulemine.release.card.plots import FIGURES
from rulemine.release.card.provenance import describe_build
from rulemine.release.contents import ReleaseParts
from rulemine.release.reader import PROPERTY_GRAPHS, TYPES
from rulemine.release.records import SPLITS
from rulemine.release.seed_rows import SEED_TEXTS
from rulemine.release.sheet import SHEET
from rulemine.release.values import REMOVED_VALUES, VALUE_RULES

__all__ = ["write_card"]

MOST_CAUSES = 3
"""Reasons that are given for a test split with too few questions of the core."""

_PAGES = {
    "rules": RULE_PAGE,
    "structures": STRUCTURE_PAGE,
    "subgraphs": SUBGRAPH_PAGE,
    "variants": VARIANT_PAGE,
    "cypher": CYPHER_PAGE,
}
"""Kind of the questions → what only such cards say."""


def write_card(parts: ReleaseParts, manifest: dict[str, Any]) -> str:
    """The card as Markdown.

    Args:
        parts: The parts, in the naming of the release.
        manifest: Its manifest, without the digests of files.
    """
    counts, source = manifest["counts"], manifest["kg"]
    page = _PAGES[parts.kind]
    sections = {
        "": [*page.lead(manifest["name"], manifest), *_core_only(manifest["config"])],
        "Size": _size(counts),
        **{title: section(manifest) for title, section in page.sizes.items()},
        "How hard it is": [*_hardness(counts), "", f"![Figures of this release]({FIGURES})"],
        "Splits": [*_splits(counts, page), *_core_of_test(manifest)],
        **{title: section(manifest) for title, section in page.origins.items()},
        "Known limits": describe_limits(manifest),
        "How it was made": describe_build(manifest),
        "Examples": page.examples(parts.questions),
        "Files": _files(manifest["naming"], parts, page),
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


def _core_only(config: Mapping[str, Any]) -> list[str]:
    """That other questions than those of the core were left out, if so."""
    if not config["questions"].get("core_only"):
        return []
    return ["", "Only questions of the core were released (`questions.core_only`)."]


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
        ("answers per question", ratio(counts["answers"], counts["questions"])),
        ("of them stated", percent(counts["answers_stated"], counts["answers"])),
    ]
    return [*table(rows), "", *table(graph)]


def _hardness(counts: Mapping[str, Any]) -> list[str]:
    total, core = counts["questions"], counts["core"]
    asked = "hard_by_split" if "hard_by_split" in counts else "questions_by_split"
    test = [counts[key]["test"] for key in (asked, "core_by_split")]
    trained = counts["questions_by_split"]["train"] > 0
    rows: list[Sequence[object]] = [("", "all", "core")]
    for guesses, hits in counts["guessed"].items():
        of_core = counts["core_guessed"][guesses]
        guessed = (percent(hits, test[0]), percent(of_core, test[1])) if trained else ("–", "–")
        label = (
            f"Hits@Hard of the {guesses} commonest training answers"
            if guesses != "1"
            else ("Hits@Hard of the commonest training answer")
        )
        rows.append((label, *guessed))
    rows += [
        (
            "most frequent hard answer",
            percent(counts["top_answer"], total),
            percent(counts["core_top_answer"], core),
        ),
        (
            "most frequent relation",
            percent(counts["top_relation"], total),
            percent(counts["core_top_relation"], core),
        ),
        (
            "effective number of relations, 1/Σp²",
            f"{counts['effective_relations']:.1f}",
            f"{counts['core_effective_relations']:.1f}",
        ),
    ]
    said = [
        "Guessing reads no graph: it names the commonest answers of the training questions about the same "
        + (
            "relations and directions at the answer, and is scored on the test questions with a hard answer."
            if asked == "hard_by_split"
            else "relation and direction, and is scored on the test questions."
        )
    ]
    return [*said, "", *table(rows)]


def _splits(counts: Mapping[str, Any], page: KindPage) -> list[str]:
    known = {name: row for name, row in counts["splits"].items() if row is not None}
    if len(known) < 2:
        return ["There is one split only."]
    shared: list[Sequence[object]] = [("of the questions", *(n for n in known if n != "train"))]
    for key, title in page.shared.items():
        cells = [
            percent(row["overlap"][key]) if row["overlap"] else "–"
            for name, row in known.items()
            if name != "train"
        ]
        shared.append((title, *cells))
    sizes = counts["questions_by_split"]
    leaks = (percent(r["given_away"], sizes[name]) for name, r in known.items() if name != "train")
    shared.append(("a removed fact that they need is given away by an earlier split", *leaks))
    inside: list[Sequence[object]] = [
        ("", *known),
        ("of the core", *(percent(counts["core_by_split"][n], sizes[n]) for n in known)),
        ("different relations", *(row["relations"] for row in known.values())),
        ("different rules of their proofs", *(row["rules"] for row in known.values())),
    ]
    from_train: list[Sequence[object]] = [
        ("total variation from train, by", *(n for n in known if n != "train"))
    ]
    for key, title in page.strata.items():
        cells = [f"{r['from_train'][key]:.2f}" for r in known.values() if r["from_train"]]
        if cells:
            from_train.append((title, *cells))
    apart: list[Sequence[object]] = [("total variation from the whole, by", *known)]
    for key, title in page.strata.items():
        cells = [f"{r['distances'][key]:.2f} ({r['at_random'][key]:.2f})" for r in known.values()]
        apart.append((title, *cells))
    return [
        *table(inside),
        "",
        *table(shared),
        "",
        *table(from_train),
        "",
        "In brackets, the distance that as many questions drawn at random have on average:",
        "",
        *table(apart),
    ]


def _core_of_test(manifest: Mapping[str, Any]) -> list[str]:
    """Why test has fewer questions of the core than the recipe asks for; nothing where it has as many."""
    counts, wanted = manifest["counts"], manifest["config"]["questions"].get("test_core", 0)
    if (have := counts["core_by_split"]["test"]) >= wanted:
        return []
    sampled = (row.get("rejected", {}) for row in counts.get("sampling", {}).values())
    reasons = Counter(counts["rejected"])
    for row in sampled:
        reasons.update(row)
    causes = "; ".join(f"{reason} ({n:,})" for reason, n in reasons.most_common(MOST_CAUSES))
    return [
        "",
        f"Test has {have:,} of the {wanted:,} questions of the core that were asked for "
        f"(`questions.test_core`): of {counts['removed_core']:,} removed triples of the core, "
        f"{counts['core']:,} questions ask for one, and test gets at most a third of these."
        + f" What was refused, most often: {causes}."
        * bool(causes),
    ]


def _files(naming: str, parts: ReleaseParts, page: KindPage) -> list[str]:
    rows = [
        ("file", "what is in it"),
        (
            "`questions/*.jsonl`",
            "`id`, `kind`, `question`, `anchors` (topic entities); `query`, `sparql` (what it asks), "
            "`structure`, `shape`, `hops`; `answers` = `stated` + `hard` (rows of "
            "`answer`, `missing`, `level`, `witness`, `core`) + `further`; `hard_answer` (the one asked "
            "for), `core`, `evidence`, `full_evidence`, `split`, `unseen`; `wording`, `paraphrases`, "
            f"`patterns`; {page.block}",
        ),
        (
            "`removed.jsonl`",
            "`triple`, `level`, `directions` (ends that may be asked for), `certificate` (`rule`, `proves`, "
            "`body`), `selected_by`, `difficulty` (with `prior` and `lift`), `core`",
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
        *(
            [
                (f"`{TYPES}`", "`entity`, `type`: a row for every type of an entity"),
                (f"`{SHEET}`", "a sample of questions to be checked by hand, without verdicts"),
            ]
            if parts.kind != "rules"
            else []
        ),
        *(
            [(f"`{SEED_TEXTS}`", "the seed texts: `id`, `entities`, `topic`, `split`")]
            if parts.kind == "variants"
            else []
        ),
        *(
            [
                (
                    f"`{PROPERTY_GRAPHS}/*.json.gz`",
                    "the property graph after and before the removal, as SimpleKG JSON",
                ),
                (
                    f"`{REMOVED_VALUES}`, `{VALUE_RULES}`",
                    "the removed values: `node`, `property`, `value`, `level`, `certificate` (`rule`, "
                    "`path`, `node`, `property`); the rules of their certificates",
                ),
            ]
            if parts.kind == "cypher"
            else []
        ),
        ("`rejected.jsonl`", "rejected questions, each with the reason"),
        *(
            [("`llm/`", "every reply of the model, the prompts, the relation descriptions")]
            if parts.trace
            else []
        ),
        ("`manifest.json`", "options, counts (every figure of this card), SHA-256 of every file"),
    ]
    return table(rows, text=True)


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
