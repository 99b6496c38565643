"""Asks the questions of a recipe, with nothing of the stages that come before."""

from types import SimpleNamespace
from typing import Any

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.asking import Asking
from rulemine.phrasing.templates import Templates
from rulemine.recipe.earlier import NOTHING
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.recipe import Recipe
from rulemine.release.question_set import QuestionSet
from rulemine.removal.selection import Selection

__all__ = ["InputsByName", "ask"]


class InputsByName(SimpleNamespace):
    """Inputs that are set, by attribute or by name, as of `rulemine.recipe.inputs.Inputs`."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def ask(
    recipe: Recipe, kg: KnowledgeGraph, selection: Selection, templates: Templates, **given: Any
) -> QuestionSet:
    """The questions, with these inputs; others, such as `reference`, are as where none is named."""
    inputs = Inputs(recipe)
    none = {
        "labels": {}, "excluded": {}, "implied": (), "reference": None, "earlier": NOTHING, "stale": None,
    }  # fmt: skip
    inputs.put(kg=kg, templates=templates, **none | given)
    return Asking(inputs, selection).run()
