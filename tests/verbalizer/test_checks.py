"""The checks of texts: with one topic entity or several, and in all that models put around a question."""

import json
import os
import random
import string
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.datasets.registry import load_kg, load_labels
from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.kinds.rules.ask import TextCheck
from rulemine.llm.call import Reply
from rulemine.phrasing.glosses import Gloss
from rulemine.phrasing.templates import load_templates
from rulemine.release.naming import name_entities
from rulemine.text.template import fill
from rulemine.verbalizer.checks import Checker, QuestionInput, check_text, placeholders
from rulemine.verbalizer.inputs import VerbalizationInput
from rulemine.verbalizer.replies import CODES, TextProblem, explain, read_question, unwrapped
from rulemine.verify.questions import texts as verifier
from tests import ROOT, each
from tests.kinds.rules.asking import question
from tests.structures import structure_question

DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")

GLOSS = Gloss(
    "aunt", "{subject} is the aunt of {object}", "the aunts of {topic}", "the nieces of {topic}", "written"
)  # fmt: skip
ANNA = EntityNames("e00072", "72", "Anna Lind")
BOB = EntityNames("e00007", "7", "Bob York")


def item(
    topic: EntityNames = ANNA,
    *answers: EntityNames,
    naming: str = "text",
    relation: str = "aunt",
) -> VerbalizationInput:
    hard = answers[0] if answers else BOB
    asked = question(1, (hard.entity, relation, topic.entity), "subject")
    removed = (hard.name_in(naming), relation, topic.name_in(naming))
    hidden = (("answer_named", (*answers, hard)),)
    asks = GLOSS.asked("subject", topic.name_in(naming))
    return VerbalizationInput(asked, naming, (topic,), hidden, asks, removed, GLOSS, ())


def code(
    text: str, about: Any = None, language: str = "English", checker: Any = None
) -> str | None:
    found = check_text(text, about or item(), language, checker)
    return found.code if isinstance(found, TextProblem) else None


@each(("text", "pattern"), (
    ("Who is the aunt of Anna Lind?", "Who is the aunt of {topic}?"),
    ("  Who is ANNA  LIND’s aunt?\n", "Who is {topic}’s aunt?"),
    ("Who, then, is Anna Lind's aunt (all of them)?", "Who, then, is {topic}'s aunt (all of them)?"),
    ("Who is “Anna Lind” related to by aunthood?", "Who is “{topic}” related to by aunthood?"),
    ("Which aunts, e.g. on the maternal side, does Anna Lind have?",
     "Which aunts, e.g. on the maternal side, does {topic} have?"),
    ("Great-aunts of Anna Lind are who?", "Great-aunts of {topic} are who?"),
    ("Who is the well-known aunt of Anna Lind?", "Who is the well-known aunt of {topic}?"),
    ("\u200fWho is the aunt of \u2067Anna Lind\u2069?\u200f", "Who is the aunt of \u2067{topic}\u2069?"),
    ("Whose {dear} niece is Anna Lind?", TextProblem("markup", "“{”")),
))  # fmt: skip
def test_good_texts_become_patterns(text, pattern):
    assert check_text(text, item(), "English") == pattern


