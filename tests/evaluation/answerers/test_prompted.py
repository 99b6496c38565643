import re
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.answerers.final_answer import final_messages, instruction
from rulemine.evaluation.answerers.prompted import ChainOfThought, ClosedBook, SelfConsistency, vote
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.evaluation.answerers.registry import ANSWERERS, asks_model, find_answerer, needs_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.llm import Call, Session
from rulemine.llm.call import Failure, Reply
from rulemine.release.records import Question

KG = KnowledgeGraph.from_triples(
    [("ann", "mother", "eve"), ("bob", "mother", "eve"), ("eve", "sister", "joe")]
)
ASKED = [
    OpenQuestion("q1", "Who is ann's mother?", ("ann",)),
    OpenQuestion("q2", "Bob's?", ("bob",)),
]
FAILED = Failure("refused", "400: no", lasting=False)


class Model:
    """A session that says to each call what a test says."""

    def __init__(self, says: Callable[[Call], str | Failure]) -> None:
        self.says, self.calls = says, list[Call]()

    def seconds(self, key: str) -> float:
        return 0.25

    def run(self, works: Any, progress: object = None) -> list[Any]:
        import asyncio

        async def ask(call: Call) -> Reply | Failure:
            assert call.key
            self.calls.append(call)
            said = self.says(call)
            return said if isinstance(said, Failure) else Reply(said, "stop", 10, 2)

        async def every() -> list[Any]:
            return list(await asyncio.gather(*(work(ask) for work in works)))

        return asyncio.run(every())


def given(model: Model, **more: Any) -> Context:
    settings = {"kg": KG, "model": "m", "session": cast(Session, model), **more}
    return Context(**settings)


def asked(call: Call) -> str:
    return str(call.messages[-1]["content"])


def test_closed_book_is_the_final_step_alone() -> None:
    model = Model(lambda call: "eve\n" if call.subject == "q1" else FAILED)
    first, second = ClosedBook(max_tokens=9)(given(model), ASKED)
    assert first == Answered(
        text="eve", calls=1, prompt_tokens=10, completion_tokens=2, seconds=0.25
    )
    assert (second.text, second.calls, second.prompt_tokens) == ("", 1, 0)
    assert second.failed == "400: no"
    assert [list(call.messages) for call in model.calls] == [
        final_messages("Who is ann's mother?"),
        final_messages("Bob's?"),
    ]
    assert {(call.max_tokens, call.temperature) for call in model.calls} == {(9, 0.0)}


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("none", ""),
        (" None. ", ""),
        ("<think>perhaps joe</think>\neve", "eve"),
        ("perhaps joe</think>\n\neve", "eve"),
        ("<|channel|>analysis<|message|>joe<|end|><|channel|>final<|message|>eve", "eve"),
        ("none of them\neve", "none of them\neve"),
        ("", ""),
    ],
)
def test_what_a_model_answers(said: str, text: str) -> None:
    assert ClosedBook()(given(Model(lambda call: said)), ASKED[:1])[0].text == text


def test_the_final_step_says_what_is_known_before_it_asks() -> None:
    [message] = final_messages("Who?", ["ann | mother | eve", "eve | sister | joe"])
    task, known, question = message["content"].split("\n\n")
    for words in (
        "subject | relation | object",
        "lacks facts",
        "concluded",
        "as below",
        "write none",
    ):
        assert words in task
    assert known == "What is known:\nann | mother | eve\neve | sister | joe"
    assert question.startswith("Question: Who?\n")


def test_where_nothing_is_shown_the_final_step_speaks_of_no_graph() -> None:
    for thoughts in ((), ("Ann is eve's.",)):
        [message] = final_messages("Who?", (), thoughts)
        task, *between, _ = message["content"].split("\n\n")
        assert between == ["Thoughts so far:\nAnn is eve's."] * bool(thoughts)
        assert "conclude" in task
        assert not re.search("graph|below|known|[|]", task)


def test_thoughts_are_shown_to_the_final_step() -> None:
    model = Model(lambda call: "Ann is eve's." if call.purpose == "think" else "eve")
    [found] = ChainOfThought(max_tokens=5, thought_tokens=7)(given(model), ASKED[:1])
    assert (found.text, found.calls, found.retrieved) == ("eve", 2, None)
    assert [(c.purpose, c.max_tokens) for c in model.calls] == [("think", 7), ("answer", 5)]
    assert "step by step" in asked(model.calls[0])
    assert list(model.calls[1].messages) == final_messages(
        ASKED[0].question, thoughts=["Ann is eve's."]
    )


def test_without_thoughts_it_answers_at_once() -> None:
    for thought in (FAILED, " "):
        model = Model(lambda call, said=thought: said if call.purpose == "think" else "eve")  # type: ignore[misc]
        [found] = ChainOfThought()(given(model), ASKED[:1])
        assert found.text == "eve"
        assert found.again == (thought == FAILED)  # the call that failed may be answered next time
        assert list(model.calls[1].messages) == final_messages(ASKED[0].question)


