"""Questions of the kind ``variants`` on random graphs: by the scripted writer, and over HTTP."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import ConfigError, UserError
from rulemine.kg.entity_names import NAMINGS
from rulemine.kinds.bounds import Bounds, near
from rulemine.kinds.checks import Unaskable
from rulemine.kinds.dealing import ENOUGH, GIVES
from rulemine.kinds.registry import KINDS
from rulemine.kinds.variants.ask import UNREAD
from rulemine.kinds.variants.kind import MANY
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.writing import Writing
from rulemine.kinds.written.replies import Unread
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.grading import evaluate
from rulemine.query.links import expanded
from rulemine.query.parser import parse
from rulemine.query.query_graph import QueryGraph
from rulemine.recipe.joins import Joins
from rulemine.recipe.recipe import QuestionSection
from rulemine.release.naming import Namer
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import SEED_TEXTS, SPLITS
from rulemine.text.normalization import fold, mentions
from rulemine.verbalizer.options import VerbalizerSection
from tests.chat_server import ChatServer, FakeModel, Says
from tests.kinds.written import asking
from tests.kinds.written.asking import WORLD, fake, inputs_of
from tests.query.redundancy import redundancies

MODEL = VerbalizerSection(name="openai", model="writer")


def asked(**given: Any) -> QuestionSet:
    """The scripted writer's questions."""
    return asking.asked(inputs_of("variants", **{"questions": 40, **given}))


