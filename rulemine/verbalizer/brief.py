"""What there is to know about one question while it is put into words."""

from dataclasses import dataclass
from typing import Self

from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import Triple
from rulemine.llm.call import Failure
from rulemine.phrasing.glosses import Gloss
from rulemine.release.records import Question

__all__ = ["Brief", "Problem"]


@dataclass(frozen=True, slots=True)
class Brief:
    """A question to be put into words, and everything that prompts and checks need.

    Attributes:
        question: The question as the templates ask it; all names in it are source labels.
        naming: How prompts and texts name entities.
        topic: The topic's names.
        hard_answer: The hard answer's names.
        answers: The names of all answers but the topic, in the order of the question.
        removed: The removed triple, in the naming.
        gloss: What the relation means.
        context: Up to two other facts about the topic in words, in the naming; none names an answer.
    """

    question: Question
    naming: str
    topic: EntityNames
    hard_answer: EntityNames
    answers: tuple[EntityNames, ...]
    removed: Triple
    gloss: Gloss
    context: tuple[str, ...]

    @property
    def topic_name(self) -> str:
        """The topic's name in the naming of the prompt."""
        return self.topic.name_in(self.naming)

    @property
    def asked(self) -> str:
        """What the question asks for, in the words of the gloss, e.g. ``the aunts of 72``."""
        return self.gloss.asked(self.question.direction, self.topic_name)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a text or a reply is not good enough.

    Attributes:
        code: One of `rulemine.verbalizer.checks.CODES`.
        detail: What exactly was found; told to the model, never written to a release.
    """

    code: str
    detail: str = ""

    @classmethod
    def of(cls, failure: Failure) -> Self:
        """Why a call has no reply."""
        code = "refused_by_endpoint" if failure.code == "refused" else failure.code
        return cls(code, failure.detail)
