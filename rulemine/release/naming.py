"""The namings of a release: converts records from any naming to any other.

Inside the builder entities have their source labels; names change only when a release is written or
renamed. Guarantees: each naming is one-to-one; private ids have a fixed width and depend only on the
seed and the set of entities; the naming affects no draw, no check, and no question: the text of a question
is its pattern (a model's), or its relation's template, with the name of the topic entity filled in.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from rulemine.errors import ConfigError, ReleaseError, did_you_mean
from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.kg.graph import Triple
from rulemine.kinds.registry import KINDS, is_built, kind_named
from rulemine.phrasing.templates import Templates
from rulemine.release.reader import Release
from rulemine.release.records import Question, Rejection, topic_values
from rulemine.seeds import stream
from rulemine.text.articles import in_sentence
from rulemine.text.template import fill

__all__ = ["HIDING", "Namer", "check_hiding", "name_entities", "questions_in"]

HIDING = ("private", "numeric")
"""The namings that do not show what entities are called."""

_R = TypeVar("_R")

PRIVATE_DIGITS = 5
"""Minimum number of digits of a private id; more than 100,000 entities take more."""


def name_entities(
    entities: Sequence[str],
    *,
    seed: int,
    labels: Mapping[str, str] | None = None,
    aliases: Mapping[str, tuple[str, ...]] | None = None,
    further: Sequence[str] = (),
) -> tuple[EntityNames, ...]:
    """The names of all entities of a release.

    Args:
        entities: The entities of the complete KG, sorted, each once.
        seed: The seed of the build.
        labels: Entity → text label; an entity without one is its own label.
        aliases: Entity → other texts that stand for it.
        further: Entities that only the reference KG adds as answers, sorted; their private ids come
            after those of the KG, which therefore do not depend on them.

    Returns:
        Names sorted by private id. A text label shared by several entities gets `` (entity)`` appended
        until it is unique; of an IRI the last part, if that is enough.
    """
    everyone = (*entities, *further)
    first = stream(seed, "names").permutation(len(entities)).tolist()
    then = stream(seed, "names", "reference").permutation(len(further)).tolist()
    numbers = [*first, *(len(entities) + n for n in then)]
    width = max(PRIVATE_DIGITS, len(str(max(0, len(everyone) - 1))))
    texts = _unique_texts(sorted(everyone), labels or {})
    rows = [
        EntityNames(f"e{number:0{width}d}", entity, texts[entity], (aliases or {}).get(entity, ()))
        for number, entity in zip(numbers, everyone, strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: row.private))


def _unique_texts(entities: Sequence[str], labels: Mapping[str, str]) -> dict[str, str]:
    wanted = {entity: labels.get(entity, entity) for entity in entities}
    owners = Counter(wanted.values())
    taken = set(owners)
    for entity in entities:
        if owners[wanted[entity]] == 1:
            continue
        text = wanted[entity]
        short = f"{text} ({re.split('[/#]', entity.rstrip('/#'))[-1]})"  # of an IRI its last part
        text = short if "://" in entity and short not in taken else text
        while text in taken:
            text = f"{text} ({entity})"
        taken.add(text)
        wanted[entity] = text
    return wanted


class Namer:
    """Converts records from one naming to another.

    Args:
        names: The names of all entities that occur.
        templates: The templates of all relations; the texts of questions are made again from them.
        to: The target naming, see `rulemine.release.records.NAMINGS`.
        source: The naming of the records; inside the builder, source labels.
    """

    def __init__(
        self,
        names: Iterable[EntityNames],
        templates: Templates,
        to: str,
        *,
        source: str = "entity",
    ) -> None:
        rows = tuple(names)
        self.names = {row.name_in(source): row.name_in(to) for row in rows}
        self.private = {row.name_in(source): row.private for row in rows}
        self.templates = templates
        self.articles = to == "text"
        self._ways: _Ways = {"entity": self.names.__getitem__}

    def triples(self, triples: Iterable[Triple]) -> tuple[Triple, ...]:
        """The triples with their entities renamed, in the order given."""
        return tuple((self.names[s], r, self.names[o]) for s, r, o in triples)

    def question(self, question: Question) -> Question:
        """The question renamed, with its text and query made again; lists are sorted by the new names.

        One of a kind that is not installed stays as it is.

        Raises:
            ReleaseError: A witness is no derivation by its query.
        """
        if question.kind not in KINDS:
            return question
        kind = kind_named(question.kind)
        named = kind.answers(question, self.names)
        ways = {**self._ways, **named.ways}
        made: Question = _renamed(question, {**ways, "query": lambda _: named.query})
        asked_for, removed = question.hard_answer, question.removed
        derived = question.answers if asked_for is None else [asked_for]
        try:
            witnesses = {
                named.answer(row.answer): named.witness(row.witness, [row.answer])
                for row in question.hard
            }
            evidence = named.witness(question.evidence, derived)
        except ValueError:
            raise ReleaseError(
                f"question {question.id}: the triples of its evidence, or of a witness, are no derivation by "
                "its query, a triple for each step in the order of its text. Build the release again; "
                "rulemine verify names all faults."
            ) from None
        in_evidence = set(removed) <= set(question.evidence)
        made = replace(
            made,
            sparql=named.sparql,
            hard=tuple(replace(row, witness=witnesses[row.answer]) for row in made.hard),
            evidence=evidence,
            removed=tuple(sorted(made.removed, key=evidence.index if in_evidence else None)),
            block=_renamed(question.block, ways),
        )
        texts = self._patterns(question) or [
            kind.text(made, self.templates, articles=self.articles)
        ]
        return replace(made, question=texts[0], paraphrases=tuple(texts[1:]))

    def text(self, question: Question) -> str:
        """The text of a question from templates, in the target naming."""
        kind = kind_named(question.kind)
        named = kind.answers(question, self.names)
        block = _renamed(question.block, {**self._ways, **named.ways})
        made = replace(question, query=named.query, block=block)
        return kind.text(made, self.templates, articles=self.articles)

    def _patterns(self, question: Question) -> list[str]:
        """The texts of a question from its patterns, if it has any."""
        values = topic_values(question.anchors, self.private) if question.anchors else {}
        named = {key: self.names[entity] for key, entity in values.items()}
        articles = [in_sentence] * (self.articles and question.wording != "model")
        return [fill(pattern, named, *articles) for pattern in question.patterns]

    def record(self, record: _R) -> _R:
        """A record renamed by the types of its fields, see `rulemine.release.records`."""
        return cast(_R, _renamed(record, self._ways))

    def rejection(self, rejection: Rejection, kind: str) -> Rejection:
        """The rejection of a question of a kind renamed; its detail never names an entity."""
        query = rejection.query
        if query:
            query = kind_named(kind).answers.query_in(query, self.names)
        return replace(self.record(rejection), query=query)


_Ways = Mapping[str, Callable[[str], str]]
"""Mark of a type → how texts with it are renamed."""

_Way = Callable[[Any, _Ways, Any], Any]
"""Renames a value of a record."""


def _renamed(record: Any, ways: _Ways) -> Any:
    way = _way(cast(Hashable, type(record)))
    return way(record, ways, record) if way else record


@cache
def _way(hint: Hashable) -> _Way | None:
    """How values of a type are renamed; None: they stay as they are."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated and isinstance(inner[1], str):
        return lambda value, ways, _: None if value is None else ways[inner[1]](value)
    if origin is Annotated:
        return _way_of_tuple(get_args(inner[0])[0], inner[1])
    if origin is UnionType and (some := _way(inner[0])):
        return lambda value, ways, record: None if value is None else some(value, ways, record)
    if origin is tuple and inner[-1] is Ellipsis:
        return _way_of_tuple(inner[0], lambda values, _: tuple(sorted(values)))
    if origin is tuple and any(parts := [_way(part) for part in inner]):
        return lambda value, ways, record: tuple(
            way(item, ways, record) if way else item for item, way in zip(value, parts, strict=True)
        )
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint, include_extras=True)
        changed = {each.name: way for each in fields(hint) if (way := _way(hints[each.name]))}
        return partial(_record, changed) if changed else None
    return None


