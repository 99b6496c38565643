"""What an answerer is asked and given of a release, and predictions of what it finds.

Guarantees: an answerer is not given the answers; the names of an answer without an order are in one that is
the same in every naming.
"""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rulemine.cypher.rows import row_text
from rulemine.errors import ConfigError, counted
from rulemine.evaluation.answerers.protocol import Answered, Answerer, Context, OpenQuestion
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.simplekg import read_simplekg
from rulemine.release.groups import sample as sample_of
from rulemine.release.guessing import order_of_names
from rulemine.release.proof_triples import removals_under
from rulemine.release.reader import Release
from rulemine.release.records import Cost, Prediction, Question

__all__ = ["AskedQuestions", "prediction", "questions_with_what_is_needed"]


@dataclass(frozen=True)
class AskedQuestions:
    """Questions of a release, as an answerer is asked them.

    Attributes:
        questions: The questions, sorted by id.
        opened: What an answerer is given of each.
        files: For each, the file of the property graph that it is about, where there are several; else None.
        given: What an answerer is given beside them.
    """

    questions: tuple[Question, ...]
    opened: tuple[OpenQuestion, ...]
    files: tuple[str | None, ...]
    given: Context

    @classmethod
    def of(
        cls,
        release: Release,
        needs: Collection[str],
        *,
        kg: str,
        split: str | None,
        sample: int | None,
        **given: Any,
    ) -> "AskedQuestions":
        """Reads questions, and what is given beside them.

        Args:
            release: The release.
            needs: What the answerer needs, of `rulemine.evaluation.predictions.NEEDS`.
            kg: The graph that it may see: see `rulemine.evaluation.answerers.registry.answer`.
            split: The split; None for all.
            sample: How many of its questions; None for all.
            **given: What else a `Context` has that is not read from the release.

        Raises:
            ReleaseError: The release has no such graph, or a file is missing or was edited.
        """
        questions = tuple(sample_of(release.questions(split), sample))
        query = "query" in needs
        opened = (
            OpenQuestion(q.id, q.question, q.anchors, q.query if query else "") for q in questions
        )
        known = release.questions() if "train" in needs else ()
        train = tuple(q for q in known if q.split not in ("test", split))
        context = Context(
            kg=release.kg(kg),
            graph=release.property_graph(kg) if release.has_property_graph else None,
            declarations=release.templates().declarations,
            order=order_of_names(release.entities, release.naming),
            rules=release.rules() if "rules" in needs else (),
            train=train,
            removals=removals_under(train, release.removals()) if train else (),
            naming=release.naming,
            **given,
        )
        files = tuple(release.graph_of(question)[1] for question in questions)
        return cls(questions, tuple(opened), files, context)

    def found(self, answerer: Answerer, given: Context, asked: Sequence[int]) -> list[Any]:
        """What an answerer finds for some questions.

        Where they are about several property graphs, it is called for one after the other.

        Args:
            answerer: The answerer.
            given: What it is given: `given`, maybe with more.
            asked: The positions of the questions.

        Raises:
            ValueError: It gave more or fewer sets of answers than it was asked questions.
        """
        found: dict[int, Any] = {}
        for file in dict.fromkeys(self.files[at] for at in asked):
            own = [at for at in asked if self.files[at] == file]
            graph = read_simplekg(Path(file)) if file else given.graph
            told = list(answerer(replace(given, graph=graph), [self.opened[at] for at in own]))
            if len(told) != len(own):
                raise ValueError(f"it gave {len(told)} sets of answers to {len(own)} questions")
            found.update(zip(own, told, strict=True))
        return [found[at] for at in asked]


def questions_with_what_is_needed(
    release: Release,
    questions: Sequence[Question],
    needs: Collection[str],
    note: Callable[[str], None],
) -> list[int]:
    """The positions of the questions that can be asked: all, or where a query is needed those with one.

    Raises:
        ConfigError: No question has one.
    """
    some = [at for at, q in enumerate(questions) if q.query or "query" not in needs]
    without = len(questions) - len(some)
    if without and not some:
        raise ConfigError(
            f"{release.path}: no question has a query that the answerer could execute. Take another."
        )
    if without:
        note(f"{counted(without, 'question')} without a query: not answered")
    return some


def prediction(
    key: str,
    found: Answered | Collection[int] | Collection[str],
    kg: KnowledgeGraph,
    order: Mapping[str, int],
) -> Prediction:
    """What was found for a question, as a record.

    Args:
        key: The id of the question.
        found: What was found.
        kg: The graph whose entities ids mean.
        order: Entity → its place by private id.

    Raises:
        ValueError: An id is none of an entity, or an `Answered` has not one form of answers.
    """
    if not isinstance(found, Answered):
        return Prediction(key, answers=_names(found, kg, order))
    forms = found.answers, found.text, found.sparql, found.cypher, found.rows
    if sum(form is not None for form in forms) != 1:
        raise ValueError(
            f"it found {forms} for {key}; one of answers, text, sparql, cypher and rows was expected"
        )
    cost = Cost(found.calls, found.prompt_tokens, found.completion_tokens, found.seconds)
    return Prediction(
        key,
        raw_output=found.text,
        answers=None if found.answers is None else _names(found.answers, kg, order),
        cypher=found.cypher,
        sparql=found.sparql,
        rows=None if found.rows is None else tuple(map(row_text, found.rows)),
        retrieved=None if found.retrieved is None else tuple(dict.fromkeys(found.retrieved)),
        generated=tuple(dict.fromkeys(found.generated)),
        ranking=None if found.ranking is None else tuple((n, float(s)) for n, s in found.ranking),
        cost=cost if found.calls or found.seconds is not None else None,
        cut_off=found.cut_off,
        failed=found.failed,
    )


def _names(
    found: Collection[int] | Collection[str], kg: KnowledgeGraph, order: Mapping[str, int]
) -> tuple[str, ...]:
    """Answers as names; what has no order in the order given, other names last."""
    names = kg.entities
    wrong = [i for i in found if not isinstance(i, str) and not 0 <= i < len(names)]
    if wrong:
        raise ValueError(f"{wrong[0]} is no entity id; the graph has {len(names)} entities")
    named = dict.fromkeys(i if isinstance(i, str) else names[i] for i in found)
    if isinstance(found, Set):
        named = dict.fromkeys(sorted(named, key=lambda name: (order.get(name, len(order)), name)))
    return tuple(named)
