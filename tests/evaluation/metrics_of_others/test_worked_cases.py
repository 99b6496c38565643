import pytest

from rulemine.evaluation.metrics_of_others.protocol import Judged
from rulemine.evaluation.metrics_of_others.registry import METRICS_OF_OTHERS
from tests.evaluation.metrics_of_others import worked_cases as cases

ON_TEXTS = {
    "rog": cases.ROG, "gretriever": cases.G_RETRIEVER, "gcr": cases.GCR, "structgpt": cases.STRUCT_GPT,
    "tog": cases.TOG, "pog": cases.POG, "gog": cases.GOG, "gtsqa_exact": cases.GTSQA_EXACT,
    "dynamickgqa": cases.DYNAMIC_KGQA, "gtsqa": cases.GTSQA,
}  # fmt: skip


def check(project, judged, expected, first=0):
    """Whether the values from one of them on are as expected; None: all undefined."""
    found = METRICS_OF_OTHERS[project].score(judged)
    assert len(found) == len(METRICS_OF_OTHERS[project].beside)
    wanted = [None] * len(found) if expected is None else list(expected)
    assert found[first : first + len(wanted)] == pytest.approx(wanted, abs=1e-12)


def test_of_texts():
    for project, worked in ON_TEXTS.items():
        for answers, prediction, expected in worked:
            check(project, Judged("Who?", tuple(answers), prediction), expected)
    for question, answers, prediction, expected in cases.SUBGRAPH_RAG:
        check("subgraphrag", Judged(question, tuple(answers), prediction), expected)
    for answers, prediction, expected in cases.BRINK:
        judged = Judged("Who?", tuple(answers), prediction, hard_answer=answers[0])
        check("brink", judged, expected)
    check("brink", Judged("Who?", ("Ann",), "Ann"), (1, 1, 1, 1, None))  # without a hard answer


def test_of_triples_and_probabilities():
    for gold, retrieved, expected in cases.GTSQA_TRIPLES:
        given = None if retrieved is None else tuple(retrieved)
        judged = Judged("Who?", ("a", "z"), "", retrieved=given, evidence=tuple(gold))
        check("gtsqa", judged, expected, first=2)
    for answers, topics, ranking, expected in cases.GNN_RAG:
        given = None if ranking is None else tuple(ranking)
        judged = Judged("Who?", tuple(answers), "", topics=tuple(topics), ranking=given)
        check("gnnrag", judged, expected)


def test_brink_cuts_at_spaces_on_request():
    judged = Judged("Who?", ("Ann", "New York"), "Ann New York", hard_answer="Ann")
    check("brink", judged, (0, 0, 0, 0, 0))
    check("brink_spaces", judged, (1, 1 / 3, 1 / 2, 2 / 5, 1))


def test_long_outputs_take_linear_time():
    for text in ('{"Answer":[' * 100_000, "{" * 300_000, '{"Answer": "' * 50_000, "[" * 300_000):
        judged = Judged("Where?", ("Ann",), text, ranking=(("Ann", 1.0),))
        for name, project in METRICS_OF_OTHERS.items():
            assert len(project.score(judged)) == len(project.beside), name