@each(("expected", "text"), (
    ("empty", " \n"), ("several_lines", "Who is the aunt\nof Anna Lind?"),
    ("markup", "**Who is** the aunt of Anna Lind?"), ("markup", "Who is the aunt of `Anna Lind`?"),
    ("markup", "<b>Who</b> is the aunt of Anna Lind?"),
    ("markup", "Who is the aunt of &quot;Anna Lind&quot;?"),
    ("markup", "Who is the aunt of \\u0041nna, Anna Lind?"), ("markup", "1. Anna Lind is whose niece?"),
    ("markup", 'Who is the aunt of Anna Lind?"}'), ("markup", "\\boxed{Who is the aunt of Anna Lind?}"),
    ("markup", "Who is the aunt of\x00 Anna Lind?"), ("markup", "Who is the aunt\ud800 of Anna Lind?"),
    ("markup", "Who is the aunt of \u202eAnna Lind?"),
    ("refusal", "I'm sorry, but I can't ask about Anna Lind?"),
    ("refusal", "I cannot write about Anna Lind, can I?"), ("refusal", "I'm just an AI, who is Anna Lind?"),
    ("refusal", "As an AI language model, who is the aunt of Anna Lind?"),
    ("refusal", "Could you please give me more context about Anna Lind?"),
    ("meta_text", "Answer: Who is the aunt of Anna Lind?"),
    ("meta_text", "One could ask the question so: who is the aunt of Anna Lind?"),
    ("meta_text", "Based on the given triple, who is the aunt of Anna Lind?"),
    ("meta_text", "Who is the aunt of the Question Entity Anna Lind?"),
    ("meta_text", "Who, in the knowledge graph, is the aunt of Anna Lind?"),
    ("triple_syntax", "Who completes (someone, aunt, Anna Lind)?"),
    ("triple_syntax", "Who -> aunt -> Anna Lind?"), ("triple_syntax", "Who | aunt | Anna Lind?"),
    ("triple_syntax", "Which ?x is the aunt of Anna Lind?"), ("triple_syntax", "Who is aunt(x, Anna Lind)?"),
    ("triple_syntax", "What is [Anna Lind, aunt, someone]?"), ("topic_missing", "Who is the aunt of her?"),
    ("topic_missing", "Who is the aunt of Anna Lindgren?"), ("topic_missing", "Who is the aunt of 72?"),
    ("answer_named", "Is Bob York the aunt of Anna Lind?"),
    ("answer_named", "Are the Bob Yorks aunts of Anna Lind?"),
    ("answer_named", "Who of the 7 is the aunt of Anna Lind?"),
    ("answer_named", "Is e00007 the aunt of Anna Lind?"), ("not_a_question", "Name the aunt of Anna Lind."),
    ("not_a_question", "Who is the aunt of Anna Lind"), ("not_a_question", 'Who is "the aunt of Anna Lind?"'),
    ("several_questions", "Who is Anna Lind's aunt? And uncle?"),
    ("several_questions", "Who is Anna Lind's aunt??"),
    ("several_questions", "There is someone here. Who is the aunt of Anna Lind?"),
    ("several_questions", "Consider Anna Lind. Who is the aunt?"),
    ("several_questions", "He is old. Who is the aunt of Anna Lind?"), ("too_short", "Anna Lind?"),
    ("too_short", "Is Anna Lind?"), ("too_long", "Who is " + "really " * 60 + "the aunt of Anna Lind?"),
    ("wrong_language", "Wer ist die Tante von Anna Lind?"),
    ("wrong_language", "Qui est la tante de Anna Lind ?"), ("wrong_language", "谁是 Anna Lind 的姑姑？"),
    ("foreign_name", "Who is the aunt of Anna Lind of Leeds?"),
    ("foreign_name", "Who is the Leeds-born aunt of Anna Lind?"),
    ("foreign_name", "Who is the aunt of Anna Lind in the U.K.?"),
    ("foreign_name", "Who was in 1994 the aunt of Anna Lind?"),
    ("foreign_name", "1994 saw which aunt of Anna Lind marry?"),
    ("foreign_name", "Who is the aunt of Anna Lind, that is Lind's aunt?"),
    ("foreign_name", "Who is Anna Lind's AUNT-in-law, who wrote iTales?"),
    ("yes_or_no", "Does Anna Lind have an aunt or an uncle?"),
    ("yes_or_no", "**Isn't there an aunt of Anna Lind?**"),
    ("yes_or_no", "“Anna Lind” has an aunt, doesn't she?"),
    ("yes_or_no", "In the family, is Anna Lind somebody's niece?"),
    ("yes_or_no", "Can you say whether Anna Lind has an aunt?"),
    ("yes_or_no", "Anna Lind is a niece, right?"), ("yes_or_no", "Might Anna Lind be somebody's niece?"),
    ("yes_or_no", "Can anyone know whether Anna Lind has an aunt?"),
))  # fmt: skip
def test_each_reason(expected, text):
    assert code(text) == expected


@each("text", (
    "Which company employs Anna Lind as an ai engineer?",
    "Which question did Anna Lind answer: the first or the last?",
    "In which version of the song did Anna Lind sing: a or b?", "Who won the triple jump before Anna Lind?",
    "Can you give me the names of Anna Lind's aunts?", "Which song called “sorry” did Anna Lind sing?",
    "Could you tell me who the aunts of Anna Lind are?", "Which aunt, according to Anna Lind, is it?",
    "Of all women, who is the aunt of Anna Lind, and where is she?", "Who cannot stand Anna Lind?",
    "Which U.S. state is Anna Lind in?", "Which match did Anna Lind win at noon (local time, of course)?",
))  # fmt: skip
def test_words_that_refusals_and_prefaces_have_are_not_always_such(text):
    assert code(text) is None


