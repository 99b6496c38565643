from pathlib import Path

import pytest

from rulemine.builder.summary import describe_questions, describe_sampling, describe_undeclared
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.templates import load_templates
from rulemine.release.question_set import QuestionSet
from tests.questions import question

KG = KnowledgeGraph.from_triples(
    [
        *[(f"a{i}", "knows", f"b{i}") for i in range(40)],
        *[(f"b{i}", "knows", f"a{i}") for i in range(40)],
        *[(f"a{i}", "parent", f"c{i}") for i in range(30)],
        *[(f"c{i}", "child", f"a{i}") for i in range(27)],
        *[(f"b{i}", "likes", f"d{i}") for i in range(20)],
        *[(f"b{i}", "is_fond_of", f"d{i}") for i in range(20)],
    ]
)


def test_what_looks_declarable_is_said_with_the_key_to_set():
    head, *rows = describe_undeclared(KG, Declarations(), ())
    assert head.startswith("3 declarations suggested by the graph")
    assert "questions.templates" in head
    assert rows == [
        '  ["knows"] symmetric = true  # 100 % of its triples',
        '  ["child"] inverse_of = "parent"  # 90 % of its triples',
        '  ["is_fond_of"] same_as = "likes"  # 100 % of its triples',
    ]


def test_what_is_declared_or_not_asked_about_is_not_said():
    declared = Declarations.of(["knows"], [("parent", "child")])
    assert [*describe_undeclared(KG, declared, {"likes"})] == []
    assert len([*describe_undeclared(KG, declared, ())]) == 2


def test_the_rest_is_counted():
    triples = [
        (f"x{i}", f"r{r}", f"x{1 - i}") for i in range(2) for r in range(5) for _ in range(1)
    ]
    triples += [
        (f"y{i}-{j}", f"r{r}", f"y{1 - i}-{j}")
        for i in range(2)
        for j in range(9)
        for r in range(5)
    ]
    lines = [*describe_undeclared(KnowledgeGraph.from_triples(triples), Declarations(), ())]
    assert lines[-1] == "  …"
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("core", "said"), [(120, "core"), (30, "core, which is little for scores on it")]
)
def test_the_size_of_the_core_is_said(core: int, said: str) -> None:
    asked = QuestionSet(
        tuple(question(i, (f"a{i}", "likes", f"b{i}"), core=i < core) for i in range(150)),
        (),
        (),
        0,
    )
    lines = describe_questions(asked, load_templates("", ["likes"]), "", lambda _: Path())
    assert f"{core} of 150 questions need more than one edge: the {said}" in [*lines]


def test_a_shortfall_says_why_and_what_to_change() -> None:
    counts = {"wanted": 30, "questions": 0, "drawn": 100, "rejected": {"shared": 60, "nowhere": 40}}
    asked = QuestionSet((), (), (), 0, sampling={"2p": counts})
    first, why, hint = describe_sampling(asked, "structures", "Raise the limit.")
    assert first == "2p: 0 questions of 30"
    assert why == "  the graph gave no more in 100 draws (60: shared; 40: nowhere)"
    assert hint == "  Raise the limit."
    counts["rejected"] = {"nowhere": 40, "enough questions are accepted": 7}
    written = QuestionSet((), (), (), 0, sampling={"variants": counts})
    assert [*describe_sampling(written, "variants", "")][1:] == [
        "  7 questions accepted of 100 candidates (40: nowhere; 7: enough questions are accepted)"
    ]
