"""Questions of the kind ``subgraphs`` on random graphs: by the scripted writer, and over HTTP."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import UserError
from rulemine.kinds.asking import Asking
from rulemine.kinds.bounds import Bounds
from rulemine.kinds.checks import Unaskable
from rulemine.kinds.subgraphs.ask import CELLS
from rulemine.kinds.subgraphs.kind import SubgraphKind
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.subgraphs.second_models import FAILED
from rulemine.kinds.subgraphs.validation import Mistake
from rulemine.kinds.writing import Writing
from rulemine.kinds.written.block import MinimalQuery
from rulemine.kinds.written.replies import Unread
from rulemine.llm.options import EndpointOptions
from rulemine.llm.session import Session
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.grading import evaluate
from rulemine.query.links import expanded, positive
from rulemine.query.parser import parse
from rulemine.query.structures import structure_of
from rulemine.query.tree import Count, Difference
from rulemine.recipe.earlier import Earlier
from rulemine.recipe.recipe import QuestionSection
from rulemine.release.naming import Namer
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.question_set import QuestionSet
from rulemine.text.naming_rules import ANCHOR_MISSING
from rulemine.verbalizer.options import VerbalizerSection
from tests.chat_server import ChatServer, FakeModel, Says
from tests.kinds.written import asking
from tests.kinds.written.asking import WORLD, fake, inputs_of, refused

ASK = "rulemine.kinds.subgraphs.ask"
MODEL = VerbalizerSection(
    name="openai", model="writer", rewriter_model="second", judge_model="judge"
)


def asked(**given: Any) -> QuestionSet:
    """The scripted writer's questions."""
    return asking.asked(inputs_of("subgraphs", **{"questions": 30, **given}))