@each(("language", "text", "expected"), (
    ("English", "Which Olympic Games were opened by Anna Lind?", None),
    ("English", "Whose 2010 FIFA World Cup squad had Anna Lind?", None),
    ("English", "Which Winter Games were opened by Anna Lind?", "“Winter”"),
    ("English", "Whose 2014 World Cup squad had Anna Lind?", "“2014”"),
    ("German", "Welche Spiele hat Anna Lind in Leeds eröffnet?", None),
    ("German", "Welche Spiele hat Anna Lind 1994 eröffnet?", "“1994”"),
    ("Spanish", "¿Qué juegos inauguró Anna Lind en Leeds?", "“Leeds”"),
    ("English", "Which games did Anna Lind open with 谢娜?", "“谢娜”"),
    ("Chinese", "哪些运动会是由Anna Lind开幕的？", None),
))  # fmt: skip
def test_words_of_the_relation_are_no_foreign_names(language, text, expected):
    relation = "/base/x2010fifaworldcup/world_cup_squad"
    said = replace(
        GLOSS, relation=relation, statement="{subject} opened the Olympic Games {object}"
    )
    found = check_text(text, item(relation=relation), language, Checker((), [said]))
    assert (found.detail if isinstance(found, TextProblem) else None) == expected


def test_every_code_has_a_sentence():
    for name in CODES:
        assert explain(TextProblem(name)).endswith("."), name
        assert "{" not in explain(TextProblem(name, "x")), name
        assert explain(TextProblem(name, "{detail} {x}")).count("{detail}") <= 1, name


@each(("language", "text"), (
    ("German", "Wer ist die Tante von Anna Lind?"), ("French", "Qui est la tante de « Anna Lind » ?"),
    ("Arabic", "من هي عمة Anna Lind؟"), ("Chinese", "谁是Anna Lind的姑姑？"),
    ("Japanese", "Anna Lindの叔母は誰ですか？"),
    ("Korean", "Anna Lind의 이모는 누구입니까?"), ("Klingon", "Anna Lind qorDu' 'oH nuq?"),
))  # fmt: skip
def test_other_languages(language, text):
    assert isinstance(check_text(text, item(), language), str)
    assert language in ("Klingon", "English") or code(text) is not None


@each(("language", "text"), (
    ("Spanish", "Anna Lind tiene una tía. ¿Quién es?"),
    ("Greek", "Ποια είναι η Anna Lind; Ποια είναι η θεία της;"), ("Chinese", "Anna Lind有姑姑。她是谁？"),
))  # fmt: skip
def test_two_sentences_in_other_languages(language, text):
    assert code(text, language=language) == "several_questions"


@each(("relation", "text", "expected"), (
    ("aunt", "Who is the aunt of Anna Lind?", None),
    ("place of birth", "What is the place of birth of Anna Lind?", None),
    ("sister-in-law", "Who is the sister-in-law of Anna Lind?", None),
    ("born_in", "Who was born in Anna Lind?", None), ("born_in", "Who was born_in Anna Lind?", "relation_id"),
    ("born_in", "Who was “Born_In” Anna Lind?", "relation_id"),
    ("isLocatedIn", "What isLocatedIn Anna Lind?", "relation_id"),
    ("isLocatedIn", "What is located in Anna Lind?", None),
    ("/people/person/place_of_birth", "What has /people/person/place_of_birth Anna Lind?", "relation_id"),
    ("/people/person/place_of_birth", "Whose place_of_birth is Anna Lind?", "relation_id"),
    ("/people/person/place_of_birth", "Whose place of birth is Anna Lind?", None),
    ("/film/film/genre", "What is the film/film/genre of Anna Lind?", "relation_id"),
    ("/film/film/genre", "What is the film.film.genre of Anna Lind?", "relation_id"),
    ("/film/film/genre", "What is the film genre of Anna Lind?", None),
    ("_has_part", "What has_part Anna Lind?", "relation_id"), ("_has_part", "What has part Anna Lind?", None),
    ("P19", "What is P19 of Anna Lind?", "relation_id"),
    ("aunt", "Who was born_in Anna Lind?", "relation_id"),
))  # fmt: skip
def test_identifiers_of_relations(relation, text, expected):
    checker = Checker(["born_in", "aunt", "uncle"])
    assert code(text, item(relation=relation), checker=checker) == expected


def test_what_the_name_of_the_topic_holds_is_not_checked():
    for label in (
        "Who Framed Roger Rabbit?", "Sure! *x* | (a, b, c)", "Question: {topic}", "Die, der, das",
        "born_in", "I'm sorry. I cannot", "<b>", "x. Y. Z? A!", "東京都", "https://x.y/z_w",
    ):  # fmt: skip
        about = item(EntityNames("e00072", "72", label))
        assert code(f"Who is the aunt in {label}?", about) is None, label


