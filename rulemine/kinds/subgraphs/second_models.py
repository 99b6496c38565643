"""What further models do to questions that are split: the final filter of test, and other words.

`passing`: a judge must answer each test question from its evidence, twice in two (SynthKGQA). Answers match
as in `rulemine.text.normalization.fold`, as whole names; a count by its number. What is no JSON is read where
it names one thing that the question does not name.

`with_paraphrases`: a second model says each question in other words. These pass the checks of a text, and a
judge (the model itself where none is named) who compares the two; what does not pass is dropped, with its
reason among the rejections.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from rulemine.errors import counted
from rulemine.kinds.asking import Asking
from rulemine.kinds.split import left_out
from rulemine.kinds.texts import Texts
from rulemine.kinds.written.model_calls import ANSWER_SCHEMA, WritingCalls, answers_to
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.llm.call import Answer, Call, Failure, Reply
from rulemine.release.naming import Namer
from rulemine.release.records import Question, Rejection
from rulemine.text.mentions import find_mentions, find_mentions_of_all
from rulemine.text.normalization import fold
from rulemine.verbalizer.replies import TextProblem, read_object, read_question, read_verdict

__all__ = ["FAILED", "passing", "with_paraphrases"]

FAILED = "the judge did not answer it twice in two from its evidence"

TIMES = 2
"""How often each question is asked; once more where a reply cannot be read."""

_DENIES = re.compile(r"\b(?:no|not|nor|cannot|or|either|unknown)\b|n['’]t\b", re.IGNORECASE)
"""What makes a sentence with one name in it say something else than that name."""


class _Asked:
    """What models are asked with about questions that are split.

    Args:
        asking: The build.
    """

    def __init__(self, asking: Asking) -> None:
        if asking.writing.session is None:
            raise ValueError("no session to ask a model in")
        self._session, self._writing = asking.writing.session, asking.writing
        self._progress, inputs = asking.progress, asking.inputs
        names = WriterNames.of(asking.kg, asking.names, inputs.prompt_naming)
        self.calls = WritingCalls(asking.recipe, inputs.prompts, names, inputs.glosses)
        self.namer = Namer(asking.names, asking.templates, inputs.prompt_naming)

    def answers(self, ids: Sequence[str], calls: Sequence[Call]) -> list[Answer]:
        """The answers to calls, each about the question of an id."""
        found = answers_to(self._session, calls, self._progress)
        for id_, call in zip(ids, calls, strict=True):
            self._writing.concerns([call.key], [id_])
        return found


def passing(asking: Asking, questions: Sequence[Question]) -> list[Question]:
    """The questions without the test questions that fail.

    Args:
        asking: The build, whose recipe names the judge.
        questions: The questions, with their splits.
    """
    judge = _Asked(asking)
    tested = [question for question in questions if question.split == "test"]
    shown = {q.id: judge.namer.question(q) for q in tested}
    ids = [id_ for id_ in shown for _ in range(TIMES)]
    calls = [judge.calls.check(own, sample) for own in shown.values() for sample in range(TIMES)]
    answers = judge.answers(ids, calls)
    said = [_said(answer, shown[id_]) for id_, answer in zip(ids, answers, strict=True)]
    again = [at for at, name in enumerate(said) if name is None]
    once_more = [replace(calls[at], sample=TIMES + at % TIMES) for at in again]
    answers = judge.answers([ids[at] for at in again], once_more)
    for at, answer in zip(again, answers, strict=True):
        said[at] = _said(answer, shown[ids[at]])
    failed = {id_ for id_, name in zip(ids, said, strict=True) if not _is_right(name, shown[id_])}
    if failed and len(failed) == len(tested):
        asking.writing.note(
            f"no test question is left: {asking.recipe.verbalizer.judge_model} answered none of "
            f"{counted(len(tested), 'question')} from its evidence. Name another "
            "verbalizer.judge_model, or none."
        )
    for q in tested:
        if q.id in failed:
            asking.refuse(replace(left_out(q, FAILED), text=shown[q.id].question))
    return [q for q in questions if q.id not in failed]


def _said(answer: Answer, question: Question) -> str | None:
    """The name or number that a reply gives, alone or as the only one in a sentence; None: it gives none."""
    if not isinstance(answer, Reply):
        return None
    found = read_object(answer, ANSWER_SCHEMA)
    if isinstance(found, TextProblem):
        return None
    if not isinstance(found, str):
        return str(found["answer"])
    names = {end for s, _, o in question.evidence for end in (s, o)} | {*question.answers}
    if len(found.splitlines()) > 1 or _DENIES.search(found):
        return found if fold(found).strip() in {fold(name).strip() for name in names} else None
    if question.value is not None:
        some = [number.replace(",", "") for number in re.findall(r"\d[\d,]*", found)]
    else:
        others = [name for name in sorted(names) if not find_mentions(question.question, name)]
        some = [others[at] for _, at in find_mentions_of_all(found, others)]
    return some[0] if len({*some}) == 1 else None


def _is_right(said: str | None, question: Question) -> bool:
    right = question.answers if question.value is None else [str(question.value)]
    return said is not None and fold(said).strip() in {fold(one).strip() for one in right}


def with_paraphrases(asking: Asking, questions: Sequence[Question]) -> list[Question]:
    """The questions with what a second model says in their place; arguments as of `passing`."""
    second = _Asked(asking)
    naming, language = asking.inputs.prompt_naming, asking.recipe.verbalizer.language
    texts = Texts(asking.names, asking.templates, naming, language)
    shown = {q.id: second.namer.question(q) for q in questions}
    for q in questions:
        texts.from_model(
            q, shown[q.id].question
        )  # so that no paraphrase is another question's text
    answers = second.answers([*shown], [second.calls.reword(own) for own in shown.values()])
    found = {q.id: _worded(texts, q, answer) for q, answer in zip(questions, answers, strict=True)}
    other = {
        id_: second.namer.question(one).question
        for id_, one in found.items()
        if isinstance(one, Question)
    }
    calls = [second.calls.compare(shown[id_], text) for id_, text in other.items()]
    for id_, answer in zip(other, second.answers([*other], calls), strict=True):
        problem: TextProblem | None
        if isinstance(answer, Failure):
            problem = TextProblem.of(answer)
        else:
            problem = read_verdict(answer, "audit").problem
        if problem is not None:
            found[id_] = _refused(shown[id_], problem.code, problem.detail, other[id_])
    made = []
    for q in questions:
        if isinstance(one := found[q.id], Question):
            q = replace(q, paraphrases=(one.question,), patterns=(*q.patterns, *one.patterns))
        else:
            asking.refuse(one)
        made.append(q)
    return made


def _worded(texts: Texts, question: Question, answer: Answer) -> Question | Rejection:
    """The question in the words of a reply, or why it cannot have them."""
    if isinstance(answer, Failure):
        return _refused(question, answer.code)
    text = read_question(answer)
    if isinstance(text, TextProblem):
        return _refused(question, text.code, text.detail, answer.text)
    other = texts.from_model(question, text)
    if isinstance(other, Rejection):
        return _refused(question, other.reason, other.detail, text)
    return other


def _refused(question: Question, reason: str, detail: str = "", text: str = "") -> Rejection:
    return Rejection(
        "verbalize", f"paraphrase: {reason}", question.id, None, "", "", detail, text,
        question.query,
    )  # fmt: skip
