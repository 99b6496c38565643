"""Relations that are left out: of questions, or of the whole graph.

**Not asked about** is what a filter file lists, which is TOML with a table, relation → reason:

    [drop]
    "/common/topic/webpage./common/webpage/category" = "about a web page, not about the topic"

The file may also say which rules have to be more confident (`rulemine.rules.confidence.Standard`), for
relations and classes of relations that it names itself:

    [classes]
    credit = ["/film/film/written_by", "/film/film/music"]

    [[standards]]
    head = ["credit"]
    body_only = ["credit"]
    min_std_confidence = 0.5
    reason = "who worked together elsewhere may or may not have done so here"

Without a file (`found_filter`), names, phrase books and objects show which relations are ids, dates,
addresses, images and the like, and the standards are those of the vocabularies whose phrase books word the
graph's relations (`standards/*.toml`). With a filter of either sort, relations are left out whose triples
make dull or endless questions (`excluded_relations`). All these relations are excluded before anything is
removed: their triples stay, may be part of proofs, and are never removed. Each has one reason.

**Not in the graph at all** is a relation that only states another one from object to subject (`inverses_in`).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from rulemine.codec import dump_line, to_json
from rulemine.config import Section, decode, option, packaged, read_toml
from rulemine.errors import InputError, list_problems
from rulemine.kg.facts import FOUND_TRIPLES, overlapping_relations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import rows_by_relation
from rulemine.phrasing.books import known_tables, packaged_books
from rulemine.phrasing.relation_names import named_inverses, words_of
from rulemine.phrasing.template_file import misspelled
from rulemine.registry import packaged_or_given
from rulemine.rules.confidence import Standard

__all__ = [
    "ONE_END", "TOO_MANY", "RelationFilter", "excluded_relations", "found_filter", "inverses_in",
    "load_filter", "standard_lines", "without_inverses",
]  # fmt: skip

ONE_END = "one entity is an end of most of its facts"
TOO_MANY = "its questions have too many answers"

_EXPECTED = (
    'A filter file has the table [drop], with lines "relation" = "reason", and may have [classes], with '
    'lines name = ["relation", …], and [[standards]], each with a reason and some of head, head_not, '
    "body_only, body_any and min_std_confidence."
)

_LISTS = ("head", "head_not", "body_only", "body_any")


class RelationFilter(NamedTuple):
    """What a filter says about the relations of a graph.

    Attributes:
        drop: Relation → why it is not asked about, sorted.
        standards: What rules of some form have to reach, in the order of the file.
    """

    drop: Mapping[str, str] = MappingProxyType({})
    standards: tuple[Standard, ...] = ()


@dataclass(frozen=True, slots=True)
class _File(Section):
    drop: Mapping[str, str] = option(
        MISSING,
        fits_too=lambda drop: all(why.strip() and "\n" not in why for why in drop.values()),
        expected="a line of text for each relation",
    )
    classes: Mapping[str, tuple[str, ...]] = option(MISSING, expected="lists of relations, by name")
    standards: tuple[Mapping[str, Any], ...] = option(MISSING, expected="tables [[standards]]")


def load_filter(
    source: str | Path,
    relations: Iterable[str],
    called: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> RelationFilter:
    """Reads a filter file: what it says of relations that the graph has.

    Args:
        source: The file, or the name of a packaged data set that has one.
        relations: The relations of the graph. Others are left out, and so is a standard that then has nothing
            left of a list that it has.
        called: Name in the file → what the graph calls it; empty: both have the same names.

    Raises:
        InputError: The file is missing or not a filter file; a reason is missing; a standard has no form; or
            a name looks like a misspelled relation. All problems are in one message.
    """
    path, known = packaged_or_given(str(source), "filter.toml"), {*relations}
    problems, standards = list[str](), list[Standard]()
    file = decode(_File, {"classes": {}, "standards": [], **read_toml(path)}, problems)
    for number, row in enumerate(file.standards if file else (), start=1):
        if standard := decode(Standard, row, problems, f"standard {number}: "):
            standards.append(standard)
            if not (standard.reason.strip() and any(_lists(standard))):
                problems.append(f"standard {number} has no reason, or none of {', '.join(_LISTS)}")
    if file and path == Path(source) and not called:
        lists = [file.drop, *file.classes.values(), *chain(*map(_lists, standards))]
        problems += misspelled({*chain(*lists)} - file.classes.keys(), known)
    if problems or not file:
        raise InputError(list_problems(str(path), problems, _EXPECTED))

    def found(names: Iterable[str]) -> tuple[str, ...]:
        members = {member for name in names for member in file.classes.get(name, [name])}
        here = {r for member in members for r in called.get(member, ())} if called else members
        return tuple(sorted(known & here))

    fitting = []
    for standard in standards:
        lists_here: dict[str, Any] = {name: found(getattr(standard, name)) for name in _LISTS}
        if all(lists_here[n] or not getattr(standard, n) for n in _LISTS if n != "head_not"):
            fitting.append(replace(standard, **lists_here))
    drop = {relation: file.drop[relation] for relation in sorted(known & file.drop.keys())}
    return RelationFilter(drop, tuple(fitting))


def _lists(standard: Standard) -> list[tuple[str, ...]]:
    return [getattr(standard, name) for name in _LISTS]


def found_filter(
    kg: KnowledgeGraph, names: Mapping[str, str] = MappingProxyType({})
) -> RelationFilter:
    """The filter of a graph that has no file: a function of the graph and its labels alone.

    Args:
        kg: The complete KG. One whose entities are all numbers keeps its relations.
        names: Relation → what it is called, where that is not its own name.
    """
    called = {**names, **kg.relation_iris}
    sizes = dict(zip(kg.relations, kg.relation_sizes().tolist(), strict=True))
    drop = _by_objects(kg)
    for relation in kg.relations:
        words = " ".join(word.lower() for word in words_of(names.get(relation, relation)))
        whys = [why for form, why in _BY_NAME if re.search(rf"\b(?:{form})", words)]
        if whys:
            drop[relation] = whys[0]
    for relation, table in known_tables(kg.relations, called, sizes).items():
        drop.pop(relation, None)
        if table.ask == "none":
            drop[relation] = table.ask_reason
    standards: list[Standard] = []
    for book in packaged_books():
        path, here = packaged("recipe", "standards") / f"{book.name}.toml", defaultdict(list)
        for relation, known in book.known_in(kg.relations, called, sizes).items():
            here[known].append(relation)
        if here and path.is_file():
            standards += load_filter(path, kg.relations, here).standards
    return RelationFilter(dict(sorted(drop.items())), tuple(standards))


def standard_lines(standards: Iterable[Standard]) -> Iterator[str]:
    """Yields the lines of a filter file that state standards."""
    for standard in standards:
        yield "\n[[standards]]"
        for name, value in to_json(standard).items():
            if value:
                yield f"{name} = {dump_line(value)}"


_BY_NAME: tuple[tuple[str, str], ...] = (
    (
        r"(ids?|identifiers?|isbn|issn|doi|isni|viaf|imdb|isin|iata|icao|ticker|codes?)$",
        "an identifier, which nobody can infer",
    ),
    (
        r"(dates?|years?|time|timestamp)$|(date|year|time|point|day) (of|in) \w+|inception$",
        "a date, which is no thing to ask for",
    ),
    (
        r"(images?|picture|photo|photograph|logo|icon|thumbnail|depiction|signature|audio|img)$"
        r"|(image|picture|logo|audio|video) (of|file|url)\b|(locator|location|relief) map$",
        "an image or a recording",
    ),
    (
        r"(url|uri|website|homepage|webpage|email|mail|phone|telephone|fax|address)$",
        "an address, not a fact",
    ),
    (r"(gender|sex)$|(gender|sex) or \w+$", "the answer is one of a few"),
    (
        r"(comment|abstract|alias|aliases|description|caption|nickname)$|also known as$|surname$|^name$"
        r"|(native|birth|given|first|last|family|full|official|short|alternative|pref|alt) (name|label)$",
        "a name, which says itself",
    ),
    (
        r"^(same as|see also|is defined by|exact match|close match|was derived from|different from)$"
        r"|(main category|commons category|webpage category|wiki page \w+|wikiproject|main template)$"
        r"|^(topics? s main|category for) ",
        "bookkeeping of a catalog",
    ),
    (
        r"(population|elevation|latitude|longitude|coordinates?|lat|long|geo|height|weight|mass|width)$"
        r"|(runtime|duration|budget|revenue|income|price)$",
        "a quantity, not a thing",
    ),
)
"""Words, or endings of words, in a relation's name, and why a relation so named is not asked about."""

