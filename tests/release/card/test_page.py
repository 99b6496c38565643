"""What the card says, in usual and in empty cases."""

import re
from dataclasses import replace
from typing import Any

import pytest
from jinja2 import UndefinedError

from rulemine.config import packaged
from rulemine.kg.facts import Declarations
from rulemine.release.card.figures import figures_of
from rulemine.release.card.page import fill, write_card
from rulemine.release.records import Rejection
from tests.release.by_hand import FAMILY, QUESTIONS, REMOVALS, RULES, parts_of

CONFIG: dict[str, Any] = {
    "name": "tiny",
    "naming": "entity",
    "selection": {"mode": "maximal", "per_rule": 30, "max_prior": 0.5},
    "questions": {"filter": ""},
}
SOURCE = {
    "title": "A family",
    "source": "by hand",
    "license": "CC0",
    "citation": "nobody",
    "digest": "d",
}


KNOWN = {rule.id: rule.known for rule in RULES}


def card(questions=QUESTIONS, declared=None, config=CONFIG, **changes: Any) -> str:
    parts = parts_of(FAMILY, REMOVALS, RULES, questions, declared, config=config, **changes)
    manifest = {
        "name": "tiny", "naming": "entity", "counts": figures_of(parts), "kg": {**SOURCE, **parts.source},
        "config": config,
    }  # fmt: skip
    return write_card(parts, manifest)


def test_the_card_leads_with_the_core_and_shows_every_figure_for_both() -> None:
    many = [*QUESTIONS, *(replace(QUESTIONS[0], id=f"q{i}") for i in range(3, 103))]
    assert "Report scores on the core first, then on all questions." in card(many)
    text = card(declared=Declarations.of(symmetric=["spouse"]))
    assert "**1 of 3 questions need more than one edge: the core.**" in text
    for row in (
        "| questions | 3 | 1 |",
        "| train / validation / test | 2 / 0 / 1 | 0 / 0 / 1 |",
        "| removed triples | 4 | 1 |",
        "| no selection can exceed | 7 | 5 |",
        "| Hits@Hard of the 5 commonest training answers | 0.0 % | 0.0 % |",
        "| effective number of relations, 1/Σp² | 3.0 | 1.0 |",
        "| composition | 1 | 1 | 1 |",
        "| lift: confidence / prior | < 1: 1 · 1–2: 1 · 10–30: 1 | 10–30: 1 |",
        "| removed at level 50 % | 1 |",
    ):
        assert row in text
    assert "1 relation is declared symmetric, inverse or the same as another; 0 answers of" in text
    assert "Removed triples that only restate another one: 1." in text
    assert "0 removed triples are not asked about" in text
    assert "Cite the graph (nobody)" in text


def test_a_release_with_little_core_says_so() -> None:
    text = card(QUESTIONS[1:])
    assert (
        "**0 of 2 questions need more than one edge: the core.** There is nothing to report" in text
    )
    assert "| Hits@Hard of the commonest training answer | – | – |" in text  # nothing to test
    assert "No question was left." in card([])


def test_without_training_questions_nothing_is_far_from_them() -> None:
    parts = ("validation", "test", "test")
    text = card([replace(q, split=part) for q, part in zip(QUESTIONS, parts, strict=True)])
    assert "| topic entity is one of train | – | – |" in text
    assert "total variation from train" not in text
    assert "total variation from the whole" in text
    assert "That is little; scores on it have wide intervals. The others are" in card()
    assert "no relation is declared symmetric" in card()
    hard = CONFIG | {"selection": {"mode": "maximal", "per_rule": 30, "max_prior": 0.01}}
    text = card(config=hard)
    assert "wide intervals. Most facts of this graph can be guessed." in text
    assert "0.0 % of the triples of the graph have an answer that is rare enough" in text


def test_a_release_of_the_published_procedure_says_what_it_lacks() -> None:
    config = CONFIG | {"selection": {"mode": "brink", "per_rule": 30}}
    text = card(QUESTIONS[1:], config=config)
    assert "The published procedure (`brink`) does not select for the core." in text
    assert "The published procedure bounds neither priors" in text
    assert "The published procedure: the first groundings of each rule" in text
    whole = config | {"questions": {"filter": "", "split": "random"}}
    said = "Table 3 of the paper (arXiv 2508.08344) is not comparable row by row"
    assert (said in card(config=whole), said in text) == (True, False)


def test_without_training_questions_nothing_is_guessed() -> None:
    text = card([replace(q, split="test") for q in QUESTIONS])
    assert "| Hits@Hard of the commonest training answer | – | – |" in text
    assert "There is one split only." in text


def test_relations_that_are_not_asked_about_are_counted_by_reason() -> None:
    dropped = {f"r{i}": f"reason {i // 2}" for i in range(20)}
    text = card(source=SOURCE | {"dropped": dropped})
    assert "20 relations are not asked about: reason 0 (2); " in text
    assert "reason 5 (2); other reasons (8)." in text
    assert "not asked about: dull (1)." in card(source=SOURCE | {"dropped": {"r": "dull"}})


