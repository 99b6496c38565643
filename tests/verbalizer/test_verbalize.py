"""The conversation about each question: attempts, judge, ambiguous texts, paraphrases, order of arrival."""

import hashlib
import json
from dataclasses import replace
from itertools import permutations, product

import pytest

from rulemine.errors import UserError
from rulemine.llm.call import Failure, Reply
from rulemine.llm.session import Replay
from rulemine.phrasing.glosses import Gloss, Glosses
from rulemine.release.question_set import QuestionSet
from rulemine.verbalizer.inputs import VerbalizationInput
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Calls, load_prompts
from rulemine.verbalizer.verbalize import Verbalized, same_words, verbalize
from tests import each, some_seeds
from tests.kinds.rules import asking
from tests.verbalizer.scripted import Scripted, lines, rejections_in, wanted

GLOSSES = Glosses(
    tuple(
        Gloss(
            relation, f"{{subject}} is the {relation} of {{object}}", subjects, objects, "written"
        )
        for relation, subjects, objects in (
            ("aunt", "the aunts of {topic}", "the nieces and nephews of {topic}"),
            ("uncle", "the uncles of {topic}", "everyone whose uncle is {topic}"),
        )
    )
)
TEMPLATES = {
    "subject": "Who is the {relation} of {topic}?",
    "object": "Who is {topic} the {relation} of?",
}

AUNT, NIECE, UNCLE, OTHER = (
    (("ann", "aunt", "bob"), "subject"),
    (("ann", "aunt", "bob"), "object"),
    (("carl", "uncle", "bob"), "subject"),
    (("carl", "uncle", "dora"), "subject"),
)
"""Questions: the aunts of bob, the nieces of ann, the uncles of bob, the uncles of dora."""

COUSIN = (("eve", "aunt", "bob"), "subject")
"""Asks what `AUNT` asks, with another hard answer."""

WAYS = ("Who are {}?", "Name {}, please?", "Can you tell who {} are?", "What do you know of {}?")
"""Ways to ask for what stands in the braces."""


def asked_for(*rows):
    """Questions as templates ask them, q00001 and so on."""
    questions = []
    for number, (removed, direction) in enumerate(rows, start=1):
        made = asking.question(number, removed, direction)
        text = TEMPLATES[direction].format(relation=made.relations[0], topic=made.topic)
        questions.append(replace(made, question=text))
    return asking.asked(questions)


def inputs_of(asked: QuestionSet, naming: str = "entity") -> list[VerbalizationInput]:
    """A verbalization input for each question."""
    names = {row.entity: row for row in asked.names}
    made = []
    for q in asked.questions:
        (subject, relation, obj), gloss = q.removed[0], GLOSSES[q.relations[0]]
        hidden = (("answer_named", tuple(names[a] for a in q.answers)),)
        asks = gloss.asked(q.block.direction, names[q.topic].name_in(naming))
        removed = names[subject].name_in(naming), relation, names[obj].name_in(naming)
        topics = (names[q.topic],)
        made.append(VerbalizationInput(q, naming, topics, hidden, asks, removed, gloss, ()))
    return made


PROMPTS = load_prompts("")


def run(
    asked: QuestionSet, session, *, prompts=PROMPTS, naming="entity", fail_fast=True, **options
) -> Verbalized:
    """Verbalizes questions with some options."""
    chosen = VerbalizerSection(**{"name": "openai", "model": "m", **options})
    calls = Calls(prompts, chosen, 7, GLOSSES)
    return verbalize(asked, inputs_of(asked, naming), calls, session, fail_fast=fail_fast)


def well(call):
    """What a good model says to anything."""
    if call.purpose == "audit":
        return json.dumps({"verdict": "PASS", "reason": ""})
    return json.dumps({"question": f"Who are {wanted(call)}?"})


FOUR = (AUNT, NIECE, UNCLE, OTHER)


def first(*said):
    """Says one thing after the other to the calls `question` about q00001, then what a good model says."""
    left = list(said)

    def say(call):
        if call.purpose == "question" and call.subject == "q00001" and left:
            return left.pop(0)
        return well(call)

    return say


def test_a_good_model_is_asked_once_for_each_question():
    session = Scripted(well)
    made = run(asked_for(*FOUR), session)
    said = ("aunts of bob", "nieces and nephews of ann", "uncles of bob", "uncles of dora")
    assert [q.question for q in made.asked.questions] == [f"Who are the {one}?" for one in said]
    assert {q.wording for q in made.asked.questions} == {"model"}
    assert not made.asked.rejections
    assert len(session.calls) == len(made.journal) == 4
    assert made.counts.first == made.counts.verbalized == made.counts.questions == 4
    assert made.counts.problems == {}


