"""The card of a release: its README.md.

The card states what the release contains, how it was made, and its known limits in figures. Every
number is one of the counts of its manifest.
"""

from collections import Counter
from typing import Any

from rulemine.codec import dump_line
from rulemine.kg.relation_overlap import LEAST_SHARE
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import Question
from rulemine.rules.taxonomy import RULE_SUBTYPES, RULE_TYPES, SUBTYPE_NAMES

__all__ = ["write_card"]

EXAMPLES = 5


def write_card(parts: ReleaseParts, manifest: dict[str, Any]) -> str:
    """The card as Markdown.

    Args:
        parts: The parts, in the naming of the release.
        manifest: Its manifest, without the digests of files.
    """
    counts, source, config = manifest["counts"], manifest["kg"], manifest["config"]
    mode = config["selection"]["mode"]
    lines = [
        f"# {manifest['name']}: questions whose answers a knowledge graph no longer states",
        "",
        f"{counts['questions']:,} questions about {counts['triples_removed']:,} triples that were removed "
        f"from a knowledge graph of {counts['triples_complete']:,}. Each removed triple can still be "
        "derived by a rule from the remaining triples; the proof is part of the question.",
        "",
        "## Counts",
        "",
        "| | |",
        "|---|---:|",
        *_counts(counts),
        "",
        "| rule type | rules | questions |",
        "|---|---:|---:|",
        *(
            f"| {kind} | {counts['rules_by_type'][kind]:,} | {counts['questions_by_type'][kind]:,} |"
            for kind in RULE_TYPES
        ),
        *_subtypes(parts.questions),
        "",
        "## Known limits",
        "",
        *_limits(counts),
        *_dropped(source.get("dropped", {}), config["questions"]),
        "",
        "## How it was made",
        "",
        f"- Knowledge graph: {source['title']}. Source: {source['source']}.",
        f"- License of the graph: {source['license']}. Cite: {source['citation']}.",
        f"- SHA-256 of its sorted triples (source names): `{source['digest']}`.",
        f"- Selection: `{mode}`, at most {config['selection']['per_rule']} certificates per rule. "
        + (
            "The published procedure: the first groundings of each rule, without every row whose head "
            "occurs in another row's body."
            if mode == "brink"
            else "One question per removed triple."
        ),
        *_wording(counts, config.get("verbalizer", {"name": "template"})),
        f"- Entities are named by `{manifest['naming']}`; `entities.tsv` has private ids, entities "
        "and text labels.",
        "- All random choices depend on the seed; the same options give the same bytes:",
        "",
        "```json",
        dump_line(config),
        "```",
        "",
        "## Examples",
        "",
        *_examples(parts.questions),
        "",
        "## Files",
        "",
        "`manifest.json` (options, counts, SHA-256 of every file; of the content for `.gz`), "
        "`kg/complete.tsv.gz`, `kg/incomplete.tsv.gz` (and `-<level>`), `removed.jsonl` (triples with "
        "certificates), `rules.jsonl`, `entities.tsv`, `relations.tsv`, "
        "`questions/{train,validation,test}.jsonl`, `rejected.jsonl`"
        + (
            ", `llm/` (every reply of the model, the prompts, the relation descriptions). "
            if parts.trace
            else ". "
        )
        + "Give a system `kg/incomplete.tsv.gz` and the questions; score it with "
        "`rulemine evaluate`; check the release with `rulemine verify`.",
        "",
    ]
    return "\n".join(lines)


def _counts(counts: dict[str, Any]) -> list[str]:
    splits = ", ".join(f"{n:,} {name}" for name, n in counts["questions_by_split"].items())
    fallback = counts["questions_by_wording"][
        "fallback"
    ]  # rejected texts of questions that are kept
    rows = [
        ("questions", f"{counts['questions']:,} ({splits})"),
        ("triples: complete", f"{counts['triples_complete']:,}"),
        ("triples: removed", f"{counts['triples_removed']:,}"),
        ("triples: incomplete", f"{counts['triples_incomplete']:,}"),
        ("entities, relations", f"{counts['entities']:,}, {counts['relations']:,}"),
        ("rules (with a question)", f"{counts['rules']:,} ({counts['rules_with_question']:,})"),
        ("answers per question", _ratio(counts["answers"], counts["questions"])),
        ("hard answers per question", _ratio(counts["answers_hard"], counts["questions"])),
    ]
    levels = counts["removed_by_level"]
    if len(levels) > 1:
        text = ", ".join(f"{level} %: {n:,}" for level, n in levels.items())
        rows.append(("triples removed by level", text))
    if fallback:
        rows.append(("questions that fell back to their template", f"{fallback:,}"))
    rows.append(("rejected questions", f"{sum(counts['rejected'].values()) - fallback:,}"))
    rows += [(f"— {reason}", f"{n:,}") for reason, n in counts["rejected"].items()]
    return [f"| {name} | {value} |" for name, value in rows]


