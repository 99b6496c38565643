"""What the verifier says of single texts: only what is wrong for sure."""

from typing import Any

import pytest

from rulemine.verbalizer import checks
from rulemine.verify.folder import key_at
from rulemine.verify.mentions import find_leaks, occurrences
from rulemine.verify.model import fallbacks, texts
from rulemine.verify.names import Entity, Names
from rulemine.verify.question_set import Located
from rulemine.verify.report import Findings
from rulemine.verify.wording import VerbalizerConfig, pieces_of, texts_of

IDS = {"/people/person/place_of_birth", "bornIn", "part_of"}


def problems(pattern: str, name: str = "Zoë (1990)?") -> list[str]:
    pieces = pieces_of(pattern)
    assert pieces is not None
    return [expected for _, expected in texts.text_problems(pieces, name, IDS)]


@pytest.mark.parametrize(
    "pattern",
    [
        "Who is the aunt of {topic}?",
        "{topic} is whose aunt?",
        "Who, in {topic}'s own words, said “sorry”?",
        "Sorrow, joy or {topic}: what did Ann feel?",
        "Where was {topic} born (town, county, state)?",
        "¿Quién es la tía de {topic}?",
        "Ποια είναι η θεία του {topic};",
        "من هي عمة {topic}؟",
        "{topic}の叔母は誰ですか？",
        "Who is {{the}} sure-footed aunt of {topic} ?",
        "Which answer did {topic} give?",
        "Which company employs {topic} as an AI engineer?",
        "What was the question that {topic} asked: 2*3?",
        "Born in part of 3/4 or e.g. 7.2: who taught {topic}?",
    ],
)
def test_a_fine_text_is_fine(pattern: str) -> None:
    assert problems(pattern) == []


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("Who is the aunt\nof {topic}?", "one line"),
        ("Who is the \x07 aunt of {topic}?", "one line"),
        ("Who is the aunt of {topic}", "a question mark at the end"),
        ("Who is the aunt of {topic};", "a question mark at the end"),
        ("Who is it? Who is the aunt of {topic}?", "one question"),
        ("I'm sorry, who is the aunt of {topic}?", "only the question"),
        (
            "Who, I ask as an AI language model, is the aunt of {topic}?",
            "only the question",
        ),
        ("A possible question is: who is the aunt of {topic}?", "only the question"),
        ("Who is the **aunt** of {topic}?", "text without markup"),
        ("Who is the aunt of `{topic}`?", "text without markup"),
        ("Who completes (x, aunt, {topic})?", "words instead of a triple"),
        ("Consider {topic}. Who is the aunt?", "one question"),
        ('Who is the aunt of \\"{topic}\\"?', "text without markup"),
        ("**Question 1:** who is the aunt of {topic}?", "only the question"),
        ("Question Entity: {topic} who?", "only the question"),
        ("Who -> aunt -> {topic}?", "words instead of a triple"),
        ("Who is bornIn {topic}?", "words instead of a relation id"),
        ("Who has “/people/person/place_of_birth”, {topic}?", "words instead of a relation id"),
        ("{topic}" + " very" * 100 + " old?", "8 to 400"),
    ],
)
def test_what_is_wrong_for_sure_is_found_by_its_reason(pattern: str, expected: str) -> None:
    assert problems(pattern)[-1] == expected


def test_lengths_are_those_of_the_whole_text() -> None:
    assert problems("Is {topic}?", "A") == ["8 to 400"]
    assert problems("Is {topic}?", "Anna") == []
    assert problems("Is {topic}?", "A" * 400) == ["8 to 400"]


def test_codes_and_lengths_are_those_of_the_builder() -> None:
    assert set(checks.CODES) == fallbacks.CODES
    assert (texts.SHORTEST, texts.LONGEST) == (checks.SHORTEST, checks.LONGEST)


@pytest.mark.parametrize(
    ("text", "name", "number"),
    [
        ("Who is the aunt of 72?", "7", 0),
        ("Who is the aunt of 7?", "7", 1),
        ("Who lives in New York, York?", "York", 2),
        ("Who is O'Hara's aunt?", "O'Hara", 1),
        ("Who is the aunt of Anna_Lind?", "Anna", 0),
        ("Who is the aunt of Zoe\u0301?", "Zoe", 0),
        ("e00001の叔母は誰ですか？", "e00001", 1),
        ("東京都の知事は誰ですか？", "東京都", 1),
        ("서울은 어디에 있습니까?", "서울", 1),
        ("Who is the aunt of ??", "??", 1),
    ],
)
def test_a_name_stands_where_no_word_goes_on(text: str, name: str, number: int) -> None:
    assert len(occurrences(text, name)) == number


