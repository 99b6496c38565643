"""The scripted writer: candidates without a language model.

It composes as a model is asked to: some triples of the subgraph that form a tree, one entity of it as the
answer, SPARQL for all answers, and a text from templates. It sees the subgraph alone, so it cannot know which
other answers the whole graph has. Guarantees: every shape that the subgraph holds can come; the same seed and
task give the same reply. The same query comes in one style of SPARQL or another, because what reads the
SPARQL of others needs to be tried with more than the one form of `rulemine.query.sparql`.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

from rulemine.kg.graph import Triple
from rulemine.kinds.written.candidate import Refusal, Task
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.phrasing.compose import compose, reads_well
from rulemine.phrasing.templates import Templates
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.links import expanded, parts_of, renamed
from rulemine.query.sparql import entity_iri, relation_iri
from rulemine.query.tree import Anchor, Count, Difference, Projection, Query
from rulemine.seeds import Stream, stream

__all__ = ["NOTHING_SUITABLE", "ScriptedWriter", "sparql_in_some_style"]


def sparql_in_some_style(query: Query, random: Stream) -> str:
    """A query in SPARQL, in a style that is drawn: line breaks, paths, inverse paths, names of variables.

    Args:
        query: A tree of projections and intersections; a difference or a count only outermost.
        random: Draws the style.
    """
    return _Style(random).text(query)


class _Style:
    def __init__(self, random: Stream) -> None:
        self._random = random
        self._answer = ("?answer", "?x", "?item")[random.below(3)]
        self._paths, self._lines, self._distinct = (random.below(2) == 1 for _ in range(3))
        self._number = count(1)

    def text(self, query: Query) -> str:
        of = query.of if isinstance(query, Count) else query
        kept, taken = (of.of, of.minus) if isinstance(of, Difference) else (of, None)
        lines = self._patterns(kept, self._answer)
        if taken is not None:
            lines.append(f"FILTER NOT EXISTS {{ {' '.join(self._patterns(taken, self._answer))} }}")
        select = f"{'DISTINCT ' * self._distinct}{self._answer}"
        if isinstance(query, Count):
            select = f"(COUNT(DISTINCT {self._answer}) AS ?value)"
        between = "\n  " if self._lines else " "
        return (
            f"SELECT {select} WHERE {{{between}{between.join(lines)}{between.rstrip(' ') or ' '}}}"
        )

    def _patterns(self, query: Query, variable: str) -> list[str]:
        """The patterns that bind a variable to what a query gives."""
        if not isinstance(query, Projection):
            return [line for part in parts_of(query) for line in self._patterns(part, variable)]
        steps, below = [query], query.of
        while self._paths and isinstance(below, Projection):
            steps.append(below)
            below = below.of
        if isinstance(below, Anchor):
            start, lines = f"<{entity_iri(below.entity)}>", []
        else:
            start = f"?v{next(self._number)}"
            lines = self._patterns(below, start)
        back = self._random.below(2) == 1 if len(steps) > 1 else steps[0].inverse
        if len(steps) == 1 and self._random.below(4) == 0:
            back = not back
        if back:
            path = "/".join("^" * (not s.inverse) + f"<{relation_iri(s.relation)}>" for s in steps)
            return [*lines, f"{variable} {path} {start} ."]
        steps.reverse()
        path = "/".join("^" * s.inverse + f"<{relation_iri(s.relation)}>" for s in steps)
        return [*lines, f"{start} {path} {variable} ."]


NOTHING_SUITABLE = "the writer found nothing suitable in the subgraph"

DRAWS = 30
"""Trees drawn until one has a text that reads well."""


class ScriptedWriter:
    """Writes candidates from templates.

    Args:
        names: The names of the entities.
        templates: The templates of all relations.
        seed: The seed of the build.
        articles: Whether names get *the* where they take it, see `rulemine.text.articles`.
        fits: Whether a query may be asked whose triples it chose itself.
    """

    def __init__(
        self,
        names: WriterNames,
        templates: Templates,
        seed: int,
        *,
        articles: bool = False,
        fits: Callable[[Query], bool] = lambda _query: True,
    ) -> None:
        self._names, self._templates, self._seed = names, templates, seed
        self._articles, self._fits = articles, fits

    def reply(self, task: Task) -> str | Refusal:
        """The reply to a task, or why there is none."""
        random = stream(self._seed, "written", "scripted", task.number)
        shown = self._names.triples(task.subgraph.rows)
        given = self._names.triples(task.given)
        for _ in range(DRAWS):
            used = given or _tree(shown, task.atoms, random)
            if used is None:
                break
            nodes = list(dict.fromkeys(end for s, _, o in used for end in (s, o)))
            answer = nodes[random.below(len(nodes))]
            if task.answer is not None:
                answer = self._names.id(task.answer)
            query: Query = query_of_triples(used, answer)
            if task.form == "without":
                taken = _taken(used, answer, shown, random)
                if taken is None:
                    continue
                query = Difference(query, taken)
            if not given and not self._fits(query):
                continue
            if self._templates.asks(query) and reads_well(query, self._templates):
                asked = Count(query) if task.form == "count" else query
                return self._written(asked, answer, used, random)
        return Refusal(NOTHING_SUITABLE, f"{task.atoms} triples, {task.form}")

    def _written(self, query: Query, answer: str, used: Sequence[Triple], random: Stream) -> str:
        seeds = list(dict.fromkeys(_anchors(query)))
        labels = {name: self._label(name) for name in (*seeds, answer)}
        asked = renamed(expanded(query, self._templates.declarations), labels)
        text = compose(asked, self._templates, articles=self._articles)
        reply = {
            "question": text,
            "nodes": [{"id": name, "label": labels[name]} for name in seeds],
            "answer": {"id": answer, "label": labels[answer]},
            "triples": [dict(zip(("subject", "relation", "object"), t, strict=True)) for t in used],
            "sparql": sparql_in_some_style(query, random),
        }
        return json.dumps(reply, ensure_ascii=False)

    def _label(self, name: str) -> str:
        entity = self._names.entity(name)
        return name if entity is None else self._names.label(entity)


def _tree(shown: Sequence[Triple], atoms: int, random: Stream) -> list[Triple] | None:
    """So many triples that form a tree; None: the draw led nowhere."""
    if len(shown) < atoms:
        return None
    used = [shown[random.below(len(shown))]]
    nodes = {used[0][0], used[0][2]}
    while len(used) < atoms:
        beside = [(s, r, o) for s, r, o in shown if (s in nodes) != (o in nodes)]
        if not beside:
            return None
        used.append(beside[random.below(len(beside))])
        nodes.update(used[-1][::2])
    return used


class _Link(NamedTuple):
    """A triple as one of its ends sees it."""

    relation: str
    inverse: bool
    other: str


def _links(triples: Iterable[Triple]) -> dict[str, list[_Link]]:
    """The links of each entity."""
    found: dict[str, list[_Link]] = {}
    for s, r, o in triples:
        found.setdefault(s, []).append(_Link(r, True, o))
        found.setdefault(o, []).append(_Link(r, False, s))
    return found


def _taken(
    used: Sequence[Triple], answer: str, shown: Sequence[Triple], random: Stream
) -> Query | None:
    """What to take away: a link that an entity like the answer has, but not the answer.

    Most like the answer is what has one of its links in the tree, then what has one of the same relation.
    """
    links, asked = _links(shown), _links(used)
    own, inside = {*links[answer]}, {*asked}
    for alike in ({*asked[answer]}, {link[:2] for link in asked[answer]}):
        found = [
            link
            for entity, some in links.items()
            if entity != answer and any(link in alike or link[:2] in alike for link in some)
            for link in some
            if link not in own and link.other not in inside
        ]
        if found:
            relation, inverse, other = found[random.below(len(found))]
            return Projection(relation, inverse, Anchor(other))
    return None


def _anchors(query: Query) -> Iterator[str]:
    if isinstance(query, Anchor):
        yield query.entity
    elif isinstance(query, Projection | Count):
        yield from _anchors(query.of)
    elif isinstance(query, Difference):
        yield from _anchors(query.of)
        yield from _anchors(query.minus)
    else:
        for part in query.parts:
            yield from _anchors(part)
