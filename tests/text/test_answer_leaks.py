import pytest

from rulemine.kg.entity_names import EntityNames
from rulemine.text.answer_leaks import LeakageChecker
from rulemine.text.mentions import cut, find_mentions

TOPIC = EntityNames("e00001", "/m/topic", "Anna Lind")


def entity(text: str, id_: str = "/m/answer", private: str = "e00002") -> EntityNames:
    return EntityNames(private, id_, text)


def found(text: str, answer: EntityNames, topic: EntityNames = TOPIC) -> str | None:
    pieces = cut(text, find_mentions(text, topic.text))
    assert len(pieces) > 1
    return LeakageChecker().find(pieces, [topic] * (len(pieces) - 1), [answer])


@pytest.mark.parametrize(
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
def test_answers_that_a_text_names(text: str, answer: str, expected: str | None) -> None:
    assert found(text, entity(answer)) == expected


def test_names_of_other_namings_count_in_the_words_around_the_topic() -> None:
    topic = EntityNames("e00001", "New", "Anna")
    assert found("Who likes Anna York?", entity("Bob", "New York"), topic) == "new york"


def test_a_name_that_nobody_sees_is_nowhere() -> None:
    assert found("Who is Anna Lind's aunt?", entity("\u200b")) is None


def test_the_topic_is_no_answer_that_is_hidden() -> None:
    assert LeakageChecker().find(("Who is ", "?"), [TOPIC], [TOPIC]) is None


def test_a_namesake_of_the_topic_is_named_with_it() -> None:
    topic, other = entity("Kim (a)", "a", "e00001"), entity("Kim (b)", "b", "e00002")
    assert found("Who is Kim (a)'s aunt?", other, topic) is None
    assert found("Is Kim (a) the aunt of Kim?", other, topic) == "Kim"
