import re
from types import SimpleNamespace

from rulemine.evaluation.answerers.final_answer import final_messages, instruction
from rulemine.evaluation.answerers.prompted import ChainOfThought, ClosedBook, SelfConsistency, vote
from rulemine.evaluation.answerers.protocol import Answered, OpenQuestion
from rulemine.evaluation.answerers.registry import ANSWERERS, asks_model, find_answerer, needs_of
from tests.evaluation.answerers.scripted import Script, asked, broken, given, graph, run

KG = graph([("ann", "mother", "eve"), ("bob", "mother", "eve"), ("eve", "sister", "joe")])
ANN = OpenQuestion("q1", "Who is ann's mother?", ("ann",))
BOB = OpenQuestion("q2", "Bob's?", ("bob",))


def test_closed_book_is_the_final_step_alone():
    script = Script(lambda call: "eve\n" if call.subject == "q1" else broken)
    first, second = ClosedBook(max_tokens=9)(given(script), [ANN, BOB])
    used = {"calls": 1, "prompt_tokens": 10, "completion_tokens": 1, "seconds": 0.5}
    assert first == Answered(text="eve", **used)
    assert (second.text, second.calls, second.prompt_tokens) == ("", 1, 0)
    assert second.failed == "400: no"
    alone = [final_messages(q.question) for q in (ANN, BOB)]
    assert [list(call.messages) for call in script.calls] == alone
    assert {(call.max_tokens, call.temperature) for call in script.calls} == {(9, 0.0)}


def test_what_a_model_answers():
    cases = {
        "none": "", " None. ": "", "<think>perhaps joe</think>\neve": "eve", "": "",
        "perhaps joe</think>\n\neve": "eve", "none of them\neve": "none of them\neve",
        "<|channel|>analysis<|message|>joe<|end|><|channel|>final<|message|>eve": "eve",
    }  # fmt: skip
    assert {said: run(ClosedBook(), Script(answer=[said])).text for said in cases} == cases


def test_the_final_step_says_what_is_known_before_it_asks():
    [message] = final_messages("Who?", ["ann | mother | eve", "eve | sister | joe"])
    task, known, question = message["content"].split("\n\n")
    assert known == "What is known:\nann | mother | eve\neve | sister | joe"
    assert question.startswith("Question: Who?\n")
    assert all(
        words in task for words in ("subject | relation | object", "lacks facts", "write none")
    )
    [message] = final_messages("Who?", (), ("Ann is eve's.",))
    assert "Thoughts so far:\nAnn is eve's." in message["content"].split("\n\n")
    assert not re.search("graph|below|known|[|]", message["content"]), "where nothing is shown"


def test_thoughts_are_shown_to_the_final_step():
    script = Script(think=["Ann is eve's."], answer=["eve"])
    found = run(ChainOfThought(max_tokens=5, thought_tokens=7), script, question=ANN)
    assert (found.text, found.calls, found.retrieved) == ("eve", 2, None)
    assert [(c.purpose, c.max_tokens) for c in script.calls] == [("think", 7), ("answer", 5)]
    assert "step by step" in asked(script.calls[0])
    shown = final_messages(ANN.question, thoughts=["Ann is eve's."])
    assert list(script.calls[1].messages) == shown
    for thought in (broken, " "):  # without thoughts it answers at once
        script = Script(think=[thought], answer=["eve"])
        found = run(ChainOfThought(), script, question=ANN)
        assert found.text == "eve"
        assert found.again == (thought == broken)  # the call that failed may be answered next time
        assert list(script.calls[1].messages) == final_messages(ANN.question)


def test_self_consistency_votes_over_the_names_in_its_samples():
    said = ["It is eve.", "eve\nann", "**Answer:** joe", broken, "eve"]
    script = Script(lambda call: "So." if call.purpose == "think" else said[call.sample])
    found = run(SelfConsistency(temperature=0.5), script, KG, ANN)
    assert (found.text, found.calls) == ("eve", 10)
    samples = {(call.purpose, call.sample, call.temperature) for call in script.calls}
    assert samples == {(step, n, 0.5) for step in ("think", "answer") for n in range(5)}
    for samples, answers in (
        ([], []),
        ([[], []], []),
        ([["a"], ["b", "a"], ["b", "a"]], ["a", "b"]),  # by votes
        ([["b", "a"], ["a", "b"]], ["b", "a"]),  # then as they came
        ([["a"], ["b"]], ["a"]),  # half is no majority, and of equal sets the first wins
        ([["a"], ["b"], [], []], []),  # silence is a set too
        ([["a", "a", "a"], ["b"], ["b"], ["c"]], ["b"]),  # a sample has one vote for a name
    ):
        assert vote(samples) == answers


def test_all_systems_are_told_the_same_at_last():
    """Whether something is found or not; they differ in how lines are to be read, and in nothing else.

    `dense` needs vectors first, then shows them as `bm25` does.
    """
    systems = {name: find_answerer(name) for name in ANSWERERS.own if name != "dense"}
    asking = [s for s in systems.values() if asks_model(s) and not hasattr(s, "answers")]
    assert len(asking) > 10
    for system in asking:
        for said in ("none", "mother\nAction 1: Search[ann]\nAnswer: eve (Score: 1)"):
            script = Script(lambda call, said=said: said)
            system(given(script, kg=KG), [ANN, BOB])
            finals = [asked(call) for call in script.calls if call.purpose == "answer"]
            assert finals
            for text in finals:
                read = re.match(r".* knowledge graph, (a \w+ a line: .*?)\. The graph lacks", text)
                assert text.startswith(instruction(read[1] if read else ""))
                assert bool(read) == ("\nWhat is known:\n" in text)


def shown_first(shots, train=(), seed=0):
    script = Script(lambda call: "Ann is eve's.")
    run(ChainOfThought(shots=shots), script, question=ANN, train=train, seed=seed)
    assert script.steps == ["think", "answer"]
    own = asked(script.calls[0])
    said = "Thoughts:" if shots else "\nLet's think step by step. Do not give the answer yet."
    assert own.endswith(f"Question: Who is ann's mother?\n{said}")
    return own.partition("Question: Who is ann's mother?")[0]


def demonstrated(number, structure, split="train"):
    row = {"id": f"t{number}", "question": f"Question {number}?", "split": split, "anchors": ()}
    evidence = (("a", "r", "b"), ("b", "s", "joe"))
    return SimpleNamespace(**row, structure=structure, hard_answer="joe", evidence=evidence)


def test_demonstrations_are_a_chain_an_intersection_and_a_union():
    assert shown_first(0) == ""
    assert (needs_of(ChainOfThought()), needs_of(ChainOfThought(shots=3))) == ([], ["train"])
    for shots in (1, 2, 3):
        assert shown_first(shots).count("Thoughts: ") == shots
    texts = [part.partition("Thoughts: ")[2] for part in shown_first(3).split("\n\n")]
    for word, text in zip(("chain", "all of", "one of"), texts, strict=False):
        assert word in text


def test_demonstrations_are_drawn_from_training_questions_of_the_structure():
    train = [demonstrated(1, "2i", "validation"), demonstrated(2, "1p")]
    train += [demonstrated(n, "2p") for n in range(3, 9)]
    shown = shown_first(3, train)
    assert re.match(r"Question: Question [3-8]\?\n", shown)
    assert " a | r | b. b | s | joe. So joe is an answer.\n\n" in shown
    assert shown.count("Lorn") == shown_first(3).count("Lorn") - shown_first(1).count("Lorn")
    assert len({shown_first(1, train, seed) for seed in range(9)}) > 1