def test_the_text_is_in_source_labels_whatever_the_prompts_name():
    session = Scripted(well)
    (question,) = run(asked_for(AUNT), session, naming="private").asked.questions
    assert wanted(session.calls[0]).startswith("the aunts of e0000")
    assert question.question == "Who are the aunts of bob?"
    assert question.patterns == ("Who are the aunts of {topic}?",)


def test_an_attempt_tells_all_earlier_ones_and_the_reasons():
    session = Scripted(first("Who is it?", "Who are the aunts of bob"))
    made = run(asked_for(AUNT, OTHER), session)
    quoted = [rejections_in(call) for call in session.calls if call.subject == "q00001"]
    assert [len(rows) for rows in quoted] == [0, 1, 2]
    assert "Who is it?" in quoted[1][0]
    assert quoted[2][0] == quoted[1][0]
    assert "Who are the aunts of bob" in quoted[2][1]
    assert made.asked.questions[0].wording == "model"
    assert not made.asked.rejections
    assert (made.counts.first, made.counts.verbalized) == (1, 2)
    assert sum(made.counts.problems.values()) == 2


def test_when_all_attempts_fail_the_template_is_used():
    session = Scripted(first(*["Who is it?"] * 9))
    asked = asked_for(AUNT, OTHER)
    made = run(asked, session)
    assert len([c for c in session.calls if c.subject == "q00001"]) == 3
    fallback = made.asked.questions[0]
    assert (fallback.wording, fallback.question) == ("fallback", asked.questions[0].question)
    assert fallback.patterns == fallback.paraphrases == ()
    (rejection,) = made.asked.rejections
    assert (rejection.stage, rejection.question) == ("verbalize", "q00001")
    assert rejection.detail == "template used: " + ", ".join([rejection.reason] * 3)
    assert (rejection.removed, rejection.direction) == AUNT
    assert made.counts.problems == {rejection.reason: 3}
    assert made.counts.verbalized == 1


@each(
    ("code", "lasting"), [("context_too_long", True), ("refused", True), ("endpoint_error", False)]
)
def test_a_failure_ends_the_attempts(code, lasting):
    session = Scripted(first("Who is it?", Failure(code, "of ann", lasting)))
    made = run(asked_for(AUNT, OTHER), session)
    code = {"refused": "refused_by_endpoint"}.get(code, code)
    (rejection,) = made.asked.rejections
    assert rejection.reason == code
    assert rejection.detail.endswith(f", {code}")
    assert rejection.detail.count(",") == 1
    assert "ann" not in rejection.detail
    assert len(made.journal) == 3  # failures are answers too


@each("reply", (
    Reply('{"question": ', "stop", 1, 1), Reply("Who are the aunts of", "length", 1, 1),
    Reply("", "content_filter", 1, 1), Reply('{"text": "Who are the aunts of bob?"}', "stop", 1, 1),
))  # fmt: skip
def test_a_reply_that_cannot_be_read_is_a_failed_attempt(reply):
    session = Scripted(first(reply))
    made = run(asked_for(AUNT), session)
    assert len(session.calls) == 2
    assert made.asked.questions[0].wording == "model"
    assert sum(made.counts.problems.values()) == 1


def audited(*verdicts):
    left = list(verdicts)

    def say(call):
        if call.purpose == "audit" and left:
            return left.pop(0)
        if call.purpose == "question":
            words = ("Who are", "Name all of", "Which people are")[len(rejections_in(call))]
            return f"{words} {wanted(call)}?"
        return well(call)

    return say


BROKEN = Failure("endpoint_error", "500", False)


@each(
    ("say", "purposes", "wording", "problems"),
    [
        (audited('{"verdict": "FAIL", "reason": "the wrong end"}'), "qaqa", "model", {"audit_failed": 1}),
        (audited("maybe", "perhaps", "no idea"), "qaqaqa", "fallback", {"audit_failed": 3}),
        (first("Who is it?"), "qqa", "model", {"topic_missing": 1}),
        (audited(BROKEN), "qa", "fallback", {"endpoint_error": 1}),
    ],
)  # fmt: skip
def test_a_judge_is_heard(say, purposes, wording, problems):
    session = Scripted(say)
    made = run(asked_for(AUNT), session, judge_model="judge")
    assert "".join(call.purpose[0] for call in session.calls) == purposes
    assert {call.model for call in session.calls if call.purpose == "audit"} == {"judge"}
    assert (made.asked.questions[0].wording, made.counts.problems) == (wording, problems)
    if "the wrong end" in str(session.answers):
        assert "the wrong end" in rejections_in(session.calls[2])[0]
        assert made.asked.questions[0].question == "Name all of the aunts of bob?"


