"""Answerers by name, and answering the questions of a release with one.

Names are this package's, and those that other packages give as entry points in the group
``rulemine.answerers`` (see ``docs/extending.md``). Guarantees: an answerer is not given the answers;
predictions are sorted by question; the names of an answer without an order are in one that is the same in
every naming.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from rulemine.cypher.rows import row_text
from rulemine.errors import ConfigError, QueryError, counted, did_you_mean
from rulemine.evaluation.answerers.protocol import Answered, Answerer, Context, OpenQuestion
from rulemine.evaluation.predictions import NEEDS
from rulemine.kg.property_graph.simplekg import read_simplekg
from rulemine.kinds.registry import kind_named
from rulemine.llm.call import more_tokens
from rulemine.llm.options import EndpointOptions
from rulemine.llm.session import Session
from rulemine.registry import Registry
from rulemine.release.groups import sample as sample_of
from rulemine.release.guessing import order_of_names
from rulemine.release.proof_triples import removals_under
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Cost, Prediction, Question
from rulemine.seeds import check_seed

__all__ = [
    "ANSWERERS",
    "JOURNAL",
    "answer",
    "asks_model",
    "blaming",
    "checked",
    "find_answerer",
    "more_room",
    "needs_of",
    "run_of",
    "without_limits",
]

ANSWERERS: Registry[Callable[..., Answerer]] = Registry(
    "rulemine.answerers",
    "answerer",
    Callable,  # type: ignore[arg-type]  # an abstract class, as far as isinstance goes
    {
        "lookup": "rulemine.evaluation.answerers.model_free.simple:Lookup",
        "neighbors": "rulemine.evaluation.answerers.model_free.simple:NeighborAnswers",
        "reasoner": "rulemine.evaluation.answerers.model_free.simple:Reasoner",
        "prior": "rulemine.evaluation.answerers.model_free.simple:Prior",
        "nearest": "rulemine.evaluation.answerers.model_free.simple:Nearest",
        "rules": "rulemine.evaluation.answerers.model_free.links:MinedRules",
        "random": "rulemine.evaluation.answerers.model_free.simple:RandomEntity",
        "command": "rulemine.evaluation.answerers.command:Command",
        "closed-book": "rulemine.evaluation.answerers.prompted:ClosedBook",
        "chain-of-thought": "rulemine.evaluation.answerers.prompted:ChainOfThought",
        "self-consistency": "rulemine.evaluation.answerers.prompted:SelfConsistency",
        "k-hop": "rulemine.evaluation.answerers.retrieval:KHop",
        "bm25": "rulemine.evaluation.answerers.retrieval:NearestTriples",
        "ppr": "rulemine.evaluation.answerers.retrieval:PersonalizedPageRank",
        "dense": "rulemine.evaluation.answerers.retrieval:Dense",
        "g-retriever": "rulemine.evaluation.answerers.retrieval:ConnectedSubgraph",
        "paths": "rulemine.evaluation.answerers.paths:Paths",
        "think-on-graph": "rulemine.evaluation.answerers.agents.think_on_graph:ThinkOnGraph",
        "plan-on-graph": "rulemine.evaluation.answerers.agents.plan_on_graph:PlanOnGraph",
        "struct-gpt": "rulemine.evaluation.answerers.agents.struct_gpt:StructGPT",
        "generate-on-graph": "rulemine.evaluation.answerers.agents.generate_on_graph:GenerateOnGraph",
        "tools": "rulemine.evaluation.answerers.agents.tools:ToolAgent",
        "embeddings": "rulemine.evaluation.answerers.model_free.embeddings:Embeddings",
        "text-to-sparql": "rulemine.evaluation.answerers.text_to_query:TextToSparql",
        "trained-retriever": "rulemine.evaluation.answerers.trained.retriever:TrainedRetriever",
        "text-to-cypher": "rulemine.evaluation.answerers.text_to_query:TextToCypher",
        "gold-cypher": "rulemine.evaluation.answerers.model_free.simple:GoldCypher",
    },
)
"""Name → what makes the answerer. Its keyword parameters, or its fields, are its options."""

ON_PROPERTY_GRAPHS = ("text-to-cypher", "gold-cypher", "reasoner", "prior", "command")
"""The answerers that give rows, or Cypher."""

JOURNAL = "calls.sqlite"
"""The journal of calls, in the working folder."""

_LIMIT = r":{}=[0-9_]+(?=:|$)"
"""How an option is written that limits the tokens of a reply."""


def find_answerer(written: str) -> Answerer:
    """The answerer that a text such as ``neighbors:hops=2`` names.

    Args:
        written: Its name, and options as ``:key=value``, the values as for ``--set``; what holds a colon or a
            comma is put in double quotes.

    Raises:
        ConfigError: There is no such answerer, it has no such option, or a value is out of range.
    """
    made = ANSWERERS.made(written, "neighbors:hops=2", "docs/answerers.md lists the options.")
    return cast(Answerer, made)


def needs_of(answerer: object) -> list[str]:
    """What an answerer must be given beyond what every system is, of `NEEDS`.

    Raises:
        ConfigError: It names something else.
    """
    named: Collection[str] = getattr(answerer, "needs", ())
    for need in named:
        if need not in NEEDS:
            raise ConfigError(
                f"{type(answerer).__name__}.needs: {need!r}; {did_you_mean(need, NEEDS)}"
            )
    return [need for need in NEEDS if need in named]


def asks_model(answerer: object) -> bool:
    """Whether an answerer asks a model."""
    return bool(getattr(answerer, "uses_model", False))


def without_limits(written: str) -> str:
    """An answerer as it was written, but for limits of replies: with others it goes on where it was.

    >>> without_limits("bm25:k=5:max_tokens=24")
    'bm25:k=5'
    """
    return re.sub(_LIMIT.format(r"\w+_tokens"), "", written)


def more_room(written: str, options: Collection[str]) -> str:
    """An answerer as it was written, but with more room for replies that were cut off.

    Args:
        written: See `find_answerer`.
        options: Those of its options that limit these replies.

    >>> more_room("bm25:max_tokens=2000:k=5", ["max_tokens"])
    'bm25:k=5:max_tokens=8000'
    >>> more_room("lookup", ["max_tokens"])
    'a larger max_tokens in lookup'
    """
    answerer = find_answerer(written)
    for option in options:
        limit = getattr(answerer, option, None)
        if limit is None:  # of another package, and not an option
            return f"a larger {option} in {written}"
        written = f"{re.sub(_LIMIT.format(option), '', written)}:{option}={more_tokens(limit)}"
    return written


def check_kind(answerer: object, name: str, kind: str) -> None:
    """Checks that an answerer answers questions of a kind.

    Raises:
        ConfigError: It does not.
    """
    kinds: Collection[str] | None = getattr(answerer, "kinds", None)
    form = kind_named(kind).answers.form
    if kind in kinds if kinds is not None else form in getattr(answerer, "answers", ("entities",)):
        return
    if form == "rows":
        others = ", ".join(ON_PROPERTY_GRAPHS)
        found = (
            f"names entities, but the questions, of the kind {kind!r}, ask for rows. Take {others}"
        )
    else:
        wanted = "that ask for rows" if kinds is None else f"of the kind {', '.join(kinds)}"
        found = f"answers questions {wanted}, and these are of the kind {kind!r}"
    raise ConfigError(f"answerer {name!r} {found}.")


def answer(
    release: Release,
    with_: str | Answerer = "lookup",
    *,
    kg: str = "incomplete",
    split: str | None = "test",
    sample: int | None = None,
    seed: int = 0,
    model: str = "",
    endpoint: EndpointOptions | None = None,
    session: Session | None = None,
    folder: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    note: Callable[[str], None] = lambda text: None,
    unanswered: Callable[[str], object] = lambda key: None,
) -> list[Prediction]:
    """Predictions of an answerer.

    Args:
        release: The release.
        with_: A name of `ANSWERERS`, maybe with options (see `find_answerer`), or an answerer of your own.
        kg: The graph that it may see: ``complete``, ``incomplete`` or ``incomplete-LEVEL``, any percentage of
            the removal.
        split: The split to answer; None for all.
        sample: How many of its questions, see `rulemine.release.groups`; None for all.
        seed: For answerers that draw, ≥ 0.
        model: The model to ask, for answerers that ask one.
        endpoint: Where it is; unless there is a session.
        session: Where it is asked; None: one is opened with a journal in `folder`.
        folder: A folder that lasts from run to run, for the journal and what else an answerer keeps.
        progress: Called with what is done and all there is to do.
        note: Called with sentences for the user.
        unanswered: Called with the id of each question that is to be asked again: a program ended, or a call
            failed. Its prediction is what was found without.

    Returns:
        A prediction for each question, sorted by id, in the naming of the release. The answers of a list
        are in its order, those of a set by private id, so that the first is the same in every naming.

    Raises:
        ConfigError: There is no such answerer or split, it does not answer questions of this kind, an option
            is out of range, a model is missing, or the answerer of another package failed.
        ReleaseError: The release has no such graph, or a file is missing or was edited.
        NoReplyError: The last replies about the first questions were all cut off, or all calls refused.
        EndpointError: The endpoint cannot be used.
        LimitError: The budget of tokens is spent; every reply is kept.
    """
    answerer = checked(release, with_, split, seed)
    needs, name = needs_of(answerer), _label(with_)
    if asks_model(answerer) and not model:
        raise ConfigError(
            f"answerer {name!r} asks a model: --model NAME --set endpoint.base_url=URL."
        )
    questions = sample_of(release.questions(split), sample)
    some = [q for q in questions if q.query or "query" not in needs]
    if without := len(questions) - len(some):
        if not some:
            raise ConfigError(
                f"{release.path}: no question has a query that the answerer could execute. Take another."
            )
        note(f"{counted(without, 'question')} without a query: not answered")
    known = release.questions() if "train" in needs else ()
    train = tuple(q for q in known if q.split not in ("test", split))
    with ExitStack() as opened:
        if asks_model(answerer) and session is None:
            if folder is None:
                raise ConfigError(
                    "folder is None; an answerer that asks a model needs one to keep replies in."
                )
            session = opened.enter_context(
                Session(endpoint or EndpointOptions(), folder / JOURNAL, note)
            )
        own_room = getattr(with_, "room", Context.room)
        given = Context(
            kg=release.kg(kg),
            graph=release.property_graph(kg) if release.has_property_graph else None,
            declarations=release.templates().declarations,
            order=order_of_names(release.entities, release.naming),
            seed=seed,
            folder=folder,
            rules=release.rules() if "rules" in needs else (),
            train=train,
            removals=removals_under(train, release.removals()) if train else (),
            model=model,
            session=session,
            naming=release.naming,
            progress=progress,
            note=note,
            room=partial(more_room, with_) if isinstance(with_, str) else own_room,
        )
        with blaming(release, with_):
            found = _found(answerer, given, release, some, needs)
            full = [(key, one) for key, one in found.items() if isinstance(one, Answered)]
            for key, one in full:
                if one.again:
                    unanswered(key)
            cut = [one.cut_off for _, one in full if one.cut_off]
            if cut:
                replies = Counter(option for options in cut for option in options)
                note(
                    f"{counted(replies.total(), 'reply', 'replies')} cut off, to {len(cut):,} of "
                    f"{counted(len(questions), 'question')}. Give the model more room: "
                    f"{given.room(sorted(replies))}."
                )
            return [_prediction(q.id, found.get(q.id, ()), given) for q in questions]


def _found(
    answerer: Answerer, given: Context, release: Release, questions: Sequence[Question],
    needs: Collection[str],
) -> dict[str, Any]:  # fmt: skip
    """What an answerer finds, by id, in order; of several property graphs it is asked one after the other.

    Raises:
        ValueError: It gave more or fewer sets of answers than it was asked questions.
    """
    found: dict[str, Any] = {}
    files = {q.id: release.graph_of(q)[1] for q in questions}
    for file in dict.fromkeys(files.values()):
        asked = [
            OpenQuestion(q.id, q.question, q.anchors, q.query if "query" in needs else "")
            for q in questions
            if files[q.id] == file
        ]
        graph = read_simplekg(Path(file)) if file else given.graph
        told = list(answerer(replace(given, graph=graph), asked))
        if len(told) != len(asked):
            raise ValueError(f"it gave {len(told)} sets of answers to {len(asked)} questions")
        found.update(zip((one.id for one in asked), told, strict=True))
    return {key: found[key] for key in files}


def _prediction(
    key: str, found: Answered | Collection[int] | Collection[str], given: Context
) -> Prediction:
    """What was found for the question of an id, as a record.

    Raises:
        ValueError: An id is none of an entity, or an `Answered` has not one form of answers.
    """
    if not isinstance(found, Answered):
        return Prediction(key, answers=_names(found, given))
    forms = found.answers, found.text, found.sparql, found.cypher, found.rows
    if sum(form is not None for form in forms) != 1:
        raise ValueError(
            f"it found {forms} for {key}; one of answers, text, sparql, cypher and rows was expected"
        )
    cost = Cost(found.calls, found.prompt_tokens, found.completion_tokens, found.seconds)
    return Prediction(
        key,
        raw_output=found.text,
        answers=None if found.answers is None else _names(found.answers, given),
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


def _names(found: Collection[int] | Collection[str], given: Context) -> tuple[str, ...]:
    """Answers as names; what has no order by private id, other names last."""
    names, order = given.kg.entities, given.order
    wrong = [i for i in found if not isinstance(i, str) and not 0 <= i < len(names)]
    if wrong:
        raise ValueError(f"{wrong[0]} is no entity id; the graph has {len(names)} entities")
    named = dict.fromkeys(i if isinstance(i, str) else names[i] for i in found)
    if isinstance(found, Set):
        named = dict.fromkeys(sorted(named, key=lambda name: (order.get(name, len(order)), name)))
    return tuple(named)


def checked(release: Release, with_: str | Answerer, split: str | None, seed: int) -> Answerer:
    """An answerer that can be asked the questions of a release; the arguments are those of `answer`.

    Raises:
        ConfigError: There is no such answerer or split, or it does not answer questions of this kind.
        ReleaseError: It needs rules, and the release has none.
    """
    if split is not None and split not in SPLITS:
        raise ConfigError(f"no split {split!r}; {did_you_mean(split, [*SPLITS, 'all'])}")
    check_seed(seed)
    answerer = find_answerer(with_) if isinstance(with_, str) else with_
    check_kind(answerer, _label(with_), release.kind)
    if "rules" in needs_of(answerer):
        release.expect_certificates(f"answerer {_label(with_)!r}")
    return answerer


@contextmanager
def blaming(release: Release, with_: str | Answerer) -> Iterator[None]:
    """Wraps code that calls an answerer, so that errors say whose they are.

    Raises:
        ConfigError: The answerer of another package failed.
        ReleaseError: It reads queries as this package writes them, and those of the release are others'.
    """
    with ANSWERERS.blaming(with_.partition(":")[0] if isinstance(with_, str) else with_):
        try:
            yield
        except QueryError:
            name = _label(with_)
            release.expect_certificates(f"answerer {name!r}, which reads patterns of queries,")
            raise


def _label(with_: str | Answerer) -> str:
    return with_ if isinstance(with_, str) else type(with_).__name__


def run_of(
    release: Release,
    name: str,
    *,
    kg: str,
    split: str | None,
    sample: int | None,
    seed: int,
    model: str = "",
) -> dict[str, Any]:
    """What the first line of a prediction file says, see `rulemine.evaluation.predictions`.

    The arguments are those of `answer`; what they do not affect is None.
    """
    answerer = find_answerer(name)
    return {
        "release": release.identity,
        "name": release.name,
        "naming": release.naming,
        "system": name,
        "needs": needs_of(answerer),
        "kg": kg,
        "split": split or "all",
        "sample": sample,
        "seed": seed,
        "model": model if asks_model(answerer) else None,
    }
