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
        "rog": _HERE + "containment:ROG",
        "gretriever": _HERE + "containment:G_RETRIEVER",
        "gcr": _HERE + "containment:GCR",
        "subgraphrag": _HERE + "ans_lines:SUBGRAPH_RAG",
        "tog": _HERE + "either_way:TOG",
        "pog": _HERE + "either_way:POG",
        "gog": _HERE + "either_way:GOG",
        "structgpt": _HERE + "containment:STRUCT_GPT",
        "gnnrag": _HERE + "probabilities:GNN_RAG",
        "gtsqa": _HERE + "either_way:GTSQA",
        "gtsqa_exact": _HERE + "whole_answers:GTSQA_EXACT",
        "dynamickgqa": _HERE + "containment:DYNAMIC_KGQA",
        "brink": _HERE + "pieces_of_brink:BRINK",
        "brink_spaces": _HERE + "pieces_of_brink:BRINK_SPACES",
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