def test_standards_of_proof_are_listed_beside_the_core_at_each_floor() -> None:
    assert "tandards of proof" not in card()
    rows = [
        {"min_std_confidence": 0.5, "reason": "colleagues"},
        {"min_std_confidence": 1.0, "reason": "gossip"},
    ]
    text = card(
        [replace(q, core=True) for q in QUESTIONS],
        source=SOURCE | {"standards": rows},
        selection_counts={"rules_mined": 9, "rules_refused": 3, "upper_bound": 7},
    )
    assert "| rules that only a standard of proof refused | 3 |" in text
    assert "0.5: colleagues; 1: gossip." in text
    table = text[text.index("| standard confidence of the proof, at least |") :].split("\n")
    floors, counts = (line.split("|")[2:-1] for line in (table[0], table[2]))
    assert [float(cell) for cell in floors] == sorted(map(float, floors))
    own = [KNOWN[q.rules[0]].std_confidence for q in QUESTIONS]
    assert [int(cell) for cell in counts] == [
        sum(value >= float(floor) for value in own) for floor in floors
    ]


def test_what_was_rejected_or_looks_undeclared_is_said() -> None:
    assert "No question was rejected." in card()
    rows = [Rejection("balance", "too many", "", ("a", "r", "b"), "object", "r", "")] * 2
    assert "2 questions were rejected: balance: too many (2)." in card(rejections=tuple(rows))
    pairs = [(f"a{i}", f"b{i}") for i in range(12)]
    met = [(a, "met", b) for a, b in pairs] + [(b, "met", a) for a, b in pairs]
    parts = parts_of(met, [], [], [], config=CONFIG, source=SOURCE)
    counts = figures_of(parts)
    manifest = {"name": "x", "naming": "entity", "counts": counts, "kg": SOURCE, "config": CONFIG}
    assert "`met` looks symmetric (100 %)" in write_card(parts, manifest)
    excluded = replace(parts, source=SOURCE | {"dropped": {"met": "dull"}})
    assert counts["relations_undeclared"]
    assert figures_of(excluded)["relations_undeclared"] == []


def test_labels_are_text_and_relations_are_code() -> None:
    hostile = replace(QUESTIONS[0], question="Is [x](y) <b>?", hard_answer="M*A*S*H")
    text = card([hostile])
    assert "Is [x\\](y) \\<b>? — hard answer: M\\*A\\*S\\*H" in text
    pairs = [(f"a{i}", f"b{i}") for i in range(12)]
    met = [(a, "me`t", b) for a, b in pairs] + [(b, "me`t", a) for a, b in pairs]
    parts = parts_of(met, [], [], [], config=CONFIG, source=SOURCE)
    manifest = {
        "name": "x", "naming": "entity", "counts": figures_of(parts), "kg": SOURCE, "config": CONFIG,
    }  # fmt: skip
    assert "``me`t`` looks symmetric (100 %)" in write_card(parts, manifest)


VALUES = {
    "n": 1200, "none": None, "empty": {}, "of": {"x": 4, "y": 0},
    "sizes": {"a|b": 2, "c": 6000}, "lines": ["- a", "- b"], "name": "M*A*S*H",
}  # fmt: skip


def filled(text: str) -> str:
    page = '{% extends "release/card/part.md" %}'
    return fill(f"{page}{{% block this %}}\n{text}\n{{% endblock %}}", "this", VALUES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{{ n }} {{ n|noun("row") }} {{ none }} {{ name }}', "1,200 1,200 rows – M*A*S*H"),
        ("{{ sizes }} {{ sizes|reasons }} {{ of|sizes }}", "2 / 6,000 a|b (2); c (6,000) x: 4"),
        ("{{ empty|reasons }} {{ empty|sizes }}", "– –"),
        ("{{ n|mean(of.x) }} {{ n|mean(of.y) }}", "300.00 –"),
        ("{{ 1|percent(n) }} {{ 0.5|percent }} {{ none|percent }} {{ 1|percent(0) }}", "0.1 % 50.0 % – –"),
        ("{{ name|plain }} {{ name|code }}", "M\\*A\\*S\\*H `M*A*S*H`"),
        ("{% for key in sizes %}\n| {{ key|cell }} |\n{% endfor %}", "| a\\|b |\n| c |"),
        ("{% if n %}\na\n{% endif %}\n{{ lines }}\n\n{{ '' }}\n\nb", "a\n- a\n- b\n\nb"),
    ],
)  # fmt: skip
def test_a_text_with_values_in_it(text: str, expected: str) -> None:
    assert filled(text) == f"{expected}\n"


@pytest.mark.parametrize(
    "text",
    ["{{ m }}", "{% for a in m %}{% endfor %}",
     "{% if m %}a{% endif %}", "{{ n|percent(m) }}", "{{ sizes.m }}"],
)  # fmt: skip
def test_a_name_that_there_is_not_is_no_silent_gap(text: str) -> None:
    with pytest.raises(UndefinedError, match="m"):
        filled(text)


def test_every_block_has_a_place() -> None:
    """A block whose name nothing above it uses would be left out without a word."""
    card = packaged("release", "card", "card.md")
    pages = {path: path.read_text() for path in packaged("kinds").rglob("*page.md")}
    assert len(pages) == 9
    blocks = {path: set(re.findall(r"{% block (\w+) %}", text)) for path, text in pages.items()}
    used = set(re.findall(r"self\.(\w+)\(\)", "".join([*pages.values(), card.read_text()])))
    used |= {"card", "charts"}  # the parts themselves, of a page that is the whole card
    assert {path.name: names - used for path, names in blocks.items() if names - used} == {}
