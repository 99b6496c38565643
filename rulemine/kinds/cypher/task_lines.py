"""Tasks over a property graph as lines of a file."""

from collections import Counter
from collections.abc import Callable, Iterator

from rulemine.codec import dump_line
from rulemine.errors import ConfigError, counted
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.cypher.instantiate import Tally, make_tasks, task_row
from rulemine.kinds.cypher.realism import draft_characteristics

__all__ = ["write_tasks"]

PER_TEMPLATE = 40

_MOST = 10_000
"""As many instances of each pattern are looked at, again and again."""


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
        ConfigError: `per_template` is out of range.
    """
    most = PER_TEMPLATE if per_template is None else per_template
    if not 1 <= most <= _MOST:
        raise ConfigError(f"--per-template is {most}; expected 1 … {_MOST:,}.")
    known = draft_characteristics(graph)
    tally = Tally()

    def lines() -> Iterator[str]:
        tasks = make_tasks(graph, known, per_template=most, seed=seed, tally=tally)
        for made, task in enumerate(tasks, start=1):
            progress(made, 0)
            yield f"{dump_line(task_row(task))}\n"

    write(lines())
    made = {match: number for (match, what), number in tally.items() if what == "tasks"}
    dropped = Counter[str]()
    for (_, what), number in tally.items():
        if what not in ("tasks", "patterns"):
            dropped[what] += number
    found = [counted(sum(made.values()), "task")]
    if dropped:
        found.append(
            "  patterns dropped: " + ", ".join(f"{n:,} {what}" for what, n in dropped.items())
        )
    if empty := [match for match, number in made.items() if not number]:
        found.append(f"  no task of: {', '.join(empty)}")
    return found
