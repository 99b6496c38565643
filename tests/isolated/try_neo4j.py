"""Runs the Cypher of every question of a small release on a real Neo4j, on both graphs.

Says "skipped" with the reason where Neo4j cannot be fetched. Usage: try_neo4j.py [FOLDER]
"""

import shutil
import sys
import tempfile
from pathlib import Path

from rulemine import Release
from rulemine.builder.pipeline import Build
from rulemine.cypher.rows import Failed
from rulemine.errors import JavaError
from rulemine.neo4j.bolt import Bolt, connected
from rulemine.neo4j.jars import fetch_jars
from rulemine.neo4j.server import temporary
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


def main(folder: Path) -> int:
    try:
        fetch_jars(print)
    except JavaError as problem:
        print(f"skipped: {problem}")
        return 0
    Build(load_recipe("structures-demo", [*SMALL]), folder / "release").run()
    release = Release.open(folder / "release")
    wrong = 0
    with temporary() as url, connected(url) as bolt:
        for kg in ("complete", "incomplete"):
            bolt.load(release.kg(kg), replace=True)
            wrong += (some := differing(release, bolt, kg))
            print(f"{kg}: {len(release.questions())} queries in Cypher, {some} differences")
        for query, code in REFUSED.items():
            found = bolt.rows(query, seconds=2.0)
            if not isinstance(found, Failed) or code not in found.code:
                print(f"{query}: {found}, not a failure with {code}")
                wrong += 1
    return min(wrong, 1)


if __name__ == "__main__":
    place = Path(tempfile.mkdtemp(prefix="rulemine-neo4j-"))
    try:
        sys.exit(main(place))
    finally:
        shutil.rmtree(place)
