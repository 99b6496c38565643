"""The three rules for the text of a question: it names every anchor, no answer, and no intermediate.

Guarantees: a text that passes does so in every naming, so it does not depend on the naming of a release;
names are compared as whole tokens, case-folded. A name inside an anchor's own name does not count here: not
as that of an answer, and not as that of another anchor. Whether an anchor's name gives an answer
away is another question, which `telling_anchor` answers.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.text.normalization import fold, places

__all__ = [
    "ANCHOR_MISSING",
    "ANCHOR_TELLS",
    "ANSWER_NAMED",
    "INTERMEDIATE_NAMED",
    "NamingProblem",
    "naming_problem",
    "telling_anchor",
]

ANCHOR_MISSING = "the text does not name an anchor"
ANSWER_NAMED = "the text names an answer"
INTERMEDIATE_NAMED = "the text names an intermediate entity"
ANCHOR_TELLS = "the name of an anchor has that of an answer in it"

_Span = tuple[int, int]


class NamingProblem(NamedTuple):
    """Why a text cannot be used.

    Attributes:
        reason: One of `ANCHOR_MISSING`, `ANSWER_NAMED` and `INTERMEDIATE_NAMED`.
        detail: In which naming; names no entity.
        text: The text in that naming.
    """

    reason: str
    detail: str
    text: str


def naming_problem(
    text_in: Callable[[str], str],
    anchors: Sequence[EntityNames],
    answers: Sequence[EntityNames],
    intermediates: Sequence[EntityNames],
) -> NamingProblem | None:
    """Why the text of a question cannot be used; None if it can.

    Args:
        text_in: The text in a naming, see `rulemine.kg.entity_names.NAMINGS`.
        anchors: The anchors, all different.
        answers: All answers, further ones included; an anchor among them is not searched for.
        intermediates: All other entities of all witnesses; an anchor among them is not searched for.

    Raises:
        InputError: As `EntityNames.name_in`.
    """
    for naming in NAMINGS:
        text = text_in(naming)
        if reason := _broken_rule(text, naming, anchors, answers, intermediates):
            return NamingProblem(reason, f"in the naming {naming}", text)
    return None


def _broken_rule(
    text: str,
    naming: str,
    anchors: Sequence[EntityNames],
    answers: Sequence[EntityNames],
    intermediates: Sequence[EntityNames],
) -> str | None:
    """The rule that a text breaks in one naming, as `naming_problem`; None if it breaks none."""
    text = fold(text)
    named = [list(_spans(text, entity, naming)) for entity in anchors]
    for place, spans in enumerate(named):
        others = [span for at, some in enumerate(named) if at != place for span in some]
        if not any(_is_free(span, others) for span in spans):
            return ANCHOR_MISSING
    own = [span for spans in named for span in spans]
    for entities, reason in ((answers, ANSWER_NAMED), (intermediates, INTERMEDIATE_NAMED)):
        for entity in entities:
            if entity not in anchors and any(
                _is_free(span, own) for span in _spans(text, entity, naming)
            ):
                return reason
    return None


def telling_anchor(anchors: Iterable[EntityNames], answers: Iterable[EntityNames]) -> str | None:
    """The first naming in which the name of an anchor has that of an answer in it; None: there is none.

    Example:
        >>> anchor = EntityNames("e1", "Q1", "Panjab University, Chandigarh")
        >>> telling_anchor([anchor], [EntityNames("e2", "Q2", "Chandigarh")])
        'text'
    """
    named = list(anchors)
    others = [answer for answer in answers if answer not in named]
    for naming in NAMINGS:
        for anchor in named:
            text = _folded(anchor.name_in(naming))
            if any(next(_spans(text, answer, naming), None) is not None for answer in others):
                return naming
    return None


def _spans(text: str, entity: EntityNames, naming: str) -> Iterator[_Span]:
    """Yields where a folded text has the name of an entity as a whole token."""
    name = _folded(entity.name_in(naming))
    if name in text:
        for at in places(text, name):
            yield at, at + len(name)


def _is_free(span: _Span, others: Sequence[_Span]) -> bool:
    """Whether a span is not within one of the others."""
    return not any(start <= span[0] and span[1] <= end for start, end in others)


@lru_cache(maxsize=1 << 16)  # every entity is searched for in many texts
def _folded(name: str) -> str:
    return fold(name)
