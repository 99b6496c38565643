"""What relations of phrase books say, in words."""

from rulemine.kinds.cypher.words.relations import RelationWords, relation_words
from rulemine.phrasing.templates import RelationTemplates


def said_by_a_book(
    statement: str, describe_subject: str = "film/films | that features/feature {topic}"
) -> RelationWords:
    """The words of a relation of a phrase book."""
    row = RelationTemplates(
        "P1", statement, "Who?", "Who?", "Who?", "Who?", "book",
        describe_subject, "actor/actors | who acted in {topic}",
    )  # fmt: skip
    return relation_words("P1", row)


def test_what_has_been_done_is_asked_for_in_the_perfect() -> None:
    assert (
        said_by_a_book("{subject} has lived in {object}").predicate.asked("X") == "has X lived in"
    )
    assert said_by_a_book("{subject} has had {object}").predicate.asked("X") == "has X had"
    assert said_by_a_book("{subject} has {object}").predicate.asked("X") == "does X have"


def test_what_the_object_is_stands_before_its_name_alone() -> None:
    field = said_by_a_book("{subject} works in the field of {object}")
    assert (field.predicate.before, field.kind) == ("in", "the field of")
    head = said_by_a_book("{subject} is the head of {object}")
    assert (head.predicate.before, head.kind) == ("the head of", "")


def test_a_role_that_both_ends_have_is_said_of_the_subject() -> None:
    row = RelationTemplates("P1", "{object} is a sibling of {subject}", *["Who?"] * 4, "book")
    assert relation_words("P1", row).subject is None
    assert relation_words("P1", row, symmetric=True).subject == ("sibling", "siblings")


def test_what_a_description_says_that_subjects_do_wins_over_a_role_of_objects() -> None:
    found = said_by_a_book("{object} acted in {subject}")
    assert found.predicate.of_subject("X", several=True) == "feature X"
    assert found.object == ("actor", "actors")


def test_what_a_question_says_that_subjects_are_wins_over_a_role_of_objects() -> None:
    asks = ["Who is a parent of {topic}?", "Who is a child of {topic}?"] * 2
    row = RelationTemplates("P1", "{object} is a child of {subject}", *asks, "book")
    words = relation_words("P1", row)
    assert words.predicate.of_subject("X", several=False) == "is a parent of X"
    assert (words.subject, words.object) == (("parent", "parents"), ("child", "children"))
