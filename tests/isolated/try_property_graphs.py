"""Property graphs on a real Neo4j.

The export ``neo4j`` makes what `Bolt.load_properties` makes, and the gold of
a small release of the kind ``cypher`` gives its rows on every graph.

    python -m tests.isolated.try_property_graphs

Says "skipped" with the reason where Neo4j cannot be fetched.
"""

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from neo4j import GraphDatabase

from rulemine.cypher.rows import Failed, row_text
from rulemine.errors import JavaError
from rulemine.exports.neo4j_properties import script_of
from rulemine.neo4j.bolt import Bolt, connected
from rulemine.neo4j.gold import database_for
from rulemine.neo4j.jars import fetch_jars
from rulemine.neo4j.server import temporary
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests.cypher_releases import build_coast
from tests.oracles.random_patterns import random_graph

HELD = (
    "MATCH (n) RETURN labels(n), properties(n) ORDER BY n.id",
    "MATCH (s)-[r]->(o) RETURN s.id, type(r), o.id, properties(r) ORDER BY r.id",
)


def held(bolt: Bolt) -> list[Any]:
    """What a database holds."""
    found = [bolt.rows(query) for query in HELD]
    return [f if isinstance(f, Failed) else list(map(row_text, f.rows)) for f in found]


def main() -> int:
    try:
        fetch_jars(print)
    except JavaError as problem:
        print(f"skipped: {problem}")
        return 0
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        release = build_coast(Path(folder))
        graphs = [Release.open(release).property_graph("complete"), *map(random_graph, range(20))]
        with temporary() as url, connected(url) as bolt, GraphDatabase.driver(url) as driver:
            for graph in graphs:
                bolt.load_properties(graph, replace=True)
                loaded = held(bolt)
                bolt.clear()
                with driver.session() as session:
                    for line in script_of(graph):
                        session.run(line.removesuffix(";")).consume()  # type: ignore[arg-type]
                wrong += loaded != held(bolt)
        print(f"load.cypher of {len(graphs)} graphs: {wrong} differences")
        with ExitStack() as stack:
            report = verify(release, gold=database_for(None, stack))
        print(report.to_text())
        run = report.checked.get("gold queries run", 0)
    return int(wrong > 0 or not report.ok or run == 0)


if __name__ == "__main__":
    sys.exit(main())
