"""Cypher on one real Neo4j: that of every question of a small release on both its graphs, that of random
questions and queries (`checks.isolated.patterns`), and property graphs (`checks.isolated.property_graphs`).

    python -m checks.isolated.try_neo4j [--queries 1000] [--dialect 1000] [--demo 1] [--seed 0] [RELEASE ...]

Prints what differs; exit status 1 if anything does. Says "skipped" with the reason where Neo4j cannot be
fetched.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from checks.isolated import patterns, property_graphs
from rulemine import Release
from rulemine.builder.pipeline import Build
from rulemine.cypher.rows import Failed
from rulemine.errors import JavaError
from rulemine.neo4j.bolt import Bolt, connected
from rulemine.neo4j.server import fetch_jars, temporary
from rulemine.query.cypher import to_cypher
from rulemine.query.parser import parse
from rulemine.recipe.loading import load_recipe

SMALL = [(("structures", "per_structure"), 20)]

REFUSED = {
    "CREATE (:Entity)": "AccessMode",
    "MATCHH": "SyntaxError",
    "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a * b < 0 RETURN a": "Timed",
}
"""Queries without a result → what the code of the failure says."""


def differing(release: Release, bolt: Bolt, kg: str) -> int:
    """Questions whose Cypher gives other answers than the release says."""
    wrong = 0
    for question in release.questions():
        found = bolt.rows(to_cypher(parse(question.query)))
        hard = question.hard_answers if kg == "complete" else ()
        expected = sorted((*question.stated, *hard))
        wrong += isinstance(found, Failed) or sorted(row[0] for row in found.rows) != expected
    return wrong


def questions_of_a_release(bolt: Bolt, folder: Path) -> int:
    """Queries of a small release, and queries without a result, that give something else; each is printed."""
    Build(load_recipe("structures-demo", [*SMALL]), folder).run()
    release, wrong = Release.open(folder), 0
    for kg in ("complete", "incomplete"):
        bolt.load(release.kg(kg), replace=True)
        wrong += (some := differing(release, bolt, kg))
        print(f"{kg}: {len(release.questions())} queries in Cypher, {some} differences")
    for query, code in REFUSED.items():
        found = bolt.rows(query, seconds=2.0)
        if not isinstance(found, Failed) or code not in found.code:
            print(f"{query}: {found}, not a failure with {code}")
            wrong += 1
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=1000, help="random questions")
    parser.add_argument(
        "--dialect", type=int, default=1000, help="random queries as models write them"
    )
    parser.add_argument(
        "--demo", type=int, default=1, help="questions of each template of the demo"
    )
    parser.add_argument("--graphs", type=int, default=20, help="random graphs that are exported")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("releases", type=Path, nargs="*", help="whose gold is run too")
    given = parser.parse_args()
    try:
        fetch_jars(print)
    except JavaError as problem:
        print(f"skipped: {problem}")
        return 0
    # Every query is another one: what compiles quickly is better than what runs quickly.
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    with (
        tempfile.TemporaryDirectory(prefix="rulemine-neo4j-") as folder,
        temporary() as url,
        connected(url) as bolt,
    ):
        wrong = questions_of_a_release(bolt, Path(folder) / "release")
        wrong += patterns.compare(bolt, given.queries, given.dialect, given.demo, given.seed)
        wrong += property_graphs.compare(bolt, url, given.graphs, given.releases)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
