"""Names in texts: every anchor is named, no answer and no intermediate is, in any spelling."""

from rulemine.kg.entity_names import EntityNames
from rulemine.text.mentions import cut, find_mentions
from rulemine.text.naming_rules import (
    ANCHOR_MISSING,
    ANSWER_NAMED,
    INTERMEDIATE_NAMED,
    named_answer,
    naming_problem,
    telling_anchor,
)
from tests import each

YORK, NEW_YORK = EntityNames("e07", "Q1", "York"), EntityNames("e70", "Q2", "New York")
FILM, ANN = EntityNames("e11", "Q3", "Film"), EntityNames("e12", "Q4", "Ann O'Hara")


def asks(text):
    """A text with {0}, {1} … for anchors, as a function of the naming and the anchors."""

    def made(anchors):
        return lambda naming: text.format(*(entity.name_in(naming) for entity in anchors))

    return made


CASES = (
    ("Who lives in {0}?", [NEW_YORK], [ANN], [YORK], None),
    ("Who lives in {0} and in {1}?", [NEW_YORK, YORK], [ANN], [], None),
    ("Who lives in {0}?", [NEW_YORK, YORK], [], [], (ANCHOR_MISSING, "in the naming private")),
    ("Who lives in a town?", [YORK], [], [], (ANCHOR_MISSING, "in the naming private")),
    ("Which film is about {0}?", [YORK], [FILM], [], (ANSWER_NAMED, "in the naming text")),
    ("Which film is about {0}?", [YORK], [ANN], [FILM], (INTERMEDIATE_NAMED, "in the naming text")),
    ("Which films are about {0}?", [YORK], [ANN], [FILM], None),
    ("What did ANN O'HARA do in {0}?", [YORK], [ANN], [], (ANSWER_NAMED, "in the naming text")),
    ("What is q3 of {0}?", [YORK], [FILM], [], (ANSWER_NAMED, "in the naming entity")),
    ("Which 12 are in {0}?", [YORK], [ANN], [], (ANSWER_NAMED, "in the naming numeric")),
    ("Who lives in {0}?", [YORK], [YORK], [YORK], None),
)


@each(("text", "anchors", "answers", "intermediates", "expected"), CASES)
def test_three_rules(text, anchors, answers, intermediates, expected):
    found = naming_problem(asks(text)(anchors), anchors, answers, intermediates)
    assert (found and found[:2]) == expected
    if found:
        assert found[2] == asks(text)(anchors)(found[1].rsplit(" ", 1)[-1])


@each("anchors", [[NEW_YORK, YORK], [YORK, NEW_YORK]])
def test_an_anchor_inside_another_needs_its_own_place(anchors):
    def named(naming):
        return "Who lives in New York?" if naming == "text" else asks("{0} {1}?")(anchors)(naming)

    found = naming_problem(named, anchors, [], [])
    assert found == (ANCHOR_MISSING, "in the naming text", "Who lives in New York?")


@each(
    ("anchor", "answer", "naming"), [("Panjab University, Chandigarh", "Chandigarh", "text"),
    ("KINGDOM of the Netherlands", "Kingdom", "text"), ("Chandigarh University", "Chandigarh Univers", None),
    ("Oslo", "Oslo II", None), ("Oslo", "oslo", "text")]
)  # fmt: skip
def test_the_name_of_an_anchor_tells_an_answer_by_whole_tokens(anchor, answer, naming):
    named, asked = EntityNames("e01", "Q1", anchor), EntityNames("e02", "Q2", answer)
    assert telling_anchor([named], [ANN, asked]) == naming
    assert telling_anchor([named], [named]) is None


TOPIC = EntityNames("e00001", "/m/topic", "Anna Lind")


def entity(text, id_="/m/answer", private="e00002"):
    return EntityNames(private, id_, text)


def found(text, answer, topic=TOPIC):
    pieces = cut(text, find_mentions(text, topic.text))
    assert len(pieces) > 1
    return named_answer(pieces, [topic] * (len(pieces) - 1), [answer])


