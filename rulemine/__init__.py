"""Builds question-answering benchmarks over incomplete knowledge graphs.

The names below are the public interface; each is documented where it is defined. They are imported
when they are first used, so that scoring never loads what only mining needs.
"""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.builder.pipeline import Build as Build
    from rulemine.draft.drafting import draft_recipe as draft_recipe
    from rulemine.evaluation import Report as Report
    from rulemine.evaluation import answer as answer
    from rulemine.evaluation import evaluate as evaluate
    from rulemine.importing.importer import import_set as import_set
    from rulemine.kg.graph import KnowledgeGraph as KnowledgeGraph
    from rulemine.mining import MiningOptions as MiningOptions
    from rulemine.mining import Rules as Rules
    from rulemine.mining import mine as mine
    from rulemine.query.atom import Atom as Atom
    from rulemine.recipe.recipe import Recipe as Recipe
    from rulemine.release.reader import Release as Release
    from rulemine.rules.grounding import Groundings as Groundings
    from rulemine.rules.grounding import ground as ground
    from rulemine.rules.rule import Rule as Rule

__version__ = "0.1.0"

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Atom": "rulemine.query.atom",
        "Build": "rulemine.builder.pipeline",
        "Groundings": "rulemine.rules.grounding",
        "KnowledgeGraph": "rulemine.kg.graph",
        "MiningOptions": "rulemine.mining",
        "Recipe": "rulemine.recipe.recipe",
        "Release": "rulemine.release.reader",
        "Report": "rulemine.evaluation",
        "Rule": "rulemine.rules.rule",
        "Rules": "rulemine.mining",
        "answer": "rulemine.evaluation",
        "draft_recipe": "rulemine.draft.drafting",
        "evaluate": "rulemine.evaluation",
        "ground": "rulemine.rules.grounding",
        "import_set": "rulemine.importing.importer",
        "mine": "rulemine.mining",
    },
)
