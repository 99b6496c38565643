"""How a release came out: three sentences, and the steps from the triples of its graph to its questions.

All numbers are those of the manifest, so a release says the same wherever it is.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from rulemine.config import lookup
from rulemine.errors import counted
from rulemine.evaluation.reporting.document import Document
from rulemine.kg.facts import FoundDeclaration
from rulemine.kinds.registry import kind_named
from rulemine.phrasing.template_file import found_lines, lines_of
from rulemine.release.reader import Release
from rulemine.text.tables import Table

__all__ = ["Remaining", "in_short", "steps", "summary_of"]

FEW_QUESTIONS = 100
"""With fewer questions to score on, the key that gives more is named."""

MOST_SHOWN = 10
"""Number of reasons that are listed, and of forms that are named."""

SHORT = 0.8
"""A form with less than this fraction of the questions that were wanted is named."""

LIMITS = {
    "balance": "questions.max_answer_share",
    "split": "questions.split",
}
"""Stage after the asking → the key that says what it leaves out."""


BY_LIMIT = {
    "balance: its hard answer is that of too many questions": (
        "an answer",
        "questions.max_answer_share",
    ),
    "balance: its relation is that of too many questions": (
        "a relation",
        "questions.max_relation_share",
    ),
    "split: too many questions share an anchor or an answer": (
        "an anchor or an answer",
        "structures.max_share",
    ),
}
"""Why a question was left out → what it shared, and the key that limits it."""


class Remaining(NamedTuple):
    """A step from the triples of the graph to the questions.

    Attributes:
        name: What there is after it.
        number: How many.
        whole: How many it is a part of; 0: of nothing that is counted.
        key: The key of a recipe that limits it most; empty: none does.
    """

    name: str
    number: int
    whole: int
    key: str


NEARLY = 0.98
"""Groups of questions stay together, so that test has this fraction of what was asked for, if not all."""


def _reasons(counts: Mapping[str, Any]) -> Counter[str]:
    """The questions that are not asked, by reason; those of refused texts may be kept."""
    return Counter(
        {
            why: n
            for why, n in counts["rejected"].items()
            if not why.startswith("verbalize: paraphrase: ")
            and not (counts["questions_by_wording"]["fallback"] and why.startswith("verbalize: "))
        }
    )


def steps(release: Release) -> tuple[Remaining, ...]:
    """How many triples are provable, within floors and caps and removed, and how many questions are left."""
    counts, limits = release.manifest["counts"], kind_named(release.kind).limits
    chosen, drawn = counts["selection"], sum(n["drawn"] for n in _forms(counts).values())
    bound = chosen.get("upper_bound")
    triples = [("triples of the graph", counts["triples_complete"], "kg")]
    given = (mode := release.manifest["config"]["selection"]["mode"]) == "given"
    if mode != "none":
        triples += [
            *[("named as missing", chosen.get("considered"), "")] * given,
            ("provable by rules from others", chosen["provable"], "mining.min_std_confidence"),
            *[("within floors and caps", bound, "selection.per_rule")] * bool(bound),
            ("removed", counts["triples_removed"], "" if given else "selection.share"),
        ]
    dropped = Counter[str]()
    for why, number in _reasons(counts).items():
        dropped[why.partition(":")[0]] += number
    left = counts["questions"] + sum(dropped[stage] for stage in LIMITS)
    asked = [("candidates drawn", drawn, "")] * bool(drawn)
    asked.append(("questions asked", left, "" if given else limits.amount))
    for stage, key in LIMITS.items():
        left -= dropped[stage]
        asked += [(f"left by {stage}", left, key)] * bool(dropped[stage])
    test, core = (counts[f"{of}_by_split"]["test"] for of in ("questions", "core"))
    return (
        *(
            Remaining(name, number, whole, key)
            for part in (triples, asked)
            for (name, number, key), whole in zip(
                part, (0, *(row[1] for row in part)), strict=False
            )
        ),
        Remaining("in the core", counts["core"], counts["questions"], "mining.max_atoms"),
        Remaining("in the test split", test, counts["questions"], "questions.ratios"),
        Remaining("in the core of the test split", core, test, "questions.test_core"),
    )


def _forms(counts: Mapping[str, Any]) -> dict[str, Any]:
    """Form of questions → how many of it were wanted, drawn, rejected and are left; empty: none are drawn."""
    left = counts.get("statistics", {})
    return {
        name: row | {"questions": left.get(name, row)["questions"]}
        for name, row in counts.get("sampling", {}).items()
    }


def in_short(release: Release) -> list[str]:
    """What was made, what is notable about it, and what to run next, a sentence or two each."""
    return [
        f"{release.path}: {_made(release.manifest)}",
        _notable(release),
        f"Next: rulemine show {release.path} --sample 3; rulemine verify {release.path}. Why so few "
        f"questions, and how to get better texts: rulemine show {release.path} --summary",
    ]


def _made(manifest: Mapping[str, Any]) -> str:
    """What was made, and of what."""
    counts, kg = manifest["counts"], manifest["kg"]
    twice = f" ({counted(kg['duplicates'], 'duplicate line')})" if kg.get("duplicates") else ""
    made = f"{counted(counts['questions'], 'question')} about "
    if counts["triples_removed"]:
        removed = counted(counts["triples_removed"], "removed triple")
        core = f"{counts['core']:,} in the core need more than one edge."
        made += f"{removed} of {kg['title']}{twice}; {core}"
    else:
        made += f"{kg['title']}{twice}; nothing removed: every answer is stated."
    failed = [
        number
        for why, number in counts["rejected"].items()
        if why.startswith("verbalize: ") and not why.startswith("verbalize: paraphrase: ")
    ]
    if sum(failed):
        fate = "by template" if counts["questions_by_wording"]["fallback"] else "left out"
        made += f" {sum(failed):,} {fate} because no text of a model passed the checks."
    parts = [
        f"{row['file']}, {row[of]:,} of {counts[of]:,} {of}"
        for row in kg.get("labels", ())
        for of in ("entities", "relations")
        if row[of]
    ]
    labels = f" Labels: {'; '.join(parts)} (labels = none: no file)."
    return made + (labels if kg.get("labels") else "")


def _notable(release: Release) -> str:
    """What can be told apart on the questions of test, and what is scarce."""
    counts, config = release.manifest["counts"], release.manifest["config"]
    test, core = (counts[f"{of}_by_split"]["test"] for of in ("questions", "core"))
    n = core or test
    # A two-sided test at 5 % sees this difference with a chance of 80 %, if the two differ on half of the
    # questions, as independent systems do: (z(0.975) + z(0.8)) · √(0.5 / n), z the normal quantiles.
    least = 1.98102 / n**0.5 if n else 1.0
    shows = f"can be told apart by {100 * least:.0f} points or more"
    notable = (
        f"Test has {counted(test, 'question')}, {core:,} in the core: on {counted(n, 'question')}, two "
        "independent systems that are right in half of them "
        f"{shows if least < 1 else 'cannot be told apart'}."
    )
    wanted = config["questions"].get("test_core", 0)
    if core < NEARLY * wanted:
        refused = counts["selection"].get("rules_refused")
        why = f": standards of proof refuse {counted(refused, 'rule')}" if refused else ""
        notable += (
            f" The {wanted:,} of questions.test_core cannot be had{why}. No rule may prove more than "
            f"{max(5, core // 50)} questions of the core of test."
        )
    if n < FEW_QUESTIONS or not counts["core"]:
        notable += f" For more, {_advice(release)}."
    forms = _forms(counts)
    if few := [
        f"{name} {row['questions']:,} of {row['wanted']:,}"
        for name, row in forms.items()
        if row["questions"] < SHORT * row["wanted"] and len(forms) > 1
    ]:
        notable += (
            f" Fewer questions than wanted, in {len(few)} of {len(forms)} forms: "
            f"{', '.join(few[:MOST_SHOWN])}{', …' * (len(few) > MOST_SHOWN)}."
        )
    return notable


def _advice(release: Release) -> str:
    """The one key to change where there are few questions, or few in the core."""
    counts, config = release.manifest["counts"], release.manifest["config"]
    chosen, asked = counts["selection"], config["questions"]
    left_out = _reasons(counts)

    def now(key: str) -> Any:
        return lookup(config, tuple(key.split(".")))

    if config["selection"]["mode"] == "none":
        return "set selection.mode to maximal, which removes triples"
    third = min(counts["core"] // 3, FEW_QUESTIONS)  # a split gives test no more
    if asked["split"] == "group" and third >= max(
        asked.get("test_core", 0) + 1, 3 * counts["core_by_split"]["test"]
    ):
        return f"move some of the core to test: --set questions.test_core={third}"
    for reason, (what, limit) in sorted(BY_LIMIT.items(), key=lambda one: -left_out[one[0]]):
        if (now(limit) or 1) < 1 and 3 * left_out[reason] > counts["questions"]:
            return f"let more questions share {what}: --set {limit}={min(1.0, 2 * now(limit)):g}"
    capped = 2 * chosen.get("upper_bound", 0) < chosen["provable"]
    little = 4 * counts["core"] < counts["questions"]
    few = (
        config["selection"]["mode"] == "given"
        or 5 * chosen["provable"] < counts["triples_complete"]
    )
    if few or (little and not capped):
        least = "mining.min_std_confidence"
        return f"lower {least} (now {now(least)}), which gives more rules"
    key = (
        "" if capped or little else kind_named(release.kind).limits.amount
    ) or "selection.per_rule"
    return f"raise {key}: --set {key}={2 * n}" if isinstance(n := now(key), int) else f"see {key}"


def summary_of(release: Release) -> Document:
    """How a release came out, in full, as a report."""
    counts = release.manifest["counts"]
    rows = tuple(
        (name, number, f"{100 * number / whole:.0f} %" if whole else "", key)
        for name, number, whole, key in steps(release)
    )
    title = "From the triples of the graph to the questions"
    headline = Table(
        "steps", title, ("", "number", "share", "key (rulemine build --keys KEY)"), rows
    )
    reasons = _reasons(counts)
    if not any(why.startswith("ask: ") for why in reasons):
        for row in _forms(counts).values():
            reasons.update({f"ask: {why}": n for why, n in row["rejected"].items()})
    most = sorted(reasons.items(), key=lambda row: (-row[1], row[0]))
    more = [f"{counted(len(most) - MOST_SHOWN, 'more reason')}."] * (len(most) > MOST_SHOWN)
    forms = tuple(
        (name, row["wanted"], row["drawn"], row["questions"])
        for name, row in _forms(counts).items()
    )
    tables = (
        Table(
            "rejected", "Why candidates and questions were rejected (rejected.jsonl)",
            ("stage: reason", "number"), tuple(most[:MOST_SHOWN]), tuple(more),
        ),
        Table(
            "forms", "What was wanted of each form", ("form", "wanted", "drawn", "questions"), forms
        ),
    )  # fmt: skip
    mined = counts["selection"].get("rules_mined", counts["rules"])
    facts = {"kind": release.kind, "rules": f"{counts['rules']:,} of {mined:,} mined"}
    return Document(
        "\n".join(in_short(release)[:2]), tuple(_notes(release)), facts, headline,
        tables=tuple(table for table in tables if table.rows),
    )  # fmt: skip


def _notes(release: Release) -> Iterator[str]:
    """What would make the questions better, with the keys."""
    counts = release.manifest["counts"]
    worded: Counter[str] = Counter(counts.get("relations_by_wording"))
    if booked := worded["book"]:
        yield f"{counted(booked, 'relation')} worded by phrase books (source in relations.tsv)."
    if derived := worded["derived"]:
        shared = counts["questions"] - counts["distinct_texts"]
        yield (
            f"{counted(derived, 'relation')} without a template of your own: questions are made from "
            f"names ({shared:,} share their text with another); a template file reads better "
            "(questions.templates)."
        )
    if left := counts["selection"].get("restated"):
        yield (
            f"{counted(left, 'fact')} with a proof left in the graph, because another triple joins the same "
            "two entities and would restate the answer (questions.restated)."
        )
    found = [FoundDeclaration(**row) for row in release.manifest["kg"].get("found", ())]
    if found:
        yield _lines(
            f"{counted(sum(row.declares for row in found), 'declaration')} found in the graph and made; to "
            "switch one off, draft templates (rulemine build --until draft) and take it out of them:",
            found_lines(found),
        )
    if undeclared := counts.get("relations_undeclared"):
        rows = [
            (
                row["relation"],
                row["other"],
                row["looks"],
                f"{100 * row['share']:.0f} % of its triples",
            )
            for row in sorted(undeclared, key=lambda row: (-row["share"], row["relation"]))
        ]
        yield _lines(
            f"{counted(len(undeclared), 'declaration')} suggested by the graph and not made; those that are "
            "true complete answers and keep proofs from restating them, in the template file:",
            lines_of(rows[:MOST_SHOWN]),
        )


def _lines(first: str, rest: Iterable[str]) -> str:
    return "\n".join((first, *(f"  {line}" for line in rest)))
