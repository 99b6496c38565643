"""Question sets for the tests of the builder, made without the stages that come before them."""

from rulemine.release.naming import name_entities
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question
from tests.questions import question

__all__ = ["asked", "question"]


def asked(questions: list[Question], reference=(), further=()) -> QuestionSet:
    entities = sorted({end for q in questions for end in (q.topic, q.hard_answer)})
    names = name_entities(entities, seed=1, further=further)
    return QuestionSet(tuple(questions), (), names, len(entities), tuple(reference))
