"""Reads a graph as ``LightRAG.insert_custom_kg`` does, with its usual store: an undirected simple graph."""

import json
from pathlib import Path
from typing import Any

UNKNOWN = "UNKNOWN"


class Inserted:
    """What is stored.

    Attributes:
        chunks: Source id → text.
        nodes: Name → data; the source of one that no entity describes is unknown.
        edges: Both ends → data, that of the last relationship.
    """

    def __init__(self, file: Path) -> None:
        given = json.loads(file.read_text("utf-8"))
        self.chunks: dict[str, str] = {
            c["source_id"]: c["content"] for c in given.get("chunks", [])
        }
        self.nodes: dict[str, dict[str, str]] = {}
        for row in given.get("entities", []):
            self.nodes[row["entity_name"]] = {
                "type": row.get("entity_type", UNKNOWN),
                "description": row.get("description", ""),
                "source": self.chunks.get(row.get("source_id", UNKNOWN), UNKNOWN),
            }
        self.edges: dict[frozenset[str], dict[str, Any]] = {}
        for row in given.get("relationships", []):
            ends = row["src_id"], row["tgt_id"]
            for end in ends:
                self.nodes.setdefault(
                    end, {"type": UNKNOWN, "description": UNKNOWN, "source": UNKNOWN}
                )
            self.edges[frozenset(ends)] = {
                "description": row["description"],
                "keywords": row["keywords"],
                "weight": row.get("weight", 1.0),
                "source": self.chunks.get(row.get("source_id", UNKNOWN), UNKNOWN),
            }
