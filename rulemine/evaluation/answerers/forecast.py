"""What a system takes that asks a model, before the model is asked: typically, and at most.

What the system is about to send for the first questions is listened to and not sent. Calls and replies are
those that each system declares (`Typical`, `worst_calls`, `graph_calls`). Tokens are counted without a
tokenizer, see `rulemine.llm.estimates`. What a model that is asked once is shown is known, too, and so is for
how many questions it holds a whole proof of the hard answer.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import is_dataclass, replace
from statistics import fmean
from typing import Any, NamedTuple, cast

from rulemine.errors import EndpointError
from rulemine.evaluation.answerers.protocol import Typical
from rulemine.evaluation.answerers.registry import answer, asks_model, find_answerer
from rulemine.evaluation.retrieval import evidence_of, score_retrieved
from rulemine.llm.call import Answer, Ask, Call, Failure, Reply, pack_vector
from rulemine.llm.estimates import OVER, Takes, sent_by, tokens_of
from rulemine.llm.session import Session
from rulemine.release.groups import sample as sample_of
from rulemine.release.reader import Release
from rulemine.release.records import Cost, Prediction

__all__ = ["LISTENED", "Forecast", "forecast"]

LISTENED = 100
"""Questions whose calls are listened to."""

LONGER, GROWN = 2, 10
"""Prompts have at most so many times the tokens of the longest heard: of one call, of several in a row."""

LONGEST = 4096
"""Tokens of a reply whose length a system does not limit."""


class Forecast(NamedTuple):
    """What a system takes; None where it does not declare enough, or nothing was heard.

    Attributes:
        typical: Of a model that follows its instructions.
        worst: With the most calls, the longest prompts and the longest replies.
        proofs: For how many of the first `LISTENED` questions the model is shown a whole proof of the hard
            answer (see `rulemine.evaluation.retrieval`), and how many of them have one; on the last graph.
    """

    typical: Takes | None
    worst: Takes | None
    proofs: tuple[int, int] | None = None


def forecast(
    release: Release,
    system: str,
    graphs: Sequence[str],
    *,
    split: str | None,
    sample: int | None,
    model: str,
    measured: Sequence[Cost] = (),
) -> Forecast:
    """What the answers of a system take; nothing, if it asks no model.

    Args:
        release: The release.
        system: The system, see `find_answerer`.
        graphs: The graphs that it answers from, see `answer`.
        split: Which questions, as in `answer`.
        sample: How many of them, as in `answer`.
        model: The model.
        measured: What its answers cost so far: taken for typical, if there are any.

    Raises:
        ConfigError: See `answer`.
    """
    answerer: Any = find_answerer(system)
    asked = sample_of(release.questions(split), sample)
    if not (graphs and asks_model(answerer)):
        return Forecast(Takes(), Takes())
    listener, predictions = _Listener(), list[Prediction]()
    if getattr(answerer, "url", "") and is_dataclass(answerer):  # its own session would send
        answerer = replace(cast(Any, answerer), url="")
    with suppress(EndpointError):  # it needs replies to go on
        predictions = answer(
            release, answerer, kg=graphs[-1], split=split, model=model, session=cast(Session, listener),
            sample=LISTENED if sample is None else min(sample, LISTENED),
        )  # fmt: skip
    declared: Typical | None = getattr(answerer, "typical", None)
    worst_calls, of_graph = (getattr(answerer, n, None) for n in ("worst_calls", "graph_calls"))
    before = sum(of_graph(len(release.kg(kg))) for kg in graphs) if of_graph else 0
    vectors, count = len(graphs) * listener.embedded, len(graphs) * len(asked)
    heard = [call for calls in listener.heard.values() for call in calls]
    typical = worst = proofs = None
    if worst_calls:
        most = len(graphs) * sum(worst_calls(len(q.anchors)) for q in asked)
        grown = GROWN if worst_calls(1) - bool(of_graph) > 1 else LONGER
        worst = Takes(before + most, None, None)
        if heard:
            longest, replies = (max(column) for column in zip(*heard, strict=True))
            worst = Takes(before + most, vectors + most * grown * longest, most * replies)
        if worst_calls(1) == 1:  # nothing is retrieved after a reply
            proofs = _proofs(release, graphs[-1], predictions)
    a_question = None
    if measured:
        costs = [(one.calls, one.prompt_tokens, one.completion_tokens) for one in measured]
        a_question = [sum(column) / len(costs) for column in zip(*costs, strict=True)]
    elif declared is not None and heard:
        calls, growth, received = declared
        # Options may allow fewer calls.
        part = min(1.0, (worst.calls - before) / max(1.0, count * calls)) if worst else 1.0
        a_call = fmean(fmean(sent for sent, _ in some) for some in listener.heard.values()) / OVER
        a_question = [part * calls, part * calls * growth * a_call, part * received]
    if a_question is not None:
        made, sent, read = (round(count * value) for value in a_question)
        typical = Takes(before + made, round(vectors / OVER) + sent, read)
    return Forecast(typical, worst, proofs)


def _proofs(release: Release, kg: str, predictions: Sequence[Prediction]) -> tuple[int, int] | None:
    """See `Forecast`; None where nothing was retrieved."""
    shown = {one.id: set(one.retrieved) for one in predictions if one.retrieved is not None}
    asked = [q for q in release.questions() if q.id in shown and q.hard_answer is not None]
    each = zip(asked, evidence_of(release, asked, kg, release.naming), strict=True)
    proved = [score_retrieved(shown[q.id], wanted, 0).proof_retrieved for q, wanted in each]
    return (int(sum(proved)), len(proved)) if proved else None


class _Listener:
    """In place of a session: hears what would be asked and says nothing; all texts have one embedding.

    Attributes:
        heard: Purpose of calls → the tokens that each sends, and the most that it may receive.
        embedded: Tokens of the texts to embed.
    """

    batch = ""

    def __init__(self) -> None:
        self.heard: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.embedded = 0

    def run(
        self, works: Sequence[Callable[[Ask], Awaitable[Any]]], progress: object = None
    ) -> list[Any]:
        """What conversations come to; the first problem ends all of them."""

        async def every() -> list[Any]:
            return list(await asyncio.gather(*(work(self._ask) for work in works)))

        return asyncio.run(every())

    def seconds(self, key: str) -> float:
        """How long a call took: no time."""
        return 0.0

    async def _ask(self, call: Call) -> Answer:
        if call.inputs:
            self.embedded += sum(map(tokens_of, call.inputs))
            return Reply("", vectors=[pack_vector([1.0])] * len(call.inputs))
        self.heard[call.purpose].append((sent_by(call), call.max_tokens or LONGEST))
        return Failure("not_asked", "", lasting=False)
