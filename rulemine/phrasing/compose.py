"""Composes the text of a question from its query and the templates of its relations."""

from rulemine.phrasing.templates import Templates
from rulemine.query.tree import Query

__all__ = ["compose"]


def compose(
    query: Query, templates: Templates, *, several: bool = False, articles: bool = False
) -> str:
    """The question in words.

    Args:
        query: What is asked; the entities as the text names them.
        templates: The templates of its relations, and which state the same facts.
        several: Whether it has more than one answer.
        articles: Whether names get *the* where they take it, see `rulemine.text.articles`.
    """
    raise NotImplementedError
