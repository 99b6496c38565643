"""How a release came out: three sentences, and the steps from the triples of its graph to its questions.

All numbers are those of the manifest, so a release says the same wherever it is.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from rulemine.config import lookup
from rulemine.errors import counted
from rulemine.evaluation.reporting.document import Document
from rulemine.kg.relation_overlap import FoundDeclaration
from rulemine.kinds.registry import kind_named
from rulemine.phrasing.declarations import found_lines, lines_of
from rulemine.release.reader import Release
from rulemine.text.tables import Table

__all__ = ["Remaining", "in_short", "steps", "summary_of"]

FEW_QUESTIONS = 100
"""With fewer questions to score on, the key that gives more is named."""

MOST_SHOWN = 10
"""Number of reasons that are listed."""

NEARLY_EMPTY = 10
"""A form with fewer questions than this, of more that were wanted, is named."""

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
}
"""Why a question was left out → what it shared, and the key that limits it."""


class Remaining(NamedTuple):
    """A step from the triples of the graph to the questions.

    Attributes:
        name: What there is after it.
        number: How many.
        key: The key of a recipe that limits it most; empty: none does.
        whole: How many it is a part of; 0: of nothing that is counted.
        of_triples: Whether they are triples; else questions.
    """

    name: str
    number: int
    key: str
    whole: int = 0
    of_triples: bool = False


NEARLY = 0.98
"""Groups of questions stay together, so that test has this fraction of what was asked for, if not all."""


def _reasons(counts: Mapping[str, Any]) -> dict[str, int]:
    """The questions that are not asked, by reason; those of refused texts may be kept."""
    return {
        why: n
        for why, n in counts["rejected"].items()
        if not why.startswith("verbalize: paraphrase: ")
        and not (counts["questions_by_wording"]["fallback"] and why.startswith("verbalize: "))
    }


def steps(release: Release) -> tuple[Remaining, ...]:
    """How many triples are provable, within floors and caps and removed, and how many questions are left."""
    counts, kind = release.manifest["counts"], kind_named(release.kind)
    chosen, questions = counts["selection"], counts["questions"]
    found = [Remaining("triples of the graph", counts["triples_complete"], "kg", 0, True)]

    def add(name: str, number: int, key: str, *, of_triples: bool = False) -> None:
        whole = found[-1].number if of_triples == found[-1].of_triples else 0
        found.append(Remaining(name, number, key, whole, of_triples))

    if release.manifest["config"]["selection"]["mode"] != "none":
        key = "mining.min_std_confidence"
        add("provable by rules from others", chosen["provable"], key, of_triples=True)
        if bound := chosen.get("upper_bound"):
            add("within floors and caps", bound, "selection.per_rule", of_triples=True)
        add("removed", counts["triples_removed"], "selection.share", of_triples=True)
    if drawn := sum(row["drawn"] for row in counts.get("sampling", {}).values()):
        add("candidates drawn", drawn, "")
    dropped = Counter[str]()
    for why, number in _reasons(counts).items():
        dropped[why.partition(":")[0]] += number
    left = questions + sum(dropped[stage] for stage in LIMITS)
    add("questions asked", left, kind.limits.amount)
    for stage, key in LIMITS.items():
        if dropped[stage]:
            left -= dropped[stage]
            add(f"left by {stage}", left, key)
    test, core = (counts[f"{of}_by_split"]["test"] for of in ("questions", "core"))
    return (
        *found,
        Remaining("in the core", counts["core"], "mining.max_atoms", questions),
        Remaining("in the test split", test, "questions.ratios", questions),
        Remaining("in the core of the test split", core, "questions.test_core", test),
    )


def _labels_in_short(files: Iterable[Mapping[str, Any]], counts: Mapping[str, Any]) -> str:
    """Which files beside the graph name its entities and relations."""
    parts = [
        f"{row['file']}, {row[of]:,} of {counts[of]:,} {of}"
        for row in files
        for of in ("entities", "relations")
        if row[of]
    ]
    return f"Labels: {'; '.join(parts)} (labels = none: no file)."


def in_short(release: Release) -> list[str]:
    """What was made, what is notable about it, and what to run next, a sentence or two each."""
    counts, place = release.manifest["counts"], release.path
    questions, core = counts["questions"], counts["core"]
    test, core_test = (counts[f"{of}_by_split"]["test"] for of in ("questions", "core"))
    removed = counted(counts["triples_removed"], "removed triple")
    kg = release.manifest["kg"]
    twice = f" ({counted(kg['duplicates'], 'duplicate line')})" if kg.get("duplicates") else ""
    title = f"{kg['title']}{twice}"
    if counts["triples_removed"]:
        made = f"about {removed} of {title}; {core:,} in the core need more than one edge."
    else:
        made = f"about {title}; nothing removed: every answer is stated."
    if failed := sum(
        number
        for why, number in counts["rejected"].items()
        if why.startswith("verbalize: ") and not why.startswith("verbalize: paraphrase: ")
    ):
        fate = "by template" if counts["questions_by_wording"]["fallback"] else "left out"
        made += f" {failed:,} {fate} because no text of a model passed the checks."
    if files := kg.get("labels"):
        made += f" {_labels_in_short(files, counts)}"
    n = core_test or test
    # A two-sided test at 5 % sees this difference with a chance of 80 %, if the two differ on half of the
    # questions, as independent systems do: (z(0.975) + z(0.8)) · √(0.5 / n), z the normal quantiles.
    least = 1.98102 / n**0.5 if n else 1.0
    shows = (
        f"can be told apart by {100 * least:.0f} points or more"
        if least < 1
        else "cannot be told apart"
    )
    notable = (
        f"Test has {counted(test, 'question')}, {core_test:,} in the core: on {counted(n, 'question')}, two "
        f"independent systems that are right in half of them {shows}."
    )
    wanted = release.manifest["config"]["questions"].get("test_core", 0)
    if core_test < NEARLY * wanted:
        notable += f" The {wanted:,} of questions.test_core cannot be had"
        if refused := counts["selection"].get("rules_refused"):
            notable += f": standards of proof refuse {counted(refused, 'rule')}"
        notable += f". No rule may prove more than {max(5, core_test // 50)} questions of the core of test."
    if n < FEW_QUESTIONS or not core:
        notable += f" For more, {_advice(release)}."
    forms = counts.get("sampling", {})
    few = [
        name
        for name, row in forms.items()
        if row["questions"] < min(NEARLY_EMPTY, row["wanted"]) and len(forms) > 1
    ]
    if few:
        notable += (
            f" {len(few)} of {len(forms)} forms have fewer than {NEARLY_EMPTY} questions: "
            f"{', '.join(few)}."
        )
    return [
        f"{place}: {counted(questions, 'question')} {made}",
        notable,
        f"Next: rulemine show {place} --sample 3; rulemine verify {place}. Why so few questions, and "
        f"how to get better texts: rulemine show {place} --summary",
    ]


def _advice(release: Release) -> str:
    """The one key to change where there are few questions, or few in the core."""
    counts, config = release.manifest["counts"], release.manifest["config"]
    chosen, key, asked = counts["selection"], "selection.per_rule", config["questions"]
    if config["selection"]["mode"] == "none":
        return "set selection.mode to maximal, which removes triples"
    third = min(counts["core"] // 3, FEW_QUESTIONS)  # a split gives test no more
    if asked["split"] == "group" and third >= max(
        asked.get("test_core", 0) + 1, 3 * counts["core_by_split"]["test"]
    ):
        return f"move some of the core to test: --set questions.test_core={third}"
    for reason, (what, limit) in BY_LIMIT.items():
        if _reasons(counts).get(reason, 0) > counts["questions"]:
            share = min(1.0, 2 * lookup(config, tuple(limit.split("."))))
            return f"let more questions share {what}: --set {limit}={share:g}"
    capped = 2 * chosen.get("upper_bound", 0) < chosen["provable"]
    little = 4 * counts["core"] < counts["questions"]
    if 5 * chosen["provable"] < counts["triples_complete"] or (little and not capped):
        key = "mining.min_std_confidence"
        now = lookup(config, tuple(key.split(".")))
        return f"lower {key} (now {now}), which gives more rules"
    if not (capped or little):
        key = kind_named(release.kind).limits.amount or key
    now = lookup(config, tuple(key.split(".")))
    return f"raise {key}: --set {key}={2 * now}" if isinstance(now, int) else f"see {key}"


def summary_of(release: Release) -> Document:
    """How a release came out, in full, as a report."""
    counts = release.manifest["counts"]
    rows = tuple(
        (
            one.name,
            one.number,
            f"{100 * one.number / one.whole:.0f} %" if one.whole else "",
            one.key,
        )
        for one in steps(release)
    )
    title = "From the triples of the graph to the questions"
    headline = Table("steps", title, ("", "number", "share", "key (rulemine build keys KEY)"), rows)
    mined = counts["selection"].get("rules_mined", counts["rules"])
    tables = [table for table in (_rejected(counts), _sampled(counts)) if table.rows]
    facts = {"kind": release.kind, "rules": f"{counts['rules']:,} of {mined:,} mined"}
    made = "\n".join(in_short(release)[:2])
    return Document(made, tuple(_notes(release)), facts, headline, tables=tuple(tables))


def _rejected(counts: Mapping[str, Any]) -> Table:
    found = Counter(_reasons(counts))
    if not any(why.startswith("ask: ") for why in found):
        for row in counts.get("sampling", {}).values():
            found.update({f"ask: {why}": n for why, n in row["rejected"].items()})
    rows = [(why, number) for why, number in sorted(found.items(), key=lambda r: (-r[1], r[0]))]
    more = (f"{counted(len(rows) - MOST_SHOWN, 'more reason')}.",) * (len(rows) > MOST_SHOWN)
    title = "Why candidates and questions were rejected (rejected.jsonl)"
    return Table("rejected", title, ("stage: reason", "number"), tuple(rows[:MOST_SHOWN]), more)


def _sampled(counts: Mapping[str, Any]) -> Table:
    rows = (
        (name, row["wanted"], row["drawn"], row["questions"])
        for name, row in counts.get("sampling", {}).items()
    )
    title = "What was wanted of each form"
    return Table("forms", title, ("form", "wanted", "drawn", "questions"), tuple(rows))


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
            "switch one off, draft templates (rulemine build draft) and take it out of them:",
            found_lines(found),
        )
    if undeclared := [*counts.get("relations_undeclared", ())]:
        undeclared.sort(key=lambda row: (-row["share"], row["relation"]))
        rows = [
            (
                row["relation"],
                row["other"],
                row["looks"],
                f"{100 * row['share']:.0f} % of its triples",
            )
            for row in undeclared
        ]
        yield _lines(
            f"{counted(len(undeclared), 'declaration')} suggested by the graph and not made; those that are "
            "true complete answers and keep proofs from restating them, in the template file:",
            lines_of(rows[:MOST_SHOWN]),
        )


def _lines(first: str, rest: Iterable[str]) -> str:
    return "\n".join((first, *(f"  {line}" for line in rest)))
