"""Question-answering benchmarks over knowledge graphs that no longer state the answer.

The names below are the public interface; each is documented where it is defined. They are imported
when they are first used, so that scoring never loads what only mining needs.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulemine.builder.pipeline import Build
    from rulemine.builder.recipe import Recipe
    from rulemine.evaluation import Report, answer, evaluate
    from rulemine.kg.graph import KnowledgeGraph
    from rulemine.mining import MiningOptions, Rules, mine
    from rulemine.query.atom import Atom
    from rulemine.release.reader import Release
    from rulemine.rules.grounding import Groundings, ground
    from rulemine.rules.rule import Rule

__version__ = "0.1.0"

__all__ = [
    "Atom",
    "Build",
    "Groundings",
    "KnowledgeGraph",
    "MiningOptions",
    "Recipe",
    "Release",
    "Report",
    "Rule",
    "Rules",
    "answer",
    "evaluate",
    "ground",
    "mine",
]

_HOMES = {
    "Atom": "rulemine.rules.rule",
    "Build": "rulemine.builder.pipeline",
    "Groundings": "rulemine.rules.grounding",
    "KnowledgeGraph": "rulemine.kg.graph",
    "MiningOptions": "rulemine.mining",
    "Recipe": "rulemine.builder.recipe",
    "Release": "rulemine.release.reader",
    "Report": "rulemine.evaluation",
    "Rule": "rulemine.rules.rule",
    "Rules": "rulemine.mining",
    "answer": "rulemine.evaluation",
    "evaluate": "rulemine.evaluation",
    "ground": "rulemine.rules.grounding",
    "mine": "rulemine.mining",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rulemine' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