_LITERAL = {
    "numbers": re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?\s?%?|[-+]?\d[\d.,]*\s?[a-zA-Z]{1,4}"),
    "dates": re.compile(r"[-+]?\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?(T[\d:.+Z-]*)?|\d{1,2} [A-Z]\w+ \d{4}"),
    "addresses": re.compile(r"(https?://|www\.|mailto:)\S+\.(html?|jpe?g|png|svg|pdf|com|org|net)\S*|\S+@\S+"),
}  # fmt: skip

MOST = 0.8
"""A relation leads to literals if at least this fraction of its objects looks like them, and few of its
subjects do; it leads to values if so many objects have no other triple."""

LEAST_TRIPLES = 30
"""Relations with fewer triples than this do not count as leading to values."""


def _by_objects(kg: KnowledgeGraph) -> dict[str, str]:
    """The relations whose objects look like literals, or are values of which nothing else is known."""
    degree = np.bincount(kg.triples[:, [0, 2]].reshape(-1), minlength=len(kg.entities))
    found = {}
    looks = {
        f"its objects are {name}": np.array([bool(form.fullmatch(e)) for e in kg.entities], bool)
        for name, form in _LITERAL.items()
    }
    for relation, rows in zip(kg.relations, rows_by_relation(kg), strict=True):
        subjects, _, objects = kg.triples[rows].T
        if len(objects) >= LEAST_TRIPLES and (degree[objects] == 1).mean() >= MOST:
            found[relation] = "nothing else is known of its objects: values of one thing each"
        for why, those in looks.items():
            if len(objects) and those[objects].mean() >= MOST > 1 - MOST >= those[subjects].mean():
                found[relation] = why
    return found