@each(
    ("text", "answer", "expected"),
    [
        ("Is Anna Lind Bob's aunt?", "Bob", "bob"),
        ("Is Anna Lind BOB’s aunt?", "Bob", "bob"),
        ("Is Anna Lind Bobby's aunt?", "Bob", None),
        ("Is Anna Lind the aunt of O’Hara?", "O'Hara", "o'hara"),
        ("Is Anna Lind the aunt of Jose\u0301?", "José", "josé"),
        ("Is Anna Lind the aunt of Jose\u0301?", "Jose", None),
        ("Is Anna Lind the aunt of JOSE?", "José", "jose"),
        ("Is Anna Lind in ile de France?", "Île-de-France", "ile de france"),
        ("Is Anna Lind in ISTANBUL?", "İstanbul", "istanbul"),
        ("Is Anna Lind like other actors?", "Actor", "actor"),
        ("Does Anna Lind know the Bob Joneses?", "Bob Jones", "bob jones"),
        ("Whom does Anna Lind know?", "Doe", None),
        ("Does Anna Lind know the e00002s?", "Bob", "e00002"),
        ("Does Anna Lind know the Beyoncés?", "Beyoncé", "beyoncé"),
        ("What are Anna Lind's 7s?", "7", None),
        ("Is Anna Lind the aunt of /m/answer?", "Bob", "/m/answer"),
        ("Is Anna Lind the aunt of e00002?", "Bob", "e00002"),
        ("Is Anna Lind 2 years old?", "Bob", "2"),
        # In the topic's own name nothing counts, across its end everything does.
        ("Who is Anna Lind's aunt?", "Anna", None),
        ("Who is Anna Lind's aunt?", "Lind", None),
        ("Who is Anna Lind's aunt Anna?", "Anna", "anna"),
        ("Who is Anna Lind Smith?", "Lind Smith", "lind smith"),
        ("Who is Anna Lind of York?", "Anna Lind of York", "anna lind of york"),
        # Aliases: without the id that makes a label unique, without a parenthesis, without punctuation.
        ("Is Anna Lind the aunt of Kim?", "Kim (/m/answer)", "Kim"),
        ("Is Anna Lind the aunt of Kim Lee?", "Kim Lee (/m/answer) (/m/answer)", "kim lee"),
        ("Did Anna Lind act in Rocky?", "Rocky (1976 film)", "Rocky"),
        ("Did Anna Lind act in Rocky's film?", "Rocky (1976 film)", "Rocky"),
        ("Did Anna Lind act in a rocky film?", "Rocky (1976 film)", None),
        ("Did Anna Lind act in spider man?", "Spider-Man (film)", "spider man"),
        ("Did Anna Lind act in Spider-Man?", "Spider Man", "spider man"),
        ("Does Anna Lind live in the US?", "U.S.", "US"),
        ("Does Anna Lind know all of us?", "U.S.", None),
        ("Is Anna Lind Bob Dylan's aunt?", "Bob_Dylan", "bob dylan"),
        ("Does Anna Lind play rock and roll?", "Rock & Roll", "rock and roll"),
        ("Does Anna Lind live in Washington DC?", "Washington, D.C.", "washington dc"),
        ("Who is Anna Lind's aunt?", "Who (band)", None),
        ("Is Anna Lind in Who?", "Who (band)", "Who"),
        ("Who is Anna Lind's aunt?", "Who Is (song)", None),
        ("Who is Anna Lind's aunt?", "?", "?"),
    ],
)
def test_answers_that_a_text_names(text, answer, expected):
    assert found(text, entity(answer)) == expected


def test_names_of_other_namings_count_in_the_words_around_the_topic():
    topic = EntityNames("e00001", "New", "Anna")
    assert found("Who likes Anna York?", entity("Bob", "New York"), topic) == "new york"


def test_a_name_that_nobody_sees_is_nowhere():
    assert found("Who is Anna Lind's aunt?", entity("\u200b")) is None


def test_the_topic_is_no_answer_that_is_hidden():
    assert named_answer(("Who is ", "?"), [TOPIC], [TOPIC]) is None


def test_a_namesake_of_the_topic_is_named_with_it():
    topic, other = entity("Kim (a)", "a", "e00001"), entity("Kim (b)", "b", "e00002")
    assert found("Who is Kim (a)'s aunt?", other, topic) is None
    assert found("Is Kim (a) the aunt of Kim?", other, topic) == "Kim"
