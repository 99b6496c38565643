"""Question-answering benchmarks over knowledge graphs that no longer state the answer.

The names below are the public interface; each is documented where it is defined. They are imported
when they are first used, so that scoring never loads what only mining needs.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulemine.builder.ground import Groundings, ground
    from rulemine.evaluation import Report, answer, evaluate
    from rulemine.kg import KnowledgeGraph
    from rulemine.mining import MiningOptions, Rules, mine
    from rulemine.pipeline import Build
    from rulemine.recipe import Recipe
    from rulemine.release import Release
    from rulemine.rule import Atom, Rule

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
    "Atom": "rulemine.rule",
    "Build": "rulemine.pipeline",
    "Groundings": "rulemine.builder.ground",
    "KnowledgeGraph": "rulemine.kg",
    "MiningOptions": "rulemine.mining",
    "Recipe": "rulemine.recipe",
    "Release": "rulemine.release",
    "Report": "rulemine.evaluation",
    "Rule": "rulemine.rule",
    "Rules": "rulemine.mining",
    "answer": "rulemine.evaluation",
    "evaluate": "rulemine.evaluation",
    "ground": "rulemine.builder.ground",
    "mine": "rulemine.mining",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rulemine' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
