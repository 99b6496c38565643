"""What models put around a question is taken off before it is judged, and nothing else changes."""

import json

import pytest

from rulemine.llm.call import Reply
from rulemine.verbalizer.checks import check_text
from rulemine.verbalizer.replies import TextProblem, read_question, unwrapped
from tests.verbalizer.test_checks import item

WRAPPINGS = (
    "{}", "“{}”", "**{}**", "*{}*", "***{}***", "`{}`", "```\n{}\n```", "Question: {}", "**Question:** {}",
    "**Question**: {}", "Q: {}", "Output: {}", "Rewritten question: {}", "Question 1: {}", "**Question: {}**",
    "The final question: “{}”", "Frage: {}", "问题：{}", "1. {}", "1) **{}**", "- {}", "• {}", "### {}",
    "> {}", "Sure! {}", "Sure! Here is the question: {}", "Here's one: {}", "Sure!\n\n{}",
    "Here is the question:\n{}", "Certainly, here is a natural version of the question:\n\n**{}**",
    "## Question\n\n{}\n", '"question": “{}”', "The rephrased question is: {}", "question: “{}”",
    "Rewritten: {}", "Sure, here you go:\n{}", "Here is a question that meets all of the demands: {}",
    "<question>{}</question>", "<question>\n{}\n</question>", "<b>{}</b>",
    "<rewritten_question>{}</rewritten_question>", "{}\n\nNote: it names one entity.",
    "{}\n(This question asks for all of them.)", "**Question:** {}\n\n**Explanation:** The relation is kept.",
    "{}\n---\nLet me know if it helps!", "<think>Who? Bob York?</think>{}", "{}<|im_end|>",
    "<|channel|>final<|message|>{}<|end|>", "Question – {}", "Natural-language question: {}", "a) {}",
    "✅ {}", "Here's a natural way to ask it: {}", "One way to ask this: {}", "Question (English): {}",
    "__{}__", "rewritten_question: {}", "Here is what you asked for: {}",
)  # fmt: skip
"""What stands around a question in a reply."""

KEYS = (
    '{{"question": {}}}',
    '{{"Question": {}, "note": "Bob York",}}',
    '```json\n{{"question": {},}}\n```',
)
"""The same in JSON."""

GOOD = (
    "Who is the aunt of Anna Lind?", "'Anna Lind' has which aunts?", 'Whose niece is "Anna Lind"?',
    "Can anyone name the aunts of Anna Lind?", "May I ask who is the aunt of Anna Lind?",
    "Of whom is it true, in the question at hand, that Anna Lind's aunt is she?",
)  # fmt: skip

SPOILT = (
    "Who is the aunt of Anna Lindt?", "Who is the aunt of Anna?", "Who is the aunt?", "Is Bob York her aunt?",
    "Who, like Bob York, is an aunt of Anna Lind?", "Who is the aunt of Anna Lind", "Anna Lind has an aunt.",
    "Who is the aunt of Anna Lind? Bob York", "Who is the aunt of Anna Lind? Answer: Bob York",
    "Who is the aunt of Anna Lind?\nBob York", "Who is the aunt of Anna Lind?\nAnswer: someone",
    "Who is the aunt of Anna Lind? Who is her uncle?", "Who is the aunt of Anna Lind?\nWho has Anna Lind?",
    "1. Who is the aunt of Anna Lind?\n2. Who is Anna Lind's aunt?", "Does Anna Lind have an aunt?",
    "I'm sorry, I cannot write about Anna Lind?", "Wer ist die Tante von Anna Lind?", "Anna Lind?",
    "Who -> aunt -> Anna Lind?", "Who is the <i>aunt</i> of Anna Lind?", "Who is the **aunt** of Anna Lind?",
    "", "Who is {topic}?", "As an AI, who is the aunt of Anna Lind?",
)  # fmt: skip


def judged(reply: str) -> str | TextProblem:
    """The pattern of what a reply has, or the first problem."""
    text = read_question(Reply(reply, "stop", 1, 1))
    return text if isinstance(text, TextProblem) else check_text(text, item(), "English")


def replies(text: str) -> list[str]:
    """A text in all wrappings, by themselves and in JSON."""
    plain = [wrapping.replace("{}", text) for wrapping in WRAPPINGS]
    packed = [key.format(json.dumps(reply)) for key in KEYS for reply in (text, f"**{text}**")]
    return plain + packed


@pytest.mark.parametrize("text", GOOD)
def test_a_good_text_is_found_in_all_wrappings(text: str) -> None:
    pattern = text.replace("Anna Lind", "{topic}")
    assert [reply for reply in replies(text) if judged(reply) != pattern] == []


def test_no_spoilt_text_is_let_through_in_any() -> None:
    tried = [(text, reply) for text in SPOILT for reply in replies(text)]
    assert len(tried) > 1_000
    assert [reply for _, reply in tried if not isinstance(judged(reply), TextProblem)] == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1. FC Lind is whose club?", ["1. FC Lind"]),
        ("1. FC Lind is whose club?", ["FC Lind"]),
        ("*NSYNC sang what*", ["*NSYNC"]),
        ("Question: Lind is by whom?", ["Question: Lind"]),
        ("“A” or “B”: which is by Lind, “C” or “D”", ["Lind"]),
        ("Great Lind is whose aunt?", ["Lind"]),
        ("Which is the question: who is Lind?", ["Lind"]),
        ("**", []),
        ("Question:", []),
    ],
)
def test_what_is_no_wrapping_stays(text: str, names: list[str]) -> None:
    assert unwrapped(text, names) == text
