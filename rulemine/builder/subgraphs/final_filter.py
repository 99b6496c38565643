"""The final filter of test questions: a model must answer each from its evidence, twice in two (SynthKGQA).

Guarantee: answers match as in `rulemine.text.normalization.fold`, as whole names; a count by its number.
"""

from collections.abc import Callable
from dataclasses import replace

from rulemine.builder.inputs import Inputs
from rulemine.builder.subgraphs.split import without_lost_parents
from rulemine.builder.writing import Writing
from rulemine.builder.written.model_writer import ANSWER_SCHEMA, WritingCalls, answers_to
from rulemine.builder.written.writer_names import WriterNames
from rulemine.errors import counted
from rulemine.llm.call import Answer, Call, Reply
from rulemine.release.naming import Namer
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.text.normalization import fold
from rulemine.verbalizer.checks import TextProblem
from rulemine.verbalizer.replies import read_object

__all__ = ["FAILED", "passing"]

FAILED = "the judge did not answer it twice in two from its evidence"

TIMES = 2
"""How often each question is asked."""


def passing(
    inputs: Inputs,
    asked: QuestionSet,
    writing: Writing,
    progress: Callable[[int, int], None] | None = None,
) -> QuestionSet:
    """The questions without the test questions that fail; `QuestionSet.sampling` says how many.

    Args:
        inputs: The inputs of the build, whose recipe names the judge.
        asked: The questions, with their splits.
        writing: What the judge is asked with.
        progress: Called with (calls answered, all calls).
    """
    if writing.session is None:
        raise ValueError("no session to ask the judge in")
    recipe = inputs.recipe
    naming = inputs.prompt_naming
    names = WriterNames.of(inputs.kg, asked.names, naming)
    calls = WritingCalls(recipe, inputs.prompts, names, inputs.glosses)
    namer = Namer(asked.names, inputs.templates, naming)
    tested = [question for question in asked.questions if question.split == "test"]
    shown = [namer.question(question) for question in tested]
    wanted: list[Call] = [
        calls.check(one.id, one.question, one.evidence, sample)
        for one in shown
        for sample in range(TIMES)
    ]
    answers = answers_to(writing.session, wanted, progress)
    failed = set()
    for at, (call, answer) in enumerate(zip(wanted, answers, strict=True)):
        question = shown[at // TIMES]
        writing.concerns([call.key], [question.id])
        if not _is_right(answer, question):
            failed.add(question.id)
    split = dict(asked.sampling["subgraphs"])
    split["final_filter"] = {
        "model": recipe.verbalizer.judge_model,
        "asked": len(tested),
        "failed": len(failed),
    }
    rejections = [
        Rejection("split", FAILED, q.id, None, "", "", "", q.question, query=q.query)
        for q in tested
        if q.id in failed
    ]
    if failed and len(failed) == len(tested):
        writing.note(
            f"no test question is left: {recipe.verbalizer.judge_model} answered none of "
            f"{counted(len(tested), 'question')} from its evidence. Name another judge (--judge-model), or "
            "none."
        )
    kept = without_lost_parents(q for q in asked.questions if q.id not in failed)
    return replace(asked, sampling={**asked.sampling, "subgraphs": split}).keep(kept, rejections)


def _is_right(answer: Answer, question: Question) -> bool:
    if not isinstance(answer, Reply):
        return False
    found = read_object(answer, ANSWER_SCHEMA)
    if isinstance(found, TextProblem):
        return False
    said = fold(found if isinstance(found, str) else found["answer"]).strip()
    if question.value is not None:
        return said == str(question.value)
    return said in {fold(name).strip() for name in question.answers}
