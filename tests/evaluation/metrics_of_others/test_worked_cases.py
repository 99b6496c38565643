import pytest

from rulemine.evaluation.metrics_of_others.protocol import Judged
from rulemine.evaluation.metrics_of_others.registry import METRICS_OF_OTHERS
from tests.evaluation.metrics_of_others import worked_cases as cases

ON_TEXTS = {
    "rog": cases.ROG,
    "gretriever": cases.G_RETRIEVER,
    "gcr": cases.GCR,
    "structgpt": cases.STRUCT_GPT,
    "tog": cases.TOG,
    "pog": cases.POG,
    "gog": cases.GOG,
    "gtsqa_exact": cases.GTSQA_EXACT,
    "dynamickgqa": cases.DYNAMIC_KGQA,
}


def check(project, judged, expected, first=0):
    """Whether the values from one of them on are as expected; None: all undefined."""
    found = METRICS_OF_OTHERS[project].score(judged)
    assert len(found) == len(METRICS_OF_OTHERS[project].beside)
    wanted = [None] * len(found) if expected is None else list(expected)
    assert found[first : first + len(wanted)] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("project", ON_TEXTS)
def test_of_texts(project):
    for answers, prediction, expected in ON_TEXTS[project]:
        check(project, Judged("Who?", tuple(answers), prediction), expected)


@pytest.mark.parametrize("case", cases.SUBGRAPH_RAG)
def test_of_lines(case):
    question, answers, prediction, expected = case
    check("subgraphrag", Judged(question, tuple(answers), prediction), expected)


@pytest.mark.parametrize("case", cases.GTSQA)
def test_of_answers(case):
    answers, prediction, expected = case
    check("gtsqa", Judged("Who?", tuple(answers), prediction), expected)


@pytest.mark.parametrize(("gold", "retrieved", "expected"), cases.GTSQA_TRIPLES)
def test_of_triples(gold, retrieved, expected):
    given = None if retrieved is None else tuple(retrieved)
    judged = Judged("Who?", ("a", "z"), "", retrieved=given, evidence=tuple(gold))
    check("gtsqa", judged, expected, first=2)


@pytest.mark.parametrize(("answers", "topics", "ranking", "expected"), cases.GNN_RAG)
def test_of_probabilities(answers, topics, ranking, expected):
    given = None if ranking is None else tuple(ranking)
    check(
        "gnnrag", Judged("Who?", tuple(answers), "", topics=tuple(topics), ranking=given), expected
    )


@pytest.mark.parametrize(("answers", "prediction", "expected"), cases.BRINK)
def test_of_pieces(answers, prediction, expected):
    check("brink", Judged("Who?", tuple(answers), prediction, hard_answer=answers[0]), expected)


def test_pieces_without_a_hard_answer():
    check("brink", Judged("Who?", ("Ann",), "Ann"), (1, 1, 1, 1, None))


def test_brink_cuts_at_spaces_on_request() -> None:
    judged = Judged("Who?", ("Ann", "New York"), "Ann New York", hard_answer="Ann")
    check("brink", judged, (0, 0, 0, 0, 0))
    check("brink_spaces", judged, (1, 1 / 3, 1 / 2, 2 / 5, 1))


@pytest.mark.parametrize(
    "text", ['{"Answer":[' * 100_000, "{" * 300_000, '{"Answer": "' * 50_000, "[" * 300_000]
)
def test_long_outputs_take_linear_time(text):
    for name, project in METRICS_OF_OTHERS.items():
        judged = Judged("Where?", ("Ann",), text, ranking=(("Ann", 1.0),))
        assert len(project.score(judged)) == len(project.beside), name