def excluded_relations(
    kg: KnowledgeGraph, listed: Mapping[str, str], max_end_share: float, max_median_answers: int
) -> dict[str, str]:
    """The excluded relations, with their reasons, sorted by relation.

    Args:
        kg: The complete KG.
        listed: Relation → reason, from a filter.
        max_end_share: A relation is excluded if one entity is the object (or the subject) of more than
            this fraction of its triples.
        max_median_answers: A relation is excluded if, in both directions, more than half of its triples
            answer a question with more answers than this.
    """
    dropped = dict(listed)
    for relation, rows in zip(kg.relations, rows_by_relation(kg), strict=True):
        if relation not in dropped and len(rows):
            ends = [
                np.unique(column, return_inverse=True, return_counts=True)
                for column in kg.triples[rows].T[::2]
            ]
            answers = [times[which] for _, which, times in ends]
            if max(map(np.max, answers)) > max_end_share * len(rows):
                dropped[relation] = ONE_END
            elif min(map(np.median, answers)) > max_median_answers:
                dropped[relation] = TOO_MANY
    return dict(sorted(dropped.items()))


def inverses_in(kg: KnowledgeGraph) -> dict[str, str]:
    """The relations that state another one from object to subject, and nothing else.

    Such are those that are named so (``works_for_inv``, see `named_inverses`), and those that hold the pairs
    of another one, all of them and no other. Of two of the latter, the one with the longer name says nothing
    new; of names as long as each other, the later one. Few pairs may be the same by chance: with fewer than
    `rulemine.kg.facts.FOUND_TRIPLES`, the longer name has to have the other one in it.

    Returns:
        The relation that says nothing new → the other one, sorted.
    """
    sizes = dict(zip(kg.relations, kg.relation_sizes().tolist(), strict=True))
    whole = {row[:2] for row in overlapping_relations(kg) if row.reversed and row.share == 1}
    found = named_inverses(kg)
    for kept, other in sorted(whole, key=lambda pair: [(len(name), name) for name in pair]):
        later = (len(kept), kept) < (len(other), other) and (other, kept) in whole
        free = kept not in found and other not in {*found, *found.values()}
        if later and free and (kept in other or sizes[kept] >= FOUND_TRIPLES):
            found[other] = kept
    return dict(sorted(found.items()))


def without_inverses(kg: KnowledgeGraph, inverses: Mapping[str, str]) -> KnowledgeGraph:
    """A graph in which the triples of inverses are triples of the relations that they are inverses of.

    Args:
        kg: The graph, or a larger one of the same relations.
        inverses: As of `inverses_in`.
    """
    if kg.relation_ids.keys().isdisjoint(inverses):
        return kg
    turned = ((o, inverses[r], s) if r in inverses else (s, r, o) for s, r, o in kg.labeled())
    return replace(
        KnowledgeGraph.from_triples(turned),
        duplicates=kg.duplicates,
        trimmed=kg.trimmed,
        left_out=kg.left_out,
        relation_iris={r: iri for r, iri in kg.relation_iris.items() if r not in inverses},
    )