@pytest.fixture(scope="module", autouse=True)
def small_batches() -> Iterator[None]:
    """Counts and differences are frequent; any link may go on from another, as few are usually one here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rulemine.kinds.neighbors.USUAL", 0)
        for name, value in (("AT_ONCE", 16), ("COUNT_SHARE", 0.15), ("WITHOUT_SHARE", 0.3)):
            patch.setattr(f"{ASK}.{name}", value)
        patch.setattr(SubgraphSection, "max_answers", 4)
        yield


@pytest.fixture(scope="module")
def made() -> QuestionSet:
    return asked()


def test_every_question_is_the_tree_of_its_triples_and_is_executed(made: QuestionSet) -> None:
    kg, declared = WORLD.kg, WORLD.declarations
    triples, forms = set(kg.labeled()), set()
    for question in made.questions:
        block, query = question.block, parse(question.query)
        forms.add(type(query))
        assert evaluate(kg, query).answers == question.answers
        of = query.of if isinstance(query, Count) else query
        of = of.of if isinstance(of, Difference) else of
        assert of == expanded(query_of_triples(block.triples, block.answer), declared)
        assert block.answer in question.answers
        assert {*block.triples} <= {*block.subgraph} <= triples
        assert (question.value is not None) == isinstance(query, Count)
        assert block.minimal == (MinimalQuery(question.anchors, question.query),)
    assert {Count, Difference} < forms
    assert {question.missing for question in made.questions} >= {0, 1}
    assert not any(question.block.redundant for question in made.questions)
    assert refused(made)[Unaskable.NEEDLESS] > 0
    assert asked() == made


def test_all_that_is_refused_is_counted_and_nothing_twice(made: QuestionSet) -> None:
    drawn = sum(row["drawn"] for row in made.sampling.values())
    assert drawn == 30 + refused(made).total()
    assert refused(made).keys() >= {Unaskable.MANY, Unaskable.ANCHOR}
    assert len({question.query for question in made.questions}) == len(made.questions) == 30
    assert len({question.question for question in made.questions}) == 30
    assert [question.id for question in made.questions] == [f"q{n:05}" for n in range(1, 31)]


@pytest.fixture(scope="module")
def split() -> QuestionSet:
    """Forty questions with splits; this world has few rules, so that these are not bounded."""
    chosen = QuestionSection(test_core=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{ASK}.WITHOUT_SHARE", 0.1)
        patch.setattr(SubgraphSection, "max_answers", 3)
        patch.setattr(Bounds, "objection", lambda *_: None)
        return asked(chosen=chosen, questions=40, test_share=0.4, start="removed")


def test_test_has_its_share_and_its_core(split: QuestionSet) -> None:
    of = Counter(question.split for question in split.questions)
    assert of["test"] == 16
    assert 6 <= of["train"] <= 24
    core = [q.core for q in split.questions if q.split == "test"]
    assert sum(core) >= 5
    assert len({(*q.block.test_type[:1], q.shape) for q in split.questions}) > 10


def test_training_gives_nothing_of_test_and_has_nothing_that_is_reserved(split):
    assert RemovedFacts(WORLD.kg.labeled(WORLD.selection.head)).leaked(split.questions, "test") == 0
    test, train = ([q for q in split.questions if q.split == s] for s in ("test", "train"))
    taken = {answer for question in test for answer in question.answers}
    assert not any(taken & {*q.answers} for q in train)
    trained = {relation for q in train for relation in q.relations}
    for q in split.questions:
        shape = structure_of(positive(parse(q.query)), WORLD.declarations).shape
        reserved = shape in SubgraphSection.reserved_shapes
        lacks = (*["ugt"] * reserved, *["urt"] * (not trained.issuperset(q.relations))) or ("id",)
        assert q.block.test_type == (lacks if q.split == "test" else ())
        assert q.split == "test" or not reserved
        assert q.split == "train" or f"{lacks[0]} {shape}" in CELLS


def test_what_an_earlier_release_asks_is_not_asked_again(made: QuestionSet) -> None:
    queries = frozenset(question.query for question in made.questions)
    again = asked(earlier=Earlier(("x",), queries), questions=10)
    assert not queries & {question.query for question in again.questions}
    assert refused(again)[Unaskable.EARLIER] > 0


def test_limits_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SubgraphSection, "max_answers", 2)
    monkeypatch.setattr(SubgraphSection, "max_evidence", 4)
    for question in asked(questions=20, start="removed").questions:
        assert len(question.answers) <= 2
        assert len(question.full_evidence) <= 4


# Over HTTP.


def over_http(
    folder: Path, says: Says, writing: Writing | None = None, questions: int = 6
) -> tuple[QuestionSet, ChatServer]:
    """The questions of a model before the final filter, and the endpoint."""
    return asking.over_http(folder, says, "subgraphs", writing, questions=questions)


def asked_of(request: dict[str, Any]) -> str:
    return str(request["messages"][1]["content"])


def test_a_model_writes(tmp_path: Path) -> None:
    said: list[str] = []
    writing = Writing(status=said.append)
    made, server = over_http(tmp_path, fake, writing)
    assert re.fullmatch(r"\d+% of \d+ candidates accepted", said[-1])
    assert len(made.questions) == 6
    for question in made.questions:
        assert question.wording == "model"
        assert len(question.patterns) == 1, "what the split has not kept is not said in other words"
    assert {body["model"] for body in server.bodies} == {"writer"}
    assert len(writing.calls) == len(server.bodies)
    assert {question.id for question in made.questions} == set().union(*writing.calls.values())
    prompts = [asked_of(body) for body in server.bodies if body["model"] == "writer"]
    shown = [prompt for prompt in prompts if "exactly 2 of" in prompt and "How many" not in prompt]
    assert shown[0].count("Example of a reply: ") == 2
    again, _ = over_http(tmp_path / "2", fake)
    assert again == made, "in whatever order replies come"


@pytest.mark.slow
def test_replies_that_are_wrong_in_any_way_are_counted(tmp_path: Path) -> None:
    def says(request: dict[str, Any], times: int) -> str | dict[str, Any]:
        whole = FakeModel().answer(request)
        asked = str(request["messages"])
        row = json.loads(whole)
        share = random.Random(asked).randrange(8)
        if refused := re.search(
            r"^Refused before, so mend it: (.*) Reason: (.*)$", asked_of(request), re.M
        ):
            mended.append(refused[2])
        if share == 0:
            return whole[:40]
        if share == 1:
            return "There is nothing to ask."
        if share == 2:
            row["sparql"] = "DELETE WHERE { ?s ?p ?o }"
        if share == 3:
            row["sparql"] = row["sparql"].replace(
                "WHERE {", "WHERE { SERVICE <http://x.y/> { ?a ?b ?c }"
            )
        if share == 4:
            row["nodes"][0] = "e99999"
        if share == 5:
            row["question"] = row["question"].replace("?", " in 1994?")
        if share == 6:
            name = row["nodes"][0].rpartition(" (")[0] or row["nodes"][0]
            row["question"] = row["question"].replace(name, "somebody")
        return json.dumps(row)

    mended: list[str] = []
    made, _ = over_http(tmp_path, says, questions=24)
    found = refused(made)
    assert {"an id or a relation is unknown (entity e99999).", f"{Unread.NO_JSON}."} <= {*mended}
    assert any("no other name, date, number or capital (“1994”)" in why for why in mended)
    assert any(re.search("Name the Question Entity exactly as given.*“.+”", w) for w in mended)
    assert Unaskable.MANY not in " ".join(mended), (
        "which nobody can mend who sees a part of the graph"
    )
    assert found.keys() >= {Unread.NO_JSON, Mistake.BARRED, Mistake.UNKNOWN}
    assert 12 < len(made.questions) <= 24
    assert {row.reason for row in made.rejections} <= {*found}


def test_a_model_that_writes_nothing_of_use_ends_the_build(tmp_path: Path) -> None:
    """After 50 replies; here in batches of 16, each of which is sent back once."""
    with pytest.raises(UserError, match=rf"no question is left: \d+ × {Unread.NO_JSON}") as caught:
        over_http(tmp_path, lambda request, times: "Who knows?", questions=20)
    assert "cut off" not in str(caught.value)
    with pytest.raises(
        UserError,
        match=r"no question is left: .*\nMost replies were cut off\. .*: m=4000\. Or else:\nAsk",
    ):
        over_http(tmp_path / "cut", lambda request, times: "<think>Who knows?", questions=20)


def judged(made: QuestionSet, says: Says, folder: Path, split: str, **models: str) -> Any:
    """What the kind makes of questions that have ids, all that was asked, and the notices."""
    notes: list[str] = []
    with (
        ChatServer(says) as server,
        Session(EndpointOptions(base_url=server.url), folder / "split.sqlite") as session,
    ):
        given = inputs_of(
            "subgraphs", verbalizer=replace(MODEL, **models), chosen=QuestionSection(split=split)
        )
        writing = Writing(session, notes.append)
        running = Asking(given, WORLD.selection, writing=writing)
        questions = SubgraphKind().finished(running, [*made.questions])
        kept = replace(made, questions=tuple(questions), rejections=tuple(running.rejections))
    assert len(writing.calls) == len(server.bodies)
    return kept, server.bodies, notes


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> QuestionSet:
    """Twelve questions of a model."""
    return over_http(tmp_path_factory.mktemp("written"), fake, questions=12)[0]


def test_the_final_filter_asks_twice_and_once_more_what_cannot_be_read(written, tmp_path):
    first, second, *others = written.questions
    both = tuple(sorted({*first.full_evidence, *second.evidence}))
    of_all = replace(first, value=2, full_evidence=both)
    written = replace(written, questions=(of_all, second, *others))
    namer = Namer(written.names, WORLD.templates, "private")
    named = [namer.question(question) for question in written.questions]
    ids = [question.id for question in written.questions]

    def says(request: dict[str, Any], times: int) -> str:
        question = next(q for q in named if f"Question: {q.question}\n" in asked_of(request))
        right = question.answers[0] if question.value is None else str(question.value)
        assert request["temperature"] == 0.7, "at 0 both replies would be one"
        facts = question.evidence if question.value is None else question.full_evidence
        shown = asked_of(request).partition("\n\n")[0].split("\n")[1:]
        assert shown == [" | ".join(fact) for fact in facts], "of a count all that is counted"
        if question.id == ids[5] and request["seed"] == 1:
            return json.dumps({"answer": "nobody"})
        if question.id == ids[6]:
            return f"The answer is {right}."
        if question.id == ids[7]:
            return f"The answer is not {right}."
        if question.id == ids[8] and request["seed"] < 2:
            return "Well ..."
        return json.dumps({"answer": f" {right.upper()} "})

    kept, asked, _ = judged(written, says, tmp_path, "none", rewriter_model="")
    assert len(asked) == 2 * 12 + 2 + 2
    assert {*ids} - {q.id for q in kept.questions} == {ids[5], ids[7]}
    assert {row.reason for row in kept.rejections[-2:]} == {FAILED}


def test_paraphrases_are_asked_for_what_is_kept_and_judged(written, tmp_path):
    namer = Namer(written.names, WORLD.templates, "private")
    first, second, third = (namer.question(q) for q in written.questions[:3])

    def says(request: dict[str, Any], times: int) -> str:
        text = asked_of(request)
        if f"\nQuestion: {first.question}\n" in f"\n{text}" and "Rewording" not in text:
            return f"Which is neither {' nor '.join(first.anchors)} by what was said?"
        if f"\nQuestion: {second.question}\n" in f"\n{text}":
            return "Who is it?"
        if "Rewording: Which is neither" in text:
            return "FAIL: it asks for the opposite"
        if f"\nQuestion: {third.question}\n" in f"\n{text}" and "Rewording" in text:
            return "Hm."
        return fake(request, times)

    made, asked, _ = judged(written, says, tmp_path, "none", judge_model="")
    purposes = Counter(body["model"] for body in asked)
    assert purposes == {"second": 12, "writer": 11}, "without a judge the model itself compares"
    assert [len(q.paraphrases) for q in made.questions] == [0, 0, 0, *[1] * 9]
    assert all(q.paraphrases[0].startswith("Can you tell me") for q in made.questions[3:])
    assert [(r.question, r.reason, r.detail) for r in made.rejections[-3:]] == [
        (first.id, "paraphrase: audit_failed", "it asks for the opposite"),
        (second.id, f"paraphrase: {ANCHOR_MISSING}", "in the naming private"),
        (third.id, "paraphrase: audit_failed", "the verdict could not be read"),
    ]


def test_a_judge_that_answers_nothing_is_told_whatever_the_split(written, tmp_path):
    kept, asked, notes = judged(
        written, lambda request, times: "Who knows?", tmp_path, "random", rewriter_model=""
    )
    test = 12 - len(kept.questions)
    assert {q.split for q in kept.questions} == {"train", "validation"}
    assert len(asked) == 4 * test
    told = f"no test question is left: judge answered none of {test} question"
    assert [told in note for note in notes] == [True]
