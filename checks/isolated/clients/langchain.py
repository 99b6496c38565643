"""LangChain's Neo4jGraph on ``rulemine data neo4j start``: it reads the schema; the Cypher gives answers."""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from langchain_neo4j import Neo4jGraph

# Jars and the note of which server runs are in a cache of its own, so no server of the user's is ended.
OWN = os.environ | {"XDG_CACHE_HOME": str(Path("cache-neo4j").resolve())}


def neo4j(*words: str | Path) -> str:
    command = [os.environ["RULEMINE"], "data", "neo4j", *map(str, words)]
    done = subprocess.run(command, env=OWN, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    rows = (root / "demo-complete" / "neo4j" / "questions.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(row) for row in rows]
    relations = {triple.split("\t")[1] for triple in stated(root / "releases" / "demo")}
    with tempfile.TemporaryDirectory() as folder:
        (url,) = re.findall(r"bolt://[\w.:]+", neo4j("start", "--port", "0", "--folder", folder))
        try:
            neo4j("load", root / "releases" / "demo", "--kg", "complete", "--url", url)
            for enhanced in (False, True):
                graph = Neo4jGraph(url, "neo4j", "none", enhanced_schema=enhanced)
                found = graph.get_structured_schema
                assert {row["type"] for row in found["relationships"]} == relations
                assert found["node_props"]["Entity"][0]["property"] == "name"
            for question in questions:
                rows = graph.query(question["cypher"])
                got = {value for row in rows for value in row.values()}
                assert got == set(question["answers"]), question
        finally:
            neo4j("stop")
    print(
        f"{len(relations)} relations in its schema; {len(questions)} questions' Cypher has the answers"
    )


def stated(release: Path) -> list[str]:
    return gzip.decompress((release / "kg/complete.tsv.gz").read_bytes()).decode().splitlines()


if __name__ == "__main__":
    main()
