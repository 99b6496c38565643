"""Answerers by name, and answering the questions of a release with one.

Names are this package's, and those that other packages give as entry points in the group
``rulemine.answerers`` (see ``docs/extending.md``). Guarantees: an answerer is not given the answers;
predictions are sorted by question.
"""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from typing import Any, NamedTuple, Protocol

from rulemine.errors import ConfigError, did_you_mean
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.templates import Templates
from rulemine.registry import Registry
from rulemine.release.guessing import order_of_names
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Prediction
from rulemine.seeds import check_seed

__all__ = ["ANSWERERS", "Answerer", "OpenQuestion", "answer", "given"]


class OpenQuestion(NamedTuple):
    """What an answerer is given of a question: nothing that depends on its answers.

    Attributes:
        id: Its id.
        question: Its text.
        anchors: The topic entities, in the naming of the release, sorted.
        query: What is asked, as one line; `rulemine.query.parse` reads it.
    """

    id: str
    question: str
    anchors: tuple[str, ...]
    query: str


class Answerer(Protocol):
    """Anything that answers questions from a graph."""

    def __call__(
        self, kg: KnowledgeGraph, questions: Sequence[OpenQuestion]
    ) -> Sequence[Collection[int]] | Sequence[Collection[str]]:
        """The answers to each question, as ids of the graph or as names; a list has the best first."""
        ...


ANSWERERS: Registry[Callable[..., Answerer]] = Registry(
    "rulemine.answerers",
    "answerer",
    Callable,  # type: ignore[arg-type]  # an abstract class, as far as isinstance goes
    {
        "lookup": "rulemine.evaluation.answerers.model_free:Lookup",
        "neighbors": "rulemine.evaluation.answerers.model_free:Neighbors",
        "reasoner": "rulemine.evaluation.answerers.model_free:Reasoner",
        "prior": "rulemine.evaluation.answerers.model_free:Prior",
        "random": "rulemine.evaluation.answerers.model_free:RandomEntity",
    },
)
"""Name → what makes the answerer. It says by the names of its parameters what it is to be given:
``rules`` (those of the release), ``train`` (its training questions, answers and all), ``declarations`` (which
relations state the same facts), ``order`` (entity → its place in the same order for every naming), ``hops``,
``k``, ``seed``, ``progress``."""

BESIDE_THE_GRAPH = {"rules": "the rules of the release", "train": "the training questions"}
"""Parameter → what an answerer with it knows that a system need not know."""


def answer(
    release: Release,
    with_: str | Answerer = "lookup",
    *,
    kg: str = "incomplete",
    split: str | None = "test",
    seed: int = 0,
    hops: int = 1,
    k: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Prediction]:
    """Predictions of an answerer.

    Args:
        release: The release.
        with_: A name of `ANSWERERS`, or an answerer of your own.
        kg: The graph that it may see: ``complete``, ``incomplete`` or ``incomplete-<level>``.
        split: The split to answer; None for all.
        seed: For answerers that draw (``random``), ≥ 0.
        hops: For answerers that walk (``neighbors``): how far, ≥ 1.
        k: For answerers that guess (``prior``): how many answers, ≥ 1.
        progress: For answerers that take long (``reasoner``): called with steps done and all steps.

    Returns:
        A prediction for each question, sorted by id, in the naming of the release. The answers of a list
        are in its order, those of a set by private id, so that the first is the same in every naming.

    Raises:
        ConfigError: There is no such answerer or split, `hops`, `k` or `seed` is out of range, or the
            answerer of another package failed.
        ReleaseError: The release has no such graph, or a file is missing or was edited.
    """
    if split is not None and split not in SPLITS:
        raise ConfigError(f"no split {split!r}; {did_you_mean(split, SPLITS)}")
    check_seed(seed)
    for name, value in (("hops", hops), ("k", k)):
        if value < 1:
            raise ConfigError(f"{name} is {value}; expected a whole number, 1 or more.")
    graph = release.kg(kg)
    questions = release.questions(split)
    with ANSWERERS.blaming(with_):
        options = {"hops": hops, "k": k, "seed": seed, "progress": progress}
        answerer = _make(with_, release, options) if isinstance(with_, str) else with_
        asked = [OpenQuestion(q.id, q.question, q.anchors, q.query) for q in questions]
        found = answerer(graph, asked)
        names = _names(
            found, len(questions), graph, order_of_names(release.entities, release.naming)
        )
    return [
        Prediction(question.id, answers=answers)
        for question, answers in zip(questions, names, strict=True)
    ]


def given(name: str) -> list[str]:
    """What a named answerer is given of the release beside questions and graph, in words."""
    wanted = inspect.signature(ANSWERERS.find(name)).parameters
    return [words for key, words in BESIDE_THE_GRAPH.items() if key in wanted]


def _make(name: str, release: Release, options: dict[str, Any]) -> Answerer:
    """An answerer, given what its parameters name."""
    make = ANSWERERS.find(name)
    wanted = inspect.signature(make).parameters
    of_release: dict[str, Callable[[], Any]] = {
        "rules": release.rules,
        "train": lambda: release.questions("train"),
        "declarations": lambda: Templates.from_plain(release.relations().values()).declarations,
        "order": lambda: order_of_names(release.entities, release.naming),
    }
    options = options | {key: value() for key, value in of_release.items() if key in wanted}
    return make(**{key: value for key, value in options.items() if key in wanted})


def _names(
    found: Sequence[Collection[int]] | Sequence[Collection[str]],
    questions: int,
    kg: KnowledgeGraph,
    order: Mapping[str, int],
) -> list[tuple[str, ...]]:
    """What an answerer found, as names; what has no order in the order given, other names last."""
    if len(found) != questions:
        raise ValueError(f"it gave {len(found)} sets of answers to {questions} questions")
    names = kg.entities
    named: list[tuple[str, ...]] = []
    for answers in found:
        for i in answers:
            if not isinstance(i, str) and not 0 <= i < len(names):
                raise ValueError(f"{i} is no entity id; the graph has {len(names)} entities")
        told = dict.fromkeys(i if isinstance(i, str) else names[i] for i in answers)
        if isinstance(answers, Set):
            told = dict.fromkeys(sorted(told, key=lambda name: (order.get(name, len(order)), name)))
        named.append(tuple(told))
    return named
