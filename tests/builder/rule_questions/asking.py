"""Questions for the tests of the builder, made without the stages that come before them."""

from rulemine.release.naming import name_entities
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Difficulty, Question


def question(number: int, removed: tuple[str, str, str], direction: str = "object") -> Question:
    s, r, o = removed
    topic, answer = (s, o) if direction == "object" else (o, s)
    return Question(
        id=f"q{number:05d}",
        question=f"{direction} of {r}, {topic}?",
        topic=topic,
        relation=r,
        direction=direction,
        answers=(answer,),
        hard_answer=answer,
        hard_answers=(answer,),
        removed=removed,
        level=100,
        rule="0" * 12,
        rule_type="inversion",
        rule_subtype="inversion",
        certificate=((o, "back", s),),
        diagnosis=Difficulty(1, 1, ("back",), (), 0, 0.5, 0.5, 0.5),
        split="",
    )


def asked(questions: list[Question], reference=(), further=()) -> QuestionSet:
    entities = sorted({end for q in questions for end in (q.topic, q.hard_answer)})
    names = name_entities(entities, seed=1, further=further)
    return QuestionSet(tuple(questions), (), names, len(entities), tuple(reference))
