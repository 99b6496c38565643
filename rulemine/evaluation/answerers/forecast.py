"""What a system takes that asks a model, before the model is asked: typically, and at most.

What the system is about to send for the first questions is listened to and not sent. Calls and replies are
those that each system declares (`Typical`, `worst_calls`, `graph_calls`). Tokens are counted without a
tokenizer, see `rulemine.llm.estimates`. What a model that is asked once is shown is known, too, and so is for
how many questions it holds a whole proof of the hard answer.
"""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import is_dataclass, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rulemine.errors import EndpointError
from rulemine.evaluation.answerers.protocol import Answerer, Typical
from rulemine.evaluation.answerers.registry import JOURNAL, answer, asks_model, find_answerer
from rulemine.evaluation.retrieval import evidence_of, score_retrieved
from rulemine.llm.call import Answer, Call, Failure, Reply, pack_vector
from rulemine.llm.estimates import OVER, Takes, sent_by, tokens_of
from rulemine.llm.options import EndpointOptions
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
    answerer, asked = find_answerer(system), sample_of(release.questions(split), sample)
    if not (graphs and asks_model(answerer)):
        return Forecast(Takes(), Takes())
    heard, embedded, predictions = _heard(release, system, graphs[-1], split, sample, model)
    declared: Typical | None = getattr(answerer, "typical", None)
    worst_calls, of_graph = (getattr(answerer, n, None) for n in ("worst_calls", "graph_calls"))
    before = sum(of_graph(len(release.kg(kg))) for kg in graphs) if of_graph else 0
    vectors = len(graphs) * embedded
    typical = worst = None
    if worst_calls:
        most = len(graphs) * sum(worst_calls(len(q.anchors)) for q in asked)
        prompts = [sent for some in heard.values() for sent, _ in some]
        if prompts:
            grown = GROWN if worst_calls(1) - bool(of_graph) > 1 else LONGER
            replies = max(limit or LONGEST for some in heard.values() for _, limit in some)
            worst = Takes(before + most, vectors + most * grown * max(prompts), most * replies)
        else:
            worst = Takes(before + most, None, None)
    count = len(graphs) * len(asked)
    a_question = None
    if measured:
        each = zip(
            *((c.calls, c.prompt_tokens, c.completion_tokens) for c in measured), strict=True
        )
        a_question = [sum(column) / len(measured) for column in each]
    elif declared is not None and heard:
        part = 1.0  # of the calls, where options allow no more
        if worst is not None:
            part = min(1.0, (worst.calls - before) / max(1.0, count * declared.calls))
        a_call = fmean(fmean(sent for sent, _ in some) for some in heard.values()) / OVER
        calls = part * declared.calls
        a_question = [calls, calls * declared.growth * a_call, part * declared.received]
    if a_question is not None:
        calls, sent, received = (round(count * value) for value in a_question)
        typical = Takes(before + calls, round(vectors / OVER) + sent, received)
    proofs = None
    if worst_calls and worst_calls(1) == 1:  # nothing is retrieved after a reply
        proofs = _proofs(release, graphs[-1], predictions)
    return Forecast(typical, worst, proofs)


def _proofs(release: Release, kg: str, predictions: Sequence[Prediction]) -> tuple[int, int] | None:
    """See `Forecast`; None where nothing was retrieved."""
    shown = {one.id: set(one.retrieved) for one in predictions if one.retrieved is not None}
    asked = [q for q in release.questions() if q.id in shown and q.hard_answer is not None]
    if not asked:
        return None
    wanted = evidence_of(release, asked, kg, release.naming)
    proved = [
        score_retrieved(shown[q.id], w, 0).proof_retrieved
        for q, w in zip(asked, wanted, strict=True)
    ]
    return int(sum(proved)), len(proved)


Heard = dict[str, list[tuple[int, int | None]]]
"""Purpose of calls → the tokens that each sends, and the most that it may receive."""


class _Listener(Session):
    """A session that hears what would be asked; it says nothing, and all texts have one embedding."""

    def __init__(self, folder: Path) -> None:
        super().__init__(EndpointOptions(), folder / JOURNAL)
        self.heard: Heard = defaultdict(list)
        self.embedded = 0

    async def _ask(self, call: Call, place: EndpointOptions | None = None) -> Answer:
        if call.inputs:
            self.embedded += sum(map(tokens_of, call.inputs))
            return Reply("", vectors=[pack_vector([1.0])] * len(call.inputs))
        self.heard[call.purpose].append((sent_by(call), call.max_tokens))
        return Failure("not_asked", "", lasting=False)


def _heard(
    release: Release, system: str, kg: str, split: str | None, sample: int | None, model: str
) -> tuple[Heard, int, Sequence[Prediction]]:
    """The calls of a run about its first questions, the tokens of the texts to embed, and the predictions."""
    answerer: str | Answerer = system
    if getattr(found := find_answerer(system), "url", "") and is_dataclass(found):
        answerer = replace(found, url="")  # its own session would send
    predictions: Sequence[Prediction] = ()
    with TemporaryDirectory() as folder, _Listener(Path(folder)) as listener:
        with suppress(EndpointError):  # it needs replies to go on
            first = LISTENED if sample is None else min(sample, LISTENED)
            predictions = answer(
                release, answerer, kg=kg, split=split, sample=first, model=model, session=listener,
                folder=Path(folder),
            )  # fmt: skip
        return listener.heard, listener.embedded, predictions