def test_two_questions_with_the_same_prompt_are_one_call():
    session = Scripted(well)
    made = run(asked_for(AUNT, AUNT, OTHER), session)
    assert len(session.calls) == 2
    assert sorted(row["questions"] for row in lines(made)) == [["q00001", "q00002"], ["q00003"]]
    assert made.asked.questions[0].question == made.asked.questions[1].question
    assert made.counts.first == 3


def test_a_replay_gives_identical_bytes(tmp_path):
    options = {"judge_model": "judge"}
    session = Scripted(first("Who is it?", "Who is it?"))
    made = run(asked_for(*FOUR), session, **options)
    (tmp_path / "journal.jsonl").write_bytes(b"".join(b"%s\n" % line for line in made.journal))
    with Replay(tmp_path) as replay:
        assert run(asked_for(*FOUR), replay, **options) == made


def test_progress_ends_with_all_settled():
    asked, steps, said = asked_for(*FOUR), [], []
    calls = Calls(PROMPTS, VerbalizerSection(name="openai", model="m"), 7, GLOSSES)
    session = Scripted(first(*["Who is it?"] * 3))
    verbalize(asked, inputs_of(asked), calls, session, lambda *at: steps.append(at), said.append)
    assert steps == [(done, 4) for done in (1, 2, 3, 4)]
    assert said[-1] == "1 rejected · 0 calls/min"


@each("bad", ["Who is it?", '{"text": "?"}'])
def test_a_model_of_whose_first_texts_none_passes_ends_the_build(bad):
    questions = asked_for(*[AUNT, NIECE, UNCLE, OTHER] * 25)
    session = Scripted(lambda call: f"{bad} {call.subject}" if bad.endswith("}") else bad)
    with pytest.raises(UserError) as caught:
        run(questions, session)
    told = ("model 'm'", "first 50 texts", "q00001: ", "q00003: ", "verbalizer.prompt")
    assert [words for words in told if words not in str(caught.value)] == []
    assert "q00004: " not in str(caught.value)
    assert len(session.calls) < 80
    silent = Scripted(lambda call: Reply("", reasoning="Who?"))
    silent.advice = "Give it more room.\n"
    with pytest.raises(UserError, match=r"cut off; be brief\.\nGive it more room\.\nUse another"):
        run(questions, silent)
    assert {call.sample for call in silent.calls} == {0, 1, 2}
    assert run(questions, Scripted(lambda call: bad), fail_fast=False).counts.verbalized == 0
    good = Scripted(lambda call: well(call) if call.subject == "q00001" else bad)
    assert run(questions, good).counts.verbalized == 25


VAGUE = "Who are relatives of bob?"


def vague(*sure, text=VAGUE):
    """Says the same to everybody, and to those named never anything else."""

    def say(call):
        if call.purpose == "question" and (call.subject in sure or not rejections_in(call)):
            return text
        return well(call)

    return say


def texts(made):
    return [(q.id, q.wording, q.question) for q in made.asked.questions]


def test_a_text_with_two_meanings_goes_back_to_both():
    session = Scripted(vague())
    made = run(asked_for(AUNT, UNCLE), session)
    assert texts(made) == [
        ("q00001", "model", "Who are the aunts of bob?"),
        ("q00002", "model", "Who are the uncles of bob?"),
    ]
    quoted = [rejections_in(call) for call in session.calls[2:]]
    assert VAGUE in quoted[0][0]
    assert "the uncles of bob" in quoted[0][0]
    assert "the aunts of bob" in quoted[1][0]
    assert made.counts.problems == {"ambiguous": 2}
    assert made.counts.first == 0


def test_questions_with_the_same_formal_query_may_share_a_text():
    session = Scripted(well)
    made = run(asked_for(AUNT, COUSIN), session)
    assert len(session.calls) == 2
    assert len({q.question for q in made.asked.questions}) == 1
    assert made.counts.problems == {}


def test_three_meanings_and_one_that_cannot_do_better():
    """The one that has used up its attempts keeps its text when the others find new ones."""

    def say(call):
        if call.subject != "q00001":
            return vague()(call)
        return VAGUE if len(rejections_in(call)) == 2 else "Who is it?"

    made = run(asked_for(AUNT, UNCLE, COUSIN), Scripted(say))
    assert texts(made) == [
        ("q00001", "model", VAGUE),
        ("q00002", "model", "Who are the uncles of bob?"),
        ("q00003", "model", "Who are the aunts of bob?"),
    ]


