"""The metrics of other projects, by the name of the project.

Names are this package's, and those that other packages give as entry points in the group
``rulemine.metrics`` (see ``docs/extending.md``).
"""

from collections.abc import Sequence

from rulemine.errors import ConfigError
from rulemine.evaluation.metrics_of_others.protocol import ProjectMetrics
from rulemine.registry import Registry

__all__ = ["METRICS_OF_OTHERS", "chosen"]

_HERE = "rulemine.evaluation.metrics_of_others."

METRICS_OF_OTHERS: Registry[ProjectMetrics] = Registry(
    "rulemine.metrics",
    "set of metrics",
    ProjectMetrics,
    {
        "rog": _HERE + "projects:ROG",
        "gretriever": _HERE + "projects:G_RETRIEVER",
        "gcr": _HERE + "projects:GCR",
        "subgraphrag": _HERE + "projects:SUBGRAPH_RAG",
        "tog": _HERE + "projects:TOG",
        "pog": _HERE + "projects:POG",
        "gog": _HERE + "projects:GOG",
        "structgpt": _HERE + "projects:STRUCT_GPT",
        "gnnrag": _HERE + "projects:GNN_RAG",
        "gtsqa": _HERE + "projects:GTSQA",
        "gtsqa_exact": _HERE + "projects:GTSQA_EXACT",
        "dynamickgqa": _HERE + "projects:DYNAMIC_KGQA",
        "brink": _HERE + "projects:BRINK",
        "brink_spaces": _HERE + "projects:BRINK_SPACES",
    },
)
"""Project → its metrics."""


def chosen(names: str | Sequence[str]) -> dict[str, ProjectMetrics]:
    """The metrics of projects.

    Args:
        names: Names of projects, or one text with commas between them; ``all`` is all of them.

    Raises:
        ConfigError: A name is unknown, or none is given.
    """
    given = names.split(",") if isinstance(names, str) else names
    wanted = list(dict.fromkeys(filter(None, (name.strip() for name in given))))
    if "all" in wanted:
        wanted = list(METRICS_OF_OTHERS)
    if not wanted:
        raise ConfigError(f"metrics: names no project; known: {', '.join(METRICS_OF_OTHERS)}, all")
    return {name: METRICS_OF_OTHERS.find(name) for name in wanted}
