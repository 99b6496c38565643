"""How writers of questions name the entities of the complete graph, and what they mean by what they write.

Guarantee: a name that could be two entities is none; in SPARQL names get the form of `rulemine.query.sparql`,
and all else stays as it was written.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote, unquote

from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.sparql import entity_iri, relation_iri

__all__ = ["WriterNames"]

_BETWEEN = r"\s*(?:->|[—–|→-])\s*"
"""What stands between the parts of a triple on one line."""

_PREFIXES = {"e": "entity", "r": "relation", "entity": "entity", "relation": "relation"}
"""Prefixes that a query may use without declaring them."""

_PAIRS = (
    r"(?P<label>.+?)(?: = | [(\[])(?:(?:entity|e):)?(?P<id>[^\s()\[\]]+)[)\]]?",
    r"(?P<id>\S+)(?: = |: )(?P<label>.+)",
    r"(?P<id>\S+) \((?P<label>.+)\)",
)
"""An entity by id and label."""

_DECLARED = re.compile(r"\bPREFIX\s+([\w-]*)\s*:\s*<([^<>\s]*)>", re.IGNORECASE)


@dataclass(frozen=True)
class WriterNames:
    """The ids and labels of all entities; made by `of`.

    Ids are private ids, so that they are the same in every naming and free of odd characters; labels are what
    texts call the entities.

    Attributes:
        kg: The complete graph.
        ids: By number of the entity.
        labels: Likewise; each once.
        naming: What labels are, one of `rulemine.kg.entity_names.NAMINGS`.
    """

    kg: KnowledgeGraph
    ids: Sequence[str]
    labels: Sequence[str]
    naming: str = "entity"

    @classmethod
    def of(cls, kg: KnowledgeGraph, names: Sequence[EntityNames], naming: str) -> "WriterNames":
        """The names of a build.

        Args:
            kg: The complete graph.
            names: The names of its entities, and perhaps of others.
            naming: What texts call them, one of `rulemine.kg.entity_names.NAMINGS`.
        """
        rows = {row.entity: row for row in names}
        own = [rows[name] for name in kg.entities]
        return cls(kg, [row.private for row in own], [row.name_in(naming) for row in own], naming)

    def id(self, entity: int) -> str:
        """The id of an entity."""
        return self.ids[entity]

    def label(self, entity: int) -> str:
        """The label of an entity."""
        return self.labels[entity]

    def entity(self, id_: str) -> int | None:
        """The entity of an id; None: there is none."""
        return self._by_id.get(id_)

    def by_label(self, label: str) -> int | None:
        """The entity of a label, whatever its white space and Unicode form; None: there is none."""
        return self._by_label.get(_plain(label))

    def find(self, text: str) -> int | None:
        """The entity that a writer names; None: none, or perhaps one of two.

        Read are its id, its label, both in either order (``id = label``, ``label (id)``), ``<entity:ID>`` and
        ``e:ID``.
        """
        text = text.strip()
        if (exact := self.entity(text)) is not None:
            return exact
        found = {self.by_label(text)}
        if iri := re.fullmatch(r"<(?:entity|e):([^<>]+)>|(?:entity|e):(.+)", text):
            name = unquote(iri[1] or iri[2])
            found |= {self.entity(name), self.by_label(name)}
        for pair in filter(None, (re.fullmatch(form, text, re.DOTALL) for form in _PAIRS)):
            entity = self.entity(pair["id"])
            if entity is not None and _plain(self.labels[entity]) == _plain(pair["label"]):
                found.add(entity)
        found.discard(None)
        return found.pop() if len(found) == 1 else None

    def relation(self, text: str) -> int | None:
        """The relation that a writer names, by its label, IRI or prefixed name; None: none."""
        known = self.kg.relation_ids
        iri = re.fullmatch(r"<(?:relation|r):([^<>]+)>|(?:relation|r):(.+)", text)
        names = (text, unquote(iri[1] or iri[2]), iri[1] or iri[2]) if iri else (text,)
        return next((known[name] for name in names if name in known), None)

    def triple(self, text: str) -> tuple[int, int, int] | None:
        """The triple on a line such as ``label (id) — relation — label (id)``; None: none, or two."""
        found = set()
        for match in self._linked.finditer(text):
            s, o = self.find(text[: match.start()]), self.find(text[match.end() :])
            r = self.relation(unquote(match[1]))
            if s is not None and r is not None and o is not None:
                found.add((s, r, o))
        return found.pop() if len(found) == 1 else None

    def sparql(self, text: str) -> str:
        """A query with IRIs as graphs of queries have them, whatever the writer put for them.

        Names need not be percent-encoded, entities may stand by their labels, and ``e:``, ``r:``, ``entity:``
        and ``relation:`` need not be declared.
        """
        declared = {prefix: iri.rstrip(":") for prefix, iri in _DECLARED.findall(text)}
        prefixes = _PREFIXES | declared

        def written(match: re.Match[str]) -> str:
            kind, name = match["kind"], match["name"]
            if match["prefix"] is not None:
                kind, name = prefixes.get(match["prefix"], ""), match["known"] or match["local"]
                name = re.sub(r"\\(.)", r"\1", name)
            if kind == "relation":
                found = self.relation(f"<relation:{name}>")
                return match[0] if found is None else f"<{relation_iri(self.kg.relations[found])}>"
            if kind == "entity":
                found = self.find(f"<entity:{name}>")
                id_ = unquote(name) if found is None else self.ids[found]
                return f"<{entity_iri(id_)}>"
            return match[0]

        return self._terms.sub(written, text)

    def shown(self, entity: int) -> str:
        """An entity as prompts show it: ``label (id)``, or its id alone where that is its label."""
        id_, label = self.ids[entity], self.labels[entity]
        return id_ if id_ == label else f"{label} ({id_})"

    def line(self, row: int) -> str:
        """A triple as prompts show it."""
        s, r, o = self.kg.triples[row].tolist()
        return f"{self.shown(s)} — {self.kg.relations[r]} — {self.shown(o)}"

    def triples(self, rows: Sequence[int]) -> list[Triple]:
        """Rows of the graph's triples, with ids for entities and labels for relations."""
        s, r, o = self.kg.triples[list(rows)].T.tolist() if len(rows) else ((), (), ())
        relations = self.kg.relations
        return [(self.ids[x], relations[y], self.ids[z]) for x, y, z in zip(s, r, o, strict=True)]

    @cached_property
    def _relations(self) -> str:
        """A pattern of all relations, as they are and percent-encoded, longer ones first."""
        every = {name for label in self.kg.relations for name in (label, quote(label, safe=""))}
        return "|".join(map(re.escape, sorted(every, key=len, reverse=True)))

    @cached_property
    def _linked(self) -> re.Pattern[str]:
        iri = rf"(?:<?r(?:elation)?:)?({self._relations})>?"
        return re.compile(_BETWEEN + iri + _BETWEEN)

    @cached_property
    def _terms(self) -> re.Pattern[str]:
        """What may stand for an entity or a relation in SPARQL; literals and comments are passed over."""
        return re.compile(
            r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|"""
            r"<(?P<kind>entity|relation):(?P<name>[^<>\n]+)>|<[^<>\s]*>|\#[^\n]*|"
            r"(?<![\w?$:%-])(?P<prefix>[A-Za-z][\w-]*|):"
            rf"(?:(?P<known>{self._relations})(?![\w%-])|(?P<local>(?:[\w%~-]|\\[^\w\s]|\.(?=[\w%\\]))+))"
        )

    @cached_property
    def _by_id(self) -> dict[str, int]:
        return {id_: entity for entity, id_ in enumerate(self.ids)}

    @cached_property
    def _by_label(self) -> dict[str, int]:
        # Of labels that differ in white space alone, the first.
        pairs = reversed(list(enumerate(self.labels)))
        return {_plain(label): entity for entity, label in pairs}


def _plain(label: str) -> str:
    return unicodedata.normalize("NFC", " ".join(label.split()))