def test_what_cannot_be_told_apart_loses_its_text():
    session = Scripted(vague("q00001", "q00002"))
    made = run(asked_for(AUNT, UNCLE, OTHER), session)
    # The third names bob in the place of dora until it is told to name her.
    assert [r.question for r in made.asked.rejections] == ["q00001", "q00002"]
    assert {r.reason for r in made.asked.rejections} == {"ambiguous"}
    assert made.asked.rejections[0].detail == "template used: ambiguous, ambiguous, ambiguous"
    assert len([call for call in session.calls if call.subject == "q00001"]) == 3
    assert len(made.asked.questions) == 3


def test_a_text_that_is_the_template_of_another_question_goes_back():
    def say(call):
        if call.subject == "q00001":
            return "Who is it?"
        return well(call) if rejections_in(call) else "Who is the aunt of BOB ?"

    made = run(asked_for(AUNT, UNCLE), Scripted(say))
    assert texts(made) == [
        ("q00001", "fallback", "Who is the aunt of bob?"),
        ("q00002", "model", "Who are the uncles of bob?"),
    ]
    assert made.counts.problems["ambiguous"] == 1


def test_a_template_used_late_sends_another_text_back():
    """q00003 has the template of q00001, which that only gets when it cannot be quoted from q00002."""

    def say(call):
        if call.subject == "q00003":
            return well(call) if rejections_in(call) else "Who is the aunt of bob?"
        return VAGUE

    session = Scripted(say)
    made = run(asked_for(AUNT, UNCLE, (("bob", "uncle", "fay"), "object")), session)
    assert [row[1] for row in texts(made)] == ["fallback", "fallback", "model"]
    assert made.asked.questions[2].question == "Who are everyone whose uncle is bob?"


@each(("one", "other", "same"), (
    ("Who  is {topic} ?", "who is {topic}", True), ("Who’s {topic}?", "Who's {topic}?", True),
    ("Who is {topic}?", "Who was {topic}?", False), ("{topic}?", "{topic}{{?", False),
))  # fmt: skip
def test_same_words(one, other, same):
    assert (same_words(one, {"topic": "X?"}) == same_words(other, {"topic": "x?"})) is same


def test_other_queries_with_the_same_answers_may_not_share_a_text():
    """The town where bob was born, and the town where he lives, are two questions in any release."""
    asked = asked_for(AUNT, UNCLE)
    questions = [replace(q, answers=asked.questions[0].answers) for q in asked.questions]
    asked = replace(asked, questions=tuple(questions))
    made = run(asked, Scripted(vague()))
    assert len({text for *_, text in texts(made)}) == 2
    assert made.counts.problems == {"ambiguous": 2}
    made = run(asked, Scripted(vague("q00001", "q00002")))
    assert [wording for _, wording, _ in texts(made)] == ["fallback", "fallback"]


def test_questions_with_the_same_template_may_share_a_text():
    """The published procedure asks one question for each removed triple."""
    asked = asked_for(AUNT, UNCLE)
    questions = [replace(q, question="Who is the aunt of bob?") for q in asked.questions]
    made = run(replace(asked, questions=tuple(questions)), Scripted(vague()))
    assert [text for *_, text in texts(made)] == [VAGUE, VAGUE]


def paraphrasing(*replies):
    """Says lists of paraphrases, then good ones."""
    left = list(replies)

    def say(call):
        if call.purpose != "paraphrase":
            return well(call)
        if left:
            said = left.pop(0)
            return said if isinstance(said, Failure) else json.dumps({"questions": said})
        return json.dumps({"questions": [way.format(wanted(call)) for way in WAYS[1:]]})

    return say


GOOD = [way.format("the aunts of bob") for way in WAYS]


def paraphrases(session, *rows, k=2, **options):
    made = run(asked_for(*rows), session, paraphrases=k, **options)
    return made, [call for call in session.calls if call.purpose == "paraphrase"]


def test_paraphrases_are_kept_with_their_patterns():
    made, calls = paraphrases(Scripted(paraphrasing()), AUNT)
    (question,) = made.asked.questions
    assert question.paraphrases == tuple(GOOD[1:3])
    assert question.patterns == tuple(way.format("the aunts of {topic}") for way in WAYS[:3])
    assert len(calls) == 1
    assert (made.counts.paraphrases, made.counts.wanted) == (2, 2)


