"""Has a second model say the questions of a release in other words, and a judge compare the two.

Guarantees: only what the split kept is asked; a paraphrase passes the checks of a text and a judge (the model
itself where none is named); one that does not is dropped, with its reason among the rejections.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from rulemine.kinds.texts import Texts
from rulemine.kinds.writing import Writing
from rulemine.kinds.written.model_calls import WritingCalls, answers_to
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.llm.call import Answer, Failure
from rulemine.recipe.inputs import Inputs
from rulemine.release.naming import Namer
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.verbalizer.checks import TextProblem
from rulemine.verbalizer.dialogue import objection
from rulemine.verbalizer.replies import read_question, read_verdict

__all__ = ["with_paraphrases"]

Progress = Callable[[int, int], None]


def with_paraphrases(
    inputs: Inputs, asked: QuestionSet, writing: Writing, progress: Progress | None = None
) -> QuestionSet:
    """The questions with what a second model says in their place; `QuestionSet.sampling` counts it.

    Args:
        inputs: The inputs of the build, whose recipe names the models.
        asked: The questions, with their splits.
        writing: What models are asked with.
        progress: Called with (calls answered, all calls).
    """
    if writing.session is None:
        raise ValueError("no session to ask for paraphrases in")
    recipe, naming = inputs.recipe, inputs.prompt_naming
    names = WriterNames.of(inputs.kg, asked.names, naming)
    calls = WritingCalls(recipe, inputs.prompts, names, inputs.glosses)
    texts = Texts(asked.names, inputs.templates, naming, recipe.verbalizer.language)
    namer = Namer(asked.names, inputs.templates, naming)
    questions = list(asked.questions)
    shown = [namer.question(q) for q in questions]
    for question, own in zip(questions, shown, strict=True):
        texts.from_model(question, own.question)  # so that no paraphrase is another question's text
    rewords = [calls.reword(own.id, own.question, own.anchors) for own in shown]
    found = [
        _worded(texts, question, answer)
        for question, answer in zip(
            questions, answers_to(writing.session, rewords, progress), strict=True
        )
    ]
    compared = {
        at: calls.compare(own.id, own.question, namer.question(other).question)
        for at, (own, other) in enumerate(zip(shown, found, strict=True))
        if isinstance(other, Question)
    }
    verdicts = answers_to(writing.session, [*compared.values()], progress)
    for at, answer in zip(compared, verdicts, strict=True):
        if isinstance(answer, Failure):
            problem: TextProblem | None = TextProblem.of(answer)
        else:
            problem = objection(read_verdict(answer))
        if problem is not None:
            text = namer.question(found[at]).question  # type: ignore[arg-type]
            found[at] = _refused(questions[at], problem.code, problem.detail, text)
    for call, question in zip(rewords, questions, strict=True):
        writing.concerns([call.key], [question.id])
    for at, call in compared.items():
        writing.concerns([call.key], [questions[at].id])
    made = [
        replace(q, paraphrases=(other.question,), patterns=(*q.patterns, *other.patterns))
        if isinstance(other, Question)
        else q
        for q, other in zip(questions, found, strict=True)
    ]
    dropped = [other for other in found if isinstance(other, Rejection)]
    counts = dict(asked.sampling[recipe.kind])
    counts["paraphrased"] = len(made) - len(dropped)
    counts["paraphrases"] = {
        "model": recipe.verbalizer.rewriter_model,
        "judge": recipe.verbalizer.judge_model or recipe.verbalizer.model,
        "asked": len(made),
        "dropped": dict(sorted(Counter(row.reason for row in dropped).items())),
    }
    told = replace(asked, sampling={**asked.sampling, recipe.kind: counts})
    return told.keep(made, dropped)


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
