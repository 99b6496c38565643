"""Questions to verbalize, and a session whose model replies what a function returns."""

import asyncio
import itertools
import json
import random
from collections.abc import Callable
from dataclasses import replace

from rulemine.llm.call import Answer, Call, Failure, Reply
from rulemine.llm.journal import line_of
from rulemine.llm.session import Usage
from rulemine.phrasing.glosses import Gloss, Glosses
from rulemine.release.question_set import QuestionSet
from rulemine.verbalizer.inputs import VerbalizationInput
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Calls, load_prompts
from rulemine.verbalizer.verbalize import Verbalized, verbalize
from tests.kinds.rules import asking

Say = Callable[[Call], "str | Answer"]

GLOSSES = Glosses(
    tuple(
        Gloss(
            relation, f"{{subject}} is the {relation} of {{object}}", subjects, objects, "written"
        )
        for relation, subjects, objects in (
            ("aunt", "the aunts of {topic}", "the nieces and nephews of {topic}"),
            ("uncle", "the uncles of {topic}", "everyone whose uncle is {topic}"),
        )
    )
)
TEMPLATES = {
    "subject": "Who is the {relation} of {topic}?",
    "object": "Who is {topic} the {relation} of?",
}

AUNT, NIECE, UNCLE, OTHER = (
    (("ann", "aunt", "bob"), "subject"),
    (("ann", "aunt", "bob"), "object"),
    (("carl", "uncle", "bob"), "subject"),
    (("carl", "uncle", "dora"), "subject"),
)
"""Questions: the aunts of bob, the nieces of ann, the uncles of bob, the uncles of dora."""

COUSIN = (("eve", "aunt", "bob"), "subject")
"""Asks what `AUNT` asks, with another hard answer."""

WAYS = ("Who are {}?", "Name {}, please?", "Can you tell who {} are?", "What do you know of {}?")
"""Ways to ask for what stands in the braces."""


def asked_for(*rows: tuple[tuple[str, str, str], str]) -> QuestionSet:
    """Questions as templates ask them, q00001 and so on."""
    questions = []
    for number, (removed, direction) in enumerate(rows, start=1):
        made = asking.question(number, removed, direction)
        text = TEMPLATES[direction].format(relation=made.relations[0], topic=made.topic)
        questions.append(replace(made, question=text))
    return asking.asked(questions)


def inputs_of(asked: QuestionSet, naming: str = "entity") -> list[VerbalizationInput]:
    """A verbalization input for each question."""
    names = {row.entity: row for row in asked.names}
    made = []
    for q in asked.questions:
        (subject, relation, obj), gloss = q.removed[0], GLOSSES[q.relations[0]]
        hidden = (("answer_named", tuple(names[a] for a in q.answers)),)
        asks = gloss.asked(q.block.direction, names[q.topic].name_in(naming))
        removed = names[subject].name_in(naming), relation, names[obj].name_in(naming)
        topics = (names[q.topic],)
        made.append(VerbalizationInput(q, naming, topics, hidden, asks, removed, gloss, ()))
    return made


def wanted(call: Call, label: str = "Asked For") -> str:
    """What a prompt says behind a label."""
    lines = call.messages[-1]["content"].splitlines()
    return next(line for line in lines if line.startswith(f"{label}: ")).partition(": ")[2]


def rejections_in(call: Call) -> list[str]:
    """The lines of a prompt about earlier attempts."""
    lines = call.messages[-1]["content"].splitlines()
    return [line for line in lines if line.startswith("- Rejected")]


def well(call: Call) -> str:
    """What a good model says to anything."""
    if call.purpose == "audit":
        return json.dumps({"verdict": "PASS", "reason": ""})
    return json.dumps({"question": f"Who are {wanted(call)}?"})


class Scripted:
    """A session; many conversations at once, each reply after a random while."""

    def __init__(self, say: Say, shuffle: int | None = None) -> None:
        self.answers: dict[str, Answer] = {}
        self.calls: list[Call] = []
        self.usage, self.advice = Usage(), ""
        self._say, self._rng = say, random.Random(shuffle)
        self._slots = 1 if shuffle is None else self._rng.choice((1, 2, 5, 16, 64))
        self._waits = shuffle is not None
        self._pending: dict[str, asyncio.Future[Answer]] = {}

    def run(self, works, progress=None):
        return asyncio.run(self._run(list(works), progress or (lambda done, of: None)))

    async def _run(self, works, progress):
        slots, ended = asyncio.Semaphore(self._slots), itertools.count(1)

        async def one(work):
            async with slots:
                try:
                    return await work(self._ask)
                finally:
                    progress(next(ended), len(works))

        order = list(range(len(works)))
        if self._waits:
            self._rng.shuffle(order)
        tasks = {i: asyncio.create_task(one(works[i])) for i in order}
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        return [tasks[i].result() for i in range(len(works))]

    async def _ask(self, call: Call) -> Answer:
        if call.key in self.answers:
            return self.answers[call.key]
        if call.key not in self._pending:
            self._pending[call.key] = asyncio.ensure_future(self._send(call))
        return await self._pending[call.key]

    def line(self, key: str):
        call = next(call for call in self.calls if call.key == key)
        return line_of(call, self.answers[key])

    async def _send(self, call: Call) -> Answer:
        self.calls.append(call)
        if self._waits:
            for _ in range(self._rng.randrange(6)):
                await asyncio.sleep(0)
        said = self._say(call)
        answer = said if isinstance(said, Reply | Failure) else Reply(said, "stop", 100, 10)
        self.answers[call.key] = answer
        return answer


PROMPTS = load_prompts("")


def run(
    asked: QuestionSet, session, *, prompts=PROMPTS, naming="entity", fail_fast=True, **options
) -> Verbalized:
    """Verbalizes questions with some options."""
    chosen = VerbalizerSection(**{"name": "openai", "model": "m", **options})
    calls = Calls(prompts, chosen, 7, GLOSSES)
    return verbalize(asked, inputs_of(asked, naming), calls, session, fail_fast=fail_fast)


def lines(made: Verbalized) -> list[dict]:
    """The journal as a release has it."""
    return [json.loads(line) for line in made.journal]