def test_a_mark_that_ends_name_and_question_is_both():
    about = item(EntityNames("e00072", "72", "Who Framed Roger Rabbit?"))
    for text in ("Who directed Who Framed Roger Rabbit?", "Who directed Who Framed Roger Rabbit??"):
        assert check_text(text, about, "English") == "Who directed {topic}?"
    assert code("Who Framed Roger Rabbit?", about) == "too_short"
    assert code("Who directed “Who Framed Roger Rabbit?”", about) == "not_a_question"


@each("name", ["Who", "Is", "A", "What", "The The", "Will"])
def test_a_topic_named_like_a_common_word(name):
    about = item(EntityNames("e00072", name, name))
    for text in (
        "Who is a niece of {topic}?",
        "What is {topic}'s age?",
        "Which girl will marry {topic}?",
    ):
        assert check_text(fill(text, {"topic": name}), about, "English") == text
    assert code("Who is the aunt of Anna?", about) == "topic_missing"


def test_random_texts_raise_nothing():
    draw = random.Random(6)
    pool = string.printable + "é\u0301東\u200f\ud800\ufffc{}\x00\u2028?؟"
    for _ in range(2_000):
        text = "".join(draw.choices(pool, k=draw.randint(0, 30)))
        text += draw.choice(["", "Anna Lind", " Anna Lind?"])
        found = check_text(text, item(), draw.choice(["English", "Arabic", "x"]))
        if isinstance(found, TextProblem):
            assert json.dumps(explain(found))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["demo", "family", "fb15k237"])
def test_what_templates_make_passes(name, monkeypatch):
    if name != "demo" and not (DATA / name).is_dir():
        pytest.skip(f"no {name} at {DATA}")
    monkeypatch.setenv("RULEMINE_DATA", str(DATA))
    kg = load_kg(name)
    templates = load_templates(name, kg.relations)
    labels = load_labels("fb15k237-labels") if name == "fb15k237" else {}
    names = {row.entity: row for row in name_entities(kg.entities, seed=0, labels=labels)}
    check, checker = TextCheck((*names.values(),), templates), Checker(kg.relations, templates.rows)
    draw, passed = random.Random(8), 0
    facts = kg.labeled()
    for s, r, o in draw.sample(facts, min(3_000, len(facts))):
        direction = draw.choice(["subject", "object"])
        ends = (o, s) if direction == "subject" else (s, o)
        if check.problem((r, direction, ends[0]), [ends[1]], ends[1]) is not None:
            continue
        if "relation “" in templates.ask(r, direction, ""):
            continue  # two relations with one wording are told apart by their names
        naming = draw.choice(NAMINGS)
        about = item(names[ends[0]], names[ends[1]], naming=naming, relation=r)
        text = templates.ask(r, direction, names[ends[0]].name_in(naming))
        found = check_text(text, about, "English", checker)
        assert found == templates.ask(r, direction, "{topic}"), (text, found)
        passed += 1
    assert passed > 500


QUESTION = structure_question(1, '(and (p- "citizen_of" "france") (p- "won" "oscar"))')


def anchored(
    topics: Sequence[EntityNames], naming: str = "text", *hidden: EntityNames
) -> QuestionInput:
    """A question with these topic entities, of which an answer and an intermediate must not be named."""
    codes = zip(("answer_named", "intermediate_named"), ((row,) for row in hidden), strict=False)
    return QuestionInput(QUESTION, naming, tuple(topics), tuple(codes), QUESTION.question)


NAMES = (
    "Anna", "Anna Lind", "Lind", "York", "New York", "New York City", "Duke of York", "72", "7", "e00007",
    "e00012", "?", "A.I.", "C++", "{topic}", "José", "Jose\u0301", "東京", "東京都", "서울", "Straße", "Film",
    "Will", "Foo™", "½", "ﬁ", "the aunt of", "aunt Anna", "Who", "is", "O'Hara", "O’Hara", "(x)", "Kim (72)",
    "Kim", "İ", "ı",
)  # fmt: skip
PARTS = (
    "Who is", "the", "aunt", "of", "of 7", "and", "film", "will", ",", "'s", "’s", "?", "-", ".", " ",
    " ", " ", " ", "born_in", "x", "\u0301", "の", "의", "er", "Sure!", "Question", ":", "->", "??",
    "in 7.2", "™", "ANNA",
)  # fmt: skip


