"""CypherBench's evaluate.py on ten files of predictions: its scores are those of ``rulemine evaluate``.

Our interpreter stands in place of Neo4j: what is compared is the scoring of each question, not two engines.
"""

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import neo4j

sys.path.insert(0, str(Path.cwd()))
import cypherbench.evaluate as theirs

OURS = os.environ["RULEMINE"]
GRAPH = Path("benchmark/graphs/simplekg/demo_simplekg.json")
SCORES = {
    "execution_accuracy": "ex_published",
    "psjs": "psjs_published",
    "executable": "executable",
}

SERVER = """
import json, sys
from pathlib import Path
from rulemine.cypher.rows import ResultTable, row_text
from rulemine.evaluation.cypher.runners import InMemoryRunner
from rulemine.kg.property_graph.simplekg import read_simplekg
runner = InMemoryRunner(read_simplekg(Path(sys.argv[1])))
for line in sys.stdin:
    found = runner.rows(json.loads(line))
    if isinstance(found, ResultTable):
        rows = [dict(zip(found.columns, json.loads(row_text(row)))) for row in found.rows]
    else:
        rows = type(found).__name__ + " " + found[0]
    print(json.dumps(rows), flush=True)
"""


FORMS: dict[str, Callable[[str], str]] = {
    "gold": lambda cypher: cypher,
    "rows": lambda cypher: (
        cypher.replace(" DESC", "") if "ORDER BY" in cypher else f"{cypher} ORDER BY n.name"
    ),
    "columns": lambda cypher: (
        re.sub(r"RETURN ([\w.]+), ([\w.]+)$", r"RETURN \2, \1", cypher)
        if "," in cypher
        else f"{cypher}, 1 AS one"
    ),
    "label": lambda cypher: cypher.replace(":Person", ":Town"),
    "empty": lambda _: "MATCH (n:Nobody) RETURN n.name",
    "syntax": lambda cypher: cypher.replace("(", "((", 1) if len(cypher) % 2 else cypher.lower(),
    "alias": lambda cypher: re.sub(r"\bn\b", "thing", cypher),
    "reordered": lambda cypher: re.sub(
        r"^MATCH (\(n:\w+\))-(\[[^]]*\])->(\([^)]*\)) ", r"MATCH \3<-\2-\1 ", cypher
    ),
    "limit": lambda cypher: (
        cypher.replace("LIMIT 1", "LIMIT 2") if "LIMIT" in cypher else f"{cypher} LIMIT 1"
    ),
    "aggregation": lambda cypher: re.sub(r"RETURN .*", "RETURN count(*)", cypher),
}
"""A file of predictions → what its queries are, made of the gold."""


class Connector:
    """Stands in for the authors' connection to a database."""

    def __init__(self, **_: Any) -> None:
        python = Path(OURS).with_name("python")
        command = [str(python), "-c", SERVER, str(GRAPH)]
        self._server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run_query(self, cypher: str, timeout: float | None = None, **_: Any) -> Any:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(f"{json.dumps(cypher)}\n")
        self._server.stdin.flush()
        found = json.loads(self._server.stdout.readline())
        if isinstance(found, str):
            assert not found.startswith("NotRun"), f"{cypher}: {found}"
            raise neo4j.exceptions.ClientError(found)
        return found


def ours(*words: str) -> None:
    done = subprocess.run([OURS, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def main() -> None:
    GRAPH.parent.mkdir(parents=True, exist_ok=True)
    ours("data", "graph", "demo", "--to", "simplekg", "-o", str(GRAPH))
    ours("data", "graph", "demo", "--to", "tasks:per_template=3", "-o", "tasks.jsonl")
    tasks = map(json.loads, Path("tasks.jsonl").read_text("utf-8").splitlines())
    questions = [
        {"qid": task["id"], "graph": "demo", "gold_cypher": task["cypher"], "nl_question": task["question"],
         "answer_json": json.dumps(task["answers"]),
         "from_template": {"match_category": task["category"], "match_cypher": task["match"],
                           "return_pattern_id": task["return"], "return_cypher": ""}}
        for task in tasks
    ]  # fmt: skip
    Path("benchmark/test.json").write_text(json.dumps(questions), "utf-8")
    ours("import", "cypherbench", "benchmark", "-o", "imported", "--replace")
    info = {"full": {"demo": {}}, "test_domains": ["demo"]}
    Path("neo4j_info.json").write_text(json.dumps(info), "utf-8")
    theirs.Neo4jConnector = Connector
    for name, form in FORMS.items():
        folder = Path("predictions") / name
        folder.mkdir(parents=True, exist_ok=True)
        rows = [question | {"pred_cypher": form(question["gold_cypher"])} for question in questions]
        (folder / "result.json").write_text(json.dumps(rows), "utf-8")
        sys.argv = ["evaluate.py", "--neo4j_info", "neo4j_info.json", "--result_dir", str(folder),
                    "--num_threads", "1"]  # fmt: skip
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            theirs.main()
        ours("evaluate", "imported", str(folder / "result.json"), "--format", "questions",
             "-o", str(folder / "ours.csv"))  # fmt: skip
        with (folder / "ours.csv").open(encoding="utf-8", newline="") as file:
            scored = {row["id"]: row for row in csv.DictReader(file)}
        for row in json.loads((folder / "result_with_metrics.json").read_text("utf-8")):
            for metric, score in SCORES.items():
                value = float(scored[row["qid"]][score] or "nan")
                what = f"{name}, {row['qid']}, {metric}"
                assert abs(value - row["metrics"][metric]) < 1e-9, f"{what}: ours {value}, {row}"
        means = json.loads((folder / "aggregated_metrics.json").read_text("utf-8"))["overall"]
        text = ", ".join(f"{metric} {value:.4f}" for metric, value in means.items())
        print(f"{name}: {text}: theirs and ours, n {len(rows)}")


if __name__ == "__main__":
    main()