def test_self_consistency_votes_over_the_names_in_its_samples() -> None:
    said = ["It is eve.", "eve\nann", "**Answer:** joe", FAILED, "eve"]
    model = Model(lambda call: "So." if call.purpose == "think" else said[call.sample])
    [found] = SelfConsistency(temperature=0.5)(given(model), ASKED[:1])
    assert (found.text, found.calls) == ("eve", 10)
    samples = {(call.purpose, call.sample, call.temperature) for call in model.calls}
    assert samples == {(step, n, 0.5) for step in ("think", "answer") for n in range(5)}


@pytest.mark.parametrize(
    ("samples", "answers"),
    [
        ([], []),
        ([[], []], []),
        ([["a"], ["b", "a"], ["b", "a"]], ["a", "b"]),  # by votes
        ([["b", "a"], ["a", "b"]], ["b", "a"]),  # then as they came
        ([["a"], ["b"]], ["a"]),  # half is no majority, and of equal sets the first wins
        ([["a"], ["b"], [], []], []),  # silence is a set too
        ([["a", "a", "a"], ["b"], ["b"], ["c"]], ["b"]),  # a sample has one vote for a name
    ],
)
def test_votes(samples: list[list[str]], answers: list[str]) -> None:
    assert vote(samples) == answers


SYSTEMS = [
    name
    for name in ANSWERERS.own
    if asks_model(made := find_answerer(name)) and not hasattr(made, "answers") and name != "dense"
]
"""All that end with the last step; `dense` needs vectors first, then shows them as `bm25` does."""


@pytest.mark.parametrize("name", SYSTEMS)
def test_all_systems_are_told_the_same_at_last(name: str) -> None:
    """Whether something is found or not; they differ in how lines are to be read, and in nothing else."""
    for said in ("none", "mother\nAction 1: Search[ann]\nAnswer: eve (Score: 1)"):
        model = Model(lambda call, said=said: said)  # type: ignore[misc]
        find_answerer(name)(given(model), ASKED)
        finals = [asked(call) for call in model.calls if call.purpose == "answer"]
        assert finals
        for content in finals:
            written = re.match(
                r".* knowledge graph, (a \w+ a line: .*?)\. The graph lacks", content
            )
            assert content.startswith(instruction(written[1] if written else ""))
            assert bool(written) == ("\nWhat is known:\n" in content)


@pytest.mark.parametrize(
    ("written", "calls"),
    [
        ("closed-book", 1),
        ("chain-of-thought", 2),
        ("self-consistency", 10),
        ("self-consistency:k=3", 6),
        ("k-hop:hops=2", 1),
        ("bm25", 1),
        ("ppr", 1),
        ("trained-retriever:read=true", 1),
        ("dense", 2),
        ("g-retriever:price=1", 1),
        ("paths", 2),
    ],
)
def test_each_has_a_name_and_says_how_often_it_asks_at_most(written: str, calls: int) -> None:
    answerer: Any = find_answerer(written)
    assert answerer.uses_model
    assert answerer.worst_calls(3) == calls
    with pytest.raises(ConfigError, match=re.escape("name one with --model")):
        answerer(Context(KG), ASKED)


def shown_first(shots: int, train: Sequence[Question] = (), seed: int = 0) -> str:
    model = Model(lambda call: "Ann is eve's.")
    ChainOfThought(shots=shots)(given(model, train=train, seed=seed), ASKED[:1])
    assert [call.purpose for call in model.calls] == ["think", "answer"]
    own = asked(model.calls[0])
    said = "Thoughts:" if shots else "\nLet's think step by step. Do not give the answer yet."
    assert own.endswith(f"Question: Who is ann's mother?\n{said}")
    return own.partition("Question: Who is ann's mother?")[0]


def demonstrated(number: int, structure: str, split: str = "train") -> Question:
    row = {"id": f"t{number}", "question": f"Question {number}?", "split": split, "anchors": ()}
    row |= {
        "structure": structure,
        "hard_answer": "joe",
        "evidence": (("a", "r", "b"), ("b", "s", "joe")),
    }
    return cast(Question, SimpleNamespace(**row))


def test_demonstrations_are_a_chain_an_intersection_and_a_union() -> None:
    assert shown_first(0) == ""
    assert needs_of(ChainOfThought()) == []
    assert needs_of(ChainOfThought(shots=3)) == ["train"]
    for shots in (1, 2, 3):
        assert shown_first(shots).count("Thoughts: ") == shots
    words = [part.partition("Thoughts: ")[2] for part in shown_first(3).split("\n\n")]
    assert [
        word in text for word, text in zip(("chain", "all of", "one of"), words, strict=False)
    ] == [True] * 3


def test_demonstrations_are_drawn_from_training_questions_of_the_structure() -> None:
    train = [demonstrated(1, "2i", "validation"), demonstrated(2, "1p")]
    train += [demonstrated(n, "2p") for n in range(3, 9)]
    shown = shown_first(3, train)
    number = re.match(r"Question: Question (\d)\?\n", shown)
    assert number is not None
    assert int(number[1]) in range(3, 9)
    assert " a | r | b. b | s | joe. So joe is an answer.\n\n" in shown
    assert shown.count("Lorn") == shown_first(3).count("Lorn") - shown_first(1).count("Lorn")
    assert len({shown_first(1, train, seed) for seed in range(9)}) > 1
