"""Standards of proof that a vocabulary brings along: for own graphs that use it.

They are files like the filter of a data set, named after a phrase book, whose names of relations they use.
Guarantees: a graph has the standards of the vocabularies whose phrase books word its relations, each with
the names that the graph has for them; a standard with a list of which the graph has nothing is left out.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from rulemine.codec import dump_line, to_json
from rulemine.config import packaged
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.books import known_relations, packaged_books
from rulemine.recipe.relation_filter import load_standards
from rulemine.rules.standards import Standard

__all__ = ["found_standards", "standard_lines"]


def found_standards(kg: KnowledgeGraph, names: Mapping[str, str]) -> tuple[Standard, ...]:
    """The standards for a graph, in the order of the files.

    Args:
        kg: The complete KG.
        names: Relation → what it is called, where that is not its own name.
    """
    return tuple(_of_books(kg, {**names, **kg.relation_iris}))


def _of_books(kg: KnowledgeGraph, called: Mapping[str, str]) -> Iterator[Standard]:
    sizes = dict(zip(kg.relations, kg.relation_sizes().tolist(), strict=True))
    for book in packaged_books():
        path = packaged("recipe", "standards") / f"{book.name}.toml"
        if not path.is_file():
            continue
        here = defaultdict(list)
        for relation, known in known_relations(book, kg.relations, called, sizes).items():
            here[known].append(relation)
        if here:  # nothing of the book is in the graph otherwise
            yield from load_standards(path, kg.relations, here)


def standard_lines(standards: Iterable[Standard]) -> Iterator[str]:
    """Yields the lines of a filter file that state standards."""
    for standard in standards:
        yield "\n[[standards]]"
        for name, value in to_json(standard).items():
            if value:
                yield f"{name} = {dump_line(value)}"