@pytest.mark.slow
@each("topics", [1, 2, 3])
def test_the_verifier_finds_nothing_in_what_passes(topics):
    """Where names are parts of each other, the longer one counts; what is inside an anchor's is no leak."""
    draw = random.Random(topics)
    passed = failed = caught = 0
    for _ in range(2_000):
        named = (draw.sample(many, topics + 2) for many in (range(80), NAMES, NAMES))
        rows = [EntityNames(f"e{n:05d}", *names) for n, *names in zip(*named, strict=True)]
        anchors, hidden = sorted(rows[:topics], key=lambda row: row.private), rows[topics:]
        naming, language = draw.choice(NAMINGS), draw.choice(["English", "any language"])
        parts = ["Who is", *draw.choices((*PARTS, *NAMES), k=draw.randint(0, 3))]
        for row in draw.sample(rows, topics + 2)[draw.choice([0, 1, 2]) :]:
            shown = row in anchors or draw.random() < 0.2
            parts += [f" {row.name_in(naming)}" * shown, draw.choice((*PARTS, *[""] * 30))]
        text = ("" if draw.random() < 0.3 else " ").join([*parts, "?"])
        item, checker = anchored(anchors, naming, *hidden), Checker(["born_in"])
        found = check_text(text, item, language, checker)
        if isinstance(found, TextProblem):
            failed += 1
            caught += found.code in ("answer_named", "intermediate_named")
            continue
        passed += 1
        for other in NAMINGS:
            own = [row.name_in(other) for row in anchors]
            whole = fill(found, dict(zip(placeholders(topics), own, strict=True)))
            assert all(verifier.occurrences(whole, name) for name in own), (whole, own)
            secret = [row.name_in(other) for row in hidden]
            assert not verifier.find_leaks(whole, own, secret), (whole, own, secret)
    assert min(passed, failed, caught) > 80


@each(("labels", "text", "private"), (
    (["York", "New York"], "Who left York's north for new york?", "Who left e1's north for e2?"),
    (["Film", "Will"], "Which film of the genre Film will Will like?",
     "Which film of the genre e1 will e2 like?"),
    (["Oda Pe\u0301ry", "Caf\u00e9 A"], "Who met Oda P\u00e9ry at Cafe\u0301 A?", "Who met e1 at e2?"),
    (["O'Neil", "O\u2019Neil"], "Who met O\u2019Neil at O'Neil's?", "Who met e2 at e1's?"),
    (["Drama", "drama"], "Who left drama for Drama?", "topic_missing"),
    (["O'Neil", "O\u2019Neil"], "Who met O\u02bcNeil at O'Neil's?", "topic_missing"),
    (["Ann Lee", "York"], "Who met Ann Lee in York, where Lee lives?", "foreign_name"),
))  # fmt: skip
def test_each_name_is_replaced_where_it_stands_and_none_is_left(labels, text, private):
    topics = tuple(EntityNames(f"e{n}", f"Q{n}", label) for n, label in enumerate(labels, 1))
    found = check_text(text, anchored(topics), "English")
    if isinstance(found, TextProblem):
        assert found.code == private
    else:
        assert fill(found, dict(zip(placeholders(2), ("e1", "e2"), strict=True))) == private
        assert not any(label in private for label in labels)


def test_an_anchor_that_another_naming_hides_is_missing_and_the_first_of_several_is_named():
    york, new = EntityNames("e1", "a", "York"), EntityNames("e2", "b", "New York")
    for naming in ("private", "text"):
        text = f"Who is both of New {york.name_in(naming)} and in {new.name_in(naming)}?"
        assert code(text, anchored((york, new), naming)) == "topic_missing"
    found = check_text("Who left Ann for York?", anchored((york, new, ANNA)), "English")
    assert found == TextProblem("topic_missing", "“New York”")


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


@each("text", GOOD)
def test_a_good_text_is_found_in_all_wrappings(text):
    pattern = text.replace("Anna Lind", "{topic}")
    assert [reply for reply in replies(text) if judged(reply) != pattern] == []


def test_no_spoilt_text_is_let_through_in_any():
    tried = [(text, reply) for text in SPOILT for reply in replies(text)]
    assert len(tried) > 1_000
    assert [reply for _, reply in tried if not isinstance(judged(reply), TextProblem)] == []


@each(("text", "names"), (
    ("1. FC Lind is whose club?", ["1. FC Lind"]), ("1. FC Lind is whose club?", ["FC Lind"]),
    ("*NSYNC sang what*", ["*NSYNC"]), ("Question: Lind is by whom?", ["Question: Lind"]),
    ("“A” or “B”: which is by Lind, “C” or “D”", ["Lind"]), ("Great Lind is whose aunt?", ["Lind"]),
    ("Which is the question: who is Lind?", ["Lind"]), ("**", []), ("Question:", []),
))  # fmt: skip
def test_what_is_no_wrapping_stays(text, names):
    assert unwrapped(text, names) == text