def test_missing_paraphrases_are_asked_for_again_with_the_reasons_and_never_padded():
    said = [GOOD[1], "Who is it?"], [GOOD[1].lower(), GOOD[0]], [GOOD[3]]
    made, calls = paraphrases(Scripted(paraphrasing(*said)), AUNT)
    assert made.asked.questions[0].paraphrases == (GOOD[1], GOOD[3])
    assert [len(rejections_in(call)) for call in calls] == [0, 1, 3]
    assert "Who is it?" in rejections_in(calls[1])[0]
    assert made.counts.refused["not_distinct"] == 2
    made, calls = paraphrases(Scripted(paraphrasing(*[[GOOD[1], GOOD[1]]] * 3)), AUNT)
    assert made.asked.questions[0].paraphrases == (GOOD[1],)
    assert (len(calls), made.counts.paraphrases, made.counts.wanted) == (3, 1, 2)
    assert not made.asked.rejections


def test_ambiguous_paraphrases_are_refused():
    """Two questions get the same paraphrase, and one that is the text of the other."""
    both = [
        "Name relatives of bob, please?",
        *(f"Who are the {r}s of bob?" for r in ("aunt", "uncle")),
    ]
    made, calls = paraphrases(Scripted(paraphrasing(both, both)), AUNT, UNCLE, k=3)
    for question in made.asked.questions:
        assert len(question.paraphrases) == 3
        assert not set(both) & set(question.paraphrases)
    assert made.counts.refused == {"ambiguous": 4, "not_distinct": 2}
    assert len(calls) == 4


def test_no_paraphrases_of_a_template():
    say = paraphrasing()
    session = Scripted(lambda c: "Who is it?" if c.subject == "q00001" else say(c))
    made, calls = paraphrases(session, AUNT, UNCLE)
    assert {call.subject for call in calls} == {"q00002"}
    assert made.asked.questions[0].paraphrases == ()
    assert made.counts.wanted == 2


def test_paraphrases_are_audited():
    def say(call):
        if call.purpose == "audit" and "Name" in wanted(call, "Question"):
            return "FAIL: it is rude"
        return paraphrasing()(call)

    made, _ = paraphrases(Scripted(say), AUNT, judge_model="judge")
    assert made.asked.questions[0].paraphrases == tuple(GOOD[2:])
    assert made.counts.refused == {"audit_failed": 1}


PEOPLE = ("ann", "bob", "carl", "dora")
MANY = [
    ((s, relation, o), direction)
    for (s, o), relation, direction in product(
        permutations(PEOPLE, 2), ("aunt", "uncle"), ("subject", "object")
    )
]
LABELS = ("Asked For: ", "Question: ")


def moody(call):
    """Everything that a model can do wrong, as a function of what it is asked."""
    stated = [line for line in call.messages[-1]["content"].splitlines() if line.startswith(LABELS)]
    asked = f"{call.purpose} {stated} {len(rejections_in(call))}"
    mood = hashlib.sha256(asked.encode()).digest()[0] % 100
    if mood < 3:
        return Failure("endpoint_error", "500", False)
    if call.purpose == "audit":
        return "PASS" if mood < 70 else "FAIL: no" if mood < 85 else "who knows"
    name, fine = wanted(call, "Question Entity"), wanted(call)
    if call.purpose == "paraphrase":
        ways = [WAYS[mood % 4].format(fine), f"Who are relatives of {name}?", WAYS[3].format(fine)]
        return json.dumps({"questions": ways})
    bad = {30: "Who is it?", 50: f"Who are relatives of {name}?", 60: f"Who is the aunt of {name}?"}
    return next((said for most, said in bad.items() if mood < most), WAYS[mood % 4].format(fine))


@each("options", [{"paraphrases": 2}, {"judge_model": "judge", "paraphrases": 1}])
def test_the_order_of_arrival_changes_nothing(options):
    asked = asked_for(*MANY)
    plain = run(asked, Scripted(moody), fail_fast=False, **options)
    assert plain.counts.problems["ambiguous"]
    assert 0 < plain.counts.verbalized < plain.counts.questions
    orders = set()
    for seed in some_seeds(8):
        session = Scripted(moody, shuffle=seed)
        made = run(asked, session, fail_fast=False, **options)
        orders.add(tuple(call.key for call in session.calls))
        assert made == plain
        assert lines(made) == lines(plain)
    assert len(orders) == len(some_seeds(8))


def test_no_two_formal_queries_share_a_text():
    made = run(asked_for(*MANY), Scripted(moody), paraphrases=2)
    queries: dict[str, set] = {}
    for q in made.asked.questions:
        query = q.topic, q.relations[0], q.block.direction
        if q.wording == "model":
            for pattern in q.patterns:
                queries.setdefault(same_words(pattern, {"topic": q.topic}), set()).add(query)
        else:
            queries.setdefault(q.question.lower().rstrip("?"), set()).add(query)
    assert max(map(len, queries.values())) == 1
