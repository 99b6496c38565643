"""Property graphs on a real Neo4j.

The export ``neo4j`` makes what `Bolt.load_properties` makes; the gold of a small release of the kind
``cypher`` gives its rows on every graph, and that of all releases after ``rulemine data neo4j load``.
"""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from neo4j import GraphDatabase

from checks.oracles.patterns import same
from checks.oracles.random_patterns import random_graph
from rulemine.cli.main import main as command
from rulemine.cypher.rows import Failed, row_of, row_text
from rulemine.exports.formats.databases import script_of
from rulemine.neo4j.bolt import Bolt
from rulemine.neo4j.gold import database_for
from rulemine.neo4j.loading import property_graph_statements
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests.cypher_releases import build_coast

HELD = (
    "MATCH (n) RETURN labels(n), properties(n) ORDER BY n.id",
    "MATCH (s)-[r]->(o) RETURN s.id, type(r), o.id, properties(r) ORDER BY r.id",
)


def held(bolt: Bolt) -> list[Any]:
    """What a database holds."""
    found = [bolt.rows(query) for query in HELD]
    return [f if isinstance(f, Failed) else list(map(row_text, f.rows)) for f in found]


def differing(release: Release, bolt: Bolt) -> int:
    """Questions whose gold has other rows on the complete graph than the release says; ties are free."""
    wrong = 0
    for question in release.questions():
        block = question.block  # type: ignore[attr-defined]
        found = bolt.rows(block.cypher)
        rows = [] if isinstance(found, Failed) else list(map(row_text, found.rows))
        if block.tied:
            wrong += len(rows) != 1 or rows[0] not in block.tied
        else:
            wrong += not same(list(map(row_of, rows)), list(map(row_of, block.rows)))
    return wrong


def compare(bolt: Bolt, url: str, random_graphs: int, others: Sequence[Path]) -> int:
    """Compares on the database of an address, prints what differs, and returns how much does.

    Args:
        bolt: The database; what it holds is replaced.
        url: Its address.
        random_graphs: Random graphs that are loaded, besides that of the release.
        others: Releases whose gold is run too.
    """
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, GraphDatabase.driver(url) as driver:
        release = build_coast(Path(folder), declared=True)
        drawn = map(random_graph, range(random_graphs))
        graphs = [Release.open(release).property_graph("complete"), *drawn]
        for graph in graphs:
            bolt.load_properties(graph, replace=True)
            loaded = held(bolt)
            bolt.clear()
            with driver.session() as session:
                for line in script_of(property_graph_statements(graph)):
                    session.run(line.removesuffix(";")).consume()  # type: ignore[arg-type]
            wrong += loaded != held(bolt)
        print(f"load.cypher of {len(graphs)} graphs: {wrong} differences")
        for one in map(Release.open, (release, *others)):
            load = ["data", "neo4j", "load", str(one.path), "--kg", "complete", "--url", url]
            command([*load, "--replace"])
            wrong += (some := differing(one, bolt))
            print(f"{one.name}: {len(one.questions())} gold queries, {some} with other rows")
        bolt.clear()  # the verifier loads graphs into an empty database alone
        with ExitStack() as stack:
            report = verify(release, gold=database_for(url, stack))
        print(report.to_text())
    return wrong + (not report.ok) + (not report.checked.get("gold queries run"))
