"""Drafts as a function; the command ``rulemine build draft`` gives the same bytes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.draft.drafting import Chosen, Drafting
from rulemine.draft.writing import drafted_files, write_draft
from rulemine.errors import ConfigError
from rulemine.recipe.loading import load_recipe, recipe_file
from rulemine.recipe.recipe import Recipe
from rulemine.release.outputs import check_place

__all__ = ["draft_recipe"]


def draft_recipe(
    graph: str | Path,
    folder: str | Path,
    settings: Mapping[str, Any] | None = None,
    *,
    effort: int | None = None,
    update: bool = False,
    context: BuildContext | None = None,
) -> list[str]:
    """Writes the recipe that a graph is built with by itself, with a comment for every choice.

    Args:
        graph: A graph or the name of a data set.
        folder: Where the recipe, templates, declarations and filter go.
        settings: Key of a recipe → value, such as ``{"kind": "structures"}``; they win over what is chosen.
        effort: Work that may be spent, in millions of joins; None: as the command.
        update: Whether there may be a draft: files that nobody has edited are replaced.
        context: Resources and callbacks. Stages are kept in ``out/NAME.stages`` of the current folder.

    Returns:
        What was written or kept, in lines.

    Raises:
        ConfigError: It is a recipe, or rules are given: nothing is left to choose.
        OutputError: There is such a draft, and it is no update.
        RulemineError: As of a build.
    """
    given = {tuple(key.split(".")): value for key, value in (settings or {}).items()}

    def recipe_with(choices: Sequence[Chosen]) -> Recipe:
        chosen = [(tuple(choice.key.split(".")), choice.value) for choice in choices]
        return load_recipe(str(graph), [*chosen, *given.items()])

    recipe, folder = recipe_with(()), Path(folder)
    if recipe_file(str(graph)) or recipe.rules or recipe.selection.mode != "maximal":
        raise ConfigError(
            f"{graph}: is a recipe, or has rules: nothing is left to choose. Give a graph."
        )
    check_place(folder)
    target = Path("out") / recipe.name
    drafting = Drafting(
        recipe_with, lambda drafted: Build(drafted, target, context), settings or (), effort
    )
    made = drafting.run()
    files = drafted_files(made, drafting.choices, drafting.given, folder)
    return list(write_draft(folder, files, update=update))