@pytest.fixture(scope="module", autouse=True)
def any_link_goes_on() -> Iterator[None]:
    """In this world few links lead to one entity from most."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rulemine.kinds.neighbors.USUAL", 0)
        yield


@pytest.fixture(scope="module")
def made() -> QuestionSet:
    return asked()


def test_every_query_is_that_of_the_path_and_is_executed(made: QuestionSet) -> None:
    kg, declared = WORLD.kg, WORLD.declarations
    triples = set(kg.labeled())
    for question in made.questions:
        block = question.block
        query = expanded(query_of_triples(block.triples, block.answer), declared)
        assert question.query == query.text
        assert question.answers == evaluate(kg, query).answers
        assert block.answer in question.answers
        assert block.unique == (len(question.answers) == 1)
        assert len(block.triples) >= 2
        assert {*block.triples} <= {*block.subgraph} <= triples
        assert block.topic
        assert block.judgements == ()
        assert not {*question.anchors} & {*question.answers}
    assert {question.block.unique for question in made.questions} == {True, False}
    assert {question.missing for question in made.questions} >= {0, 1}


def test_texts_name_the_anchors_alone_in_every_naming(made: QuestionSet) -> None:
    for naming in NAMINGS:
        namer = Namer(made.names, WORLD.templates, naming)
        texts = set()
        for question in map(namer.question, made.questions):
            text = fold(question.question)
            texts.add(text)
            assert all(mentions(text, fold(name)) for name in question.anchors)
            hidden = (*question.answers, *question.intermediates)
            assert not any(mentions(text, fold(name)) for name in hidden)
        assert len(texts) == len(made.questions)


def test_chains_keep_to_the_list_of_joins(made: QuestionSet) -> None:
    assert any(question.hops > 1 for question in made.questions)
    given, none = inputs_of("variants", questions=40), frozenset[Any]()
    links = product(WORLD.kg.relations, (True, False))
    together = frozenset(product(links, repeat=2))
    given.joins = Joins(dict.fromkeys(("2p", "3p"), none), {"2i": together}, none, none)
    kept = asking.asked(given).questions
    assert {question.hops for question in kept} == {1}


def test_what_was_asked_about_is_in_the_release_and_all_that_is_refused_is_counted(made):
    entities = {row.id: row.entities for row in made.records[SEED_TEXTS]}
    assert all(q.block.seeds == entities[q.block.seed_text] for q in made.questions)
    assert [question.id for question in made.questions] == [f"q{n:05}" for n in range(1, 41)]
    counts = made.sampling["variants"]
    refused = sum(counts["rejected"].values())
    assert counts["drawn"] == counts["questions"] + refused
    assert counts["wanted"] == counts["questions"] == 40
    assert counts["seed_texts"] == len(entities)
    assert len({question.query for question in made.questions}) == 40


def test_the_same_seed_gives_the_same_and_a_run_another_order(made: QuestionSet) -> None:
    again = asked()
    assert again == made
    fresh = asked(run=1)
    assert fresh.records[SEED_TEXTS][:3] == made.records[SEED_TEXTS][:3]
    assert {q.query for q in fresh.questions} != {q.query for q in made.questions}
    assert asked(run=1) == fresh


def test_limits_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VariantSection, "max_evidence", 6)
    few = asked(pairs=1)
    assert max(len(question.full_evidence) for question in few.questions) <= 6
    texts = [question.block.seed_text for question in few.questions]
    assert len(set(texts)) == len(texts)
    assert few.sampling["variants"]["rejected"].keys() >= {Unaskable.EVIDENCE, MANY}


def test_a_tenth_of_them_has_one_relation(made, monkeypatch) -> None:
    def most(made: QuestionSet) -> int:
        return max(Counter(r for q in made.questions for r in {*q.relations}).values())

    monkeypatch.setattr("rulemine.kinds.variants.kind.MANY_RELATIONS", 1)
    assert most(made) > 4 == most(asked())


def test_nothing_is_idle(made: QuestionSet) -> None:
    graph = QueryGraph(WORLD.kg)
    assert not any(question.block.redundant for question in made.questions)
    for question in made.questions:
        assert not [*redundancies(graph, parse(question.query), WORLD.declarations)]
    assert made.sampling["variants"]["rejected"][Unaskable.NEEDLESS] > 0


def test_no_split_gives_away_what_an_earlier_one_needs_and_near_duplicates_go(monkeypatch):
    monkeypatch.setattr(QuestionSection, "max_facts", 2)
    chosen = QuestionSection(ratios=(2, 1, 1), test_core=6)
    found = asked(chosen=chosen, questions=60)
    facts = RemovedFacts(WORLD.kg.labeled(WORLD.selection.head))
    of = {split: [q for q in found.questions if q.split == split] for split in SPLITS}
    assert all(of.values())
    for split in ("test", "validation"):
        assert max(len(facts.needed_by(question)) for question in of[split]) <= 2
        assert facts.leaked(found.questions, split) == 0
    assert len(of["test"]) <= 15
    assert sum(q.core for q in of["test"]) >= 3
    assert found.sampling["variants"]["rejected"][GIVES] > 0
    bounds = Bounds(lambda question, _split: near(question, question.anchors))
    for question in found.questions:
        assert bounds.objection("", question) is None
        bounds.add("", question)
    splits = {(question.block.seed_text, question.split) for question in found.questions}
    assert len(splits) == len({text for text, _ in splits}), "a seed text is for one split"


def test_more_is_asked_about_for_the_core_of_test() -> None:
    def core(wanted: int) -> int:
        chosen = QuestionSection(ratios=(2, 1, 1), test_core=wanted)
        found = asked(chosen=chosen, questions=30)
        return sum(q.core and q.split == "test" for q in found.questions)

    assert core(0) < core(7) <= 7


def test_nothing_to_ask_about_is_said_with_the_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VariantSection, "max_evidence", 1)
    with pytest.raises(UserError, match=r"no question is left: .* × ") as caught:
        asked(questions=3)
    assert Unaskable.NEEDLESS in str(caught.value)


# Over HTTP.


def over_http(
    folder: Path, says: Says, writing: Writing | None = None, concurrency: int = 16, **options: Any
) -> tuple[QuestionSet, ChatServer]:
    """The questions of a model, and the endpoint."""
    chosen = {"questions": 6, "pairs": 1, "judges": ("judge",), **options}
    return asking.over_http(folder, says, "variants", writing, concurrency, **chosen)


def test_a_model_writes_and_judges_and_every_call_is_in_the_trace(tmp_path: Path) -> None:
    writing = Writing()
    made, server = over_http(tmp_path, fake, writing)
    for question in made.questions:
        assert question.wording == "model"
        assert question.question.startswith("What is joined to ")
        assert [row.model for row in question.block.judgements] == ["judge"] * 3
    assert len(writing.calls) == len(server.bodies)
    of = {question.id for question in made.questions}
    assert set().union(*writing.calls.values()) == of
    judged = made.sampling["variants"]["judged"]
    assert judged["judged"] >= judged["accepted"] >= len(of)
    again, _ = over_http(tmp_path / "2", fake)
    assert again == made, "in whatever order replies come"


def test_no_more_is_judged_than_is_wanted_however_much_is_asked_at_once(tmp_path: Path) -> None:
    def judges_refuse(request: dict[str, Any], times: int) -> str:
        said = FakeModel().answer(request)
        refuses = random.Random(str(request["messages"])).random() < 0.3
        return said.replace("true", "false") if request["model"] == "judge" and refuses else said

    chosen: Any = {"questions": 4, "pairs": 3, "chosen": QuestionSection(ratios=(2, 1, 1))}
    runs = [over_http(tmp_path / f"{n}", judges_refuse, concurrency=n, **chosen) for n in (3, 64)]
    assert runs[0][0] == runs[1][0]
    counts = runs[0][0].sampling["variants"]
    judged = counts["judged"]
    assert judged["accepted"] < judged["judged"]
    assert counts["rejected"][ENOUGH] > 0
    for _, server in runs:
        assert sum(body["model"] == "judge" for body in server.bodies) == 6 * judged["judged"]
    assert judged["accepted"] <= 4 + counts["rejected"].get(GIVES, 0)


def test_judges_may_be_at_addresses_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-writer")
    monkeypatch.setenv("OPENAI_API_KEY_2", "sk-second")
    writing = Writing()
    with ChatServer() as other:
        judges = ("same", f"same@{other.url}?key=hidden", "third")
        made, server = over_http(tmp_path, fake, writing, judges=judges)
    assert {body["model"] for body in other.bodies} == {"same"}
    assert (server.keys, other.keys) == ({"Bearer sk-writer"}, {"Bearer sk-second"})
    models = [[row.model for row in q.block.judgements] for q in made.questions]
    assert models == [["same", "same", "third"]] * 6
    assert len(writing.calls) == len(server.bodies) + len(other.bodies)
    given = inputs_of("variants", verbalizer=MODEL, judges=judges, questions=40)
    assert given.recipe.portable()["variants"]["judges"] == ["same", "same", "third"]
    wording = KINDS.find(given.recipe.kind).wording
    estimate = wording.estimate(given, WORLD.selection, tmp_path / "none", None)
    assert f"240 for judges, 80 of them at {other.url})" in estimate
    told = "variants.judges: b://…: expected NAME, NAME@http"
    with pytest.raises(ConfigError, match=told):
        inputs_of("variants", verbalizer=MODEL, judges=("a", "b://sk-1", "c"))


def test_half_results_prose_and_failures_are_counted_and_nothing_is_lost(tmp_path: Path) -> None:
    """Of the replies a quarter is cut off and a quarter is prose, and so is a tenth of what judges say."""

    def says(request: dict[str, Any], times: int) -> str:
        asked = str(request["messages"][-1]["content"]).partition("\n\nA reply to this")[0]
        share = random.Random(f"{asked} {request['seed']}").random()
        whole = FakeModel().answer(request)
        if request["model"] == "judge":
            return "Looks fine." if share < 0.1 else whole
        if share < 0.25:
            return whole[: int(len(whole) * share * 4)]
        return "There is nothing to ask." if share < 0.5 else whole

    made, _ = over_http(tmp_path, says, questions=2)
    counts = made.sampling["variants"]
    found = counts["rejected"]
    assert found.keys() >= {Unread.CUT_OFF, Unread.NO_JSON, UNREAD}
    assert counts["drawn"] == counts["questions"] + sum(found.values())
    assert len(made.questions) == 2


def test_judges_that_are_cut_off_end_the_build(tmp_path: Path) -> None:
    def says(request: dict[str, Any], times: int) -> str:
        return "<think>Hm" if request["model"] == "judge" else fake(request, times)

    with pytest.raises(UserError, match=r"flag of judge, judge 1 of 3, .*\.\nMost .* m=4000\."):
        over_http(tmp_path, says, concurrency=1)
