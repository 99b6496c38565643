"""LightRAG: the graph for ``insert_custom_kg``, and the questions.

Guo et al., arXiv 2410.05779. Its graph keeps one edge for each pair of entities, whatever the direction, so
all triples of a pair are one relationship, whose description says each of them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rulemine.codec import dump_line
from rulemine.exports.protocol import ExportFolder, ExportInput, Fields
from rulemine.exports.row_export import OneSplit
from rulemine.exports.triple_texts import TripleTexts
from rulemine.kg.entity_types import types_of
from rulemine.kg.graph import Triple
from rulemine.phrasing.relation_names import readable_name

__all__ = ["LightRagFiles"]


@dataclass(frozen=True)
class LightRagFiles(OneSplit):
    """A graph and questions for LightRAG; neither gives an answer away.

    Attributes:
        split: The split whose questions are written.
    """

    def fields(self, given: ExportInput) -> Fields:
        """Topics by their labels."""
        topics = given.client.labels
        return {"id": "id", "question": "question", "topics": lambda q: topics(q.anchors)}

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph: a chunk for each relationship, and entities with one of theirs."""
        key, label, texts = given.client.id, given.client.label, TripleTexts.of(given)
        pairs: dict[tuple[str, str], list[Triple]] = {}
        for s, r, o in given.kg.labeled():
            pairs.setdefault((o, s) if (o, s) in pairs else (s, o), []).append((s, r, o))
        chunks: list[dict[str, Any]] = []
        relationships: list[dict[str, Any]] = []
        source: dict[str, str] = {}
        for number, (pair, triples) in enumerate(pairs.items(), start=1):
            given.progress(number, len(pairs))
            name = " ".join(key[end] for end in pair)
            said = " ".join(map(texts.sentence, triples))
            for end in pair:
                source.setdefault(end, name)
            chunks.append({"content": said, "source_id": name})
            keywords = dict.fromkeys(readable_name(relation) for _, relation, _ in triples)
            relationships.append(
                {
                    "src_id": label[pair[0]],
                    "tgt_id": label[pair[1]],
                    "description": said,
                    "keywords": ", ".join(keywords),
                    "weight": float(len(triples)),
                    "source_id": name,
                }
            )
        kinds = _types(given)
        entities = [
            {
                "entity_name": label[entity],
                "entity_type": kinds[entity][0],
                "description": f"{label[entity]}: {', '.join(kinds[entity])}",
                "source_id": source[entity],
            }
            for entity in sorted(source, key=key.__getitem__)
        ]
        lists: dict[str, list[dict[str, Any]]] = {
            "chunks": chunks,
            "entities": entities,
            "relationships": relationships,
        }
        folder.lines("custom_kg.json", _object(lists))
        for what, rows in lists.items():
            folder.count(what, len(rows))
        known = given.kg.entity_ids
        lost = sum(name not in known for q in self.asked(given, folder) for name in q.anchors)
        folder.count("topics_not_in_graph", lost)


def _types(given: ExportInput) -> dict[str, list[str]]:
    """Entity → the names of its types in the graph, that of the most entities first."""
    types = types_of(given.kg)
    sizes = Counter(types.types.tolist())
    return {
        name: [
            types.names[i]
            for i in sorted(types.of(number), key=lambda i: (-sizes[i], types.names[i]))
        ]
        for number, name in enumerate(given.kg.entities)
    }


def _object(lists: Mapping[str, Iterable[Mapping[str, Any]]]) -> Iterator[str]:
    """An object of lists, each of their objects in a line."""
    for number, (name, rows) in enumerate(lists.items()):
        yield f'{"," if number else "{"}"{name}": ['
        before = ""
        for row in rows:
            if before:
                yield f"{before},"
            before = dump_line(dict(row))
        yield f"{before}]"
    yield "}"