def _subtypes(questions: tuple[Question, ...]) -> list[str]:
    found = Counter(q.rules.rule_subtype for q in questions if q.rules.rule_type == "other")
    return [
        f"| other: {SUBTYPE_NAMES.get(kind, kind)} | | {found[kind]:,} |"
        for kind in RULE_SUBTYPES
        if found[kind]
    ]


def _limits(counts: dict[str, Any]) -> list[str]:
    total = counts["questions"]
    return [
        f"- In {_percent(counts['inverse_edge_left'], total)} of the questions the graph still has an "
        "inverse "
        "edge, from the removed triple's object to its subject, which gives the answer away in one hop; "
        f"in {_percent(counts['parallel_edge_left'], total)} it has another edge in the same direction.",
        f"- Of {counts['overlapping_relations']:,} pairs of relations the second states at least "
        f"{100 * LEAST_SHARE:.0f} % of the triples of the first, in the same direction or inverted "
        "(near-duplicates, near-inverses, and symmetric relations with themselves). In "
        f"{_percent(counts['restating_edge_left'], total)} of the questions the graph still has such a restating "
        "edge of the removed triple.",
        f"- In {_percent(counts['some_answer_stated'], total)} of the questions some other answer is still "
        f"stated directly: {_percent(counts['answers_stated'], counts['answers'])} of all answers are. "
        "Hits@Any does not need inference there; Hits@Hard does.",
        f"- {_percent(counts['questions_by_proofs']['1'], total)} of the questions have a single remaining proof.",
        "- Answers are those that the graph states"
        + (
            f", with {counts['triples_reference']:,} triples of a larger reference graph"
            if counts["triples_reference"]
            else ""
        )
        + "; an answer that is true but not stated counts as wrong.",
    ]


def _wording(counts: dict[str, Any], config: dict[str, Any]) -> list[str]:
    """How the questions were verbalized."""
    templates = (
        f"{counts['phrases_written']} relations with templates by hand, {counts['phrases_derived']} with "
        "templates derived from their names"
    )
    if config["name"] == "template":
        return [f"- Questions: templates, {templates}. No language model."]
    worded, calls = counts["questions_by_wording"], counts["model_calls"]
    tokens = counts["model_tokens"]
    lines = [
        f"- Questions: {worded['model']:,} verbalized by the model `{config['model']}`, "
        f"{_without_text(counts, config)} ({templates})"
        + (f"; {counts['paraphrases']:,} paraphrases" if config["paraphrases"] else "")
        + ".",
        f"- Calls: {', '.join(f'{n:,} {purpose}' for purpose, n in calls.items())}; "
        f"{tokens['prompt']:,} tokens sent, {tokens['completion']:,} received. All replies are in "
        "`llm/journal.jsonl`: `rulemine build RECIPE --replay DIR` makes the questions again without "
        "calling the model.",
    ]
    if config["judge_model"]:
        found = counts["audits"]
        lines.append(
            f"- Judge `{config['judge_model']}`: accepted {found['passed']:,} texts, rejected "
            f"{found['failed']:,} (asked again), {found['unreadable']:,} replies unreadable."
        )
    if config["round_trip"]:
        found = counts["round_trips"]
        lines.append(
            f"- Round-trip check: relation and direction recognized in {found['right']:,} texts, not in "
            f"{found['wrong']:,} (asked again), {found['unreadable']:,} replies unreadable."
        )
    return lines


def _without_text(counts: dict[str, Any], config: dict[str, Any]) -> str:
    """What happened to the questions for which no text of the model passed the checks."""
    if config["on_failure"] == "drop":
        dropped = sum(n for why, n in counts["rejected"].items() if why.startswith("verbalize: "))
        return f"{dropped:,} left out because no text of it passed the checks"
    fallback = counts["questions_by_wording"]["fallback"]
    return f"{fallback:,} by template because no text of it passed the checks"


def _dropped(dropped: dict[str, str], config: dict[str, Any]) -> list[str]:
    """The excluded relations, counted by reason."""
    if not dropped:
        return []
    reasons = Counter(dropped.values())
    return [
        f"- {len(dropped):,} relations are excluded, i.e. not asked about (see `kg.dropped` in "
        "`manifest.json`): "
        + "; ".join(f"{reason} ({n})" for reason, n in reasons.most_common())
        + f". Filter `{config['filter'] or 'none'}`, thresholds in `questions` of the options.",
    ]


def _examples(questions: tuple[Question, ...]) -> list[str]:
    step = max(1, len(questions) // EXAMPLES)
    chosen = sorted(questions, key=lambda q: q.id)[::step][:EXAMPLES]
    return [
        f"- `{q.id}` {q.question} — hard answer: {q.hard_answer}"
        + (f" (one of {len(q.answers)})" if len(q.answers) > 1 else "")
        for q in chosen
    ]


def _ratio(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "–"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
