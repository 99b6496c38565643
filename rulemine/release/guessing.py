"""What can be guessed without a graph: the commonest answers of the training questions.

Guarantee: the order of the guesses depends on neither the order of the questions nor, if the names come
with their `order`, on the naming.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from operator import attrgetter

from rulemine.cypher.questions.pattern_text import query_of
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS
from rulemine.query.links import NONE_DECLARED, linked, parts_of
from rulemine.query.parser import parse
from rulemine.query.tree import Difference, Projection, Query
from rulemine.release.records import Question, names_in

__all__ = ["Ends", "asked_ends", "commonest_answers", "guessed", "order_of_names"]


Ends = tuple[tuple[str, str], ...]
"""Relations, each with the end that is asked for, sorted."""


def commonest_answers(
    training: Iterable[Question],
    declarations: Declarations | None = None,
    order: Mapping[str, int] | None = None,
) -> dict[Ends, list[str]]:
    """The answers of training questions about the same ends of relations, the commonest first.

    Each question counts once for each of its answers. Of equally common ones the one in more rows of
    `hard` is first, then the first in `order`.

    Args:
        training: The training questions.
        declarations: Which relations state the same facts, and so are counted together.
        order: Entity → its place among equals; by default, names in ascending order. See
            `order_of_names`.

    Returns:
        What `asked_about` gives of the questions → answers.
    """
    declared = declarations or Declarations()
    counted: dict[Ends, Counter[str]] = {}
    hard: dict[Ends, Counter[str]] = {}
    for question in training:
        key = asked_about(question.query, declared)
        counted.setdefault(key, Counter()).update(question.answers)
        hard.setdefault(key, Counter()).update(question.hard_answers)
    return {key: _ranked(found, hard[key], order or {}) for key, found in sorted(counted.items())}


def asked_about(query: str, declarations: Declarations = NONE_DECLARED) -> Ends:
    """What a question asks about: the ends of relations at its answer, see `asked_ends`.

    Of the kind ``cypher``: its templates and the relations of its pattern.

    Args:
        query: The query of a question.
        declarations: See `asked_ends`.
    """
    if query.startswith("{"):
        asked = query_of(query)
        relations = sorted(set(asked.match.relations))
        return (asked.match.template, asked.result.template), *((one, "") for one in relations)
    return asked_ends(parse(query), declarations)


def asked_ends(query: Query, declarations: Declarations) -> Ends:
    """The relations whose ends a query asks for, with the end: those of the atoms at its answer.

    Args:
        query: The query.
        declarations: Which relations state the same facts; these are one, see `Declarations.asked`.

    Returns:
        Sorted, each once; for a question about one link, the only one.
    """
    waiting, found = [linked(query, declarations)], set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, Projection):
            found.add(declarations.asked(node.relation, DIRECTIONS[not node.inverse]))
        elif isinstance(node, Difference):
            waiting.append(node.of)
        else:
            waiting += parts_of(node)
    return tuple(sorted(found))


def _ranked(found: Counter[str], hard: Counter[str], order: Mapping[str, int]) -> list[str]:
    return sorted(
        found, key=lambda answer: (-found[answer], -hard[answer], order.get(answer, 0), answer)
    )


def order_of_names(
    names: Sequence[EntityNames], naming: str, wanted: Container[str] | None = None
) -> dict[str, int]:
    """Entity, in a naming → its place by private id, which is the same in every naming.

    Args:
        names: The names of all entities.
        naming: The naming.
        wanted: The entities whose places are needed; None: all.
    """
    ordered = enumerate(names_in(sorted(names, key=attrgetter("private")), naming))
    return {name: place for place, name in ordered if wanted is None or name in wanted}


def guessed(
    questions: Iterable[Question],
    guesses: Mapping[Ends, Sequence[str]],
    most: int,
    declarations: Declarations | None = None,
) -> int:
    """The number of questions whose hard answer is among the first guesses.

    Args:
        questions: The questions.
        guesses: From `commonest_answers`.
        most: How many guesses are made for each.
        declarations: As for `commonest_answers`.
    """
    declared = declarations or Declarations()
    return sum(
        q.hard_answer in guesses.get(asked_about(q.query, declared), ())[:most] for q in questions
    )
