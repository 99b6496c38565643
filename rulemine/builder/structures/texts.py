"""The texts of questions, made from templates and checked in all namings.

Guarantees, in every naming: a text obeys the three rules of `rulemine.text.naming_rules`, and no two
questions have the same one. So a release has the same questions in every naming.
"""

from collections.abc import Sequence

from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.phrasing.compose import compose
from rulemine.phrasing.templates import Templates
from rulemine.query.links import renamed
from rulemine.query.parser import parse
from rulemine.release.records import Rejection, StructureQuestion
from rulemine.text.naming_rules import naming_problem
from rulemine.text.normalization import fold

__all__ = ["Texts"]

SAME = "the text is that of another question"


class Texts:
    """Makes and checks texts.

    Args:
        names: The names of all entities.
        templates: The templates of all relations.
    """

    def __init__(self, names: Sequence[EntityNames], templates: Templates) -> None:
        self._templates = templates
        self._names = {row.entity: row for row in names}
        self._taken: set[tuple[str, str]] = set()

    def __call__(self, question: StructureQuestion) -> str | Rejection:
        """The text of a question with source labels, or why it cannot be asked in words."""
        query, several = parse(question.query), len(question.answers) > 1
        anchors, answers, intermediates = (
            [self._names[name] for name in names]
            for names in (question.anchors, question.answers, question.structures.intermediates)
        )
        texts: dict[str, str] = {}

        def text_in(naming: str) -> str:
            names = {row.entity: row.name_in(naming) for row in anchors}
            texts[naming] = compose(
                renamed(query, names), self._templates, several=several, articles=naming == "text"
            )
            return texts[naming]

        problem = naming_problem(text_in, anchors, answers, intermediates)
        if problem is not None:
            return _rejection(question, *problem)
        keys = {naming: (naming, fold(texts[naming])) for naming in NAMINGS}
        for naming, key in keys.items():
            if key in self._taken:
                return _rejection(question, SAME, f"in the naming {naming}", texts[naming])
        self._taken.update(keys.values())
        return texts["entity"]


def _rejection(question: StructureQuestion, reason: str, detail: str, text: str) -> Rejection:
    return Rejection("ask", reason, "", None, "", "", detail, text, query=question.query)
