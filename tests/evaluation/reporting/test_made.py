from pathlib import Path
from types import SimpleNamespace
from typing import Any

from rulemine.evaluation.reporting.files import to_text
from rulemine.evaluation.reporting.made import in_short, steps, summary_of

COUNTS: dict[str, Any] = {
    "triples_complete": 1000, "triples_removed": 60,
    "selection": {"rules_mined": 5, "provable": 400, "upper_bound": 90}, "rules": 4, "questions": 50,
    "core": 30, "questions_by_split": {"train": 40, "validation": 0, "test": 10},
    "core_by_split": {"train": 25, "validation": 0, "test": 5},
    "questions_by_wording": {"template": 50, "model": 0, "fallback": 0}, "distinct_texts": 48,
    "relations_by_wording": {"written": 1, "derived": 3, "book": 0},
    "rejected": {"ask: the text names an answer": 4, "balance: too many": 7, "split: alone": 2},
    "relations_undeclared": [
        {"relation": "likes", "other": "is_fond_of", "looks": "same", "share": 0.75},
        {"relation": "knows", "other": "knows", "looks": "symmetric", "share": 1.0},
    ],
}  # fmt: skip
CONFIG = {
    "selection": {"mode": "maximal", "per_rule": 30}, "mining": {"min_std_confidence": 0.3},
    "questions": {"split": "group"}, "structures": {"per_structure": 60, "max_share": 0.1},
}  # fmt: skip


def of(kind: str = "rules", **counts: Any) -> Any:
    """A release with a manifest of these counts."""
    config = CONFIG | {"kind": kind}
    manifest = {
        "counts": COUNTS | counts, "config": config, "kg": {"title": "my.tsv"}, "kind": kind,
    }  # fmt: skip
    return SimpleNamespace(manifest=manifest, kind=kind, path=Path("out/my"), name="my")


def test_the_steps_lead_from_the_triples_to_the_questions():
    assert [(one.name, one.number, one.whole) for one in steps(of())] == [
        ("triples of the graph", 1000, 0),
        ("provable by rules from others", 400, 1000),
        ("within floors and caps", 90, 400),
        ("removed", 60, 90),
        ("questions asked", 59, 0),
        ("left by balance", 52, 59),
        ("left by split", 50, 52),
        ("in the core", 30, 50),
        ("in the test split", 10, 50),
        ("in the core of the test split", 5, 10),
    ]


def test_what_was_drawn_is_a_step_and_texts_that_were_kept_reject_none():
    row = {"wanted": 60, "drawn": 500, "questions": 50, "rejected": {"nowhere": 440}}
    rejected = {"verbalize: no text": 5, "verbalize: paraphrase: no": 3}
    wordings = {"template": 0, "model": 45, "fallback": 5}
    counts = {"sampling": {"2p": row}, "questions_by_wording": wordings, "rejected": rejected}
    release = of("structures", **counts)
    found = {one.name: one.number for one in steps(release)}
    assert (found["candidates drawn"], found["questions asked"]) == (500, 50)
    text = to_text(summary_of(release))
    assert "ask: nowhere" in text
    assert "verbalize: " not in text
    assert "5 by template because no text of a model passed" in text
    (line,) = [line.split() for line in text.splitlines() if line.startswith("2p")]
    assert line == ["2p", "60", "500", "50"]


def test_the_one_key_to_change_is_named():
    plenty = {"selection": {"provable": 250, "upper_bound": 200}}
    for kind, counts, said in (
        ("rules", {"selection": {"provable": 150}}, "lower mining.min_std_confidence (now 0.3)"),
        ("structures", {"core": 5}, "raise selection.per_rule: --set selection.per_rule=60."),
        ("structures", {"core": 5, **plenty}, "lower mining.min_std_confidence"),
        (
            "structures",
            plenty,
            "raise structures.per_structure: --set structures.per_structure=120.",
        ),
        ("rules", {"core_by_split": {"test": 100}}, ""),
    ):
        notable = in_short(of(kind, **counts))[1]
        assert said in notable if said else notable.endswith("or more.")
    row = {"wanted": 60, "drawn": 500, "questions": 50, "rejected": {}}
    rows = {"1p": row, "3i": row | {"questions": 9}, "up": row | {"questions": 0}}
    counts = {"sampling": rows, "statistics": {"3i": {"questions": 4}}}  # so many after the split
    few = "Fewer questions than wanted, in 2 of 3 forms: 3i 4 of 60, up 0 of 60."
    assert few in in_short(of(**counts))[1]
    small = {"1p": row, "2p": row | {"wanted": 5, "questions": 5}}
    assert "forms" not in in_short(of(sampling=small))[1]


def test_a_test_core_that_cannot_be_had_is_named_with_what_standards_of_proof_cost():
    release = of()
    release.manifest["config"]["questions"] = questions = {"split": "group"}
    for core, counts, said in (
        (None, {}, ""),
        (6, {}, "The 6 of questions.test_core cannot be had. No rule may"),
        (6, {"selection": COUNTS["selection"] | {"rules_refused": 2}},
         "cannot be had: standards of proof refuse 2 rules."),
        (5, {}, ""),
        (5, {"core": 159, "core_by_split": {"test": 16}}, "--set questions.test_core=53."),
        (60, {}, "prove more than 5 questions of the core of test. For more, raise"),
    ):  # fmt: skip
        questions |= {"test_core": core} if core else {}
        release.manifest["counts"] |= counts
        notable = in_short(release)[1]
        assert said in notable
        assert ("cannot be had" in notable) == (core in (6, 60))
