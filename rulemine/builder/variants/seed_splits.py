"""Splits of the kind ``variants``: by seed text, as in Dynamic-KGQA.

All questions of a seed text are in one split. Sizes are exact to one seed text, not to one question.
"""

from dataclasses import replace

from rulemine.builder.recipe import Recipe
from rulemine.builder.split import draw_splits, split
from rulemine.errors import UserError, counted
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import SPLITS, VariantQuestion

__all__ = ["split_by_seed_text"]


def split_by_seed_text(recipe: Recipe, asked: QuestionSet) -> QuestionSet | None:
    """Assigns a split to every question.

    Args:
        recipe: The recipe; `QuestionSection.split` and `QuestionSection.ratios` count.
        asked: The questions of the kind ``variants``.

    Returns:
        The same questions with `Question.split` and `Question.unseen`; None where single questions are split,
        or none are.

    Raises:
        UserError: There are fewer seed texts than splits.
    """
    chosen = recipe.questions
    if chosen.split != "group":
        return None
    having = {q.variants.seed_text for q in asked.questions if isinstance(q, VariantQuestion)}
    texts = [row.id for row in asked.seed_rows if row.id in having]
    if len(texts) < len(SPLITS):
        raise UserError(
            f"{counted(len(texts), 'seed text')} with questions; {len(SPLITS)} splits need at least "
            f"{len(SPLITS)}. Set questions.split to none, or give more seed texts."
        )
    dealt = dict(zip(texts, draw_splits(len(texts), chosen.ratios, recipe.seed), strict=True))
    dealt_questions = tuple(
        replace(q, split=SPLITS[dealt[q.variants.seed_text]])
        for q in asked.questions
        if isinstance(q, VariantQuestion)
    )
    return split(replace(asked, questions=dealt_questions), "group", chosen.ratios, recipe.seed)