@pytest.mark.parametrize(
    ("text", "topic", "answer", "leaky"),
    [
        ("Whose aunt is Anna Lind?", "Anna Lind", "Anna", False),
        ("Whose aunt is Anna Lind, Anna?", "Anna Lind", "Anna", True),
        ("Whose aunt is ada, not BEN?", "ada", "Ben", True),
        ("Whose aunt is ada in Bendigo?", "ada", "Ben", False),
        ("東京の知事は誰ですか？", "知事", "東京", True),
        ("Whose aunt is ada, not O’HARA?", "ada", "O'Hara", True),
        ("Whose aunt is ada in ile–de–france?", "ada", "Île-de-France", True),
        ("Whose aunt is ada, not René?", "ada", "Rene", False),
        ("Whose aunt is ada in Washington DC?", "ada", "Washington, D.C.", True),
        ("Whose aunt is ada, not Bob York?", "ada", "Bob York (/m/0b)", True),
        ("Who is ada, then?", "ada", "Who? Is?", False),
        ("Who is Ann Lee Jr.'s aunt?", "Ann Lee Jr.", "Ann Lee (singer)", False),
        ("Whose aunt is ada?", "ada", "\u200b", False),
    ],
)
def test_an_answer_is_named_in_any_case(text: str, topic: str, answer: str, leaky: bool) -> None:
    assert find_leaks(text, topic, [answer], by_model=True) == ([answer] if leaky else [])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a key: sk-abcdefghij1234567890 or so", True),
        ("sk-proj-4fR7uYw2Lk9QzX1cVb3NmA8sDf6GhJ5_x-Y", True),
        ("sk-ant-api03-4fR7uYw2Lk9QzX1cVb3NmA8sDf6GhJ5", True),
        ("sk-or-v1-0123456789abcdef0123456789abcdef", True),
        ("sk-short1", False),
        ("task-abcdefghij1234567890", False),
        ("http://x.org/sk-learn-2020-workshop-on-things-we-like-1", False),
        ("sk-supercalifragilisticexpialidocious", False),
        ("sk-…", False),
        ("", False),
    ],
)
def test_keys_are_told_from_other_words(text: str, line: bool) -> None:
    assert (key_at(text.encode()) is not None) == line


def ambiguous(*rows: dict[str, Any]) -> list[int | None]:
    """The lines of questions whose texts mean something else as well."""
    plain = {"paraphrases": [], "patterns": [], "wording": "template", "direction": "object"}
    entities = {name: Entity(2, (name, name, name, name)) for name in ("ada", "ADA", "ben")}
    found = [Located("q", line, plain | row) for line, row in enumerate(rows, start=1)]
    findings = Findings()
    texts.check_texts(found, Names(entities, {}, {}), VerbalizerConfig(is_model=True), findings)
    return [p.line for p in findings.report(None).problems if p.invariant == "one meaning"]  # type: ignore[arg-type]


def verbalized(topic: str, relation: str, *patterns: str) -> dict[str, Any]:
    found = [pattern.format(topic=topic) for pattern in patterns]
    return {
        "topic": topic,
        "relation": relation,
        "question": found[0],
        "paraphrases": found[1:],
        "patterns": list(patterns),
        "wording": "model",
        "answers": [f"{relation} of {topic}"],
    }


def test_no_text_of_a_model_has_two_meanings() -> None:
    kin, near = "Who is the kin of {topic}?", "Who is near to {topic}?"
    template = {
        "topic": "ada",
        "relation": "aunt",
        "question": "Who is the  KIN of ada?",
        "answers": ["a"],
    }
    assert ambiguous(verbalized("ada", "aunt", kin), verbalized("ada", "niece", near)) == []
    assert ambiguous(verbalized("ada", "aunt", kin), verbalized("ada", "niece", kin)) == [1, 2]
    assert ambiguous(verbalized("ada", "aunt", kin), verbalized("ada", "niece", near, kin)) == [
        1,
        2,
    ]
    assert ambiguous(verbalized("ada", "aunt", kin), verbalized("ADA", "aunt", kin)) == [1, 2]
    assert ambiguous(verbalized("ada", "aunt", kin), verbalized("ben", "aunt", kin)) == []
    # Two queries may have the same answers.
    same = {"answers": ["eve"]}
    assert (
        ambiguous(verbalized("ada", "aunt", kin) | same, verbalized("ada", "niece", kin) | same)
        == []
    )
    # Two questions may ask the same, and templates of two relations may read the same.
    assert ambiguous(verbalized("ada", "aunt", kin), verbalized("ada", "aunt", kin)) == []
    assert ambiguous(template, template | {"relation": "niece"}) == []
    assert ambiguous(
        template, verbalized("ada", "niece", kin), verbalized("ben", "niece", kin)
    ) == [2]


@pytest.mark.parametrize("topic", ["in", "What", "a", "ed"])
def test_a_phrase_names_its_topic_as_a_word(topic: str) -> None:
    text = f"What is linked to {topic} by “born here”?"
    ((_, pieces),) = texts_of({"topic": topic, "question": text})
    assert topic.join(pieces) == text
    assert "e1".join(pieces).split().count("e1") == 1
