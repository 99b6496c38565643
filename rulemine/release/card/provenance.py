"""How a release was made, in words for its card: graph, selection, texts, options."""

from collections.abc import Mapping
from typing import Any

from rulemine.codec import dump_line

__all__ = ["describe_build"]


def describe_build(manifest: Mapping[str, Any]) -> list[str]:
    """How a release was made, as lines of Markdown.

    Args:
        manifest: Its manifest, without the digests of files.
    """
    counts, source, config = manifest["counts"], manifest["kg"], manifest["config"]
    return [
        f"- Graph: {source['title']}. Source: {source['source']}.",
        f"- SHA-256 of its sorted triples (source names): `{source['digest']}`.",
        *(
            f"- Rules: mined by the original AMIE, one thread; SHA-256 of its jar: `{jar}`."
            for jar in filter(None, [source.get("amie_jar")])
        ),
        _selection(config["selection"], counts),
        *(f"- No question of the earlier release `{one}`." for one in config.get("not_in", ())),
        *_wording(counts, config.get("verbalizer", {"name": "template"})),
        "- All random choices depend on the seed; the same options give the same bytes:",
        "",
        "```json",
        dump_line(config),
        "```",
    ]


def _selection(config: Mapping[str, Any], counts: Mapping[str, Any]) -> str:
    if config["mode"] == "none":
        return "- Selection: `none`. Nothing was mined, nothing was removed."
    if config["mode"] == "brink":
        return (
            f"- Selection: `brink`, at most {config['per_rule']} certificates per rule. The published "
            "procedure: the first groundings of each rule, without every row whose head occurs in another "
            "row's body."
        )
    other = counts["selected_by_another"]
    return (
        f"- Selection: `{config['mode']}`, at most {config['per_rule']} removed triples per rule"
        + (
            f"; {other:,} have a better proof than that of the rule that selected them"
            if other
            else ""
        )
        + "."
    )


def _wording(counts: Mapping[str, Any], config: Mapping[str, Any]) -> list[str]:
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
    if config["rewriter_model"] and "reword" not in calls:
        lines.append(f"- Rewriter of rejected texts: `{config['rewriter_model']}`.")
    judge, found = config["judge_model"], counts["audits"]
    if any(found.values()) or (judge and calls.keys().isdisjoint(("check", "reword_audit"))):
        lines.append(
            f"- Judge `{judge or config['model']}`: accepted {found['passed']:,} texts, rejected "
            f"{found['failed']:,} (asked again), {found['unreadable']:,} replies unreadable."
        )
    if config["round_trip"]:
        found = counts["round_trips"]
        lines.append(
            f"- Round-trip check: relation and direction recognized in {found['right']:,} texts, not in "
            f"{found['wrong']:,} (asked again), {found['unreadable']:,} replies unreadable."
        )
    return lines


def _without_text(counts: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """What happened to the questions for which no text of the model passed the checks."""
    if config["on_failure"] == "drop":
        dropped = sum(n for why, n in counts["rejected"].items() if why.startswith("verbalize: "))
        return f"{dropped:,} left out because no text of it passed the checks"
    fallback = counts["questions_by_wording"]["fallback"]
    return f"{fallback:,} by template because no text of it passed the checks"
