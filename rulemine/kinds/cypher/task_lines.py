"""Tasks over a property graph as lines of a file."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from rulemine.codec import dump_line
from rulemine.cypher.questions.render import to_cypher
from rulemine.cypher.questions.templates import MATCHES
from rulemine.errors import ConfigError, counted
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.values import to_plain
from rulemine.kinds.cypher.instantiate import CypherTask, TaskMaker
from rulemine.kinds.cypher.realism import Realism, draft_characteristics
from rulemine.kinds.cypher.words.texts import QuestionTexts
from rulemine.seeds import check_seed

__all__ = ["write_tasks"]

PER_TEMPLATE = 40

_MOST = 10_000


def write_tasks(
    graph: PropertyGraph,
    write: Callable[[Iterator[str]], None],
    progress: Callable[[int, int], None],
    *,
    per_template: int | None = None,
    seed: int = 0,
) -> list[str]:
    """Writes tasks.

    Args:
        graph: The graph.
        write: Writes the lines, a task each (JSON).
        progress: Called with the number of tasks so far and 0: how many there can be is not known.
        per_template: Tasks of each MATCH template at most, 1 … 10,000 (40).
        seed: Which tasks.

    Returns:
        What was written and dropped, in lines for people.

    Raises:
        ConfigError: `per_template` or the seed is out of range.
    """
    check_seed(seed)
    most = PER_TEMPLATE if per_template is None else per_template
    if not 1 <= most <= _MOST:
        raise ConfigError(f"per_template is {most}; expected 1 … {_MOST:,}.")
    realism = Realism(draft_characteristics(graph))
    maker, texts = TaskMaker(graph, realism, seed), QuestionTexts(graph, realism)
    made = dict.fromkeys(MATCHES, 0)

    def lines() -> Iterator[str]:
        for template in MATCHES:
            for task in islice(maker.tasks(template), most):
                made[template] += 1
                progress(sum(made.values()), 0)
                row = task_row(task, graph.schema.name, texts.question(task.query))
                yield f"{dump_line(row)}\n"

    write(lines())
    dropped = Counter[str]()
    for (_, what), number in maker.tally.items():
        dropped[what] += number
    dropped -= Counter(patterns=dropped["patterns"])
    found = [counted(sum(made.values()), "task")]
    if dropped:
        found.append(
            "  patterns dropped: " + ", ".join(f"{n:,} {what}" for what, n in dropped.items())
        )
    if empty := [match for match, number in made.items() if not number]:
        found.append(f"  no task of: {', '.join(empty)}")
    return found


def task_row(task: CypherTask, graph: str, text: str) -> dict[str, Any]:
    """A task as a line of a file; its id depends on the name of the graph and the query alone.

    ``answers`` are the rows. If ``ordered``, ``keys`` are what they are sorted by, and of an ``n_argmax``
    ``tied`` has all rows that are right.
    """
    match, rows, cypher = task.query.match, task.rows, to_cypher(task.query)
    digest = hashlib.sha256(f"{graph}\n{cypher}".encode()).hexdigest()
    row: dict[str, Any] = {
        "id": f"{graph}-{digest[:12]}",
        "graph": graph,
        "question": text,
        "cypher": cypher,
        "match": match.template,
        "return": task.query.result.template,
        "category": MATCHES[match.template].category,
        "columns": rows.columns,
        "answers": [_plain(line) for line in rows.rows],
        "ordered": rows.ordered,
    }
    if rows.ordered:
        row["keys"] = _plain(rows.keys)
    if rows.tied:
        row["tied"] = [_plain(line) for line in rows.tied]
    return row


def _plain(values: tuple[Any, ...]) -> list[Any]:
    return [None if value is None else to_plain(value) for value in values]
