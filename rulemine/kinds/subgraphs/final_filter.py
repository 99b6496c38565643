"""The final filter of test questions: a model must answer each from its evidence, twice in two (SynthKGQA).

Guarantee: answers match as in `rulemine.text.normalization.fold`, as whole names; a count by its number.
What is no JSON is read where it names one thing that the question does not name.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from rulemine.errors import counted
from rulemine.kg.graph import Triple
from rulemine.kinds.subgraphs.split import without_lost_parents
from rulemine.kinds.writing import Writing
from rulemine.kinds.written.model_calls import ANSWER_SCHEMA, WritingCalls, answers_to
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.llm.call import Answer, Call, Reply
from rulemine.recipe.inputs import Inputs
from rulemine.release.naming import Namer
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.text.mentions import find_mentions, find_mentions_of_all
from rulemine.text.normalization import fold
from rulemine.verbalizer.checks import TextProblem
from rulemine.verbalizer.replies import read_object

__all__ = ["FAILED", "passing"]

FAILED = "the judge did not answer it twice in two from its evidence"

TIMES = 2
"""How often each question is asked; once more where a reply cannot be read."""

_DENIES = re.compile(r"\b(?:no|not|nor|cannot|or|either|unknown)\b|n['’]t\b", re.IGNORECASE)
"""What makes a sentence with one name in it say something else than that name."""


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
        calls.check(one.id, one.question, _facts(one), sample)
        for one in shown
        for sample in range(TIMES)
    ]
    said = [
        _said(answer, shown[at // TIMES])
        for at, answer in enumerate(answers_to(writing.session, wanted, progress))
    ]
    again = [at for at, name in enumerate(said) if name is None]
    once_more = [replace(wanted[at], sample=TIMES + at % TIMES) for at in again]
    for at, answer in zip(again, answers_to(writing.session, once_more), strict=True):
        said[at] = _said(answer, shown[at // TIMES])
    failed = set()
    for at, (call, name) in enumerate(zip(wanted, said, strict=True)):
        question = shown[at // TIMES]
        writing.concerns([call.key], [question.id])
        if name is None or not _is_right(name, question):
            failed.add(question.id)
    for at, call in zip(again, once_more, strict=True):
        writing.concerns([call.key], [shown[at // TIMES].id])
    split = dict(asked.sampling[recipe.kind])
    split["final_filter"] = {
        "model": recipe.verbalizer.judge_model,
        "asked": len(tested),
        "failed": len(failed),
        "unreadable": said.count(None),
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
    return replace(asked, sampling={**asked.sampling, recipe.kind: split}).keep(kept, rejections)


def _facts(question: Question) -> tuple[Triple, ...]:
    """What the judge sees: one derivation, of a count all of them."""
    return question.evidence if question.value is None else question.full_evidence


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


def _is_right(said: str, question: Question) -> bool:
    name = fold(said).strip()
    if question.value is not None:
        return name == str(question.value)
    return name in {fold(answer).strip() for answer in question.answers}
