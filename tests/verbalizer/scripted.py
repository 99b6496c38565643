"""A session whose model replies what a function returns, and what prompts and journals say."""

import asyncio
import itertools
import json
import random
from collections.abc import Callable

from rulemine.llm.call import Answer, Call, Failure, Reply
from rulemine.llm.journal import line_of
from rulemine.llm.session import Usage
from rulemine.verbalizer.verbalize import Verbalized

Say = Callable[[Call], "str | Answer"]


def wanted(call: Call, label: str = "Asked For") -> str:
    """What a prompt says behind a label."""
    lines = call.messages[-1]["content"].splitlines()
    return next(line for line in lines if line.startswith(f"{label}: ")).partition(": ")[2]


def rejections_in(call: Call) -> list[str]:
    """The lines of a prompt about earlier attempts."""
    lines = call.messages[-1]["content"].splitlines()
    return [line for line in lines if line.startswith("- Rejected")]


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


def lines(made: Verbalized) -> list[dict]:
    """The journal as a release has it."""
    return [json.loads(line) for line in made.journal]