def _record(changed: Mapping[str, _Way], value: Any, ways: _Ways, _: Any) -> Any:
    return replace(value, **{n: way(getattr(value, n), ways, value) for n, way in changed.items()})


def _way_of_tuple(item: Any, order: Callable[[Any, Any], Any]) -> _Way | None:
    if (each := _way(item)) is None:
        return None
    return lambda values, ways, record: order(
        tuple(each(value, ways, record) for value in values), record
    )


def questions_in(
    release: Release, questions: Iterable[Question], naming: str
) -> tuple[Question, ...]:
    """Questions of a release in another naming.

    Raises:
        ConfigError: There is no such naming.
        ReleaseError: A file of the release is missing or was edited, or see `check_hiding`.
    """
    check_hiding(release, naming)
    if naming == release.naming:
        return tuple(questions)
    namer = Namer(release.entities, release.templates(), naming, source=release.naming)
    return tuple(map(namer.question, questions))


def check_hiding(release: Release, naming: str) -> None:
    """Refuses a naming that a release cannot have.

    Raises:
        ConfigError: There is no such naming.
        ReleaseError: The kind of the questions is not installed; or the naming hides names, and texts of the
            kind are as their source has them; or answers are hidden.
    """
    release.expect_answers("another naming")
    if naming not in NAMINGS:
        raise ConfigError(f"no naming {naming!r}; {did_you_mean(naming, NAMINGS)}")
    if release.kind not in KINDS and naming != release.naming:
        raise ReleaseError(
            f"{release.path}: questions of the kind {release.kind} cannot be renamed, since it is not "
            "installed. Install the package that supplies it."
        )
    if naming in HIDING and not is_built(release.kind):
        raise ReleaseError(
            f"{release.path}: texts of the kind {release.kind} name entities as their source does, so the "
            f"naming {naming} would hide nothing. Choose the naming entity or text."
        )
